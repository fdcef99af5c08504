/**
 * Reads a selection of an array into a sink.
 */
import { VARIABLE_SIZE } from "../../elements/pack.ts";
import type { TypeDescription } from "../../model/data_type.ts";
import type { EngineRequest } from "../../model/request.ts";
import type { ProgressNumbers } from "../../port/operations.ts";
import { arrayId, type EngineArray, typeOf } from "../arrays.ts";
import { run } from "../instances.ts";
import type { Layout } from "./assembly.ts";
import { Job, type Sink } from "./job.ts";

interface ReadInto {
  array: EngineArray;
  request: EngineRequest;
  /** The data type to convert to; undefined if elements are not converted. */
  type: TypeDescription | undefined;
  sink: Sink;
  signal: AbortSignal | undefined;
  onProgress: ((numbers: ProgressNumbers) => void) | undefined;
}

/** Maximum number of bytes that a read decodes: every chunk that it may touch, in full. */
function decodedBytes(chunks: readonly number[], { shape, elementSize }: Layout): number {
  if (shape.length !== chunks.length) return Number.POSITIVE_INFINITY;
  return shape.reduce((bytes, extent, axis) => {
    const chunk = chunks[axis] ?? 1;
    return bytes * Math.min(extent, Math.ceil(extent / chunk) + 1) * chunk;
  }, elementSize || VARIABLE_SIZE);
}

/**
 * Reads into a sink. Resolves to the counters of the read. After a rejection nothing is written to
 * the sink any more.
 */
export async function readInto(read: ReadInto): Promise<ProgressNumbers> {
  const { array, request, type, sink, signal, onProgress } = read;
  const { chunks, isRaw } = array.definition;
  let job: Job | undefined;
  const reading = run<Float64Array>(signal, (glue, settle) => {
    const id = arrayId(glue, array);
    sink.expect(type ?? typeOf(glue, array));
    job = new Job({
      array: array.bound,
      result: sink,
      decodedBytes: (layout) => decodedBytes(chunks, layout),
      chunkBytes: ({ elementSize }) =>
        chunks.reduce((bytes, extent) => bytes * extent, elementSize || VARIABLE_SIZE),
      isRaw,
      priority: request.priority ?? 0,
      onProgress,
    });
    return glue.read(id, request, job as never, signal, settle);
  });
  try {
    return await reading;
  } catch (error) {
    await sink.leave?.();
    throw job?.refusal ?? error;
  }
}
