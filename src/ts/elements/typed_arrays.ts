/**
 * From packed little-endian numbers to typed arrays. Every machine that runs wasm in a browser is
 * little-endian, so a typed array is a view; floats that JavaScript has no typed array for are
 * widened to 32 bits, which every value of theirs fits into.
 */
import type { TypeDescription, ViewName } from "../model/data_type.ts";
import type { NumberTables } from "../model/node_summary.ts";

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

/** Where this engine has it. */
const HalfClass = (globalThis as unknown as { Float16Array?: ElementsClass }).Float16Array;

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

/** Whether the numbers are what callers get as they are in memory. */
export const isView = ({ view, widens }: TypeDescription): boolean =>
  view !== undefined && (!widens || (view === "Float16Array" && HalfClass !== undefined));

/** The bytes, or a copy of them, beginning at a multiple of this. */
export const aligned = (bytes: Uint8Array, alignment: number): Uint8Array =>
  bytes.byteOffset % alignment === 0 ? bytes : bytes.slice();

/** The typed array of a view's name; of bits, where this engine has no such class. */
export const viewClass = (view: ViewName): ElementsClass => CLASSES[view];

/** Packed numbers as they are in memory: bits, of floats that have to be widened. */
export function viewOf(view: ViewName, bytes: Uint8Array): Elements {
  const View = CLASSES[view];
  const { buffer, byteOffset, byteLength } = aligned(bytes, View.BYTES_PER_ELEMENT);
  return new View(buffer, byteOffset, byteLength / View.BYTES_PER_ELEMENT);
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

/** What each pattern of bits means, by the name of the float. */
const tables = new Map<string, Float32Array>();

/** Keeps the tables that the engine has sent with a type. */
export function keepTables(sent: NumberTables | undefined): void {
  for (const [name, table] of Object.entries(sent ?? {})) tables.set(name, table);
}

function tableOf(name: string): Float32Array {
  const known = tables.get(name);
  if (known) return known;
  if (name !== "float16") throw new Error(`the table of ${name} did not come with its type`);
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

/** Packed numbers as callers get them; two in a row are a complex one. */
export function numbersOf(type: TypeDescription, bytes: Uint8Array): Elements {
  const patterns = viewOf(type.view ?? "Uint8Array", bytes);
  return isView(type) ? patterns : widen(type.name.replace("complex_", ""), patterns);
}

/**
 * Strides in elements of a packed shape whose dimensions stand in memory in this order, slowest
 * first.
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
