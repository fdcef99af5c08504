/**
 * The text of an element of any data type: numbers with the digits that they have, dates, complex
 * numbers and structs. It reads nothing.
 */

import { valueText } from "./numbers.js";

/** What `Array.get` returns; some data types add members. Each has texts for its elements. */
export interface Result {
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
    const count = Math.min(width, MAX_ITEMS);
    const texts = Array.from({ length: count }, (_, item) => elementText(column, at * width + item));
    if (width > count) texts.push(`… ${width} items`);
    return `${name}: ${own.length === 0 ? texts[0] : `[${texts.join(", ")}]`}`;
  });
  return `{${fields.join(", ")}}`;
}

const isColumns = (data: unknown): boolean =>
  typeof data === "object" && data !== null && !("length" in data);

/** The text of the element at an index of a result. */
export function elementText(result: Result, at: number): string {
  const { data, toDate } = result;
  if (isColumns(data)) return structText(result, at);
  const values = data as ArrayLike<unknown>;
  if (result.complex) return complexText(values, 2 * at);
  if (toDate) return dateText(result, at);
  const text = numberText(values, at);
  if (result.unit === undefined) return text;
  return values[at] === NAT ? "NaT" : `${text} ${durationUnit(result)}`.trim();
}
