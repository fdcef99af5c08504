/**
 * Sends a read to the engine. Its elements come as one result, or as parts: to be copied into the
 * caller's memory that is not shared, which an engine in a worker cannot write to (`scattered.ts`),
 * or for a stream (`stream.ts`).
 */

import { lazy } from "#lazy";
import type { ReadProgress } from "../../contract/contract.ts";
import { targetBoxOf } from "../../engine/ts/elements/loops.ts";
import { scatterElements } from "../../engine/ts/elements/scatter.ts";
import { chunkExtent } from "../../engine/ts/model/chunk_grid.ts";
import { UnsupportedError } from "../../engine/ts/model/errors.ts";
import { canShare, isSharedMemory, viewBytes } from "../../engine/ts/model/memory.ts";
import type { EngineRequest } from "../../engine/ts/model/read_request.ts";
import type { CallOptions } from "../../engine/ts/port/connection.ts";
import type { ObjectIds } from "../../engine/ts/port/definitions.ts";
import { call, connect } from "../../engine/ts/port/engine.ts";
import type {
  PartEvent,
  ReadCall,
  ReadEvent,
  ResultAnswer,
  ResultLayout,
} from "../../engine/ts/port/operations.ts";
import { arrayId, bindCodecs, settleCodecs } from "../array_definitions.ts";
import { type ArrayNode, FACTS } from "../node_facts.ts";
import { REQUESTING, type RequestingStore } from "../store/native_store.ts";
import { observe } from "./plan.ts";
import {
  type Progress,
  type Read,
  type ReadOptions,
  readOf,
  requestWith,
  storeOptionsOf,
} from "./request.ts";
import { checkOut, formed, formedIn, isDirect, type ReadResult } from "./result.ts";

/** Options of a read whose result is one piece. */
export interface ResultOptions extends ReadOptions {
  /** The caller's memory for the result. */
  out?: ArrayBufferView | null;
  /** Whether to allocate shared memory for the result. */
  useSharedArrayBuffer?: boolean;
}

/** Receives the events of a read. `taken()` requests the next part. */
interface Listeners extends Pick<ReadOptions, "onProgress"> {
  onLayout?: (layout: ResultLayout) => void;
  onPart?: (part: PartEvent, taken: () => void) => void;
}

/** The engine's counters, without a total that is not known yet. */
function progressOf({ totalChunks, ...progress }: ReadProgress): Progress {
  return totalChunks > 0 ? { ...progress, totalChunks } : progress;
}

/** Passes the events of a read to its listeners. */
export const eventsTo =
  ({ onProgress, onLayout, onPart }: Listeners) =>
  (event: ReadEvent, taken: () => void): void => {
    if (event.type === "progress") onProgress?.(progressOf(event.progress));
    else if (event.type === "layout") onLayout?.(event);
    else onPart?.(event, taken);
  };

/** The arguments of the engine's operations that read. */
export const readArguments =
  ({ array, request, type }: Pick<Read, "array" | "request"> & Partial<Read>, { onProgress }: ReadOptions) =>
  (objects: ObjectIds): ReadCall => ({
    array: arrayId(objects, array),
    request,
    type: request.conversion && type,
    wantsProgress: !!onProgress,
  });

/** Counts a read for `plan`. Fixes the array's user codecs. */
function observeRead({ array }: Read, numbers: ReadProgress): void {
  settleCodecs(array[FACTS]);
  observe(array[FACTS], progressOf(numbers));
}

/**
 * The read in a store with the caller's options of requests, if its store makes one. A user's store
 * gets the options with each call.
 */
function inRequestingStore(read: Read, options: object | undefined): Read {
  const { [FACTS]: facts, store, path } = read.array;
  const derived = options && (store as RequestingStore)[REQUESTING]?.(options);
  return derived ? { ...read, array: { [FACTS]: facts, store: derived, path } } : read;
}

/** Reads parts. Resolves when all have arrived. */
export async function readParts(
  read: Read,
  listeners: Listeners,
  options: CallOptions & { repeats?: boolean },
): Promise<void> {
  const onEvent = eventsTo(listeners);
  observeRead(read, await call("stream", readArguments(read, listeners), { ...options, onEvent }));
}

/** Reads into memory that the engine can write. */
async function readInPlace(
  read: Read,
  out: ArrayBufferView,
  options: ResultOptions,
  callOptions: CallOptions,
): Promise<ResultAnswer> {
  const args = readArguments(read, options);
  const answer = await call("read", (objects) => ({ ...args(objects), out: viewBytes(out) }), {
    ...callOptions,
    onAbort: "settled",
    onEvent: eventsTo(options),
  });
  observeRead(read, answer.progress);
  return { ...answer, bytes: viewBytes(out) };
}

/** Reads into the caller's memory. */
async function readInto(
  read: Read,
  out: ArrayBufferView,
  options: ResultOptions,
  callOptions: CallOptions,
): Promise<ReadResult> {
  const { type, form } = read;
  checkOut(out, type, form);
  const { isLocal } = (await connect()).channel;
  const isWritable = isLocal || (isSharedMemory(out.buffer) && canShare());
  const answer =
    isDirect(type, form) && isWritable
      ? await readInPlace(read, out, options, callOptions)
      : await (await lazy()).readScattered(
          read,
          out,
          { ...options, ...callOptions },
          { targetBoxOf, scatterElements },
        );
  options.signal?.throwIfAborted();
  return formedIn(out, type, form, answer);
}

/** Reads a selection as one result. */
export async function readSelection(prepared: Read, options: ResultOptions): Promise<ReadResult> {
  const { signal, useSharedArrayBuffer, out } = options;
  if (useSharedArrayBuffer && typeof SharedArrayBuffer === "undefined")
    throw new UnsupportedError("SharedArrayBuffer, which needs a page that is cross-origin isolated");
  signal?.throwIfAborted();
  const storeOptions = storeOptionsOf(options);
  const read = inRequestingStore(prepared, storeOptions);
  if (out !== undefined && out !== null) return readInto(read, out, options, { signal, storeOptions });
  const args = readArguments(read, options);
  const answer = await call("read", (objects) => ({ ...args(objects), useSharedArrayBuffer }), {
    signal,
    onEvent: eventsTo(options),
    storeOptions,
  });
  observeRead(read, answer.progress);
  const result = await formed(read.type, read.form, answer, signal);
  // The caller may have aborted after the engine's answer.
  signal?.throwIfAborted();
  return result;
}

/** Reads a whole chunk in native order: at the array's edge, with the padding that is stored. */
export async function readChunk(
  array: ArrayNode,
  index: readonly number[],
  options: ResultOptions,
): Promise<ReadResult> {
  const { grid, order } = array[FACTS];
  const entries = index.map((at, axis) => {
    const { start, length } = chunkExtent(grid[axis] ?? 1, at);
    return { Slice: { start, stop: start + length } };
  });
  const { signal, priority, cache } = options;
  const selected = { selection: { Orthogonal: entries }, order, padded: true };
  return readSelection(await readOf(array, selected, { signal, priority, cache }, "wrapped"), options);
}

/** Default priority of prefetches. It is below 0, so every read comes first. */
const AHEAD = -1;

/** Requests the bytes of a selection after all other requests. Nothing is decoded. */
export async function prefetchSelection(
  array: ArrayNode,
  selected: EngineRequest,
  { priority = AHEAD, ...options }: ReadOptions,
): Promise<Progress> {
  const { signal } = options;
  await bindCodecs(array[FACTS], signal);
  const request = requestWith(selected, { ...options, priority });
  const numbers = await call("prefetch", readArguments({ array, request }, options), {
    signal,
    onEvent: eventsTo(options),
  });
  const progress = progressOf(numbers);
  observe(array[FACTS], progress);
  return progress;
}

/**
 * Drops the cached chunks of an array: if it has only grown since it had the metadata documents
 * `before`, from caches in front of the store only those at the old edge.
 */
export async function forgetChunks(array: ArrayNode, before?: string): Promise<void> {
  await call("forgetChunks", (objects) => ({ array: arrayId(objects, array), before }));
}
