/**
 * Writes to an array: values become packed elements, the engine cuts them into chunks, and a full build of it, in workers where
 * there are any, reads, changes and encodes each.
 */
import { FACTS } from "../array.ts";
import type { TypeDescription } from "../../model/data_type.ts";
import { callFullNow, runFull, startFull } from "../../engine/instances.ts";
import { unlessAborted } from "../../engine/unless_aborted.ts";
import { ZarrError } from "../../model/errors.ts";
import type { ArrayFacts, NodeSummary } from "../node_facts.ts";
import { type AnyArray, arrayId, bindCodecs, knownOf, typeOf } from "../../engine/read/read.ts";
import type { EngineRequest } from "../selection.ts";
import { product } from "./layout.ts";
import type { PackOptions } from "./numbers.ts";
import { packedSource, type Source, sourceOf } from "./values.ts";
import { WriteJob, type WriteProgress } from "../../engine/write/write_job.ts";

export type { WriteProgress };

/** What every call that writes elements takes. */
export interface WriteOptions extends PackOptions {
  /**
   * Ends the call; it rejects with the signal's reason at once. Chunks that are being written then still are, whole; no others.
   */
  signal?: AbortSignal;
  /** Hears how far it is. */
  onProgress?: (progress: WriteProgress) => void;
  /** Chunks of writes with a higher one are encoded first; 0 unless given. */
  priority?: number;
  /** Store chunks that are all fill value too, instead of erasing them. */
  keepEmptyChunks?: boolean;
  /** How inner chunks stand in a shard that is written; `"C"` unless given. Readers do not mind. */
  chunkOrder?: "C" | "F" | "morton";
  /** `"bytes"`: the values are packed elements, as `get` gives them with `as: "bytes"`. */
  as?: "bytes";
}

type Glue = typeof import("#glue");

/** Bytes that an element with a length of its own is taken for. */
const VARIABLE_SIZE = 32;

function jobOf(
  facts: ArrayFacts,
  type: TypeDescription,
  { priority = 0, onProgress }: WriteOptions,
): WriteJob {
  const chunkBytes = product(facts.shards ?? facts.chunks) * (type.size ?? VARIABLE_SIZE);
  return new WriteJob({ array: knownOf(facts).encoding, chunkBytes, priority, onProgress });
}

const packed = (
  type: TypeDescription,
  value: unknown,
  shape: readonly number[],
  options: WriteOptions,
): Source =>
  options.as === "bytes" ? packedSource(type, value, shape) : sourceOf(type, value, shape, options);

const engineSource = (source: Source, { keepEmptyChunks = false, chunkOrder }: WriteOptions) => ({
  ...source,
  keepEmptyChunks,
  chunkOrder,
});

/** What the engine knows the array by, and what its elements are. */
function known(glue: Glue, array: AnyArray): { id: number; type: TypeDescription } {
  const id = arrayId(glue, array);
  return { id, type: typeOf(glue, array[FACTS], id) };
}

/** Writes values to a selection. */
export async function writeSelection(
  array: AnyArray,
  request: EngineRequest,
  value: unknown,
  options: WriteOptions,
): Promise<void> {
  const { signal } = options;
  signal?.throwIfAborted();
  await unlessAborted(startFull(), signal);
  await bindCodecs(array[FACTS], signal);
  const { type, shape, kept } = callFullNow((glue) => {
    const { id, type } = known(glue, array);
    return { type, ...(glue.selectionShape(id, request) as { shape: number[]; kept: boolean[] }) };
  });
  const places = shape.filter((_, axis) => kept[axis]);
  const source = engineSource(packed(type, value, places, options), options);
  await runFull<void>(
    signal,
    (glue, settle) => {
      const { id, type } = known(glue, array);
      const job = jobOf(array[FACTS], type, options);
      return glue.writeArray(id, request, source, job, signal, settle);
    },
    "finish",
  );
}

/** How long along an axis values are that are appended, and the shape that they spread over. */
function appendedShape(facts: ArrayFacts, value: unknown, axis: number): number[] {
  const { shape } = value as { shape?: readonly number[] };
  const own = Array.isArray(shape) ? shape : undefined;
  const rest = product(facts.shape.filter((_, other) => other !== axis));
  const count = (value as ArrayLike<unknown>).length;
  const lists = Array.isArray(value) && facts.shape.length > 1 && value.every(Array.isArray);
  const flat = facts.type?.kind === "complex" ? count / 2 : count;
  const aligned = own && own.length === facts.shape.length ? own[axis] : undefined;
  const length = own ? (aligned ?? 1) : lists ? nestedLength(value, axis) : flat / (rest || 1);
  return facts.shape.map((extent, other) => (other === axis ? (length ?? 1) : extent));
}

function nestedLength(value: unknown, axis: number): number {
  let level = value;
  for (let depth = 0; depth < axis; depth += 1) level = (level as unknown[])[0];
  return Array.isArray(level) ? level.length : 1;
}

/** Appends values along an axis; the array's summary as it is then. */
export async function appendValues(
  array: AnyArray,
  value: unknown,
  axis: number,
  options: WriteOptions,
): Promise<NodeSummary> {
  const { signal } = options;
  signal?.throwIfAborted();
  await unlessAborted(startFull(), signal);
  await bindCodecs(array[FACTS], signal);
  const shape = appendedShape(array[FACTS], value, axis);
  const type = callFullNow((glue) => known(glue, array).type);
  const source = engineSource(packed(type, value, shape, options), options);
  return runFull<NodeSummary>(
    signal,
    (glue, settle) => {
      const { id, type } = known(glue, array);
      const job = jobOf(array[FACTS], type, options);
      const length = shape[axis] ?? 0;
      return glue.appendArray(id, axis, length, source, job, signal, settle);
    },
    "finish",
  );
}

function extentOf(extent: number | bigint): bigint {
  const isExtent = typeof extent === "bigint" || Number.isSafeInteger(extent);
  if (isExtent && extent >= 0 && extent < 2n ** 64n) return BigInt(extent);
  throw new ZarrError("Argument", "an extent is no whole number", {
    expected: "an integer from 0 up",
    actual: String(extent),
  });
}

/** Changes the shape; the array's summary as it is then. */
export async function resizeArray(
  array: AnyArray,
  shape: readonly (number | bigint)[],
  options: Pick<WriteOptions, "signal" | "priority">,
): Promise<NodeSummary> {
  const { signal } = options;
  const extents = BigUint64Array.from(shape, extentOf);
  await bindCodecs(array[FACTS], signal);
  return runFull<NodeSummary>(
    signal,
    (glue, settle) => {
      const { id, type } = known(glue, array);
      return glue.resizeArray(id, extents, jobOf(array[FACTS], type, options), signal, settle);
    },
    "finish",
  );
}
