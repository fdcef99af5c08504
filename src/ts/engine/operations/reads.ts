/**
 * Operations that read elements: results, streams of parts, summaries, prefetching and plans.
 */
import { VARIABLE_SIZE } from "../../elements/size.ts";
import type {
  EngineCost,
  PartEvent,
  PlannedObject,
  ProgressNumbers,
  ReadArguments,
  ResultAnswer,
  ResultLayout,
} from "../../port/operations.ts";
import { arrayId, arrayOf, typeOf } from "../arrays.ts";
import { prepareWorker } from "../decode/pools.ts";
import { call, hasInstance, run, startEngine } from "../instances.ts";
import { Assembly } from "../read/assembly.ts";
import type { Sink } from "../read/job.ts";
import { PartSink } from "../read/part_sink.ts";
import { readInto } from "../read/read.ts";
import { SummarySink } from "../read/summary_sink.ts";
import { refreshStore } from "../stores.ts";
import type { CallContext, Handlers } from "./context.ts";

type Names =
  | "prepare"
  | "read"
  | "stream"
  | "summarise"
  | "prefetch"
  | "planRead"
  | "planObjects"
  | "forgetChunks";

/** The progress callback of a read, if the caller listens. */
const progressOf = (hears: boolean, { tell }: CallContext) =>
  hears ? (numbers: ProgressNumbers) => tell({ type: "progress", numbers }) : undefined;

const reading = ({ array, request, type, hearsProgress }: ReadArguments, sink: Sink, context: CallContext) =>
  readInto({
    array: arrayOf(array),
    request,
    type,
    sink,
    signal: context.signal,
    onProgress: progressOf(hearsProgress, context),
  });

/** Transfers a result's memory, unless it belongs to the caller. */
function giveResult({ bytes }: ResultAnswer, give: CallContext["give"]): void {
  if (bytes.byteLength > 0) give(bytes.buffer);
}

export const readOperations: Handlers<Names> = {
  async prepare() {
    await startEngine();
    prepareWorker();
    return undefined;
  },

  async read({ out, useSharedArrayBuffer, ...args }, context) {
    const assembly = new Assembly({ out, useSharedArrayBuffer });
    const progress = await reading(args, assembly, context);
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
    return reading(args, new PartSink(tell, send), context);
  },

  async summarise(args, context) {
    const [, , bins = 0] = args.request.conversion?.summary ?? [];
    const sink = new SummarySink(bins);
    const progress = await reading(args, sink, context);
    context.give(sink.numbers.buffer);
    return { numbers: sink.numbers, progress };
  },

  prefetch({ array, request, hearsProgress }, context) {
    const known = arrayOf(array);
    const { signal } = context;
    const listener = progressOf(hearsProgress, context);
    return run(signal, (glue, settle) =>
      glue.prefetch(arrayId(glue, known), request, listener, signal, settle),
    );
  },

  planRead({ array, request }) {
    const known = arrayOf(array);
    return call((glue) => {
      const id = arrayId(glue, known);
      const elementSize = typeOf(glue, known).size ?? VARIABLE_SIZE;
      return { cost: glue.planRead(id, request) as EngineCost, elementSize };
    });
  },

  planObjects({ array, request, start, count }) {
    const known = arrayOf(array);
    return call((glue) => glue.planObjects(arrayId(glue, known), request, start, count) as PlannedObject[]);
  },

  async forgetChunks({ array }) {
    const known = arrayOf(array);
    refreshStore(known.definition.store);
    if (!hasInstance()) return undefined;
    // An array that is not bound yet may share the cache of an equal one. Errors of binding belong
    // to the next read.
    await call((glue) => glue.forgetChunks(arrayId(glue, known))).catch(() => {});
    return undefined;
  },
};
