/**
 * Operations that write elements. The page packs the values. The engine splits them into chunks.
 * The full build reads, changes and encodes each chunk, in workers if there are any.
 */

import { VARIABLE_SIZE } from "../../elements/pack.ts";
import { product } from "../../elements/typed_arrays.ts";
import type { TypeDescription } from "../../model/data_type.ts";
import type { NodeSummary } from "../../model/node_summary.ts";
import type { FloatsToPack, PackedFloats } from "../../port/operations.ts";
import { arrayId, arrayOf, type EngineArray, typeOf } from "../arrays.ts";
import { callFull, type FullGlue, runFull } from "../instances.ts";
import { crossingSummary } from "../marked.ts";
import { WriteJob } from "../write/write_job.ts";
import type { CallContext, Handlers } from "./context.ts";

type Names = "selectionShape" | "write" | "append" | "resize" | "reread" | "packFloats";

interface WriteOptions {
  priority: number;
  hearsProgress: boolean;
}

function jobOf(
  array: EngineArray,
  type: TypeDescription,
  options: WriteOptions,
  context: CallContext,
): never {
  const elements = product(array.definition.stored);
  const job = new WriteJob({
    array: array.encoding,
    chunkBytes: elements * (type.size ?? VARIABLE_SIZE),
    priority: options.priority,
    onProgress: options.hearsProgress ? context.tell : undefined,
  });
  return job as never;
}

function packed(glue: FullGlue, { name, numbers, cast, byteLength }: FloatsToPack): PackedFloats {
  const bytes = new Uint8Array(byteLength);
  return glue.packFloats(name, numbers, cast, bytes) ?? bytes;
}

export const writeOperations: Handlers<Names> = {
  selectionShape({ array, selection }) {
    const known = arrayOf(array);
    return callFull((glue) => {
      const id = arrayId(glue, known);
      const shaped = glue.selectionShape(id, { selection }) as { shape: number[]; kept: boolean[] };
      return { type: typeOf(glue, known), ...shaped };
    });
  },

  write({ array, request, source, ...options }, context) {
    const known = arrayOf(array);
    const { signal } = context;
    return runFull(
      signal,
      (glue, settle) => {
        const id = arrayId(glue, known);
        const job = jobOf(known, typeOf(glue, known), options, context);
        return glue.writeArray(id, request, source, job, signal, settle);
      },
      "finish",
    );
  },

  async append({ array, axis, length, source, ...options }, context) {
    const known = arrayOf(array);
    const { signal } = context;
    const summary = await runFull<NodeSummary>(
      signal,
      (glue, settle) => {
        const id = arrayId(glue, known);
        const job = jobOf(known, typeOf(glue, known), options, context);
        return glue.appendArray(id, axis, length, source, job, signal, settle);
      },
      "finish",
    );
    return crossingSummary(summary);
  },

  async resize({ array, shape, ...options }, context) {
    const known = arrayOf(array);
    const { signal } = context;
    const summary = await runFull<NodeSummary>(
      signal,
      (glue, settle) => {
        const id = arrayId(glue, known);
        const job = jobOf(known, typeOf(glue, known), options, context);
        return glue.resizeArray(id, shape, job, signal, settle);
      },
      "finish",
    );
    return crossingSummary(summary);
  },

  async reread({ array }, { signal }) {
    const known = arrayOf(array);
    const summary = await runFull<NodeSummary>(signal, (glue, settle) =>
      glue.rereadArray(arrayId(glue, known), settle),
    );
    return crossingSummary(summary);
  },

  packFloats({ floats }) {
    return callFull((glue) => floats.map((each) => packed(glue, each)));
  },
};
