/**
 * Converts the engine's packed elements to the form of a result that the caller asked for.
 */
import { type Packed, packedOf, wrappedScalarOf, wrapperOf } from "../../elements/elements.ts";
import { type Elements, isView, product, stridesOf } from "../../elements/typed_arrays.ts";
import { variableElements } from "../../elements/variable.ts";
import type { TypeDescription } from "../../model/data_type.ts";
import { ZarrError } from "../../model/errors.ts";
import { viewBytes } from "../../model/view_bytes.ts";
import type { ResultAnswer } from "../../port/operations.ts";

/** A result. The type of `data` depends on the form. */
export interface ReadResult extends Omit<Packed, "data"> {
  data: unknown;
}

/**
 * `plain`: as in `Array.get`. `bytes`: packed little-endian elements. `wrapped`: in zarrita's
 * classes. `scalar`: the only element, as in zarrita.
 */
export type Form = "plain" | "bytes" | "wrapped" | "scalar";

const NUMBERS = new Set(["bool", "integer", "float", "complex", "datetime", "timedelta"]);

/** Throws an `Argument` error if a form or the caller's memory cannot hold the elements. */
export function checkForm(
  { name, kind, size }: TypeDescription,
  form: Form,
  out: ArrayBufferView | undefined,
): void {
  if (form === "bytes" && size === undefined) {
    throw new ZarrError(
      "Argument",
      `elements of data type ${name} have variable lengths, so \`as: "bytes"\` is not possible`,
    );
  }
  if (out && form !== "bytes" && !NUMBERS.has(kind)) {
    throw new ZarrError("Argument", `elements of data type ${name} are not numbers, which \`out\` requires`);
  }
}

/** Whether packed elements need no conversion to be the result. */
export const isDirect = (type: TypeDescription, form: Form): boolean => form === "bytes" || isView(type);

/** Converts a result to its form. Rejects with the signal's reason if it fires meanwhile. */
export async function formed(
  type: TypeDescription,
  form: Form,
  answer: ResultAnswer,
  signal?: AbortSignal,
): Promise<ReadResult> {
  const { shape, kept, order, bytes, marked } = answer;
  const keep = <T>(values: readonly T[]) => values.filter((_, axis) => kept[axis]);
  const layout = { shape: keep(shape), stride: keep(stridesOf(shape, order)) };
  if (type.size === undefined) {
    const values = await variableElements(type, bytes, product(shape), { marked, signal });
    return { ...layout, data: form === "scalar" ? values[0] : values };
  }
  if (form === "bytes") return { ...layout, data: bytes };
  if (form === "scalar") return { ...layout, data: wrappedScalarOf(type, bytes) };
  const wrapper = form === "wrapped" ? wrapperOf(type, bytes) : undefined;
  return wrapper ? { ...layout, data: wrapper } : packedOf(type, bytes, layout);
}

/** Converts a result to its form in the caller's memory. */
export function formedIn(
  out: ArrayBufferView,
  type: TypeDescription,
  form: Form,
  answer: ResultAnswer,
): ReadResult {
  const { shape, kept, order, bytes } = answer;
  const keep = <T>(values: readonly T[]) => values.filter((_, axis) => kept[axis]);
  const layout = { shape: keep(shape), stride: keep(stridesOf(shape, order)) };
  if (form === "bytes") return { ...layout, data: out };
  const packed = packedOf(type, bytes, layout);
  if (!isView(type)) viewBytes(out).set(viewBytes(packed.data as Elements));
  return { ...packed, data: out };
}
