/**
 * Shows arrays without a plane: a single value, the values along one dimension as a list and as a
 * curve, or the first strings of an array.
 */

import { html, nothing, render, type TemplateResult } from "lit-html";
import * as zarr from "zarr-wasm";
import type { ArrayNode } from "../../model/opening/dataset.js";
import { coordinatesOf, textOf } from "../../model/scene/coordinates.js";
import { decoded } from "../../model/scene/lenient_reads.js";
import { countText, roundedText, valueText } from "../../model/text/numbers.js";
import { shown } from "../page/element.js";

/** Maximum numbers of values in the curve and in the list. */
const READ = 100_000;
const LISTED = 400;
/** Maximum size of what is read. An element may have 16 MiB. */
const READ_BYTES = 32 * 2 ** 20;

const CURVE = { width: 900, height: 260 };

/** The first values of an array. */
export interface Values {
  count: number;
  texts: string[];
  /** The numbers of the curve, if the array has one dimension of numbers. */
  numbers: number[];
}

export async function readValues(array: ArrayNode, signal: AbortSignal): Promise<Values> {
  const count = array.shape.reduce((product, length) => product * length, 1);
  if (count === 0) return { count, texts: [], numbers: [] };
  const result = await firstElements(array, count, signal);
  const read = result.shape.reduce((product, length) => product * length, 1);
  const isLine = array.shape.length === 1;
  const coordinates = isLine && array.dimensionNames?.[0] ? await coordinatesOf(array, 0, { signal }) : null;
  // The values of a coordinate variable are its places. Only dates say more.
  const isNamed = coordinates?.path && (coordinates.time || coordinates.path !== array.path);
  const name = isNamed ? await textOf(coordinates) : () => "";
  const units = unitsOf(array);
  const text = (index: number) => {
    const [place, value] = [name(index), `${elementText(result, index)} ${units}`.trim()];
    return place === "" || place === value ? value : `${value}  (${place})`;
  };
  const isCurve = isLine && isNumeric(array.dtype) && read > 1;
  const numbers = isCurve ? Array.from(result.data as ArrayLike<number | bigint>, Number) : [];
  return { count, texts: Array.from({ length: Math.min(read, LISTED) }, (_, at) => text(at)), numbers };
}

/** The units of an array's values. Counts of time are shown as dates, without units. */
function unitsOf({ attrs: { units } }: ArrayNode): string {
  return typeof units === "string" && units.length <= 40 && !/ since /i.test(units) ? units : "";
}

/** Shows the values instead of the picture. */
export function showValues(place: HTMLElement, { count, texts, numbers }: Values): void {
  render(
    html`${numbers.length > 0 ? curve(numbers) : nothing}
      <h2>${title(texts.length, count)}</h2>
      <ol start="0">${texts.map((text) => html`<li>${shown(text)}</li>`)}</ol>`,
    place,
  );
}

export const isNumeric = (dtype: string) => /^(bool|u?int(8|16|32|64)|float(16|32|64))$/.test(dtype);

function title(listed: number, count: number): string {
  if (count === 0) return "The array is empty";
  if (count === 1) return "The value";
  return listed < count
    ? `The first ${countText(listed)} of ${countText(count)} values`
    : `${countText(count)} values`;
}

/** All elements of a small array, in C order; of a large one the first of its last dimension. */
async function firstElements(array: ArrayNode, count: number, signal: AbortSignal) {
  const last = array.shape.length - 1;
  const firstOf = (most: number) =>
    array.shape.map((_length, axis) => (axis === last ? zarr.slice(0, most) : 0));
  const one = await array.plan(firstOf(1), { signal });
  const most = Math.max(1, Math.floor(READ_BYTES / Math.max(1, one.resultBytes)));
  const selection = count <= Math.min(LISTED, most) ? null : firstOf(Math.min(READ, most));
  return decoded(array, (decode) =>
    decode ? array.get(selection, { signal, decode }) : array.get(selection, { signal }),
  );
}

function curve(values: number[]): TemplateResult {
  const finite = values.filter(Number.isFinite);
  const low = finite.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  const high = finite.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  const { width, height } = CURVE;
  const across = (index: number) => ((index / (values.length - 1)) * width).toFixed(1);
  const down = (value: number) =>
    (high > low ? (1 - (value - low) / (high - low)) * height : height / 2).toFixed(1);
  let pen = "M";
  let path = "";
  for (const [index, value] of thinned(values)) {
    if (Number.isFinite(value)) path += `${pen}${across(index)} ${down(value)}`;
    // A value that is not a number is a gap in the curve.
    pen = Number.isFinite(value) ? "L" : "M";
  }
  const [least, most] = [roundedText(low), roundedText(high)];
  return html`<svg
    viewBox="-6 -22 ${width + 12} ${height + 44}"
    role="img"
    aria-label="Curve of ${values.length} values from ${least} to ${most}"
  >
    <path d="M0 0H${width}M0 ${height}H${width}" class="frame" />
    <path d=${path} class="line" />
    <text x="0" y="-8">${most}</text>
    <text x="0" y=${height + 16}>${least}</text>
  </svg>`;
}

/** About two points per pixel: the lowest and the highest value of each interval. */
function thinned(values: number[]): [index: number, value: number][] {
  const stretch = Math.ceil(values.length / CURVE.width);
  const points = [...values.entries()];
  if (stretch < 3) return points;
  const kept: [number, number][] = [];
  for (let from = 0; from < points.length; from += stretch) {
    const part = points.slice(from, from + stretch).sort((a, b) => a[1] - b[1]);
    kept.push(
      ...[part.at(0), part.at(-1)].filter((point) => point !== undefined).sort((a, b) => a[0] - b[0]),
    );
  }
  return kept;
}

/** What `Array.get` returns; some data types add members. Each has texts for its elements. */
interface Result {
  data: unknown;
  shape?: readonly number[];
  complex?: true;
  unit?: string;
  scale?: number;
  toDate?: (place: number) => Date;
}

/** The unit of a count of time; nothing for NumPy's generic unit. */
function durationUnit({ unit = "", scale = 1 }: Result): string {
  if (unit === "generic") return "";
  return scale === 1 ? unit : `× ${scale} ${unit}`;
}

/** NumPy's count for "not a time". */
const NAT = -(2n ** 63n);

/** The decimals of a second that a unit counts. */
const DECIMALS: Record<string, number> = { ms: 3, us: 6, ns: 9, ps: 12, fs: 15, as: 18 };

/** The decimals of a second of a count, such as ".5"; empty if they are zero. */
function fractionText(units: bigint, decimals: number): string {
  const second = 10n ** BigInt(decimals);
  const rest = ((units % second) + second) % second;
  return rest === 0n
    ? ""
    : `.${String(rest)
        .padStart(decimals, "0")
        .replace(/(?<!0)0+$/, "")}`;
}

/** A date; without the time if that is midnight. Counts beyond the range of `Date` as they are. */
function dateText(result: Result, at: number): string {
  const { unit = "generic", scale = 1, toDate } = result;
  const count = (result.data as BigInt64Array)[at] ?? NAT;
  const date = toDate?.(at);
  if (count === NAT) return "NaT";
  if (!date || Number.isNaN(date.getTime())) return `${count} ${durationUnit(result)}`.trim();
  const seconds = date.toISOString().replace(/\.\d+Z$/, "");
  const text = seconds + fractionText(count * BigInt(scale), DECIMALS[unit] ?? 0);
  return text.replace(/T00:00:00$/, "").replace("T", " ");
}

/** All digits of a float32, without those that only its float64 has: 0.1, not 0.10000000149. */
function singleText(value: number): string {
  for (let digits = 1; digits < 9; digits += 1) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return String(shorter);
  }
  return String(Number(value.toPrecision(9)));
}

function numberText(values: ArrayLike<unknown>, at: number): string {
  return values instanceof Float32Array ? singleText(values[at] ?? Number.NaN) : valueText(values[at]);
}

function complexText(values: ArrayLike<unknown>, at: number): string {
  const [re, im] = [numberText(values, at), numberText(values, at + 1)];
  return im.startsWith("-") ? `${re} − ${im.slice(1)}i` : `${re} + ${im}i`;
}

/** Maximum number of items that are written of a field's own array. */
const MAX_ITEMS = 100;

/**
 * The fields of one struct: `{a: 1, b: 2.5}`. The dimensions of a field's own array come last in
 * its shape.
 */
function structText({ data, shape = [] }: Result, at: number): string {
  const fields = Object.entries(data as Record<string, Result>).map(([name, column]) => {
    const own = (column.shape ?? []).slice(shape.length);
    const width = own.reduce((product, length) => product * length, 1);
    const told = Math.min(width, MAX_ITEMS);
    const texts = Array.from({ length: told }, (_, item) => elementText(column, at * width + item));
    if (width > told) texts.push(`… ${width} items`);
    return `${name}: ${own.length === 0 ? texts[0] : `[${texts.join(", ")}]`}`;
  });
  return `{${fields.join(", ")}}`;
}

const isColumns = (data: unknown): boolean =>
  typeof data === "object" && data !== null && !("length" in data);

/** The text of the element at a place of a result. */
function elementText(result: Result, at: number): string {
  const { data, toDate } = result;
  if (isColumns(data)) return structText(result, at);
  const values = data as ArrayLike<unknown>;
  if (result.complex) return complexText(values, 2 * at);
  if (toDate) return dateText(result, at);
  const text = numberText(values, at);
  if (result.unit === undefined) return text;
  return values[at] === NAT ? "NaT" : `${text} ${durationUnit(result)}`.trim();
}
