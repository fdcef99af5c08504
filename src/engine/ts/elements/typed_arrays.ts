/**
 * Converts packed little-endian numbers to typed arrays. Every machine that runs wasm in a browser
 * is little-endian, so a typed array is a view. Floats for which JavaScript has no typed array are
 * widened to float32, which represents all their values.
 */

import type { FloatTable } from "../../../contract/contract.ts";
import type { TypeDescription, ViewName } from "../model/data_type.ts";

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

export type ElementsClass = {
  new (length: number): Elements;
  readonly name: string;
  new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): Elements;
  readonly BYTES_PER_ELEMENT: number;
};

/** `Float16Array`, if this JavaScript engine has it. */
const HalfClass = (globalThis as unknown as { Float16Array?: ElementsClass }).Float16Array;

/** The typed array class of a view; that of the bits if this JavaScript engine lacks the class. */
export const CLASSES: Record<ViewName, ElementsClass> = {
  Int8Array,
  Int16Array,
  Int32Array,
  BigInt64Array,
  Uint8Array,
  Uint16Array,
  Uint32Array,
  BigUint64Array,
  Float16Array: HalfClass ?? Uint16Array,
  Float32Array,
  Float64Array,
};

/** Whether callers get the numbers as they are in memory. */
export const isView = ({ view, widens }: TypeDescription): boolean =>
  view !== undefined && (!widens || (view === "Float16Array" && HalfClass !== undefined));

/** Returns the bytes, copied if their offset is not a multiple of `alignment`. */
export const aligned = (bytes: Uint8Array, alignment: number): Uint8Array =>
  bytes.byteOffset % alignment === 0 ? bytes : bytes.slice();

/** Views packed numbers as a typed array. Floats to be widened are given as bits. */
export function viewOf(view: ViewName, bytes: Uint8Array): Elements {
  const View = CLASSES[view];
  const { buffer, byteOffset, byteLength } = aligned(bytes, View.BYTES_PER_ELEMENT);
  return new View(buffer, byteOffset, byteLength / View.BYTES_PER_ELEMENT);
}

/** Converts 16 bits of a float16 to a number. */
function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (fraction + 1024) * 2 ** (exponent - 25);
}

/** For each float type, the number of each bit pattern. */
const tables = new Map<string, Float32Array>();

/** Stores the tables that the engine sent with a data type. */
export function keepTables(sent: readonly FloatTable[]): void {
  for (const { name, numbers } of sent) tables.set(name, viewOf("Float32Array", numbers) as Float32Array);
}

function tableOf(name: string): Float32Array {
  const known = tables.get(name);
  if (known) return known;
  if (name !== "float16") throw new Error(`the engine sent no conversion table for ${name}`);
  const table = Float32Array.from({ length: 1 << 16 }, (_, bits) => halfToNumber(bits));
  tables.set(name, table);
  return table;
}

/** A bfloat16 is the upper half of a float32. */
function widenBfloat16(patterns: Elements): Float32Array {
  const words = new Uint32Array(patterns.length);
  for (let at = 0; at < words.length; at += 1) words[at] = (patterns[at] as number) << 16;
  return new Float32Array(words.buffer);
}

function widen(name: string, patterns: Elements): Float32Array {
  if (name === "bfloat16") return widenBfloat16(patterns);
  const table = tableOf(name);
  const values = new Float32Array(patterns.length);
  for (let at = 0; at < values.length; at += 1) values[at] = table[patterns[at] as number] as number;
  return values;
}

/**
 * Converts packed numbers to the typed array that callers get. A complex element is two numbers.
 */
export function numbersOf(type: TypeDescription, bytes: Uint8Array): Elements {
  const patterns = viewOf(type.view ?? "Uint8Array", bytes);
  return isView(type) ? patterns : widen(type.name.replace("complex_", ""), patterns);
}

/**
 * Strides in elements of a packed shape. `order` has the dimensions in memory order, slowest first.
 */
export function stridesOf(shape: readonly number[], order: readonly number[]): number[] {
  const strides = new Array<number>(shape.length).fill(1);
  let step = 1;
  for (const axis of [...order].reverse()) {
    strides[axis] = step;
    step *= shape[axis] ?? 1;
  }
  return strides;
}

/** The product of extents: the number of elements of a shape. */
export const product = (extents: readonly number[]): number =>
  extents.reduce((total, extent) => total * extent, 1);

/** Strides in elements of a packed shape in C order. */
export const stridesInOrder = (shape: readonly number[]): number[] => stridesOf(shape, [...shape.keys()]);
