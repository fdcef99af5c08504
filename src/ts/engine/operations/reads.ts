/**
 * Operations that read elements: results, streams of parts, summaries, prefetching and plans.
 */
import { VARIABLE_SIZE } from "../../elements/pack.ts";
import type {
  EngineCost,
  PartEvent,
  PlannedObject,
  ResultAnswer,
  ResultLayout,
} from "../../port/operations.ts";
import { arrayId, arrayOf, typeOf } from "../arrays.ts";
import { prepareConventions } from "../convention_module.ts";
import { prepareWorker } from "../decode/pools.ts";
import { call, hasInstance, startEngine } from "../instances.ts";
import { Assembly } from "../read/assembly.ts";
import { PartSink, progressListener, readInto, SummarySink } from "../read/job.ts";
import { refreshStore } from "../stores.ts";
import type { CallContext, OperationTable } from "./operation.ts";

/** Transfers a result's memory, unless it belongs to the caller. */
function giveResult({ bytes }: ResultAnswer, give: CallContext["give"]): void {
  if (bytes.byteLength > 0) give(bytes.buffer);
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

  async forgetChunks({ array }) {
    refreshStore(arrayOf(array).definition.store);
    if (!hasInstance()) return undefined;
    // An array that is not bound yet may share the cache of an equal one. Errors of binding belong
    // to the next read.
    await call((glue) => glue.forgetChunks(arrayId(glue, array))).catch(() => {});
    return undefined;
  },
} satisfies Partial<OperationTable>;
