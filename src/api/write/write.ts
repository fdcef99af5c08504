/**
 * Writes to an array. The page packs the values. The engine splits them into chunks. Its full build
 * reads, changes and encodes each chunk, in workers if there are any.
 *
 * It also changes an array's metadata: its shape and its attributes. A change is prepared first,
 * which writes nothing and refuses wrong arguments. A change that fails later may have stored its
 * documents or not. So the documents are read again, and the open nodes follow what is stored. If
 * that read fails too, or the caller has aborted, they are read before the next use.
 */
import type { ChunkOrder, NodeSummary, WriteProgress, WriteSource } from "../../contract/contract.ts";
import {
  need,
  needList,
  optionsOf,
  type Rules,
  type RuleTable,
  refuse,
  SIGNAL,
} from "../../engine/ts/model/argument.ts";
import type { TypeDescription } from "../../engine/ts/model/data_type.ts";
import { shown, ZarrError } from "../../engine/ts/model/errors.ts";
import { inOneRun } from "../../engine/ts/model/once.ts";
import type { EngineRequest } from "../../engine/ts/model/read_request.ts";
import { unlessAborted } from "../../engine/ts/model/waiting.ts";
import type { MakeArguments } from "../../engine/ts/port/connection.ts";
import { type ObjectIds, staleStores } from "../../engine/ts/port/definitions.ts";
import { call, write } from "../../engine/ts/port/engine.ts";
import type {
  AnswerOf,
  ArgumentsOf,
  OperationName,
  WriteCall,
  WriteEvent,
} from "../../engine/ts/port/operations.ts";
import { arrayId, bindCodecs, describeWithCodecs, typeOf } from "../array_definitions.ts";
import { type ArrayNode, FACTS } from "../node_facts.ts";
import type { NodeChange } from "../update_attributes.ts";
import { type PackOptions, withPackedFloats } from "./numbers.ts";
import { appendedLength, packedSource, type Source, sourceOf } from "./values.ts";

/** Options of every call that writes elements. */
export interface WriteOptions extends Pick<PackOptions, "cast"> {
  /**
   * Aborts the call, which rejects at once with the signal's reason. Chunks that are being written
   * are completed; no others are written.
   */
  signal?: AbortSignal | undefined;
  /** Called with the progress, at most once a frame. */
  onProgress?: ((progress: WriteProgress) => void) | undefined;
  /** Chunks of writes with a higher priority are encoded first. Default: 0. */
  priority?: number | undefined;
  /** Whether to store chunks that are all fill value. Default: false, which erases them. */
  keepEmptyChunks?: boolean | undefined;
  /** Order of the inner chunks in a written shard. Readers accept any order. Default: `"C"`. */
  chunkOrder?: ChunkOrder | undefined;
  /**
   * `"bytes"`: the values are packed little-endian elements, as `get` returns them with `as:
   * "bytes"`.
   */
  as?: "bytes" | undefined;
}

const RESIZE_RULES: Rules<Pick<WriteOptions, "signal" | "priority">> = { ...SIGNAL, priority: "a priority" };

const WRITE_RULES: Rules<WriteOptions> = {
  ...RESIZE_RULES,
  onProgress: "a function",
  cast: "a boolean",
  keepEmptyChunks: "a boolean",
  chunkOrder: ["C", "F", "morton"] satisfies ChunkOrder[],
  as: ["bytes"],
};

/** Throws an `Argument` error for wrong options of a write. `more`: what a call has beside them. */
export const checkWrite = (options: WriteOptions, more?: RuleTable) =>
  optionsOf(options, { ...WRITE_RULES, ...more });

/** Throws an `Argument` error for wrong options of `resize`. */
export const checkResize = (options: object) => optionsOf(options, RESIZE_RULES);

/** Packs values. `shape` is that of the selection, if it is known: see `sourceOf`. */
async function packed(
  type: TypeDescription,
  value: unknown,
  options: WriteOptions,
  shape: readonly number[] = [],
): Promise<WriteSource> {
  const { keepEmptyChunks, chunkOrder, signal } = options;
  const pack = (): Promise<Source> | Source =>
    options.as === "bytes"
      ? packedSource(type, value)
      : withPackedFloats((floats) => sourceOf(type, value, shape, { ...options, floats }), signal);
  const { bytes, offsets, layout } = await pack();
  // Copy a view of a larger buffer, because cloning a view clones its whole buffer.
  const own = bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
  return { bytes: own, offsets, layout, keepEmptyChunks: !!keepEmptyChunks, chunkOrder };
}

/** The arguments of a write, without those that all writes share. */
type Own<Name extends OperationName> = Omit<ArgumentsOf<Name>, keyof WriteCall>;

/** Calls an operation that writes to an array. If it fails, caches of its store may be stale. */
async function writeTo<Name extends "write" | "append" | "resize">(
  array: ArrayNode,
  operation: Name,
  own: Own<Name>,
  { signal, priority, onProgress }: WriteOptions,
): Promise<AnswerOf<Name>> {
  const makeArguments = (objects: ObjectIds) => ({
    ...own,
    array: arrayId(objects, array),
    priority: typeof priority === "number" ? priority : 0,
    wantsProgress: !!onProgress,
  });
  const onEvent = ({ type: _, ...progress }: WriteEvent): void => onProgress?.(progress);
  try {
    return await write(operation, makeArguments as MakeArguments<Name>, { signal, onEvent });
  } catch (error) {
    staleStores.add(array.store);
    throw error;
  }
}

/** Writes values to a selection. */
export async function writeSelection(
  array: ArrayNode,
  request: EngineRequest,
  value: unknown,
  options: WriteOptions,
): Promise<void> {
  const { signal } = options;
  signal?.throwIfAborted();
  await bindCodecs(array[FACTS], signal);
  const { selection } = request;
  const type = await typeOf(array, signal);
  const source = await packed(type, value, options).catch(async () => {
    // If the selection is wrong as well, planning throws that error first. Else the error of the
    // value is thrown again, now with the value's index in the selection.
    const { cost } = await call("planRead", (objects) => ({ array: arrayId(objects, array), selection }), {
      signal,
    });
    return packed(type, value, options, cost.shape);
  });
  await writeTo(array, "write", { selection, source }, options);
}

/** Prepares to append values along an axis. */
export async function appendValues(
  array: ArrayNode,
  value: unknown,
  axis: number,
  options: WriteOptions,
): Promise<NodeChange> {
  const { signal } = options;
  signal?.throwIfAborted();
  need(Object(value) === value, "value", "elements with a shape", value);
  need(Number.isInteger(axis), "axis", "an integer", axis);
  await bindCodecs(array[FACTS], signal);
  const { shape } = array[FACTS];
  if (axis < 0 || axis >= shape.length) {
    const found = { expected: `0 to below ${shape.length}`, actual: String(axis), path: array.path };
    const what = "the array does not have the dimension to append along";
    throw new ZarrError("Argument", what, { field: "axis", ...found });
  }
  const type = await typeOf(array, signal);
  const length = appendedLength(type, value, { shape, axis, isPacked: options.as === "bytes" });
  const whole = shape.map((extent, other) => (other === axis ? length : extent));
  const source = await packed(type, value, options, whole);
  return () => writeTo(array, "append", { axis, length, source }, options);
}

function extentOf(extent: number | bigint): bigint {
  const isExtent = typeof extent === "bigint" || Number.isSafeInteger(extent);
  if (isExtent && extent >= 0 && extent < 2n ** 64n) return BigInt(extent);
  refuse("an extent of the new shape is not a whole number", "an integer from 0 up", extent);
}

/** Prepares to change the shape. */
export async function resizeArray(
  array: ArrayNode,
  shape: readonly (number | bigint)[],
  options: Pick<WriteOptions, "signal" | "priority">,
): Promise<NodeChange> {
  const { signal } = options;
  needList(shape, "shape");
  const rank = array[FACTS].shape.length;
  if (shape.length !== rank) {
    const found = { expected: `${rank} dimensions`, actual: shown(shape), path: array.path };
    const what = "the new shape has another number of dimensions";
    throw new ZarrError("Argument", what, { field: "shape", ...found });
  }
  const extents = Array.from(shape, extentOf);
  await bindCodecs(array[FACTS], signal);
  return () => writeTo(array, "resize", { shape: extents }, options);
}

/**
 * An array, and what the page does with its nodes. Its functions are given, because importing them
 * here would move them out of the first download's main file.
 */
export interface OpenArray {
  array: ArrayNode;
  /** All open nodes of the array's path and store. */
  nodes(): Iterable<object>;
  /** Updates these nodes. */
  update(summary: NodeSummary): void;
  /** Reads the metadata, past all caches. */
  readAnew(): Promise<NodeSummary>;
}

/** Time in ms for which reading waits for a change that still runs. */
const PATIENCE_MS = 10_000;

/** Updates an array, and all open nodes of the same path, from new metadata. */
async function update(open: OpenArray, summary: NodeSummary): Promise<void> {
  await describeWithCodecs(summary, undefined);
  open.update(summary);
}

/** Reads the metadata that are stored now, once no change of this page is under way. */
async function reread(open: OpenArray): Promise<void> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const settled = call("reread", (objects) => ({ array: arrayId(objects, open.array) }), { signal });
  // A store that does not answer a write may answer reads, and so may an engine that cannot write.
  await update(open, await settled.catch(() => open.readAnew()));
}

/**
 * Marks an array and all open nodes of its path as stale. Returns the function that refreshes them.
 */
function markStale(open: OpenArray): () => Promise<void> {
  const settle = inOneRun(() => reread(open));
  for (const node of open.nodes()) {
    const facts = (node as Partial<ArrayNode>)[FACTS];
    if (facts) facts.refreshStale = (signal) => unlessAborted(settle(), signal);
  }
  return settle;
}

/** Performs a change of an array's metadata, and updates the open nodes. See the module. */
export async function changing(
  open: OpenArray,
  prepare: () => NodeChange | Promise<NodeChange>,
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted();
  await open.array[FACTS].refreshStale?.(signal);
  const change = await prepare();
  let summary: NodeSummary;
  try {
    summary = await change();
  } catch (error) {
    const code = error instanceof ZarrError ? error.code : undefined;
    // An array that is not stored has not changed.
    if (code === "NotFound") throw error;
    const settle = markStale(open);
    // After an abort the caller does not wait. `dispose` must not start another engine.
    const settled = code === "Aborted" ? undefined : settle().catch(() => {});
    if (!signal?.aborted && settled) await unlessAborted(settled, signal).catch(() => {});
    throw error;
  }
  await update(open, summary);
}
