/**
 * What a read asks of the engine: the caller's selection and options in the engine's form, and the
 * form of the result. `read.ts` sends it.
 */
import type { ReadProgress } from "../../contract/contract.ts";
import type { TypeDescription } from "../../engine/ts/model/data_type.ts";
import { ZarrError } from "../../engine/ts/model/errors.ts";
import type { EngineRequest, EngineSelection } from "../../engine/ts/model/read_request.ts";
import { bindCodecs, typeOf } from "../array_definitions.ts";
import { type ArrayNode, FACTS } from "../node_facts.ts";
import { type AnySelection, byIndex, memoryOrderOf, requestOf } from "../selection.ts";
import { type ConversionOptions, conversionOf } from "./conversion.ts";
import type { Form } from "./result.ts";

/** The progress of a read. */
export interface Progress extends Omit<ReadProgress, "totalChunks"> {
  /** Total number of chunks. Absent for points, as counting them would require a look at each. */
  totalChunks?: number;
}

/** Options of all calls that read elements. */
export interface ReadOptions {
  /** Cancels the call, which rejects with the signal's reason immediately. */
  signal?: AbortSignal | undefined;
  /** Called with the progress, at most once a frame. */
  onProgress?: ((progress: Progress) => void) | undefined;
  /**
   * Calls with a higher number are fetched and decoded first. Calls below 0 run in the background,
   * after all others. A chunk for several calls has the highest of their priorities. Default: 0.
   */
  priority?: number | undefined;
  /** `"reload"` fetches again and ignores all caches. Default: caches are used. */
  cache?: "reload" | undefined;
}

/** Options for the conversion of elements, and `as: "bytes"`. */
export interface WantedElements extends Omit<ConversionOptions, "as"> {
  as?: ConversionOptions["as"] | "bytes" | undefined;
}

/** The selected elements, and their order in memory. */
type Selected = Pick<EngineRequest, "selection" | "order" | "padded">;

/** A read of an array, as the engine takes it, and the form of its result. */
export interface Read {
  readonly array: ArrayNode;
  readonly request: EngineRequest;
  /** The data type of the result's elements. */
  readonly type: TypeDescription;
  readonly form: Form;
}

/** The names of options that are for this package, whatever their values. */
const OWN = [
  ...["signal", "onProgress", "out", "useSharedArrayBuffer", "memoryOrder"],
  ...["as", "decode", "window", "gamma", "colors", "mask"],
];

/**
 * The caller's options for the store, as in zarrita: all others. `fetch` has another `priority` and
 * another `cache`.
 */
export function storeOptionsOf(options: ReadOptions): object | undefined {
  const isOwn = (name: string, value: unknown) =>
    OWN.includes(name) ||
    (name === "priority" && typeof value === "number") ||
    (name === "cache" && value === "reload");
  const entries = Object.entries(options).filter(
    ([name, value]) => value !== undefined && !isOwn(name, value),
  );
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** Converts a selection to the engine's form. Replaces `at` and `between` by indices. */
export async function locatedRequest(
  array: ArrayNode,
  selection: AnySelection | null | undefined,
  signal: AbortSignal | undefined,
): Promise<{ selection: EngineSelection }> {
  await array[FACTS].refreshStale?.(signal);
  return requestOf(await byIndex(array, selection, signal), array[FACTS]);
}

/** Adds to selected elements when and how they are requested. */
export const requestWith = (selected: EngineRequest, { priority, cache }: ReadOptions): EngineRequest => ({
  ...selected,
  priority: typeof priority === "number" ? priority : 0,
  reload: cache === "reload",
});

/**
 * Makes the read of selected elements, and binds users' codecs to the array. Rejects if the options
 * are invalid.
 */
export async function readOf(
  array: ArrayNode,
  selected: Selected,
  { as, ...options }: WantedElements & ReadOptions,
  form: Form = "plain",
): Promise<Read> {
  await bindCodecs(array[FACTS], options.signal);
  const conversion = as === "bytes" ? undefined : await conversionOf(array, { as, ...options });
  const type = conversion?.type ?? (await typeOf(array, options.signal));
  if (as === "bytes" && type.size === undefined) {
    throw new ZarrError(
      "Argument",
      `elements of data type ${type.name} have variable lengths, so \`as: "bytes"\` is not possible`,
    );
  }
  const request = { ...requestWith(selected, options), conversion: conversion?.request };
  return { array, request, type, form: conversion?.pixel ?? (as === "bytes" ? as : form) };
}

/** Makes the read of a caller's selection. Rejects if the selection or the options are invalid. */
export async function prepareRead(
  array: ArrayNode,
  selection: AnySelection | null | undefined,
  options: WantedElements & ReadOptions & { memoryOrder?: readonly (string | number)[] },
): Promise<Read> {
  const { signal, memoryOrder } = options;
  const located = await locatedRequest(array, selection, signal);
  const order = memoryOrder && memoryOrderOf(memoryOrder, array[FACTS]);
  return readOf(array, { ...located, order }, options);
}
