/**
 * A new data set as callers describe it, as xarray would print it, and the data of its variables as
 * sources of elements: dates become counts of CF's units of time, lists elements of a data type.
 *
 * The value of missing elements is read and written as xarray does. In v2 it is the fill value of
 * the metadata. In v3 it is the attribute `_FillValue`; for floats this is a double in base64.
 */

import type { Array as ZarrArray } from "../../../api/array.ts";
import type { ArrayChoices } from "../../../api/create.ts";
import type { Group } from "../../../api/group.ts";
import {
  type ElementSource,
  type ElementsInMemory,
  type OpenedSource,
  typeOfElements,
} from "../../../api/write/element_source.ts";
import { NAT } from "../../../engine/ts/elements/elements.ts";
import { refuse } from "../../../engine/ts/model/argument.ts";
import { isNumberType } from "../../../engine/ts/model/data_type.ts";
import type { DateLike } from "../../../engine/ts/model/date_like.ts";
import { floatBits } from "../../../engine/ts/model/number_types.ts";
import type { Attributes, DataType, Readable } from "../../../engine/ts/model/types.ts";
import { timeUnits } from "../time.ts";

export type FillValue = number | bigint;

export const isNumpyFloat = (dtype: unknown): boolean =>
  typeof dtype === "string" && isNumberType(dtype) && floatBits(dtype) !== undefined;

const NAME = "_FillValue";

/** Returns the attribute for a data type and a format; none in v2. */
export function fillAttribute(fill: FillValue | undefined, dtype: unknown, zarrFormat: 2 | 3): Attributes {
  if (fill === undefined || zarrFormat === 2) return {};
  if (!isNumpyFloat(dtype)) return { [NAME]: fill };
  const bytes = new Uint8Array(new Float64Array([Number(fill)]).buffer);
  return { [NAME]: btoa(String.fromCharCode(...bytes)) };
}

/** Returns the attributes without the fill value. */
export function withoutFill({ [NAME]: _, ...others }: Attributes): Attributes {
  return others;
}

/** Returns a number of an attribute; undefined for anything else. */
function numberOf(value: unknown): FillValue | undefined {
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (typeof value !== "string" || !/^[A-Za-z0-9+/]{11}=$/.test(value)) return undefined;
  const bytes = Uint8Array.from(atob(value), (letter) => letter.charCodeAt(0));
  return new DataView(bytes.buffer).getFloat64(0, true);
}

/** Returns the value of missing elements of a source, if its metadata give one. */
export function fillValueIn({ array, attributes }: OpenedSource): FillValue | undefined {
  const exact = array?.attributes({ bigint: true }) ?? attributes;
  const named = numberOf(exact[NAME]);
  return named ?? (array?.zarrFormat === 2 ? numberOf(array.fillValue) : undefined);
}

/** Returns the values of `_FillValue` and `missing_value` that are numbers. */
export function missingIn({ array, attributes }: OpenedSource): FillValue[] {
  const exact = array?.attributes({ bigint: true }) ?? attributes;
  const values = [NAME, "missing_value"].flatMap((key) => exact[key] ?? []).map(numberOf);
  return values.filter((value): value is FillValue => value !== undefined);
}

/**
 * The elements of a variable: a source, or a flat list in C order of numbers, booleans, texts or
 * dates. Dates become counts of `attributes.units` in `attributes.calendar`; without units, of the
 * coarsest units since 1970 in which they are whole.
 */
export type VariableData =
  | ElementSource
  | ArrayLike<number | bigint | boolean | string>
  | readonly DateLike[];

/** A variable: an array with named dimensions. Other options are those of `create`. */
export interface NewVariable
  extends Omit<
    ArrayChoices,
    "path" | "kind" | "shape" | "dimensionNames" | "zarrFormat" | "overwrite" | "signal"
  > {
  /** The names of its dimensions. Default for a coordinate: its own name. A variable needs them. */
  dims?: readonly string[] | undefined;
  /** Its elements. Without them, all elements are missing until `set` writes them. */
  data?: VariableData | undefined;
  /**
   * The value of missing elements: Zarr's fill value, and the attribute `_FillValue`, as xarray
   * writes it. Default: NaN for variables of floats, else none.
   */
  fillValue?: number | bigint | undefined;
  /** CF's attributes, such as `units`, `standard_name` and `scale_factor`. */
  attributes?: Attributes | undefined;
}

/** A new data set, as xarray would print it. */
export interface NewDataset {
  /** The lengths of dimensions. Those of variables with data may be omitted. Default: none. */
  dims?: Readonly<Record<string, number>> | undefined;
  /**
   * Coordinates by name. One that is only data has the dimension of its name. Those with other
   * dimensions are named in the attribute `coordinates` of the variables. Default: none.
   */
  coords?: Readonly<Record<string, NewVariable | VariableData>> | undefined;
  /** Variables by name: arrays with named dimensions. Default: none. */
  variables?: Readonly<Record<string, NewVariable>> | undefined;
  /** The attributes of the group, such as `title` and `Conventions`. */
  attributes?: Attributes | undefined;
}

/** The progress of `createDataset`. */
export interface DatasetProgress {
  /** Name of the variable that is being written. */
  variable: string;
  /** Number of elements that are written, of all variables. */
  elements: number;
  /** Number of elements of all variables. */
  totalElements: number;
}

/** Options of `createDataset`. */
export interface CreateDatasetOptions {
  /** Path of the group below the given location, taken literally. Default: the location itself. */
  path?: string | undefined;
  /** The Zarr format. Default: 3. */
  zarrFormat?: 2 | 3 | undefined;
  /** Whether to write consolidated metadata; the store must be able to list. Default: true. */
  consolidated?: boolean | undefined;
  /** Whether to erase an existing node at the location. Default: false. */
  overwrite?: boolean | undefined;
  /** Aborts the call, which rejects with the signal's reason. What is written already stays. */
  signal?: AbortSignal | undefined;
  /** Called after each box of elements that is written. */
  onProgress?: ((progress: DatasetProgress) => void) | undefined;
}

/** A data set that has been written. */
export interface Dataset<Store extends Readable = Readable> {
  /** The group. */
  group: Group<Store>;
  /** The arrays of coordinates and variables, by name. */
  arrays: Record<string, ZarrArray<DataType, Store>>;
}

/** Flat elements without a shape, and the attributes that say what they are. */
export interface FlatData {
  data: ArrayLike<unknown>;
  dtype: string;
  attributes: Attributes;
  /** The value of dates that are not valid, if there are any. */
  fillValue?: number | bigint;
}

const MILLISECONDS: readonly [unit: string, length: number][] = [
  ["days", 86_400_000],
  ["hours", 3_600_000],
  ["minutes", 60_000],
  ["seconds", 1000],
  ["milliseconds", 1],
];

/** The calendar of `Date`, by its name in CF. */
const CALENDAR = "proleptic_gregorian";

const isList = (data: unknown): data is ArrayLike<unknown> =>
  globalThis.Array.isArray(data) || (ArrayBuffer.isView(data) && !(data instanceof DataView));

/** Whether data is a flat list, and not a source with a shape of its own. */
export const isFlat = (data: VariableData | NewVariable | undefined): data is ArrayLike<never> =>
  isList(data);

/** Whether data is a source with a shape of its own. */
export const isSource = (data: unknown): data is ElementSource =>
  typeof data === "object" && data !== null && !isList(data) && "shape" in data;

const hasTimeUnits = ({ units }: Attributes) => typeof units === "string" && / since /i.test(units);

function areDates(list: ArrayLike<unknown>, attributes: Attributes): boolean {
  if (ArrayBuffer.isView(list) || list.length === 0) return false;
  const isDate = (value: unknown) =>
    value instanceof Date ||
    (hasTimeUnits(attributes) && (typeof value === "string" || typeof value === "object"));
  return globalThis.Array.from(list).every(isDate);
}

const isInvalid = (date: unknown) => date instanceof Date && Number.isNaN(date.getTime());

/**
 * Counts as the given type; else as 64-bit integers, or as doubles if some are fractions. Readers
 * convert integers exactly, and doubles to about a microsecond.
 */
function countsOf(counts: readonly number[], attributes: Attributes, type?: string): FlatData {
  const isMissing = counts.some(Number.isNaN);
  const isWhole = counts.every((count) => Number.isNaN(count) || Number.isSafeInteger(count));
  const dtype = type ?? (isWhole ? "int64" : "float64");
  if (dtype !== "int64")
    return { data: counts, dtype, attributes, ...(isMissing && { fillValue: Number.NaN }) };
  const data = BigInt64Array.from(counts, (count) => (Number.isNaN(count) ? NAT : BigInt(count)));
  return { data, dtype, attributes, ...(isMissing && { fillValue: NAT }) };
}

/** Returns the counts of dates in the coarsest units in which all are whole. */
function countsOfDates(dates: readonly Date[], type?: string): FlatData {
  const times = dates.map((date) => date.getTime());
  const isWhole = (length: number) => times.every((time) => Number.isNaN(time) || time % length === 0);
  const [unit, length] = MILLISECONDS.find(([, length]) => isWhole(length)) ?? ["milliseconds", 1];
  const attributes = { units: `${unit} since 1970-01-01`, calendar: CALENDAR };
  // `+ 0` makes one zero of two.
  return countsOf(
    times.map((time) => time / length + 0),
    attributes,
    type,
  );
}

async function flatDates(
  dates: readonly DateLike[],
  attributes: Attributes,
  type?: string,
): Promise<FlatData> {
  if (!hasTimeUnits(attributes)) {
    const own = countsOfDates(dates as readonly Date[], type);
    return { ...own, attributes: { ...attributes, ...own.attributes } };
  }
  const { units, calendar = CALENDAR } = attributes as { units: string; calendar?: string };
  const time = await timeUnits(units, calendar);
  const known = await time.counts(dates.filter((date) => !isInvalid(date)));
  let next = 0;
  const counts = dates.map((date) => (isInvalid(date) ? Number.NaN : (known[next++] as number)));
  return countsOf(counts, { ...attributes, calendar }, type);
}

/** Returns the data type of a list; float64 for numbers, as in NumPy. */
function typeOfList(list: ArrayLike<unknown>, name: string): string {
  const typed = typeOfElements(list);
  if (typed !== undefined) return typed;
  const types: Record<string, string> = {
    number: "float64",
    bigint: "int64",
    boolean: "bool",
    string: "string",
  };
  const found = new Set(globalThis.Array.from(list, (value) => types[typeof value]));
  const [type] = found;
  if (found.size === 1 && type !== undefined) return type;
  refuse(
    `the data type of the variable ${JSON.stringify(name)} is not known`,
    "the option dtype, a typed array, or a list of one type",
    [...found].join(", ") || "an empty list",
  );
}

/** Resolves to the elements of a flat list, as they are stored. */
export async function flatData(
  name: string,
  list: ArrayLike<unknown>,
  { attributes = {}, dtype }: NewVariable,
): Promise<FlatData> {
  const given = typeof dtype === "string" ? dtype : undefined;
  if (areDates(list, attributes))
    return flatDates(globalThis.Array.from(list) as DateLike[], attributes, given);
  return { data: list, dtype: given ?? typeOfList(list, name), attributes };
}

/** Returns a flat list as a source of elements. */
export const shaped = ({ data, dtype }: FlatData, shape: readonly number[]): ElementsInMemory => ({
  data,
  shape,
  dtype,
});
