/**
 * From packed little-endian elements to JavaScript's arrays and scalars, by the name of the data type. Every machine that
 * runs wasm in a browser is little-endian, so a typed array is a view.
 */
import { UnsupportedError } from "../errors.ts";
import type { DataType } from "../types.ts";
import { BoolArray } from "../wrapper_arrays.ts";

/** A plain typed array. */
export type Elements =
  | Int8Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

type ElementsClass = new (buffer: ArrayBufferLike, byteOffset?: number, length?: number) => Elements;

/** What holds the elements of each type; halves stay 16-bit patterns until `finished`. */
const CLASSES: Partial<Record<DataType, ElementsClass>> = {
  bool: Uint8Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  float16: Uint16Array,
  float32: Float32Array,
  float64: Float64Array,
};

/** Where this engine has it. */
const HalfClass = (globalThis as unknown as { Float16Array?: ElementsClass }).Float16Array;

/** Fails for a data type whose elements no typed array here holds. */
export function checkElements(dtype: DataType): void {
  if (!(dtype in CLASSES)) throw new UnsupportedError(`elements of data type ${dtype}`);
}

/** A view of packed elements; `bytes` begins at a multiple of the element's size. */
export function viewOf(dtype: DataType, bytes: Uint8Array): Elements {
  checkElements(dtype);
  const View = CLASSES[dtype] as ElementsClass;
  const { BYTES_PER_ELEMENT } = View as unknown as { BYTES_PER_ELEMENT: number };
  const aligned = bytes.byteOffset % BYTES_PER_ELEMENT === 0 ? bytes : bytes.slice();
  return new View(aligned.buffer, aligned.byteOffset, bytes.byteLength / BYTES_PER_ELEMENT);
}

/** The number that a pattern of 16 bits means. */
function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (fraction + 1024) * 2 ** (exponent - 25);
}

let halves: Float32Array | undefined;

/** All halves there are, as 32-bit floats. */
function halfTable(): Float32Array {
  halves ??= Float32Array.from({ length: 1 << 16 }, (_, bits) => halfToNumber(bits));
  return halves;
}

/** Elements as callers get them: halves in a `Float16Array`, or in a `Float32Array` where there is none. */
export function finished(dtype: DataType, elements: Elements): Elements {
  if (dtype !== "float16") return elements;
  if (HalfClass) return new HalfClass(elements.buffer, elements.byteOffset, elements.length);
  const table = halfTable();
  return Float32Array.from(elements as Uint16Array, (bits) => table[bits] as number);
}

/** Elements as zarrita's calls return them: booleans in a `BoolArray`. */
export function wrapElements(dtype: DataType, elements: Elements): Elements | BoolArray {
  return dtype === "bool" ? new BoolArray(elements.buffer, elements.byteOffset, elements.length) : elements;
}

/** The first of these elements as a scalar. */
export function firstOf(dtype: DataType, elements: Elements): number | bigint | boolean | undefined {
  const [element] = elements;
  return dtype === "bool" ? element !== 0 : element;
}

/** One packed element as a scalar; undefined for a data type that has none here. */
export function elementOf(dtype: DataType, bytes: Uint8Array): number | bigint | boolean | undefined {
  if (!(dtype in CLASSES)) return undefined;
  return firstOf(dtype, finished(dtype, viewOf(dtype, bytes.slice())));
}

/** Strides in elements of a packed shape whose dimensions stand in memory in this order, slowest first. */
export function stridesOf(shape: readonly number[], order: readonly number[]): number[] {
  const strides = new Array<number>(shape.length).fill(1);
  let step = 1;
  for (const axis of [...order].reverse()) {
    strides[axis] = step;
    step *= shape[axis] ?? 1;
  }
  return strides;
}
