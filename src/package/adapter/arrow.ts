/**
 * Results of reads as vectors and tables of Apache Arrow. Numbers share their memory; booleans and
 * text are copied, because Arrow packs them.
 */
import {
  Bool,
  type Data,
  type DataType,
  DurationMicrosecond,
  DurationMillisecond,
  DurationNanosecond,
  DurationSecond,
  Field,
  FixedSizeList,
  Float16,
  Float32,
  Float64,
  Int8,
  Int16,
  Int32,
  Int64,
  makeData,
  Table,
  TimestampMicrosecond,
  TimestampMillisecond,
  TimestampNanosecond,
  TimestampSecond,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Utf8,
  Vector,
  vectorFromArray,
} from "apache-arrow";
import { NAT } from "../../engine/ts/elements/elements.ts";
import { isInOrder } from "../../engine/ts/elements/pack.ts";
import { optionsOf, type Rules } from "../../engine/ts/model/argument.ts";
import { UnsupportedError, ZarrError } from "../../engine/ts/model/errors.ts";

/** A result of `Array.get`. */
export interface ArrowInput {
  /** The elements: a typed array, or a list of texts. */
  readonly data: unknown;
  /** The number of elements along each dimension. */
  readonly shape: readonly number[];
  /** The step from one element to the next along each dimension, in elements. */
  readonly stride: readonly number[];
  /** Whether elements are pairs of a real and an imaginary part. */
  readonly complex?: true | undefined;
  /** The unit of dates and durations, as NumPy spells it. */
  readonly unit?: string | undefined;
  /** How many units a count is. */
  readonly scale?: number | undefined;
  /** Only of dates. */
  readonly toDate?: unknown;
}

/** Options of `toTable` and `toVector`. */
export interface ArrowOptions {
  /**
   * Whether numbers are truth values (0 and 1), as results of the data type `bool` are. Default:
   * false.
   */
  bool?: boolean | undefined;
  /** Tells which elements are missing: Arrow's nulls. Default: NaN of floats, and NaT of dates. */
  isMissing?: ((element: number | bigint) => boolean) | undefined;
}

const RULES: Rules<ArrowOptions> = { bool: "a boolean", isMissing: "a function" };

type Numbers = ArrayLike<number | bigint> & ArrayBufferView;

const TYPES: Record<string, () => DataType> = {
  Int8Array: () => new Int8(),
  Int16Array: () => new Int16(),
  Int32Array: () => new Int32(),
  BigInt64Array: () => new Int64(),
  Uint8Array: () => new Uint8(),
  Uint8ClampedArray: () => new Uint8(),
  Uint16Array: () => new Uint16(),
  Uint32Array: () => new Uint32(),
  BigUint64Array: () => new Uint64(),
  Float16Array: () => new Float16(),
  Float32Array: () => new Float32(),
  Float64Array: () => new Float64(),
};

/** Arrow's types of dates, by NumPy's units. */
const DATES: Record<string, () => DataType> = {
  s: () => new TimestampSecond(),
  ms: () => new TimestampMillisecond(),
  us: () => new TimestampMicrosecond(),
  ns: () => new TimestampNanosecond(),
};

/** Arrow's types of durations. */
const DURATIONS: Record<string, () => DataType> = {
  s: () => new DurationSecond(),
  ms: () => new DurationMillisecond(),
  us: () => new DurationMicrosecond(),
  ns: () => new DurationNanosecond(),
};

function typeOf({ data, unit, scale = 1, toDate }: ArrowInput): DataType {
  const { name } = (data as object).constructor;
  const made = unit === undefined ? TYPES[name] : (toDate ? DATES : DURATIONS)[unit];
  if (made && scale === 1) return made();
  throw new UnsupportedError("these elements in Arrow", {
    expected: "numbers, booleans, text, or dates and durations in s, ms, us or ns",
    actual: unit === undefined ? name : `${scale} ${unit}`,
  });
}

/** Packs truth values into bits. The first is the lowest bit of the first byte. */
function bitsOf(length: number, isSet: (at: number) => boolean) {
  const bits = new Uint8Array(Math.ceil(length / 8));
  let count = 0;
  for (let at = 0; at < length; at += 1) {
    if (!isSet(at)) continue;
    bits[at >> 3] = (bits[at >> 3] as number) | (1 << (at & 7));
    count += 1;
  }
  return { bits, count };
}

/** Whether an element is missing, by its class and unit. Undefined if none of the class can be. */
function missingIn({ data, unit }: ArrowInput): ArrowOptions["isMissing"] {
  if (/^Float/.test((data as object).constructor.name)) return Number.isNaN as (element: unknown) => boolean;
  return unit === undefined ? undefined : (element) => element === NAT;
}

/** Returns the elements as one list. */
function flat(input: ArrowInput, { bool = false, isMissing = missingIn(input) }: ArrowOptions): Data {
  const { data } = input;
  if (Array.isArray(data)) return vectorFromArray(data as string[], new Utf8()).data[0] as Data;
  const numbers = data as Numbers;
  const { length } = numbers;
  const valid = isMissing && bitsOf(length, (at) => !isMissing(numbers[at] as number | bigint));
  const nulls =
    valid && valid.count < length ? { nullCount: length - valid.count, nullBitmap: valid.bits } : {};
  if (bool) {
    const { bits } = bitsOf(length, (at) => Boolean(numbers[at]));
    return makeData({ type: new Bool(), length, data: bits, ...nulls });
  }
  const type = typeOf(input);
  // Arrow keeps float16 as the numbers of its bits.
  const stored =
    type instanceof Float16 ? new Uint16Array(numbers.buffer, numbers.byteOffset, length) : numbers;
  return makeData({ type, length, data: stored, ...nulls } as never) as Data;
}

function checkOrder({ shape, stride }: ArrowInput): void {
  if (isInOrder(shape, stride)) return;
  throw new ZarrError("Argument", "Arrow requires elements in C order", {
    expected: "a result of array.get without memoryOrder",
    actual: `shape [${shape}], stride [${stride}]`,
  });
}

/**
 * Converts a result of `Array.get` to a vector, with one entry per index of the first dimension.
 * Other dimensions and the two parts of complex numbers become lists of fixed size. NaN and NaT are
 * nulls. Numbers share their memory.
 *
 *     const temperature = toVector(await array.get({ time: 0 }, { decode: "cf", as: "float32" }));
 *
 * @param input A result of `Array.get`.
 * @throws an `UnsupportedError` for elements that Arrow lacks.
 * @throws an `Argument` error for a memory order other than C.
 */
export function toVector(input: ArrowInput, options: ArrowOptions = {}): Vector {
  optionsOf(options, RULES);
  checkOrder(input);
  const shape = input.complex ? [...input.shape, 2] : input.shape;
  let data = flat(input, options);
  for (const size of shape.slice(1).reverse()) {
    const type = new FixedSizeList(size, new Field("item", data.type, true));
    data = makeData({ type, length: size === 0 ? 0 : data.length / size, nullCount: 0, child: data });
  }
  return new Vector([data]);
}

/**
 * Makes a table with one column per result. Their first dimensions must be equal.
 *
 *     const table = toTable({ latitude: await latitude.get(), air: await air.get([0, null, 0]) });
 *
 * @param columns The results of `Array.get`, by the names of columns.
 * @throws an `Argument` error if their lengths differ, and for a memory order other than C.
 * @throws an `UnsupportedError` for elements that Arrow lacks.
 */
export function toTable(columns: Readonly<Record<string, ArrowInput>>, options: ArrowOptions = {}): Table {
  optionsOf(options, RULES);
  const lengths = Object.values(columns).map(({ shape }) => shape[0] ?? 1);
  if (new Set(lengths).size > 1)
    throw new ZarrError("Argument", "the columns of a table must have one length", {
      actual: lengths.join(", "),
    });
  const vectors = Object.entries(columns).map(([name, input]) => [name, toVector(input, options)]);
  return new Table(Object.fromEntries(vectors) as Record<string, Vector>);
}
