/**
 * Operations on elements. Some read: results, streams of parts, summaries, prefetching and plans.
 * Some write: the page packs the values, and the engine splits them into chunks. The full build
 * reads, changes and encodes each chunk, in workers if there are any:
 * `src/engine/rust/js/full/write.rs` drives a `WriteJob`.
 */
import { chunkToEncodeShape, writeProgressShape } from "../../../../contract/contract.ts";
import { VARIABLE_SIZE } from "../../elements/pack.ts";
import { product } from "../../elements/typed_arrays.ts";
import { errorFromRecord, INTERNAL, ZarrError } from "../../model/errors.ts";
import { readRecord } from "../../model/records.ts";
import type {
  ArgumentsOf,
  FloatsToPack,
  PackedFloats,
  PartEvent,
  ResultAnswer,
  ResultLayout,
  WriteCall,
  WriteEvent,
} from "../../port/operations.ts";
import type { DecodePool } from "../decode/decode_pool.ts";
import type { Updated } from "../decode/messages.ts";
import { Reducer } from "../decode/reducer.ts";
import type { BoundArray } from "../decode/work.ts";
import type { Engine } from "../engine.ts";
import type { Glue, Glues } from "../instance_switch.ts";
import { Assembly } from "../read/assembly.ts";
import { PartSink, progressListener, readInto, SummarySink } from "../read/job.ts";
import { ReductionSink, reductionMemory } from "../read/reduction.ts";
import { ReportedError } from "../wasm_module.ts";
import { type CallContext, type OperationTable, operate } from "./operation.ts";

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
    throw failure instanceof ReportedError ? errorFromRecord(failure.record) : failure;
  }
}

/** Returns a function that tells whether all chunks since then came from the caches. */
function watchCaches({ instances, state }: Engine): () => boolean {
  const counts = () => {
    const [hits = 0, misses = 0, , , decodedHits = 0] = instances.cacheCounters();
    return { found: hits + decodedHits, asked: misses + state.counters.wire.requests };
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
    if (failure instanceof ReportedError) return undefined;
    throw failure;
  }
}

/**
 * Lets reads of the chunks at an old edge pass the caches in front of the store, if they are few
 * and the array has only grown since it had the metadata documents `before`.
 */
async function passEdge({ arrays, instances }: Engine, array: number, before: string): Promise<boolean> {
  if (!instances.isStarted) return false;
  return instances
    .call((glue) => {
      arrays.bind(glue, array);
      return glue.passEdge(array, before);
    })
    .catch(() => false);
}

export const readOperations = {
  async prepare({ conventions }, { engine }) {
    await engine.instances.start();
    engine.pools.prepareWorker();
    if (conventions) engine.conventions.prepare();
    return undefined;
  },

  async read({ out, useSharedArrayBuffer, ...args }, context) {
    const assembly = new Assembly(context.engine.instances, { out, useSharedArrayBuffer });
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
      await context.whenTaken();
    };
    const tell = (layout: ResultLayout) => context.send({ type: "layout", ...layout });
    return readInto(args, new PartSink(context.engine.instances, tell, send), context);
  },

  async summarise(args, context) {
    const [, , bins = 0] = args.request.conversion?.summary ?? [];
    const sink = new SummarySink(bins);
    const progress = await readInto(args, sink, context);
    context.give(sink.numbers.buffer);
    return { numbers: sink.numbers, progress };
  },

  async reduce(
    { reduction, growth, counts, questions, settings, wantsPartial, before, keepsWords, ...args },
    context,
  ) {
    const { engine } = context;
    const { memoryLimit } = engine.state.options;
    const module = await engine.builds.module("reduction");
    const sink = reporting(
      () =>
        new ReductionSink(engine.instances, module, {
          request: reduction,
          chunks: counts,
          memoryLimit,
          before,
        }),
    );
    const request = { ...args.request, growth: { ...growth, ...sink.parts } };
    const answers = () => reporting(() => sink.answers(questions, settings));
    let [sentAt, sentShare] = [performance.now(), 0];
    if (wantsPartial)
      sink.onReduced = (share) => {
        // The answers of all elements are the result.
        const isNews = share > sentShare && share < 1;
        if (!isNews || performance.now() - sentAt < PARTIAL_MS) return;
        [sentAt, sentShare] = [performance.now(), share];
        const found = answersSoFar(() => sink.answers(questions, settings));
        if (found) context.send({ type: "partial", answers: found, share });
      };
    const isCached = watchCaches(engine);
    await readInto({ ...args, request }, sink, context);
    if (sink.share !== 1) throw new ZarrError("Unsupported", `${INTERNAL}: a part of the reduction was lost`);
    const words = keepsWords ? reporting(() => sink.words()) : undefined;
    return { answers: answers(), words, isCached: isCached() };
  },

  async downsample({ request, elements }, { engine, give }) {
    const module = await engine.builds.module("reduction");
    const found = reporting(() => engine.reducer.downsampled(module, request, elements));
    give(found.buffer);
    return found;
  },

  async planReduction({ reduction, counts }, { engine }) {
    const module = await engine.builds.module("reduction");
    const { memoryLimit } = engine.state.options;
    return reporting(() => reductionMemory(new Reducer(module).sizes(reduction), counts, memoryLimit));
  },

  prefetch: ({ array, request, ...args }, context) =>
    operate("prefetch", { array, request, listener: progressListener(args, context) }, context),

  async planRead(args, context) {
    const { arrays, instances } = context.engine;
    const cost = await operate("planRead", args, context);
    const { size = VARIABLE_SIZE } = await instances.call((glue) => arrays.typeOf(glue, args.array));
    return { cost, elementSize: size };
  },

  async forgetChunks({ array, before }, { engine }) {
    const { arrays, instances, stores } = engine;
    const isEdge = before !== undefined && (await passEdge(engine, array, before));
    if (!isEdge) stores.refresh(arrays.of(array).definition.store);
    if (!instances.isStarted) return undefined;
    // An array that is not bound yet may share the cache of an equal one. Errors of binding belong
    // to the next read.
    const forget = (glue: Glue) => {
      arrays.bind(glue, array);
      glue.forgetChunks(array);
    };
    await instances.call(forget).catch(() => {});
    return undefined;
  },
} satisfies OperationTable;

type Writing = "write" | "append" | "resize";

/** Performs a write. An instance that performs it gets a job. */
async function written<Name extends Writing>(
  name: Name,
  { priority, wantsProgress, ...args }: WriteCall & Omit<ArgumentsOf<Name>, keyof WriteCall>,
  context: CallContext,
) {
  const { engine, tell } = context;
  const { definition, bound } = engine.arrays.of(args.array);
  let job: WriteJob | undefined;
  const makeJob = (glue: Glue) => {
    const size = engine.arrays.typeOf(glue, args.array).size ?? VARIABLE_SIZE;
    job = new WriteJob(engine, {
      array: { ...bound, build: "full" },
      chunkBytes: product(definition.stored) * size,
      priority,
      onProgress: wantsProgress ? tell : undefined,
    });
    return { job };
  };
  try {
    return await operate(name, args as never, context, makeJob);
  } finally {
    job?.end();
  }
}

function packed(glue: Glues["full"], { name, numbers, cast, byteLength }: FloatsToPack): PackedFloats {
  const bytes = new Uint8Array(byteLength);
  return glue.packFloats(name, numbers, cast, bytes) ?? bytes;
}

export const writeOperations = {
  write: (args, context) => written("write", args, context),

  append: (args, context) => written("append", args, context),

  resize: (args, context) => written("resize", args, context),

  packFloats: ({ floats }, { engine: { instances } }) =>
    instances.call((glue) => floats.map((each) => packed(instances.need(glue, "full"), each)), {
      build: "full",
    }),
} satisfies OperationTable;

interface WriteJobOptions {
  array: BoundArray;
  /** Maximum number of bytes to decode and encode for a change of one chunk. */
  chunkBytes: number;
  priority: number;
  onProgress: ((event: WriteEvent) => void) | undefined;
}

class WriteJob {
  readonly #engine: Engine;
  readonly #options: WriteJobOptions;
  readonly #pool: DecodePool;
  /** The array with its new shapes. */
  readonly #others = new Map<number, BoundArray>();

  constructor(engine: Engine, options: WriteJobOptions) {
    this.#engine = engine;
    this.#options = options;
    this.#pool = engine.pools.of(options.chunkBytes);
  }

  progress(record: Uint8Array<ArrayBuffer>): void {
    const { onProgress } = this.#options;
    onProgress?.({ type: "written", ...readRecord(writeProgressShape, record) });
  }

  /**
   * Returns an id for the array as these metadata documents describe it. An append writes to the
   * array with its new shape.
   */
  bind(document: string): number {
    const { array } = this.#options;
    if (document === array.document) return array.id;
    const id = this.#engine.newId();
    this.#others.set(id, { ...array, document, id });
    return id;
  }

  /** Nothing of it is encoded any more, unless the caller has left it. */
  end(): void {
    for (const id of this.#others.keys()) this.#engine.pools.unbind(id);
  }

  encode(record: Uint8Array<ArrayBuffer>, values: unknown[]): Promise<Updated> {
    const { array, ...change } = readRecord(chunkToEncodeShape, record, values);
    const bound = this.#others.get(array) ?? this.#options.array;
    return this.#pool.update({ ...change, array: bound }, this.#options.priority);
  }
}
