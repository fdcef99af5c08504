/**
 * The details of the selected node: shape, data type, chunks, shards, codecs, fill value,
 * conventions and attributes.
 */

import type { ArrayNode, DatasetNode } from "../opening/dataset.js";
import { element } from "../page/element.js";
import { fillInParts } from "../page/long_list.js";
import { cutText } from "../text/cut.js";
import { bytesText, countText, jsonText, shapeText, valueText } from "../text/numbers.js";
import { conventionsPart } from "./conventions.js";

type Rows = [name: string, value: string | HTMLElement][];

export function nodeDetails(node: DatasetNode, path: string): HTMLElement[] {
  const rows: Rows = [["Path", element("code", {}, `/${path}`)]];
  rows.push(...(node.kind === "array" ? arrayRows(node) : [["Kind", "group"] as Rows[number]]));
  return [
    element(
      "dl",
      {},
      ...rows.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]),
    ),
    warningsPart(node.warnings),
    ...packingNote(node.attrs).map((text) => element("p", { class: "note" }, text)),
    conventionsPart(node),
    // All digits: doubles are not exact beyond 2^53.
    attributesPart(node.attributes({ bigint: true })),
  ];
}

function warningsPart(warnings: readonly string[]): HTMLElement {
  const part = element("div");
  fillInParts(part, warnings, (text) => element("p", { class: "warning" }, text));
  return part;
}

function arrayRows(array: ArrayNode): Rows {
  const { shape, chunks, shards } = array;
  const count = shape.reduce((product, length) => product * length, 1);
  const grid = shape.map((length, axis) => Math.ceil(length / Math.max(1, chunks[axis] ?? 1)));
  const chunkCount = grid.reduce((product, length) => product * length, 1);
  const size = elementSize(array.dtype);
  const rows: Rows = [
    ["Kind", `array, Zarr v${array.zarrFormat}`],
    ["Shape", shapeText(shape)],
    ["Dimensions", array.dimensionNames?.map((name) => name ?? "–").join(", ") || "not named"],
    ["Data type", element("code", {}, array.dtype)],
    ["Size", size === null ? `${countText(count)} elements` : `${bytesText(count * size)} decoded`],
    ["Chunks", `${shapeText(chunks)} (${countText(chunkCount)} of them)`],
  ];
  if (shards) rows.push(["Shards", shapeText(shards)]);
  rows.push(["Codecs", codecList(array)], ["Fill value", element("code", {}, valueText(array.fillValue))]);
  return rows;
}

/** The codecs in the order of encoding, each with its configuration. */
function codecList(array: ArrayNode): HTMLElement {
  if (array.codecs.length === 0) return element("span", {}, "none");
  const list = element("ol", { class: "codecs" });
  fillInParts(list, array.codecs, ({ name, configuration }) => {
    const settings = Object.keys(configuration ?? {}).length > 0;
    if (!settings) return element("li", {}, name);
    const text = longText(jsonText(configuration));
    return element("li", {}, element("details", {}, element("summary", {}, name), element("pre", {}, text)));
  });
  return list;
}

function attributesPart(attributes: Record<string, unknown>): HTMLElement {
  const count = Object.keys(attributes).length;
  if (count === 0) return element("p", { class: "note" }, "No attributes.");
  return element(
    "details",
    { class: "attributes", open: true },
    element("summary", {}, `Attributes (${count})`),
    element("pre", { tabindex: 0 }, longText(jsonText(attributes))),
  );
}

/** Maximum length of a text of JSON. */
const MOST_CHARACTERS = 200_000;

const longText = (text: string): Text => document.createTextNode(cutText(text, MOST_CHARACTERS));

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
