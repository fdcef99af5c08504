/**
 * Prepares a read: converts the caller's selection and options to the engine's request, and names
 * the form of the result.
 */

import { viewOf } from "../../elements/typed_arrays.ts";
import { typeNameOf } from "../arrays.ts";
import { placesOf } from "../by_value.ts";
import { type ArrayNode, FACTS } from "../node_facts.ts";
import { type AnySelection, requestOf } from "../selection.ts";
import type { ReadRequest } from "./arguments.ts";
import {
  type Conversion,
  type ConversionOptions,
  conversionOf,
  isUnchanged,
  type Pixel,
} from "./conversion.ts";
import type { Form, ReadResult } from "./form.ts";

/** Options for the conversion of elements, and `as: "bytes"`. */
export interface WantedElements extends Omit<ConversionOptions, "as"> {
  as?: ConversionOptions["as"] | "bytes";
}

export interface PreparedRead {
  request: ReadRequest;
  form: Form;
  /** Converts the result of the form to the result of the call. */
  shaped(result: ReadResult): ReadResult;
}

/** Converts a selection to the engine's form. Replaces `at` and `between` by indices. */
export async function placedRequest(
  array: ArrayNode,
  selection: AnySelection | null | undefined,
  signal: AbortSignal | undefined,
): Promise<ReadRequest> {
  await array[FACTS].doubt?.(signal);
  return requestOf(await placesOf(array, selection, signal), array[FACTS]);
}

/** Adds a dimension to a result in which each element is several numbers. */
function ofPixels({ count, view }: Pixel, { data, shape, stride }: ReadResult): ReadResult {
  const bytes = data as Uint8Array<ArrayBuffer>;
  const { buffer, byteOffset, byteLength } = bytes;
  const isClamped = view === "Uint8ClampedArray";
  return {
    data: isClamped ? new Uint8ClampedArray(buffer, byteOffset, byteLength) : viewOf(view, bytes),
    shape: [...shape, count],
    stride: [...stride.map((step) => count * step), 1],
  };
}

/** The conversion of elements. Undefined if the options ask for none. */
export async function wantedConversion(
  array: ArrayNode,
  options: ConversionOptions,
): Promise<Conversion | undefined> {
  if (isUnchanged(options)) return undefined;
  return conversionOf(array as never, options, () => typeNameOf(array));
}

/** Prepares a read. Rejects if the selection or the options are invalid. */
export async function prepareRead(
  array: ArrayNode,
  selection: AnySelection | null | undefined,
  { as, decode, window, gamma, colors, mask }: WantedElements,
  signal: AbortSignal | undefined,
): Promise<PreparedRead> {
  const request = await placedRequest(array, selection, signal);
  if (as === "bytes") return { request, form: "bytes", shaped: (result) => result };
  const wanted = { as, decode, window, gamma, colors, mask };
  const conversion = await wantedConversion(array, wanted);
  const converted = { ...request, conversion };
  const pixel = conversion?.pixel;
  return pixel
    ? { request: converted, form: "bytes", shaped: (result) => ofPixels(pixel, result) }
    : { request: converted, form: "plain", shaped: (result) => result };
}
