/**
 * Converts the values that callers write to values with a layout, or to one packed element for all
 * indices. A value is a scalar, a typed array, a plain array (nested ones as in NumPy), a chunk
 * with strides, columns or objects of structs.
 */

import type { ElementLayout } from "../../contract/contract.ts";
import { product, stridesInOrder } from "../../engine/ts/elements/typed_arrays.ts";
import { need, needReadable, refuse } from "../../engine/ts/model/argument.ts";
import { isNumeric, type TypeDescription } from "../../engine/ts/model/data_type.ts";
import { shown, ZarrError } from "../../engine/ts/model/errors.ts";
import { isUint8Array } from "../../engine/ts/model/realms.ts";
import { BoolArray, ByteStringArray, UnicodeStringArray } from "../../engine/ts/model/wrapper_arrays.ts";
import { checkLength, type PackedElements, packScalar, packValues } from "./elements.ts";
import { areIntegers, UNFIT, unitsOf, type Values } from "./layout.ts";
import type { PackOptions } from "./numbers.ts";

/** Packed values for the engine, which broadcasts them to the selection. */
export interface Source extends PackedElements {
  layout: ElementLayout;
}

const isWrapper = (value: unknown) =>
  value instanceof BoolArray || value instanceof ByteStringArray || value instanceof UnicodeStringArray;

const isTyped = (value: unknown) => ArrayBuffer.isView(value) && !(value instanceof DataView);

/** Kinds whose single elements are lists or bytes themselves. */
const OF_LISTS = new Set(["raw", "bytes", "null-terminated-bytes", "variable-array"]);

interface GivenChunk {
  data: unknown;
  shape: readonly number[];
  stride?: readonly number[];
}

const isChunk = (value: unknown): value is GivenChunk =>
  typeof value === "object" &&
  value !== null &&
  "data" in value &&
  Array.isArray((value as GivenChunk).shape);

/** Whether a value is a list of elements. */
function isList(type: TypeDescription, value: unknown): value is ArrayLike<unknown> {
  if (isWrapper(value)) return true;
  if (OF_LISTS.has(type.kind))
    return Array.isArray(value) && value.some((entry) => typeof entry !== "number");
  return Array.isArray(value) || isTyped(value);
}

/** Kinds of elements that lists of lists hold. Elements of others may be lists of anything. */
const nests = (type: TypeDescription): boolean =>
  isNumeric(type) || OF_LISTS.has(type.kind) || ["string", "utf32", "struct"].includes(type.kind);

const isListOrView = (value: unknown) => Array.isArray(value) || ArrayBuffer.isView(value);

/** Whether a list is one element: bytes, or an element of variable length. */
function isElement({ kind }: TypeDescription, list: readonly unknown[]): boolean {
  if (kind === "variable-array") return !list.some(isListOrView);
  return OF_LISTS.has(kind) && list.every((entry) => typeof entry === "number");
}

const areLists = (type: TypeDescription, level: readonly unknown[]): boolean =>
  level.length > 0 &&
  level.every(Array.isArray) &&
  !level.every((list) => isElement(type, list as unknown[]));

/**
 * The shape and the entries of nested lists. Throws an `Argument` error if their lengths differ.
 */
function unnest(type: TypeDescription, list: readonly unknown[]): { data: unknown; shape: number[] } {
  const shape = [list.length];
  let level: readonly unknown[] = list;
  while (areLists(type, level)) {
    const lists = level as readonly (readonly unknown[])[];
    const length = lists[0]?.length ?? 0;
    if (lists.some((inner) => inner.length !== length)) {
      refuse(
        "nested lists must have equal lengths",
        `${length} entries each`,
        [...new Set(lists.map((inner) => inner.length))].join(", "),
      );
    }
    shape.push(length);
    level = lists.flat();
  }
  // The innermost lists are the two parts of complex numbers.
  if (type.kind === "complex" && shape.length > 1 && shape.at(-1) === 2) shape.pop();
  return { data: level, shape };
}

/** The shape of nested arrays; undefined for other values. */
const shapeOfNested = (type: TypeDescription, value: unknown): readonly number[] | undefined =>
  isNested(type, value) ? unnest(type, value).shape : undefined;

const isNested = (type: TypeDescription, list: unknown): list is readonly unknown[] =>
  Array.isArray(list) && nests(type) && areLists(type, list);

/** Values of a caller, and their layout. */
interface Given extends Values {
  layout: ElementLayout;
}

const shaped = (
  data: unknown,
  shape: readonly number[],
  stride: readonly number[] = stridesInOrder(shape),
): Given => ({
  data,
  shape,
  stride,
  layout: { Shaped: Array.from(shape, BigInt) },
});

/** Converts a list to values. A flat list that fills the selection has its shape in the engine. */
function listed(type: TypeDescription, list: ArrayLike<unknown>, target: readonly number[]): Given {
  if (isNested(type, list)) {
    const { data, shape } = unnest(type, list);
    return shaped(data, shape);
  }
  const count = list.length / unitsOf(type);
  if (!Number.isInteger(count)) refuse(UNFIT, "pairs of numbers", `${list.length} numbers`);
  return { ...shaped(list, count === product(target) ? target : [count]), layout: "List" };
}

/** Returns a caller's chunk. Throws an `Argument` error if its layout is none. */
function checkedChunk(chunk: GivenChunk): GivenChunk {
  needReadable(chunk.data, "data");
  need(areIntegers(chunk.shape, 0), "shape", "a list of lengths");
  need(chunk.stride === undefined || areIntegers(chunk.stride, -Infinity), "stride", "a list of integers");
  return chunk;
}

function valuesOf(type: TypeDescription, value: unknown, target: readonly number[]): Given | undefined {
  needReadable(value, "value");
  if (isChunk(value)) {
    const { data, shape, stride } = checkedChunk(value);
    return shaped(data, shape, stride);
  }
  return isList(type, value) ? listed(type, value, target) : undefined;
}

/**
 * The length along an axis of values that are appended to an array of this shape. Values without a
 * shape of their own are as many as fill the other dimensions. `isPacked`: they are bytes.
 */
export function appendedLength(
  type: TypeDescription,
  value: unknown,
  { shape, axis, isPacked }: { shape: readonly number[]; axis: number; isPacked: boolean },
): number {
  needReadable(value, "value");
  const { shape: given } = value as { shape?: readonly number[] };
  needReadable(given, "shape");
  const own = Array.isArray(given) ? given : shapeOfNested(type, value);
  if (own && (own === given || own.length > 1 || shape.length === 1)) {
    // Missing leading dimensions repeat, as in NumPy.
    return own[axis - shape.length + own.length] ?? 1;
  }
  const rest = product(shape.filter((_, other) => other !== axis)) || 1;
  const ownUnits = own ? 1 : unitsOf(type);
  const units = isPacked ? (type.size ?? 1) : ownUnits;
  const count = (value as ArrayLike<unknown>).length / units / rest;
  if (Number.isSafeInteger(count)) return count;
  throw new ZarrError("Argument", "the values do not fill the other dimensions of the array", {
    field: "value",
    expected: `a multiple of ${rest * units}`,
    actual: shown((value as ArrayLike<unknown>).length),
  });
}

/**
 * Packs values. Errors tell the index of a value in a flat list by `target`, the shape of the
 * selection.
 */
export function sourceOf(
  type: TypeDescription,
  value: unknown,
  target: readonly number[],
  options: PackOptions,
): Source {
  const values = valuesOf(type, value, target);
  if (!values) return { bytes: packScalar(type, value, options).bytes, layout: { Shaped: [] } };
  checkLength(type, values);
  return { ...packValues(type, values, options), layout: values.layout };
}

/**
 * The source for packed elements, as `get` returns them with `as: "bytes"`. The engine checks that
 * there are as many as the selection takes.
 */
export function packedSource(type: TypeDescription, value: unknown): Source {
  const data = isChunk(value) ? value.data : value;
  if (!type.size || !isUint8Array(data)) {
    refuse(
      `not the packed elements of a selection of data type ${type.name}`,
      type.size ? "a Uint8Array" : "elements of one size",
      isUint8Array(data) ? `${data.length} bytes` : typeof data,
    );
  }
  return { bytes: data, layout: "Packed" };
}
