/**
 * Reads a selection, or one chunk, of an array: asks the engine, and gives the answer its form.
 */
import { chunkExtent } from "../../model/chunk_grid.ts";
import type { TypeDescription } from "../../model/data_type.ts";
import { UnsupportedError } from "../../model/errors.ts";
import type { EngineRequest } from "../../model/request.ts";
import { call, connect } from "../../port/engine.ts";
import type { ReadArguments, ReadEvent } from "../../port/operations.ts";
import { arrayNumber, bindCodecs, observe, settleCodecs, typeOf } from "../arrays.ts";
import { type ArrayNode, FACTS } from "../node_facts.ts";
import type { Conversion } from "./conversion.ts";
import { bytesOf, checkForm, type Form, formed, formedIn, isDirect, type ReadResult } from "./form.ts";
import { PartPlacer } from "./part_placer.ts";
import { type Progress, progressOf } from "./progress.ts";

/** What every call that reads elements takes. */
export interface ReadOptions {
  /** Ends the call; it rejects with the signal's reason at once. */
  signal?: AbortSignal;
  /** Hears how far it is: at most once a frame. */
  onProgress?: (progress: Progress) => void;
  /**
   * The highest is fetched and decoded first. 0 unless given; below 0 it is in the background, and makes way for all else. Of
   * what several wait for, the highest counts.
   */
  priority?: number;
  /** `"reload"`: fetch anew, past all caches. */
  cache?: "reload";
}

export interface ResultOptions {
  form: Form;
  /** The caller's own memory for it. */
  out?: ArrayBufferView;
  /** Allocate shared memory. */
  useSharedArrayBuffer?: boolean;
  /** A larger box to put the selection into, at its origin: a whole chunk at the edge of an array. */
  frame?: readonly number[];
}

/** A selection in the engine's form, and the conversion of its elements. */
export interface ReadRequest extends Omit<EngineRequest, "conversion" | "priority" | "reload"> {
  conversion?: Conversion | undefined;
}

type Options = ReadOptions & ResultOptions;

/** What the engine is asked: a function of the numbers that objects have. */
export function readArguments(
  array: ArrayNode,
  { conversion, ...rest }: ReadRequest,
  { onProgress, priority = 0, cache }: ReadOptions,
): Omit<ReadArguments, "array"> & { arrayNode: ArrayNode } {
  const request = { ...rest, priority, reload: cache === "reload", conversion: conversion?.request };
  return { arrayNode: array, request, type: conversion?.type, hearsProgress: onProgress !== undefined };
}

/** Tells a caller's listener of progress; other events are left. */
export const progressListener =
  ({ onProgress }: ReadOptions) =>
  (event: ReadEvent): void => {
    if (event.type === "progress") onProgress?.(progressOf(event.numbers));
  };

/** Counts a read for what is known of the array's chunks. */
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

/** Memory of any realm. */
const isSharedMemory = (buffer: ArrayBufferLike) =>
  Object.prototype.toString.call(buffer) === "[object SharedArrayBuffer]";

/** Whether shared memory may cross: on a page that is not isolated it can be made by way of wasm, but not posted. */
const canShare = () => (globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated !== false;

/** Reads a selection. */
export async function readSelection(
  array: ArrayNode,
  request: ReadRequest,
  options: Options,
): Promise<ReadResult> {
  const { signal, useSharedArrayBuffer, frame, form, out } = options;
  if (useSharedArrayBuffer) checkShared();
  signal?.throwIfAborted();
  await bindCodecs(array[FACTS], signal);
  if (out) return readIntoMemory(array, request, { ...options, out });
  const { arrayNode, ...args } = readArguments(array, request, options);
  const known = request.conversion?.type ?? array[FACTS].type;
  if (known) checkForm(known, form, out);
  const answer = await call(
    "read",
    (objects) => ({ ...args, array: arrayNumber(objects, arrayNode), useSharedArrayBuffer, frame }),
    { signal, onEvent: progressListener(options) },
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

/** The engine writes the caller's memory itself. */
async function readInPlace(
  array: ArrayNode,
  request: ReadRequest,
  options: Options & { out: ArrayBufferView },
  type: TypeDescription,
): Promise<ReadResult> {
  const { out, signal, frame, form } = options;
  const { arrayNode, ...args } = readArguments(array, request, options);
  const answer = await call(
    "read",
    (objects) => ({ ...args, array: arrayNumber(objects, arrayNode), frame, out: bytesOf(out) }),
    { signal, onAbort: "settled", onEvent: progressListener(options) },
  );
  observeRead(array, answer.progress);
  return formedIn(out, type, form, { ...answer, bytes: bytesOf(out) });
}

/**
 * The parts of a read come one by one, and are placed here: memory that is not shared cannot be given to the engine. Numbers
 * that have to be widened are placed packed, and widened in the end.
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
  });
  observeRead(array, numbers);
  return formedIn(out, type, form, await placing.finish());
}

/** One whole chunk in native order, filled up with the fill value where it reaches beyond the array. */
export function readChunk(
  array: ArrayNode,
  index: readonly number[],
  options: Omit<Options, "frame">,
): Promise<ReadResult> {
  const { grid, order } = array[FACTS];
  const extents = index.map((at, axis) => chunkExtent(grid[axis] ?? 1, at));
  const entries = extents.map(({ start, length }) => ({ Slice: { start, stop: start + length } }));
  const frame = extents.map(({ length }) => length);
  return readSelection(array, { selection: { Orthogonal: entries }, order }, { ...options, frame });
}

/** Drops what is kept of an array's chunks. */
export async function forgetChunks(array: ArrayNode): Promise<void> {
  await call("forgetChunks", (objects) => ({ array: arrayNumber(objects, array) }));
}
