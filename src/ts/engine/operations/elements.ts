/**
 * Operations on elements. Some read: results, streams of parts, summaries, prefetching and plans.
 * Some write: the page packs the values, and the engine splits them into chunks. The full build
 * reads, changes and encodes each chunk, in workers if there are any: `src/engine/js/full/write.rs`
 * drives a `WriteJob`.
 */
import { VARIABLE_SIZE } from "../../elements/pack.ts";
import { product } from "../../elements/typed_arrays.ts";
import { type ErrorReport, errorFromReport, INTERNAL, ZarrError } from "../../model/errors.ts";
import type {
  EngineCost,
  FloatsToPack,
  PackedFloats,
  PartEvent,
  PlannedObject,
  ResultAnswer,
  ResultLayout,
  WriteArguments,
  WriteEvent,
} from "../../port/operations.ts";
import { arrayId, arrayOf, bound, typeOf } from "../arrays.ts";
import { DecodeFailure } from "../decode/decode_host.ts";
import type { BoundArray, DecodePool, Updated } from "../decode/pool.ts";
import { poolFor, prepareWorker } from "../decode/pools.ts";
import { downsampled, Reducer } from "../decode/reducer.ts";
import { cacheCounters, call, type FullGlue, hasInstance, startEngine } from "../instances.ts";
import { crossingSummary } from "../marked.ts";
import { Assembly } from "../read/assembly.ts";
import { PartSink, progressListener, readInto, SummarySink } from "../read/job.ts";
import { ReductionSink, reductionMemory } from "../read/reduction.ts";
import { counters, memoryLimit } from "../state.ts";
import { refreshStore } from "../stores.ts";
import { engineModule, prepareConventions } from "../wasm_builds.ts";
import type { CallContext, OperationTable } from "./operation.ts";

/** Transfers a result's memory, unless it belongs to the caller. */
function giveResult({ bytes }: ResultAnswer, give: CallContext["give"]): void {
  if (bytes.byteLength > 0) give(bytes.buffer);
}

/** The least time in ms between two answers that are not whole. */
const PARTIAL_MS = 50;

/** Runs a call of the module for reductions, whose errors are reports. */
function reporting<T>(run: () => T): T {
  try {
    return run();
  } catch (failure) {
    if (!(failure instanceof DecodeFailure)) throw failure;
    const { text, ...report } = JSON.parse(failure.report) as ErrorReport & { text?: string };
    throw errorFromReport({ ...report, message: text ?? report.message });
  }
}

/** Returns a function that tells whether all chunks since then came from the caches. */
function watchCaches(): () => boolean {
  const counts = () => {
    const [hits = 0, misses = 0, , decodedHits = 0] = cacheCounters();
    return { found: hits + decodedHits, asked: misses + counters.wire.requests };
  };
  const before = counts();
  return () => {
    const { found, asked } = counts();
    return found !== before.found && asked === before.asked;
  };
}

/** The answers of some elements. Undefined if a sum does not fit: that of all may. */
function answersSoFar<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (failure) {
    if (failure instanceof DecodeFailure) return undefined;
    throw failure;
  }
}

/**
 * Lets reads of the chunks at an old edge pass the caches in front of the store, if they are few.
 */
async function passEdge(array: number, oldShape: readonly number[]): Promise<boolean> {
  if (!hasInstance()) return false;
  return call((glue) => glue.passEdge(arrayId(glue, array), Float64Array.from(oldShape))).catch(() => false);
}

export const readOperations = {
  async prepare({ conventions }) {
    await startEngine();
    prepareWorker();
    if (conventions) prepareConventions();
    return undefined;
  },

  async read({ out, useSharedArrayBuffer, ...args }, context) {
    const assembly = new Assembly({ out, useSharedArrayBuffer });
    const progress = await readInto(args, assembly, context);
    const result = await assembly.finish();
    if (out) return { ...result, bytes: new Uint8Array(0), progress };
    giveResult(result, context.give);
    return { ...result, progress };
  },

  stream(args, context) {
    const send = async (part: PartEvent) => {
      const transfer: ArrayBuffer[] = [];
      giveResult(part, (buffer) => transfer.push(buffer as ArrayBuffer));
      context.send({ type: "part", ...part }, transfer);
      await context.credited();
    };
    const tell = (layout: ResultLayout) => context.send({ type: "layout", ...layout });
    return readInto(args, new PartSink(tell, send), context);
  },

  async summarise(args, context) {
    const [, , bins = 0] = args.request.conversion?.summary ?? [];
    const sink = new SummarySink(bins);
    const progress = await readInto(args, sink, context);
    context.give(sink.numbers.buffer);
    return { numbers: sink.numbers, progress };
  },

  async reduce(
    { reduction, growth, counts, questions, settings, hearsPartial, before, keepsWords, ...args },
    context,
  ) {
    const module = await engineModule("reduction");
    const sink = reporting(() => new ReductionSink(module, reduction, counts, memoryLimit(), before));
    const request = { ...args.request, growth: { ...growth, ...sink.parts } };
    const answers = () => reporting(() => sink.answers(questions, settings));
    let [told, toldShare] = [performance.now(), 0];
    if (hearsPartial)
      sink.onReduced = (share) => {
        // The answers of all elements are the result.
        const isNews = share > toldShare && share < 1;
        if (!isNews || performance.now() - told < PARTIAL_MS) return;
        [told, toldShare] = [performance.now(), share];
        const found = answersSoFar(() => sink.answers(questions, settings));
        if (found) context.send({ type: "partial", answers: found, share });
      };
    const isCached = watchCaches();
    await readInto({ ...args, request }, sink, context);
    if (sink.share !== 1) throw new ZarrError("Unsupported", `${INTERNAL}: a part of the reduction was lost`);
    const words = keepsWords ? reporting(() => sink.words()) : undefined;
    return { answers: answers(), words, isCached: isCached() };
  },

  async downsample({ request }, { give }) {
    const module = await engineModule("reduction");
    const found = reporting(() => downsampled(module, request));
    give(found.buffer);
    return found;
  },

  async planReduction({ reduction, counts }) {
    const module = await engineModule("reduction");
    return reporting(() => reductionMemory(new Reducer(module).sizes(reduction), counts, memoryLimit()));
  },

  prefetch: {
    begin: (glue, args, context, settle) =>
      glue.prefetch(
        arrayId(glue, args.array),
        args.request,
        progressListener(args, context),
        context.signal,
        settle,
      ),
  },

  planRead: {
    compute(glue, { array, request }) {
      const cost = glue.planRead(arrayId(glue, array), request) as EngineCost;
      return { cost, elementSize: typeOf(glue, array).size ?? VARIABLE_SIZE };
    },
  },

  planObjects: {
    compute: (glue, { array, request, start, count }) =>
      glue.planObjects(arrayId(glue, array), request, start, count) as PlannedObject[],
  },

  async forgetChunks({ array, oldShape }) {
    const isEdge = oldShape !== undefined && (await passEdge(array, oldShape));
    if (!isEdge) refreshStore(arrayOf(array).definition.store);
    if (!hasInstance()) return undefined;
    // An array that is not bound yet may share the cache of an equal one. Errors of binding belong
    // to the next read.
    await call((glue) => glue.forgetChunks(arrayId(glue, array))).catch(() => {});
    return undefined;
  },
} satisfies Partial<OperationTable>;

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
