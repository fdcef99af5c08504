/**
 * The details of the selected node: shape, data type, chunks, shards, codecs, fill value,
 * conventions and attributes.
 */

import { html, nothing, render, type TemplateResult } from "lit-html";
import { keyed } from "lit-html/directives/keyed.js";
import { until } from "lit-html/directives/until.js";
import * as zarr from "zarr-wasm";
import type { ArrayNode, DatasetNode } from "../opening/dataset.js";
import { cutText, shown } from "../page/element.js";
import { inParts } from "../page/long_list.js";
import { bytesText, countText, jsonText, shapeText, valueText } from "../text/numbers.js";

type Row = [name: string, value: string | TemplateResult];

const code = (text: string) => html`<code>${shown(text)}</code>`;
const warning = (text: string) => html`<p class="warning">${shown(text)}</p>`;
const note = (text: string) => html`<p class="note">${text}</p>`;

/** Shows the details of a node. */
export function showDetails(place: HTMLElement, node: DatasetNode, path: string): void {
  const kind: Row[] = node.kind === "array" ? arrayRows(node) : [["Kind", "group"]];
  const rows: Row[] = [["Path", code(`/${path}`)], ...kind];
  const row = ([name, value]: Row) =>
    html`<dt>${name}</dt><dd>${typeof value === "string" ? shown(value) : value}</dd>`;
  // All digits: doubles are not exact beyond 2^53.
  const attributes = node.attributes({ bigint: true });
  const details = html`<dl>${rows.map(row)}</dl>
    <div>${inParts(node.warnings, warning)}</div>
    ${packingNote(node.attrs).map(note)} ${conventionsPart(node)} ${attributesPart(attributes)}`;
  render(keyed(node, details), place);
}

function arrayRows(array: ArrayNode): Row[] {
  const { shape, chunks, shards } = array;
  const count = shape.reduce((product, length) => product * length, 1);
  const grid = shape.map((length, axis) => Math.ceil(length / Math.max(1, chunks[axis] ?? 1)));
  const chunkCount = grid.reduce((product, length) => product * length, 1);
  const size = elementSize(array.dtype);
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
    if (Object.keys(configuration ?? {}).length === 0) return html`<li>${shown(name)}</li>`;
    const text = longText(jsonText(configuration));
    return html`<li><details><summary>${shown(name)}</summary><pre>${text}</pre></details></li>`;
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
const MOST_CHARACTERS = 200_000;

const longText = (text: string): string => cutText(text, MOST_CHARACTERS);

/** CF's packing is in attributes. It is listed because the shown values are unpacked. */
function packingNote(attributes: Record<string, unknown>): string[] {
  const packing = ["scale_factor", "add_offset", "_Unsigned"].filter((name) => name in attributes);
  return packing.length === 0 ? [] : [`Values are shown unpacked, by ${packing.join(" and ")}.`];
}

function elementSize(dtype: string): number | null {
  if (dtype === "bool") return 1;
  const bits = /^(?:u?int|b?float|complex)(\d+)/.exec(dtype)?.[1];
  return bits ? Number(bits) / 8 : null;
}

/**
 * The conventions of a node, with errors and warnings about its attributes. Nothing until they are
 * known.
 */
const conventionsPart = (node: DatasetNode): unknown =>
  until(
    conventionsOf(node)
      .catch((error: unknown) => {
        return html`<p class="warning">${shown(`Conventions cannot be looked at: ${String(error)}`)}</p>`;
      })
      .then((part) => part && html`<section class="conventions">${part}</section>`),
    nothing,
  );

async function conventionsOf(node: DatasetNode) {
  const [conventions, findings] = await Promise.all([zarr.conventions(node), zarr.validate(node)]);
  const general = findings.filter(({ convention }) => convention === undefined);
  if (conventions.length === 0 && general.length === 0) return null;
  return html`<h3>Conventions</h3>
    ${findingList(general)}
    ${inParts(conventions, (convention) => {
      return html`<div><p>${shown(summary(convention))}</p>${findingList(convention.findings)}</div>`;
    })}`;
}

function summary({ label, version, declared }: zarr.Convention): string {
  const how = declared ? "declared" : "recognised by its attributes";
  return `${label.replace(/:$/, "")}${version ? ` ${version}` : ""}: ${how}`;
}

/** Only errors and warnings are shown, no notes. */
function findingList(findings: readonly zarr.Finding[]): unknown {
  const told = findings.filter(({ severity }) => severity !== "info");
  const item = ({ severity, path, message }: zarr.Finding) =>
    html`<li class=${severity}>${shown(path === "" ? message : `${path}: ${message}`)}</li>`;
  return told.length === 0 ? nothing : html`<ul class="findings">${inParts(told, item)}</ul>`;
}
