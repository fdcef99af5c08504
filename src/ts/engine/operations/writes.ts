/**
 * Operations that write elements. The page packs the values. The engine splits them into chunks.
 * The full build reads, changes and encodes each chunk, in workers if there are any:
 * `src/engine/js/full/write.rs` drives a `WriteJob`.
 */
import { VARIABLE_SIZE } from "../../elements/pack.ts";
import { product } from "../../elements/typed_arrays.ts";
import type { FloatsToPack, PackedFloats, WriteArguments, WriteEvent } from "../../port/operations.ts";
import { arrayId, arrayOf, bound, typeOf } from "../arrays.ts";
import type { BoundArray, DecodePool, Updated } from "../decode/pool.ts";
import { poolFor } from "../decode/pools.ts";
import type { FullGlue } from "../instances.ts";
import { crossingSummary } from "../marked.ts";
import type { CallContext, OperationTable } from "./operation.ts";

function jobOf(
  glue: FullGlue,
  { array, priority, hearsProgress }: WriteArguments,
  { tell }: CallContext,
): never {
  const { definition, encoding } = arrayOf(array);
  const job = new WriteJob({
    array: encoding,
    chunkBytes: product(definition.stored) * (typeOf(glue, array).size ?? VARIABLE_SIZE),
    priority,
    onProgress: hearsProgress ? tell : undefined,
  });
  return job as never;
}

function packed(glue: FullGlue, { name, numbers, cast, byteLength }: FloatsToPack): PackedFloats {
  const bytes = new Uint8Array(byteLength);
  return glue.packFloats(name, numbers, cast, bytes) ?? bytes;
}

export const writeOperations = {
  selectionShape: {
    computeFull(glue, { array, selection }) {
      const id = arrayId(glue, array);
      const shaped = glue.selectionShape(id, { selection }) as { shape: number[]; kept: boolean[] };
      return { type: typeOf(glue, array), ...shaped };
    },
  },

  write: {
    finishes: true,
    beginFull(glue, args, context, settle) {
      const [id, job] = [arrayId(glue, args.array), jobOf(glue, args, context)];
      return glue.writeArray(id, args.request, args.source, job, context.signal, settle);
    },
  },

  append: {
    finishes: true,
    beginFull(glue, args, context, settle) {
      const { array, axis, length, source } = args;
      const [id, job] = [arrayId(glue, array), jobOf(glue, args, context)];
      return glue.appendArray(id, axis, length, source, job, context.signal, settle);
    },
    answer: crossingSummary,
  },

  resize: {
    finishes: true,
    beginFull(glue, args, context, settle) {
      const [id, job] = [arrayId(glue, args.array), jobOf(glue, args, context)];
      return glue.resizeArray(id, args.shape, job, context.signal, settle);
    },
    answer: crossingSummary,
  },

  reread: {
    beginFull: (glue, { array }, _, settle) => glue.rereadArray(arrayId(glue, array), settle),
    answer: crossingSummary,
  },

  packFloats: {
    computeFull: (glue, { floats }) => floats.map((each) => packed(glue, each)),
  },
} satisfies Partial<OperationTable>;

interface WriteJobOptions {
  array: BoundArray;
  /** Maximum number of bytes to decode and encode for a change of one chunk. */
  chunkBytes: number;
  priority: number;
  onProgress: ((event: WriteEvent) => void) | undefined;
}

class WriteJob {
  readonly #options: WriteJobOptions;
  readonly #pool: DecodePool;
  readonly #arrays: BoundArray[];

  constructor(options: WriteJobOptions) {
    this.#options = options;
    this.#pool = poolFor(options.chunkBytes);
    this.#arrays = [options.array];
  }

  progress(chunks: number, empty: number, totalChunks: number, bytes: number): void {
    this.#options.onProgress?.({ type: "written", chunks, totalChunks, empty, bytes });
  }

  /**
   * Returns a number for the array as these metadata documents describe it. An append writes to the
   * array with its new shape.
   */
  bind(document: string): number {
    const known = this.#arrays.findIndex((array) => array.document === document);
    if (known >= 0) return known;
    return this.#arrays.push(bound({ ...this.#options.array, document })) - 1;
  }

  encode(
    array: number,
    header: Uint32Array,
    old: Uint8Array | undefined,
    ownsOld: boolean,
    elements: Uint8Array,
    ownsElements: boolean,
  ): Promise<Updated> {
    const part = this.#pool.begin(this.#arrays[array] as BoundArray, header, this.#options.priority);
    return this.#pool.update(part, { old, ownsOld, elements, ownsElements });
  }
}
