/**
 * Converts packed elements to the chunks that users' codecs take (zarrita's `{ data, shape, stride
 * }`), and back. Floats without a typed array in this environment are given as bits. Elements that
 * are not numbers, text or booleans are given as packed bytes.
 */

import { wrapperOf } from "../elements/elements.ts";
import { loopsOver } from "../elements/loops.ts";
import { isInOrder, joinVariable, reach } from "../elements/pack.ts";
import { CLASSES, product, stridesInOrder, viewOf } from "../elements/typed_arrays.ts";
import { splitVariable, variableAt } from "../elements/variable.ts";
import type { TypeDescription } from "../model/data_type.ts";
import { isUint8Array } from "../model/realms.ts";
import { newDecoder, newEncoder } from "../model/utf8.ts";
import { CodecFault } from "./fault.ts";
import type { ArrayForm } from "./site.ts";

export interface ZarrChunk {
  data: unknown;
  shape: number[];
  stride: number[];
}

/**
 * Anything whose elements are in a buffer: typed arrays and zarrita's array classes, also those of
 * another copy of zarrita.
 */
interface Buffered {
  buffer: ArrayBufferLike;
  byteOffset: number;
  byteLength: number;
}

function dataOf(type: TypeDescription, bytes: Uint8Array<ArrayBuffer>, count: number): unknown {
  const { size, view } = type;
  if (size === undefined) return variableElements(type, bytes, count);
  return wrapperOf(type, bytes) ?? (view ? viewOf(view, bytes) : bytes);
}

function variableElements({ kind }: TypeDescription, bytes: Uint8Array, count: number): unknown[] {
  const elements = splitVariable(bytes, count);
  const text = newDecoder({ ignoreBOM: true });
  return Array.from({ length: count }, (_, at) => {
    const element = variableAt(elements, at);
    return kind === "string" ? text.decode(element) : element.slice();
  });
}

/** Makes a chunk in C order from packed elements. */
export function chunkOf({ type, shape }: ArrayForm, bytes: Uint8Array<ArrayBuffer>): ZarrChunk {
  return { data: dataOf(type, bytes, product(shape)), shape: [...shape], stride: stridesInOrder(shape) };
}

/** Converts one packed element to the form that codecs take. */
export function scalarOf(type: TypeDescription, element: readonly number[]): unknown {
  const own = Uint8Array.from(element);
  const bytes = type.size === undefined ? joinVariable([own]) : own;
  const data = dataOf(type, bytes, 1) as { get?(idx: number): unknown } & ArrayLike<unknown>;
  return typeof data.get === "function" ? data.get(0) : data[0];
}

const isNumbers = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((entry) => Number.isInteger(entry));

function shown(value: unknown): string {
  if (value === null) return "null";
  return isObject(value) ? nameOf(value) : typeof value;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
const nameOf = (value: object) => value.constructor?.name ?? "an object";

function checkChunk(form: ArrayForm, result: unknown): ZarrChunk {
  const chunk = isObject(result) ? (result as Partial<ZarrChunk>) : {};
  const { data, shape, stride } = chunk;
  if (data === undefined || !isNumbers(shape)) {
    throw new CodecFault("a codec did not return a chunk", "{ data, shape, stride }", shown(result));
  }
  if (shape.length !== form.shape.length || shape.some((extent, axis) => extent !== form.shape[axis])) {
    throw new CodecFault("a codec returned a chunk of another shape", `[${form.shape}]`, `[${shape}]`);
  }
  const strides = stride ?? stridesInOrder(shape);
  if (!isNumbers(strides) || strides.length !== shape.length || strides.some((step) => step < 0)) {
    throw new CodecFault(
      "a codec returned a chunk with unsuitable strides",
      `${shape.length} strides that are not negative`,
      `[${strides}]`,
    );
  }
  return { data, shape, stride: strides };
}

/**
 * Packs the elements of a codec's chunk in C order. Throws a `CodecFault` if the chunk does not
 * have the form.
 */
export function packedChunk(form: ArrayForm, result: unknown): Uint8Array<ArrayBuffer> {
  const chunk = checkChunk(form, result);
  const { size } = form.type;
  return size === undefined ? packVariable(form, chunk) : packFixed(form.type, size, chunk);
}

/** Whether a chunk fills its memory: in C order, in F order, or in another order of dimensions. */
export function isDense({ shape, stride }: ZarrChunk): boolean {
  const axes = [...shape.keys()].filter((axis) => shape[axis] !== 1);
  axes.sort((a, b) => (stride[a] ?? 0) - (stride[b] ?? 0));
  let expected = 1;
  for (const axis of axes) {
    if (stride[axis] !== expected) return false;
    expected *= shape[axis] ?? 0;
  }
  return true;
}

/**
 * Packs the elements of a chunk in the order of its memory. That is what zarrita's codecs encode:
 * its transposition changes only the strides. A chunk with gaps is packed in C order. The chunk may
 * have another shape than the form, with as many elements.
 */
export function packedMemory(form: ArrayForm, result: unknown): Uint8Array<ArrayBuffer> {
  const { shape } = isObject(result) ? (result as Partial<ZarrChunk>) : {};
  const isOther = isNumbers(shape) && product(shape) === product(form.shape);
  const chunk = checkChunk(isOther ? { ...form, shape } : form, result);
  return isDense(chunk)
    ? packedChunk(form, { data: chunk.data, shape: form.shape, stride: stridesInOrder(form.shape) })
    : packedChunk({ ...form, shape: chunk.shape }, chunk);
}

/** Kinds whose elements are in one of zarrita's classes. */
const WRAPPED = new Set(["bool", "utf32", "null-terminated-bytes"]);

function packFixed(type: TypeDescription, size: number, { data, shape, stride }: ZarrChunk) {
  const { buffer, byteOffset, byteLength } = data as Partial<Buffered>;
  const View = type.view && !WRAPPED.has(type.kind) ? CLASSES[type.view] : undefined;
  const fits = View === undefined || data instanceof View;
  if (buffer === undefined || byteLength === undefined || !fits) {
    const expected = View?.name ?? "a typed array, or one of zarrita's array classes";
    throw new CodecFault("a codec returned elements of another type", expected, shown(data));
  }
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  checkLength(reach(shape, stride) * size, byteLength, "bytes");
  if (isInOrder(shape, stride)) {
    return bytes.slice(0, product(shape) * size) as Uint8Array<ArrayBuffer>;
  }
  const output = new Uint8Array(product(shape) * size);
  const loops = loopsOver(shape, stride);
  for (let offset = 0; loops.left > 0; loops.next(), offset += size) {
    const at = loops.source * size;
    for (let byte = 0; byte < size; byte += 1) output[offset + byte] = bytes[at + byte] as number;
  }
  return output;
}

function checkLength(expected: number, actual: number, unit: string): void {
  if (actual >= expected) return;
  throw new CodecFault("a codec returned too few elements", `${expected} ${unit}`, `${actual} ${unit}`);
}

function packVariable({ type }: ArrayForm, { data, shape, stride }: ZarrChunk): Uint8Array<ArrayBuffer> {
  const values = data as ArrayLike<unknown>;
  checkLength(reach(shape, stride), values.length ?? 0, "elements");
  const elements: Uint8Array[] = [];
  const encoder = newEncoder();
  for (const loops = loopsOver(shape, stride); loops.left > 0; loops.next()) {
    const value = values[loops.source];
    if (type.kind === "string" && typeof value === "string") elements.push(encoder.encode(value));
    else if (type.kind !== "string" && isUint8Array(value)) elements.push(value);
    else {
      const expected = type.kind === "string" ? "strings" : "Uint8Arrays";
      throw new CodecFault("a codec returned elements of another type", expected, shown(value));
    }
  }
  return joinVariable(elements);
}
