/**
 * Reads a selection, or one chunk, of an array: makes the job, and gives the engine what it knows the array by.
 */

import { FACTS, type Array as ZarrArray } from "../array.ts";
import { chunkExtent } from "../chunk_grid.ts";
import { boundCodecs } from "../codec/bind.ts";
import { parseDescription, type TypeDescription } from "../data_type.ts";
import { call, callNow, finalizer, Handle, run } from "../engine/engine.ts";
import { unlessAborted } from "../engine/unless_aborted.ts";
import { UnsupportedError } from "../errors.ts";
import type { ArrayFacts } from "../node_facts.ts";
import type { BoundArray } from "../pool/pool.ts";
import { registry } from "../registry.ts";
import type { EngineRequest } from "../selection.ts";
import { TransformerHook } from "../storage_transformers.ts";
import { storeId } from "../stores.ts";
import type { DataType, Readable } from "../types.ts";
import type { Home } from "../worker/protocol.ts";
import { Job, type Progress, progressOf, type Sink, unbindArray } from "./job.ts";
import { type Layout, type ReadResult, Result, type ResultOptions } from "./result.ts";
import { VARIABLE_SIZE } from "./size.ts";

export type { Progress, ReadResult };

/** What every call that reads elements takes. */
export interface ReadOptions {
  /** Ends the call; it rejects with the signal's reason at once. */
  signal?: AbortSignal;
  /** Hears how far it is. */
  onProgress?: (progress: Progress) => void;
  /**
   * What is fetched and decoded first: the highest. 0 unless given; below 0 it is in the background, and makes way for all else. Of what several
   * wait for, the highest counts.
   */
  priority?: number;
  /** `"reload"`: fetch anew, past all caches. */
  cache?: "reload";
}

export type AnyArray = ZarrArray<DataType, Readable>;
type Options = ReadOptions & ResultOptions;

/** What the engine and the decoders know an array by. */
interface Known {
  bound: BoundArray;
  /** By another number, as those know it who encode. */
  encoding: BoundArray;
  handle: Handle | undefined;
  type: TypeDescription | undefined;
  /** Its chunks are its elements, as they are in memory or with their bytes swapped. */
  isRaw: boolean;
  /** It was read: what codecs of the user's it has is settled. */
  isRead: boolean;
}

const known = new WeakMap<ArrayFacts, Known>();
let nextNumber = 1;

const arrayHandles = finalizer((glue, id) => glue.releaseArray(id));
const arrayNumbers = new FinalizationRegistry(unbindArray);

/** Makes an array known to those who encode, for as long as its owner lives. */
export const bindForEncoding = (
  owner: object,
  document: string,
  warn: BoundArray["warn"],
  codecs?: BoundArray["codecs"],
): BoundArray => ({
  number: newNumber(owner),
  home: "full",
  document,
  warn,
  codecs,
});

export function knownOf(facts: ArrayFacts): Known {
  const before = known.get(facts);
  if (before) return before;
  const { document, home, type, codecs, warn } = facts;
  const bound = { number: newNumber(facts), home, document, warn };
  const encoding = bindForEncoding(facts, document, warn);
  const isRaw = codecs.every(({ name }) => name === "bytes");
  const entry: Known = { bound, encoding, handle: undefined, type, isRaw, isRead: false };
  known.set(facts, entry);
  return entry;
}

function newNumber(owner: object): number {
  const number = nextNumber++;
  arrayNumbers.register(owner, number);
  return number;
}

/** Gives an array the codecs that the user has registered, until it was read once. */
export async function bindCodecs(facts: ArrayFacts, signal: AbortSignal | undefined): Promise<void> {
  const entry = knownOf(facts);
  if (registry.size === 0 || entry.isRead) return;
  const codecs = await unlessAborted(boundCodecs(entry.bound.document), signal);
  if (entry.isRead || codecs?.text === entry.bound.codecs?.text) return;
  entry.bound = { ...entry.bound, number: newNumber(facts), codecs };
  entry.encoding = bindForEncoding(facts, entry.bound.document, entry.bound.warn, codecs);
  entry.handle = undefined;
}

/** The engine's number of an array; told again when the engine's instance has changed. */
export function arrayId(glue: typeof import("#glue"), array: AnyArray): number {
  const facts = array[FACTS];
  const entry = knownOf(facts);
  const id = entry.handle?.id;
  if (id !== undefined) return id;
  const { document, codecs } = entry.bound;
  const users = codecs?.text ?? "";
  const hook = new TransformerHook(glue);
  const handle = new Handle(glue.bindArray(storeId(glue, array.store), array.path, document, users, hook));
  entry.handle = handle;
  arrayHandles.register(facts, handle);
  const bound = handle.id as number;
  // A caller's metadata object tells nobody which build it needs, nor do codecs of the user's.
  if (facts.type === undefined || codecs) entry.bound = { ...entry.bound, home: glue.homeOf(bound) as Home };
  return bound;
}

/** Drops what is kept of an array's chunks; of one that nobody could read, nothing is. */
export function forgetChunks(array: AnyArray): void {
  try {
    callNow((glue) => glue.forgetChunks(arrayId(glue, array)));
  } catch {
    // Reading says what is wrong with it.
  }
}

/** What the elements are. */
export function typeOf(glue: typeof import("#glue"), facts: ArrayFacts, id: number): TypeDescription {
  const entry = knownOf(facts);
  entry.type ??= parseDescription(glue.describeType(id));
  return entry.type;
}

/** Bytes of one element; undefined where elements have lengths of their own. */
export async function elementSizeOf(array: AnyArray): Promise<number | undefined> {
  const facts = array[FACTS];
  if (facts.type) return facts.type.size;
  return (await call((glue) => typeOf(glue, facts, arrayId(glue, array)))).size;
}

/** The name of an array's data type. */
export async function typeNameOf(array: AnyArray): Promise<string> {
  const facts = array[FACTS];
  if (facts.type) return facts.type.name;
  return (await call((glue) => typeOf(glue, facts, arrayId(glue, array)))).name;
}

/** The most that a read of this layout decodes: every chunk that it can touch, whole. */
function decodedBytes({ chunks }: ArrayFacts, { shape, elementSize }: Layout): number {
  if (shape.length !== chunks.length) return Number.POSITIVE_INFINITY;
  return shape.reduce((bytes, extent, axis) => {
    const chunk = chunks[axis] ?? 1;
    return bytes * Math.min(extent, Math.ceil(extent / chunk) + 1) * chunk;
  }, elementSize || VARIABLE_SIZE);
}

function checkShared(): void {
  if (typeof SharedArrayBuffer !== "undefined") return;
  throw new UnsupportedError("SharedArrayBuffer, which needs a page that is cross-origin isolated");
}

/** Encoded bytes and chunks of an array that were read so far. */
const observed = new WeakMap<ArrayFacts, { chunks: number; bytes: number }>();

/** Adds a read to what is known of an array's chunks. */
export function observe(facts: ArrayFacts, { chunks, bytes }: Progress): void {
  const before = observed.get(facts) ?? { chunks: 0, bytes: 0 };
  observed.set(facts, { chunks: before.chunks + chunks, bytes: before.bytes + bytes });
}

/** Mean encoded bytes of the chunks that were read, absent ones included. */
export function observedChunkBytes(facts: ArrayFacts): number | undefined {
  const { chunks, bytes } = observed.get(facts) ?? { chunks: 0, bytes: 0 };
  return chunks > 0 ? bytes / chunks : undefined;
}

/** Has the engine read into a sink; what it took. */
export async function readInto(
  array: AnyArray,
  request: EngineRequest,
  sink: Sink,
  { signal, onProgress, priority = 0, cache }: ReadOptions,
): Promise<Progress> {
  const facts = array[FACTS];
  const { conversion, ...rest } = request;
  await bindCodecs(facts, signal);
  const reading = run<Float64Array>(signal, (glue, settle) => {
    const id = arrayId(glue, array);
    sink.expect(conversion?.type ?? typeOf(glue, facts, id));
    const job = new Job({
      array: knownOf(facts).bound,
      result: sink,
      decodedBytes: (layout) => decodedBytes(facts, layout),
      chunkBytes: ({ elementSize }) =>
        facts.chunks.reduce((bytes, extent) => bytes * extent, elementSize || VARIABLE_SIZE),
      isRaw: knownOf(facts).isRaw,
      priority,
      onProgress,
    });
    return glue.read(
      id,
      { ...rest, priority, reload: cache === "reload", conversion: conversion?.request },
      job,
      signal,
      settle,
    );
  });
  const numbers = await reading.catch(async (error) => {
    await sink.leave?.();
    throw error;
  });
  knownOf(facts).isRead = true;
  const progress = progressOf(numbers);
  observe(facts, progress);
  return progress;
}

async function read(array: AnyArray, request: EngineRequest, options: Options): Promise<ReadResult> {
  const { signal, onProgress, priority, cache, ...rest } = options;
  if (rest.useSharedArrayBuffer) checkShared();
  const result = new Result(rest);
  await readInto(array, request, result, { signal, onProgress, priority, cache });
  return result.finish();
}

export const readSelection = read;

/** One whole chunk in native order, filled up with the fill value where it reaches beyond the array. */
export function readChunk(array: AnyArray, index: readonly number[], options: Options): Promise<ReadResult> {
  const { grid, order } = array[FACTS];
  const extents = index.map((at, axis) => chunkExtent(grid[axis] ?? 1, at));
  const entries = extents.map(({ start, length }) => ({ Slice: { start, stop: start + length } }));
  const frame = extents.map(({ length }) => length);
  return read(array, { selection: { Orthogonal: entries }, order }, { ...options, frame });
}
