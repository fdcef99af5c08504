/**
 * The options of reads, and the arguments of the engine's operations that read.
 */
import type { Rules } from "../../model/argument.ts";
import type { EngineRequest } from "../../model/request.ts";
import type { ReadArguments, ReadEvent } from "../../port/operations.ts";
import { observe, settleCodecs } from "../arrays.ts";
import { type ArrayNode, FACTS } from "../node_facts.ts";
import type { Conversion } from "./conversion.ts";
import type { Form } from "./form.ts";
import { type Progress, progressOf } from "./progress.ts";

/** Options of all calls that read elements. */
export interface ReadOptions {
  /** Cancels the call, which rejects with the signal's reason immediately. */
  signal?: AbortSignal;
  /** Called with the progress, at most once per frame. */
  onProgress?: (progress: Progress) => void;
  /**
   * Calls with higher priority are fetched and decoded first. Default: 0. Calls below 0 run in the
   * background, after all others. A chunk for several calls has the highest of their priorities.
   */
  priority?: number;
  /** `"reload"`: fetch again and ignore all caches. */
  cache?: "reload";
}

/** What the options of reads must be. */
export const READ_RULES: Rules = {
  memoryOrder: "a list",
  centre: "a list",
  window: "a list",
  gamma: "a number",
};

export interface ResultOptions {
  form: Form;
  /** The caller's memory for the result. */
  out?: ArrayBufferView;
  /** Whether to allocate shared memory for the result. */
  useSharedArrayBuffer?: boolean;
}

/** A selection in the engine's form, and the conversion of its elements. */
export interface ReadRequest extends Omit<EngineRequest, "conversion" | "priority" | "reload"> {
  conversion?: Conversion | undefined;
}

export type Options = ReadOptions & ResultOptions;

/** The options that are for this package, and their types. `fetch` has another `priority`. */
const OWN: Record<string, string> = {
  signal: "object",
  onProgress: "function",
  priority: "number",
  form: "string",
  out: "object",
  useSharedArrayBuffer: "boolean",
};

/** The caller's options for the store, as in zarrita: all others. `cache: "reload"` is our own. */
export function storeOptionsOf(options: Options): object | undefined {
  const entries = Object.entries(options).filter(
    ([name, value]) => value !== undefined && value !== "reload" && typeof value !== OWN[name],
  );
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** The arguments of the operation `read`, with the array in place of its number. */
export function readArguments(
  array: ArrayNode,
  { conversion, ...rest }: ReadRequest,
  { onProgress, priority, cache }: ReadOptions,
): Omit<ReadArguments, "array"> & { arrayNode: ArrayNode } {
  const request = {
    ...rest,
    priority: typeof priority === "number" ? priority : 0,
    reload: cache === "reload",
    conversion: conversion?.request,
  };
  return { arrayNode: array, request, type: conversion?.type, hearsProgress: !!onProgress };
}

/** Passes progress events to the caller's listener. Ignores other events. */
export const progressListener =
  ({ onProgress }: ReadOptions) =>
  (event: ReadEvent): void => {
    if (event.type === "progress") onProgress?.(progressOf(event.numbers));
  };

/** Records the chunk sizes of a read for `plan`. Fixes the array's user codecs. */
export function observeRead(array: ArrayNode, numbers: Float64Array): Progress {
  const progress = progressOf(numbers);
  settleCodecs(array[FACTS]);
  observe(array[FACTS], progress);
  return progress;
}
