/**
 * The details of the selected node: shape, data type, chunks, shards, codecs, fill value,
 * conventions and attributes.
 */

import { html, render, type TemplateResult } from "lit-html";
import { keyed } from "lit-html/directives/keyed.js";
import type { ArrayNode, DatasetNode } from "../../model/opening/dataset.js";
import { elementBytes } from "../../model/scene/data_type.js";
import { bytesText, countText, jsonText, shapeText, valueText } from "../../model/text/numbers.js";
import { cutText, shortened } from "../page/element.js";
import { inParts } from "../page/long_list.js";
import { conventionsPart } from "./node_conventions.js";

type Row = [name: string, value: string | TemplateResult];

const code = (text: string) => html`<code>${shortened(text)}</code>`;
const warning = (text: string) => html`<p class="warning">${shortened(text)}</p>`;
const note = (text: string) => html`<p class="note">${text}</p>`;

/** Shows the details of a node. */
export function showDetails(element: HTMLElement, node: DatasetNode, path: string): void {
  const kind: Row[] = node.kind === "array" ? arrayRows(node) : [["Kind", "group"]];
  const rows: Row[] = [["Path", code(`/${path}`)], ...kind];
  const row = ([name, value]: Row) =>
    html`<dt>${name}</dt><dd>${typeof value === "string" ? shortened(value) : value}</dd>`;
  // All digits: doubles are not exact beyond 2^53.
  const attributes = node.attributes({ bigint: true });
  const details = html`<dl>${rows.map(row)}</dl>
    <div>${inParts(node.warnings, warning)}</div>
    ${packingNote(node.attrs).map(note)} ${conventionsPart(node)} ${attributesPart(attributes)}`;
  render(keyed(node, details), element);
}

function arrayRows(array: ArrayNode): Row[] {
  const { shape, chunks, shards } = array;
  const count = shape.reduce((product, length) => product * length, 1);
  const grid = shape.map((length, axis) => Math.ceil(length / Math.max(1, chunks[axis] ?? 1)));
  const chunkCount = grid.reduce((product, length) => product * length, 1);
  const size = elementBytes(array.dtype);
  return [
    ["Kind", `array, Zarr v${array.zarrFormat}`],
    ["Shape", shapeText(shape)],
    ["Dimensions", array.dimensionNames?.map((name) => name ?? "–").join(", ") || "not named"],
    ["Data type", code(array.dtype)],
    ["Size", size === null ? `${countText(count)} elements` : `${bytesText(count * size)} decoded`],
    ["Chunks", `${shapeText(chunks)} (${countText(chunkCount)} of them)`],
    ...(shards ? [["Shards", shapeText(shards)] as Row] : []),
    ["Codecs", codecList(array)],
    ["Fill value", code(valueText(array.fillValue))],
  ];
}

/** The codecs in the order of encoding, each with its configuration. */
function codecList({ codecs }: ArrayNode): string | TemplateResult {
  const item = ({ name, configuration }: ArrayNode["codecs"][number]) => {
    if (Object.keys(configuration ?? {}).length === 0) return html`<li>${shortened(name)}</li>`;
    const text = longText(jsonText(configuration));
    return html`<li><details><summary>${shortened(name)}</summary><pre>${text}</pre></details></li>`;
  };
  return codecs.length === 0 ? "none" : html`<ol class="codecs">${inParts(codecs, item)}</ol>`;
}

function attributesPart(attributes: Record<string, unknown>): TemplateResult {
  const count = Object.keys(attributes).length;
  if (count === 0) return note("No attributes.");
  return html`<details class="attributes" open>
    <summary>Attributes (${count})</summary>
    <pre tabindex="0">${longText(jsonText(attributes))}</pre>
  </details>`;
}

/** Maximum length of a text of JSON. */
const MAX_CHARACTERS = 200_000;

const longText = (text: string): string => cutText(text, MAX_CHARACTERS);

/** CF's packing is in attributes. It is listed because the shown values are unpacked. */
function packingNote(attributes: Record<string, unknown>): string[] {
  const packing = ["scale_factor", "add_offset", "_Unsigned"].filter((name) => name in attributes);
  return packing.length === 0 ? [] : [`Values are shown unpacked, by ${packing.join(" and ")}.`];
}
