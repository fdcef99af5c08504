/**
 * Reads a selection of an array into a sink.
 */
import { VARIABLE_SIZE } from "../../elements/pack.ts";
import type { ProgressNumbers, ReadArguments } from "../../port/operations.ts";
import { arrayId, arrayOf, typeOf } from "../arrays.ts";
import { type Glue, run, type Settle } from "../instances.ts";
import type { CallContext } from "../operations/operation.ts";
import type { Layout } from "./assembly.ts";
import { Job, type Sink } from "./job.ts";

/** The progress callback of a read, if the caller listens. */
export const progressListener = ({ hearsProgress }: ReadArguments, { tell }: CallContext) =>
  hearsProgress ? (numbers: ProgressNumbers) => tell({ type: "progress", numbers }) : undefined;

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
export async function readInto(
  args: ReadArguments,
  sink: Sink,
  context: CallContext,
): Promise<ProgressNumbers> {
  const { array, request, type } = args;
  const { signal } = context;
  const known = arrayOf(array);
  const { chunks, isRaw } = known.definition;
  let job: Job | undefined;
  const begin = (glue: Glue, settle: Settle) => {
    const id = arrayId(glue, array);
    sink.expect(type ?? typeOf(glue, array));
    job = new Job({
      array: known.bound,
      result: sink,
      decodedBytes: (layout) => decodedBytes(chunks, layout),
      chunkBytes: ({ elementSize }) =>
        chunks.reduce((bytes, extent) => bytes * extent, elementSize || VARIABLE_SIZE),
      isRaw,
      priority: request.priority ?? 0,
      onProgress: progressListener(args, context),
    });
    return glue.read(id, request, job as never, signal, settle);
  };
  try {
    return await run<ProgressNumbers>(begin, { signal });
  } catch (error) {
    await sink.leave?.();
    throw job?.refusal ?? error;
  }
}
