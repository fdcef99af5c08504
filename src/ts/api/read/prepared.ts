/**
 * From a selection and options as callers write them to what the engine is asked for, and how the result is handed over.
 */

import { viewOf } from "../../elements/typed_arrays.ts";
import { typeNameOf } from "../arrays.ts";
import { placesOf } from "../by_value.ts";
import { type ArrayNode, FACTS } from "../node_facts.ts";
import { type AnySelection, requestOf } from "../selection.ts";
import {
  type Conversion,
  type ConversionOptions,
  conversionOf,
  isUnchanged,
  type Pixel,
} from "./conversion.ts";
import type { Form, ReadResult } from "./form.ts";
import type { ReadRequest } from "./read.ts";

/** What decides what elements become. */
export interface WantedElements extends Omit<ConversionOptions, "as"> {
  as?: ConversionOptions["as"] | "bytes";
}

export interface PreparedRead {
  request: ReadRequest;
  form: Form;
  /** Gives a result its last form. */
  shaped(result: ReadResult): ReadResult;
}

/** A selection in the engine's form; values of coordinates in it are looked up. */
export async function placedRequest(
  array: ArrayNode,
  selection: AnySelection | null | undefined,
  signal: AbortSignal | undefined,
): Promise<ReadRequest> {
  return requestOf(await placesOf(array, selection, signal), array[FACTS]);
}

/** Elements of several numbers as an array with a dimension more. */
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

/** How the elements are to change. */
export async function wantedConversion(
  array: ArrayNode,
  options: ConversionOptions,
): Promise<Conversion | undefined> {
  if (isUnchanged(options)) return undefined;
  return conversionOf(array as never, options, () => typeNameOf(array));
}

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
