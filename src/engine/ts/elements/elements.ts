/**
 * Converts packed elements of fixed size to the values that callers get: typed arrays of numbers,
 * arrays of strings and bytes, columns of structs, or zarrita's classes. A single element becomes a
 * scalar. `variable.ts` has data types of variable length.
 *
 * NumPy's datetimes, which count units since 1970, become `Date`, which counts milliseconds. Finer
 * units are rounded towards the past. <https://numpy.org/doc/stable/reference/arrays.datetime.html>
 */
import type { FieldDescription, TimeUnit, TypeDescription } from "../model/data_type.ts";
import { BoolArray, ByteStringArray, codesToText, UnicodeStringArray } from "../model/wrapper_arrays.ts";
import { aligned, type Elements, numbersOf, product, stridesInOrder, viewOf } from "./typed_arrays.ts";

/** The smallest count means "not a time". */
export const NAT = -(2n ** 63n);

/** Milliseconds in a unit. */
export const MILLISECONDS: Partial<Record<TimeUnit, bigint>> = {
  W: 604_800_000n,
  D: 86_400_000n,
  h: 3_600_000n,
  m: 60_000n,
  s: 1000n,
  ms: 1n,
};
/** Units in a millisecond. */
export const IN_A_MILLISECOND: Partial<Record<TimeUnit, bigint>> = {
  us: 10n ** 3n,
  ns: 10n ** 6n,
  ps: 10n ** 9n,
  fs: 10n ** 12n,
  as: 10n ** 15n,
};

/** Divides, rounding down. */
export function floorDivide(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  return value % divisor < 0n ? quotient - 1n : quotient;
}

/** The date this many months after January 1970. */
function dateOfMonths(months: bigint): Date {
  const date = new Date(0);
  date.setUTCFullYear(1970, Number(months));
  return date;
}

/**
 * The date of a count. An invalid date for NaT, for counts without a unit, and for dates beyond the
 * range of `Date`.
 */
export function dateOf(count: bigint | undefined, unit: TimeUnit = "generic", scaleFactor = 1): Date {
  if (count === undefined || count === NAT) return new Date(Number.NaN);
  const units = count * BigInt(scaleFactor);
  if (unit === "Y") return dateOfMonths(units * 12n);
  if (unit === "M") return dateOfMonths(units);
  const coarse = MILLISECONDS[unit];
  if (coarse !== undefined) return new Date(Number(units * coarse));
  const fine = IN_A_MILLISECOND[unit];
  return new Date(fine === undefined ? Number.NaN : Number(floorDivide(units, fine)));
}

/** Elements, their layout, and how to interpret them. */
export interface Packed {
  data: Data;
  /** Shape and strides are in elements. A complex element is two numbers in `data`. */
  shape: number[];
  stride: number[];
  complex?: true;
  /** The time unit of datetimes and timedeltas, and the number of units per count. */
  unit?: string;
  scale?: number;
  /**
   * The datetime at an index of `data`. An invalid date for NaT and for dates beyond the range of
   * `Date`.
   */
  toDate?: (place: number) => Date;
}

export type Columns = Record<string, Packed>;
export type Data = Elements | unknown[] | Columns;

interface Layout {
  shape: readonly number[];
  stride: readonly number[];
}

/** Makes a value from each element. */
function each<T>(bytes: Uint8Array, size: number, make: (element: Uint8Array) => T): T[] {
  return Array.from({ length: bytes.length / size }, (_, at) =>
    make(bytes.subarray(at * size, (at + 1) * size)),
  );
}

function withoutZeros(bytes: Uint8Array): Uint8Array {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  return bytes.slice(0, end);
}

const isNone = (element: Uint8Array) => element[0] === 0;

/**
 * The value of an optional element that is present. If the value may itself be null, it is wrapped
 * in a list, so that it differs from an absent one.
 */
export const someOf = (inner: TypeDescription, value: unknown): unknown =>
  inner.kind === "optional" || inner.kind === "json" ? [value] : value;

/** Packs the bytes `offset .. offset + length` of every element. */
function gather(bytes: Uint8Array, size: number, offset: number, length: number): Uint8Array {
  const count = bytes.length / size;
  const gathered = new Uint8Array(count * length);
  for (let at = 0; at < count; at += 1) {
    const start = at * size + offset;
    gathered.set(bytes.subarray(start, start + length), at * length);
  }
  return gathered;
}

function optionals(type: TypeDescription, inner: TypeDescription, bytes: Uint8Array): unknown[] {
  const size = type.size ?? 1;
  const values = dataOf(inner, gather(bytes, size, 1, size - 1), {
    shape: [bytes.length / size],
    stride: [1],
  });
  return each(bytes, size, isNone).map((none, at) =>
    none ? null : someOf(inner, scalarAt(inner, values, at)),
  );
}

/** One field of all structs. The dimensions of a field's own array come last. */
function column(field: FieldDescription, size: number, bytes: Uint8Array, { shape, stride }: Layout): Packed {
  const count = product(field.shape);
  const within = stridesInOrder(field.shape);
  const layout = {
    shape: [...shape, ...field.shape],
    stride: [...stride.map((step) => step * count), ...within],
  };
  return packedOf(field.type, gather(bytes, size, field.offset, count * (field.type.size ?? 1)), layout);
}

function columns(type: TypeDescription, bytes: Uint8Array, layout: Layout): Columns {
  // A field may have any name, even `__proto__`.
  const all: Columns = Object.create(null);
  for (const field of type.fields ?? []) all[field.name] = column(field, type.size ?? 1, bytes, layout);
  return all;
}

function dataOf(type: TypeDescription, bytes: Uint8Array, layout: Layout): Data {
  const { kind, size = 1 } = type;
  if (kind === "raw") return each(bytes, size, (element) => element.slice());
  if (kind === "null-terminated-bytes") return each(bytes, size, withoutZeros);
  if (kind === "utf32") return each(bytes, size, textOfUtf32);
  if (kind === "struct") return columns(type, bytes, layout);
  if (kind === "optional" && type.inner) return optionals(type, type.inner, bytes);
  return numbersOf(type, bytes);
}

function textOfUtf32(element: Uint8Array): string {
  const codes = viewOf("Uint32Array", element) as Uint32Array;
  let end = codes.length;
  while (end > 0 && codes[end - 1] === 0) end -= 1;
  return codesToText(codes.subarray(0, end));
}

/** How to interpret the data. */
function marksOf({ kind, unit, scaleFactor }: TypeDescription, data: Data): Partial<Packed> {
  if (kind === "complex") return { complex: true };
  if (kind === "timedelta") return { unit, scale: scaleFactor };
  if (kind !== "datetime") return {};
  const toDate = (place: number) => dateOf((data as BigInt64Array)[place], unit, scaleFactor);
  return { unit, scale: scaleFactor, toDate };
}

/** Converts packed elements to what `Array.get` returns. */
export function packedOf(type: TypeDescription, bytes: Uint8Array, { shape, stride }: Layout): Packed {
  const data = dataOf(type, bytes, { shape, stride });
  return { data, shape: [...shape], stride: [...stride], ...marksOf(type, data) };
}

/** A field of one struct: a scalar, or a list if the field is an array. */
function fieldAt({ type, shape }: FieldDescription, { data }: Packed, index: number): unknown {
  if (shape.length === 0) return scalarAt(type, data, index);
  const count = product(shape);
  return Array.from({ length: count }, (_, at) => scalarAt(type, data, index * count + at));
}

/** The element at an index of the data. */
function scalarAt(type: TypeDescription, data: Data, index: number): unknown {
  if (type.kind === "struct") {
    const all = (type.fields ?? []).map((field) => {
      return [field.name, fieldAt(field, (data as Columns)[field.name] as Packed, index)];
    });
    return Object.fromEntries(all);
  }
  const values = data as ArrayLike<unknown>;
  if (type.kind === "complex") return [values[2 * index], values[2 * index + 1]];
  return type.kind === "bool" ? values[index] !== 0 : values[index];
}

/** Converts one packed element to a scalar. Complex numbers become `[re, im]`, structs objects. */
export const scalarOf = (type: TypeDescription, bytes: Uint8Array): unknown =>
  scalarAt(type, dataOf(type, bytes, { shape: [1], stride: [1] }), 0);

/**
 * Wraps packed elements in zarrita's class for booleans and text of fixed length; undefined for
 * other data types.
 */
export function wrapperOf(
  type: TypeDescription,
  bytes: Uint8Array,
): BoolArray | ByteStringArray | UnicodeStringArray | undefined {
  const { kind, size = 1, components = 0 } = type;
  if (kind === "bool") return new BoolArray(bytes.buffer, bytes.byteOffset, bytes.length);
  if (kind === "null-terminated-bytes") {
    return new ByteStringArray(size, bytes.buffer, bytes.byteOffset, bytes.length / size);
  }
  if (kind !== "utf32") return undefined;
  const codes = aligned(bytes, 4);
  return new UnicodeStringArray(components, codes.buffer, codes.byteOffset, bytes.length / size);
}

/** Converts one packed element to zarrita's scalar. Text becomes a string. */
export const wrappedScalarOf = (type: TypeDescription, bytes: Uint8Array): unknown =>
  wrapperOf(type, bytes)?.get(0) ?? scalarOf(type, bytes);
