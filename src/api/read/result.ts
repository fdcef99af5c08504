/**
 * What the engine's answer becomes: the form that the caller asked for, in memory of its own or in
 * the caller's. What is asked of the engine is in `conversion.ts`.
 */
import { type Packed, packedOf, wrappedScalarOf, wrapperOf } from "../../engine/ts/elements/elements.ts";
import { type Elements, isView, product, stridesOf, viewOf } from "../../engine/ts/elements/typed_arrays.ts";
import { variableElements } from "../../engine/ts/elements/variable.ts";
import { isNumeric, type TypeDescription, type ViewName } from "../../engine/ts/model/data_type.ts";
import { ZarrError } from "../../engine/ts/model/errors.ts";
import { viewBytes } from "../../engine/ts/model/memory.ts";
import type { ResultAnswer } from "../../engine/ts/port/operations.ts";

/** A result. The type of `data` depends on the form. */
export interface ReadResult extends Omit<Packed, "data"> {
  data: unknown;
}

/** Elements of several numbers, which become a last dimension. */
export interface Pixel {
  count: number;
  view: ViewName | "Uint8ClampedArray";
}

/**
 * `plain`: as in `Array.get`. `bytes`: packed little-endian elements. `wrapped`: in zarrita's
 * classes. `scalar`: the only element, as in zarrita. A `Pixel`: the numbers of each element.
 */
export type Form = "plain" | "bytes" | "wrapped" | "scalar" | Pixel;

/** Whether packed elements need no conversion to be the result. */
export const isDirect = (type: TypeDescription, form: Form): boolean =>
  form === "bytes" || typeof form === "object" || isView(type);

/** The shape and the strides of a result, without the dimensions that it does not keep. */
function layoutOf({ shape, kept, order }: ResultAnswer) {
  const keep = <T>(values: readonly T[]) => values.filter((_, axis) => kept[axis]);
  return { shape: keep(shape), stride: keep(stridesOf(shape, order)) };
}

/** Adds a dimension to a result in which each element is several numbers. */
function pixelsOf({ count, view }: Pixel, bytes: Uint8Array, { shape, stride }: ReturnType<typeof layoutOf>) {
  const { buffer, byteOffset, byteLength } = bytes;
  const isClamped = view === "Uint8ClampedArray";
  return {
    data: isClamped ? new Uint8ClampedArray(buffer, byteOffset, byteLength) : viewOf(view, bytes),
    shape: [...shape, count],
    stride: [...stride.map((step) => count * step), 1],
  };
}

/** Converts a result to its form. Rejects with the signal's reason if it fires meanwhile. */
export async function formed(
  type: TypeDescription,
  form: Form,
  answer: ResultAnswer,
  signal?: AbortSignal,
): Promise<ReadResult> {
  const { shape, bytes, lossless } = answer;
  const layout = layoutOf(answer);
  if (type.size === undefined) {
    const values = await variableElements(type, bytes, product(shape), { lossless, signal });
    return { ...layout, data: form === "scalar" ? values[0] : values };
  }
  if (typeof form === "object") return pixelsOf(form, bytes, layout);
  if (form === "bytes") return { ...layout, data: bytes };
  if (form === "scalar") return { ...layout, data: wrappedScalarOf(type, bytes) };
  const wrapper = form === "wrapped" ? wrapperOf(type, bytes) : undefined;
  return wrapper ? { ...layout, data: wrapper } : packedOf(type, bytes, layout);
}

/** The name of a typed array's class, also if it is from another realm. */
const classOf = (view: unknown): string => Object.prototype.toString.call(view).slice(8, -1);

/** The name of the class that `data` has. */
function classOfData(type: TypeDescription, form: Form): string {
  if (typeof form === "object") return form.view;
  return form === "bytes"
    ? "Uint8Array"
    : classOf(packedOf(type, new Uint8Array(0), { shape: [0], stride: [1] }).data);
}

/** Throws an `Argument` error unless the caller's memory is of the class that `data` would have. */
export function checkOut(out: ArrayBufferView, type: TypeDescription, form: Form): void {
  if (form !== "bytes" && typeof form !== "object" && !isNumeric(type)) {
    throw new ZarrError(
      "Argument",
      `elements of data type ${type.name} are not numbers, which \`out\` requires`,
    );
  }
  const [expected, actual] = [classOfData(type, form), classOf(out)];
  const isBytes = /^Uint8/.test(expected) && /^Uint8/.test(actual);
  if (actual === expected || isBytes) return;
  const details = { field: "out", expected, actual };
  throw new ZarrError("Argument", "`out` is of another class than the result", details);
}

/** Converts a result to its form in the caller's memory. */
export function formedIn(
  out: ArrayBufferView,
  type: TypeDescription,
  form: Form,
  answer: ResultAnswer,
): ReadResult {
  const layout = layoutOf(answer);
  if (typeof form === "object") return pixelsOf(form, viewBytes(out), layout);
  if (form === "bytes") return { ...layout, data: out };
  const packed = packedOf(type, answer.bytes, layout);
  if (!isView(type)) viewBytes(out).set(viewBytes(packed.data as Elements));
  return { ...packed, data: out };
}
