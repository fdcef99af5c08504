/**
 * Packs values of any data type, the inverse of `elements/elements.ts` and `elements/variable.ts`.
 * Elements of variable length are concatenated bytes with offsets.
 */

import { fillVariable, lengthOfAll } from "../../engine/ts/elements/pack.ts";
import { product, stridesInOrder } from "../../engine/ts/elements/typed_arrays.ts";
import { type FieldDescription, isNumeric, type TypeDescription } from "../../engine/ts/model/data_type.ts";
import { shown, ZarrError } from "../../engine/ts/model/errors.ts";
import { exactJson } from "../../engine/ts/model/json.ts";
import { viewBytes } from "../../engine/ts/model/memory.ts";
import { isArrayBuffer, isUint8Array } from "../../engine/ts/model/realms.ts";
import { newEncoder } from "../../engine/ts/model/utf8.ts";
import { broadcast, entryOf, gather, indexText, ONE, unitsOf, type Values } from "./layout.ts";
import { type PackOptions, packNumbers, refuseValue } from "./numbers.ts";

/** Packed elements. Data types of variable length have n + 1 offsets. */
export interface PackedElements {
  bytes: Uint8Array;
  offsets?: Uint32Array;
}

const utf8 = newEncoder();

/** Encodes text. Unpaired surrogates have no UTF-8 form. */
function encodeText(type: TypeDescription, value: unknown, index: string, { cast }: PackOptions): Uint8Array {
  const isText = typeof value === "string" || cast;
  const text = String(value);
  const isLone = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(text);
  if (!isText || (isLone && !cast)) refuseValue(type, value, index);
  return utf8.encode(text);
}

function bytesOf(value: unknown): Uint8Array | undefined {
  if (isUint8Array(value)) return value;
  if (isArrayBuffer(value)) return new Uint8Array(value);
  if (ArrayBuffer.isView(value)) return viewBytes(value);
  const isBytes =
    Array.isArray(value) && value.every((byte) => Number.isInteger(byte) && byte >= 0 && byte < 256);
  return isBytes ? Uint8Array.from(value as number[]) : undefined;
}

/** Pads bytes to the size of an element. Longer ones are truncated only with `cast`. */
function padded(
  type: TypeDescription,
  bytes: Uint8Array,
  value: unknown,
  index: string,
  cast = false,
): Uint8Array {
  const size = type.size ?? 0;
  const fits = type.kind === "raw" ? bytes.length === size : bytes.length <= size;
  if (!fits && !cast) refuseValue(type, value, index);
  const element = new Uint8Array(size);
  element.set(bytes.subarray(0, size));
  return element;
}

function codePoints(type: TypeDescription, value: unknown, index: string, { cast }: PackOptions): Uint8Array {
  const { components = 0 } = type;
  if (typeof value !== "string" && !cast) refuseValue(type, value, index);
  const points = [...String(value)].map((char) => char.codePointAt(0) ?? 0);
  if (points.length > components && !cast) refuseValue(type, value, index);
  const codes = new Uint32Array(components);
  codes.set(points.slice(0, components));
  return new Uint8Array(codes.buffer);
}

function jsonOf(type: TypeDescription, value: unknown, index: string): Uint8Array {
  return value === undefined ? refuseValue(type, value, index) : utf8.encode(exactJson(value, "value"));
}

/** Packs a list as an element of variable length. */
function innerArray(type: TypeDescription, value: unknown, index: string, options: PackOptions): Uint8Array {
  const { inner } = type;
  const isList = Array.isArray(value) || ArrayBuffer.isView(value);
  if (!inner || !isList) return refuseValue(type, value, index);
  return packList(inner, value as ArrayLike<unknown>, options).bytes;
}

function optional(type: TypeDescription, value: unknown, options: PackOptions): Uint8Array {
  const { inner, size } = type;
  const isNone = value === null || value === undefined;
  if (isNone || !inner) return new Uint8Array(size ?? 1);
  const isBoxed = (inner.kind === "optional" || inner.kind === "json") && Array.isArray(value);
  const { bytes } = packScalar(inner, isBoxed ? value[0] : value, options);
  const element = new Uint8Array(1 + bytes.length);
  element[0] = 1;
  element.set(bytes, 1);
  return element;
}

/** Packs an element that is not a number. */
function element(type: TypeDescription, value: unknown, index: string, options: PackOptions): Uint8Array {
  switch (type.kind) {
    case "string":
      return encodeText(type, value, index, options);
    case "json":
      return jsonOf(type, value, index);
    case "variable-array":
      return innerArray(type, value, index, options);
    case "optional":
      return optional(type, value, options);
    case "utf32":
      return codePoints(type, value, index, options);
    case "null-terminated-bytes": {
      const bytes = bytesOf(value) ?? encodeText(type, value, index, options);
      return padded(type, bytes, value, index, options.cast);
    }
    default: {
      const bytes = bytesOf(value) ?? refuseValue(type, value, index);
      return type.kind === "bytes" ? bytes : padded(type, bytes, value, index, options.cast);
    }
  }
}

/** Concatenates packed elements. */
function joined(type: TypeDescription, elements: readonly Uint8Array[]): PackedElements {
  const length = lengthOfAll(elements);
  if (length > 0xffff_ffff) {
    throw new ZarrError("Limit", "elements of variable length are too large for one write", {
      expected: "at most 4 GiB in all",
    });
  }
  const packed = { bytes: new Uint8Array(length), offsets: new Uint32Array(elements.length + 1) };
  fillVariable(packed, elements);
  return type.size === undefined ? packed : { bytes: packed.bytes };
}

/** Copies a field's packed values into all structs. */
function scatter(output: Uint8Array, size: number, { offset }: FieldDescription, field: Uint8Array): void {
  const count = output.length / size;
  const length = count === 0 ? 0 : field.length / count;
  for (let at = 0; at < count; at += 1) {
    output.set(field.subarray(at * length, (at + 1) * length), at * size + offset);
  }
}

const isColumns = (data: unknown): data is Record<string, unknown> =>
  typeof data === "object" && data !== null && !Array.isArray(data) && !ArrayBuffer.isView(data);

/**
 * The values of one field of all structs, from a column as `get` returns it, or from a list of
 * structs.
 */
function column(field: FieldDescription, values: Values, given: unknown): Values {
  const whole = isColumns(given) && "data" in given ? (given as unknown as Values) : undefined;
  const shape = [...values.shape, ...field.shape];
  if (!whole) return { data: given, shape, stride: stridesInOrder(shape) };
  return { ...whole, stride: whole.stride ?? stridesInOrder(whole.shape) };
}

/** A field of a struct, which may be a class's. Members that every object has are no fields. */
function fieldOf(struct: unknown, name: string): unknown {
  if (typeof struct !== "object" || struct === null) return undefined;
  const isField = Object.hasOwn(struct, name) || !(name in Object.prototype);
  return isField ? (struct as Record<string, unknown>)[name] : undefined;
}

/** Concatenates the lists of one field of all structs. */
function listed(
  field: FieldDescription,
  structs: readonly unknown[],
  indexAt: (at: number) => string,
): unknown[] {
  const count = product(field.shape) * (field.type.kind === "complex" ? 2 : 1);
  return structs.flatMap((struct, at) => {
    const value = fieldOf(struct, field.name);
    if (value === undefined) {
      throw new ZarrError(
        "Argument",
        `a struct has no field ${JSON.stringify(field.name)} at ${indexAt(at)}`,
      );
    }
    if (field.shape.length === 0 && field.type.kind !== "complex") return [value];
    const entries = Array.from(value as ArrayLike<unknown>).flat(field.shape.length);
    if (entries.length === count) return entries;
    throw new ZarrError(
      "Argument",
      `the field ${JSON.stringify(field.name)} has another length at ${indexAt(at)}`,
      {
        expected: `${count} numbers`,
        actual: shown(entries.length),
      },
    );
  });
}

function packStructs(type: TypeDescription, values: Values, options: PackOptions): PackedElements {
  const { size = 1, fields = [] } = type;
  const bytes = new Uint8Array(product(values.shape) * size);
  const given = isColumns(values.data) ? values.data : undefined;
  const structs = given ? [] : gather(values);
  for (const field of fields) {
    const shape = [...values.shape, ...field.shape];
    const indexAt = (at: number) => indexText(at, values.shape);
    const source = given
      ? spreadColumn(column(field, values, fieldOf(given, field.name) as never), field, shape)
      : { data: listed(field, structs, indexAt), shape, stride: stridesInOrder(shape) };
    scatter(bytes, size, field, packValues(field.type, source, options).bytes);
  }
  return { bytes };
}

/**
 * Broadcasts a column with fewer dimensions over the structs. The dimensions of a field's own array
 * come last.
 */
function spreadColumn(values: Values, field: FieldDescription, shape: readonly number[]): Values {
  const own = field.shape.length;
  const outer = values.shape.length - own;
  const filled = [...values.shape.slice(0, outer)];
  const missing = shape.length - own - outer;
  const ones = new Array<number>(Math.max(0, missing)).fill(1);
  const zeros = ones.map(() => 0);
  const whole = { ...values, shape: [...ones, ...filled, ...values.shape.slice(outer)] };
  return broadcast({ ...whole, stride: [...zeros, ...values.stride] }, shape);
}

/** Packs values that have been broadcast to their shape. */
export function packValues(type: TypeDescription, values: Values, options: PackOptions): PackedElements {
  if (isNumeric(type)) return { bytes: packNumbers(type, values, options) };
  if (type.kind === "struct") return packStructs(type, values, options);
  const elements = gather(values).map((value, at) =>
    element(type, value, indexText(at, values.shape), options),
  );
  return joined(type, elements);
}

function packList(type: TypeDescription, list: ArrayLike<unknown>, options: PackOptions): PackedElements {
  const units = unitsOf(type);
  return packValues(type, { data: list, shape: [list.length / units], stride: [1] }, options);
}

/** Packs one value. */
export function packScalar(type: TypeDescription, value: unknown, options: PackOptions): PackedElements {
  if (isNumeric(type)) {
    const data = type.kind === "complex" ? complexParts(type, value) : [value];
    return packValues(type, { data, shape: [], stride: [] }, options);
  }
  if (type.kind === "struct") return packStructs(type, { data: [value], shape: [], stride: [] }, options);
  return { bytes: element(type, value, ONE, options) };
}

/** The parts of a complex number, given as a pair or as a real number. */
function complexParts(type: TypeDescription, value: unknown): unknown {
  if (typeof value === "number") return [value, 0];
  const isPair = (Array.isArray(value) || ArrayBuffer.isView(value)) && entryCount(value) === 2;
  return isPair ? value : refuseValue(type, value, ONE);
}

const entryCount = (list: unknown): number => Object(list).length;

/** Checks that every index has an entry, because lists from the caller may be too short. */
export function checkLength(type: TypeDescription, { data, shape, stride }: Values): void {
  const length = entryCount(data);
  if (type.kind === "struct" && length === undefined) return;
  const units = unitsOf(type);
  const last = shape.reduce((at, extent, axis) => at + Math.max(0, extent - 1) * (stride[axis] ?? 0), 0);
  const lowest = shape.reduce((at, extent, axis) => at + Math.min(0, (extent - 1) * (stride[axis] ?? 0)), 0);
  const isInside = product(shape) === 0 || (lowest >= 0 && (last + 1) * units <= length);
  if (isInside && typeof entryOf(data) === "function") return;
  throw new ZarrError("Argument", "the shape and strides of the values exceed their data", {
    expected: `places below ${length}`,
    actual: `shape [${shape}], stride [${stride}]`,
  });
}
