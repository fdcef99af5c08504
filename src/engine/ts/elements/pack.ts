/**
 * Packs elements, and tells where they are. It is apart from `typed_arrays.ts` and `variable.ts`,
 * which every page loads: only writes, codecs of users and the engine pack.
 */
import { product, stridesInOrder } from "./typed_arrays.ts";
import { splitVariable, type VariableElements } from "./variable.ts";

/** Assumed size in bytes of an element of variable length, for estimates of the cost of a read. */
export const VARIABLE_SIZE = 32;

/** Whether elements are packed in C order. */
export function isInOrder(shape: readonly number[], stride: readonly number[]): boolean {
  const packed = stridesInOrder(shape);
  return shape.every((extent, axis) => extent === 1 || stride[axis] === packed[axis]) || product(shape) === 0;
}

/** Number of elements from the first element to behind the last one, if no stride is negative. */
export const reach = (shape: readonly number[], stride: readonly number[]): number =>
  shape.includes(0)
    ? 0
    : 1 + shape.reduce((last, extent, axis) => last + (extent - 1) * (stride[axis] ?? 0), 0);

/** A buffer for `count` elements of `length` bytes in all. Its first offset is 0. */
export const variableBuffer = (count: number, length: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(4 * (count + 1) + length);

/** Writes elements one behind the other. */
export function fillVariable({ offsets, bytes }: VariableElements, elements: readonly Uint8Array[]): void {
  let end = 0;
  for (const [at, element] of elements.entries()) {
    bytes.set(element, end);
    end += element.length;
    offsets[at + 1] = end;
  }
}

/** Sum of the lengths of elements. */
export const lengthOfAll = (elements: readonly Uint8Array[]): number =>
  elements.reduce((total, { length }) => total + length, 0);

/** Packs elements into one buffer. */
export function joinVariable(elements: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const buffer = variableBuffer(elements.length, lengthOfAll(elements));
  fillVariable(splitVariable(buffer, elements.length), elements);
  return buffer;
}
