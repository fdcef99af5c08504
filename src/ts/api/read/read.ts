/**
 * Reads a selection or one chunk of an array: calls the engine and converts its answer to the
 * requested form.
 */
import { chunkExtent } from "../../model/chunk_grid.ts";
import type { TypeDescription } from "../../model/data_type.ts";
import { UnsupportedError } from "../../model/errors.ts";
import type { EngineRequest } from "../../model/request.ts";
import { chunkFailed } from "../../port/chunk_failed.ts";
import { call, connect } from "../../port/engine.ts";
import type { ReadArguments, ReadEvent } from "../../port/operations.ts";
import { REQUESTING, type RequestingStore } from "../../store/native_store.ts";
import { arrayNumber, bindCodecs, observe, settleCodecs, typeOf } from "../arrays.ts";
import { type ArrayNode, FACTS } from "../node_facts.ts";
import type { Conversion } from "./conversion.ts";
import { bytesOf, checkForm, type Form, formed, formedIn, isDirect, type ReadResult } from "./form.ts";
import { PartPlacer } from "./part_placer.ts";
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

interface ResultOptions {
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

type Options = ReadOptions & ResultOptions;

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
function storeOptionsOf(options: Options): object | undefined {
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
  return { arrayNode: array, request, type: conversion?.type, hearsProgress: onProgress !== undefined };
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

function checkShared(): void {
  if (typeof SharedArrayBuffer !== "undefined") return;
  throw new UnsupportedError("SharedArrayBuffer, which needs a page that is cross-origin isolated");
}

/** Whether a buffer is shared, also if it is from another realm. */
const isSharedMemory = (buffer: ArrayBufferLike) =>
  Object.prototype.toString.call(buffer) === "[object SharedArrayBuffer]";

/**
 * Whether shared memory can be posted. A page without cross-origin isolation can create it through
 * wasm, but not post it.
 */
const canShare = () => (globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated !== false;

/**
 * The array in a store with the caller's options of requests, if its store makes one. A user's
 * store gets the options with each call.
 */
function requestingNode(array: ArrayNode, options: object | undefined): ArrayNode {
  const { store, path } = array;
  const derived = options && (store as RequestingStore)[REQUESTING]?.(options);
  return derived ? { [FACTS]: array[FACTS], store: derived, path } : array;
}

/** Reads a selection. */
export async function readSelection(
  array: ArrayNode,
  request: ReadRequest,
  options: Options,
): Promise<ReadResult> {
  const { signal, useSharedArrayBuffer, form, out } = options;
  if (useSharedArrayBuffer) checkShared();
  signal?.throwIfAborted();
  await bindCodecs(array[FACTS], signal);
  const storeOptions = storeOptionsOf(options);
  const node = requestingNode(array, storeOptions);
  if (out) return readIntoMemory(node, request, { ...options, out });
  const { arrayNode, ...args } = readArguments(node, request, options);
  const known = request.conversion?.type ?? array[FACTS].type;
  if (known) checkForm(known, form, out);
  const answer = await call(
    "read",
    (objects) => ({ ...args, array: arrayNumber(objects, arrayNode), useSharedArrayBuffer }),
    { signal, onEvent: progressListener(options), storeOptions },
  );
  observeRead(array, answer.progress);
  const type = known ?? (await typeOf(array, signal));
  if (!known) checkForm(type, form, out);
  return formed(type, form, answer);
}

/** Reads into the caller's memory. */
async function readIntoMemory(
  array: ArrayNode,
  request: ReadRequest,
  options: Options & { out: ArrayBufferView },
): Promise<ReadResult> {
  const { out, form, signal } = options;
  const type = request.conversion?.type ?? (await typeOf(array, signal));
  checkForm(type, form, out);
  const { isLocal } = (await connect()).channel;
  const isWritable = isLocal || (isSharedMemory(out.buffer) && canShare());
  if (isDirect(type, form) && isWritable) return readInPlace(array, request, options, type);
  return placed(array, request, options, type);
}

/** Reads into memory that the engine can write. */
async function readInPlace(
  array: ArrayNode,
  request: ReadRequest,
  options: Options & { out: ArrayBufferView },
  type: TypeDescription,
): Promise<ReadResult> {
  const { out, signal, form } = options;
  const { arrayNode, ...args } = readArguments(array, request, options);
  const answer = await call(
    "read",
    (objects) => ({ ...args, array: arrayNumber(objects, arrayNode), out: bytesOf(out) }),
    {
      signal,
      onAbort: "settled",
      onEvent: progressListener(options),
      storeOptions: storeOptionsOf(options),
    },
  );
  observeRead(array, answer.progress);
  return formedIn(out, type, form, { ...answer, bytes: bytesOf(out) });
}

/**
 * Reads into memory that the engine cannot write because it is not shared. The engine sends the
 * parts of the result, and this thread copies them. Elements that need conversion are converted at
 * the end.
 */
async function placed(
  array: ArrayNode,
  request: ReadRequest,
  options: Options & { out: ArrayBufferView },
  type: TypeDescription,
): Promise<ReadResult> {
  const { out, signal, form } = options;
  const { arrayNode, ...args } = readArguments(array, request, options);
  const placing = new PartPlacer(out, type, form, signal);
  const onEvent = (event: ReadEvent, credit: () => void) => {
    if (event.type === "progress") options.onProgress?.(progressOf(event.numbers));
    else if (event.type === "layout") placing.begin(event);
    else placing.place(event, credit);
  };
  const numbers = await call("stream", (objects) => ({ ...args, array: arrayNumber(objects, arrayNode) }), {
    signal,
    onEvent,
    storeOptions: storeOptionsOf(options),
  });
  observeRead(array, numbers);
  return formedIn(out, type, form, await placing.finish());
}

/** Reads a whole chunk in native order: at the array's edge, with the padding that is stored. */
export async function readChunk(
  array: ArrayNode,
  index: readonly number[],
  options: Options,
): Promise<ReadResult> {
  const { grid, order, shape } = array[FACTS];
  const extents = index.map((at, axis) => chunkExtent(grid[axis] ?? 1, at));
  const entries = extents.map(({ start, length }) => ({ Slice: { start, stop: start + length } }));
  const isAtEdge = extents.some(({ start, length }, axis) => start + length > (shape[axis] ?? 0));
  const node = isAtEdge ? (await import("./padded.ts").catch(chunkFailed)).paddedNode(array) : array;
  return readSelection(node, { selection: { Orthogonal: entries }, order }, options);
}

/** Drops the cached chunks of an array. */
export async function forgetChunks(array: ArrayNode): Promise<void> {
  await call("forgetChunks", (objects) => ({ array: arrayNumber(objects, array) }));
}
