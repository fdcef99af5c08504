/**
 * `reduce` and `statistics`: questions about many elements. Chunks are decoded and added up in the
 * workers, the engine merges their accumulators in the order of the plan, and only the answers
 * cross to the page. Memory holds the accumulators and the parts in flight, so the selection may
 * have any size. What is not said here follows xarray.
 */
import type { AnyArray, Array as ZarrArray } from "../../api/array.ts";
import { bindCodecs } from "../../api/array_definitions.ts";
import { type ArrayFacts, FACTS, needArray } from "../../api/node_facts.ts";
import { eventsTo, readArguments } from "../../api/read/read.ts";
import { DECODE_RULE, READ_RULES } from "../../api/read/rules.ts";
import type { AnySelection } from "../../api/selection.ts";
import { optionsOf, type Rules } from "../../engine/ts/model/argument.ts";
import type { DataType, Readable } from "../../engine/ts/model/types.ts";
import { call } from "../../engine/ts/port/engine.ts";
import type { PartialEvent, ReadEvent } from "../../engine/ts/port/operations.ts";
import { type Prepared, prepare, reducedOf, type StatisticsOptions } from "./prepare.ts";
import { opsOf, type ReduceOp, type ReduceResult } from "./questions.ts";
import { keepState, stateOf } from "./state.ts";
import { needUnchanged } from "./unchanged.ts";

/** Options of `reduce`. */
export interface ReduceOptions<Op extends ReduceOp | readonly ReduceOp[]> extends StatisticsOptions {
  /** What is asked: a name, or a list of names, which are answered in one read. */
  op: Op;
  /**
   * An earlier result, from which this one goes on: select only what is new. Its other options must
   * be the same. `true` keeps what the first result needs for that. Default: nothing is kept.
   */
  accumulate?: true | ReduceAnswer<Op> | undefined;
  /**
   * Called with the answers so far, and the share of elements that they are made of, from 0 to 1.
   */
  onPartial?: ((result: ReduceAnswer<Op>, share: number) => void) | undefined;
  /**
   * Whether parts of the whole selection come first, so that the answers of `onPartial` are those
   * of a fair sample. Not with `"argmin"` and `"argmax"`. Default: false, in the order of the
   * array.
   */
  spread?: boolean | undefined;
}

/** The result of `reduce`: for a list of names an object by name. */
export type ReduceAnswer<Op> = Op extends ReduceOp
  ? ReduceResult<Op>
  : Op extends readonly (infer Name extends ReduceOp)[]
    ? { [One in Name]: ReduceResult<One> }
    : ReduceResult;

export const STATISTICS_RULES: Rules<StatisticsOptions> = {
  ...READ_RULES,
  over: "a text, a number or a list",
  coarsen: "an object",
  edges: ["exact", "trim", "pad"],
  groups: "an object",
  weights: "a text or an object",
  where: "an object",
  decode: DECODE_RULE,
  skipMissing: "a boolean",
  ddof: "a number",
  q: "a number or a list",
  error: "a number",
};

/** What the options of `reduceAlong` must be. */
export const ALONG_RULES: Rules<StatisticsOptions & { op: unknown }> = {
  ...STATISTICS_RULES,
  op: "anything",
};

/** What the options of `planReduction` must be. */
export const PLAN_RULES: Rules<StatisticsOptions & { op: unknown; spread: unknown }> = {
  ...ALONG_RULES,
  spread: "a boolean",
};

const RULES: Rules<ReduceOptions<ReduceOp>> = {
  ...PLAN_RULES,
  accumulate: "a boolean or an object",
  onPartial: "a function",
};

/** The results in the form that `op` asks for. */
export const answerOf = <Op>(op: Op, results: Record<string, ReduceResult>): ReduceAnswer<Op> =>
  (Array.isArray(op) ? results : results[op as string]) as ReduceAnswer<Op>;

/** Options of `run`. */
interface RunOptions extends StatisticsOptions {
  onPartial?: (results: Record<string, ReduceResult>, share: number) => void;
  /** Whether a later reduction is to go on from the results. */
  keepsWords: boolean;
}

/**
 * Sends a reduction to the engine. `facts` are the array's, as they were when it was prepared: they
 * must still hold when all chunks have been fetched.
 */
export async function run(
  array: AnyArray,
  prepared: Prepared,
  facts: ArrayFacts,
  options: RunOptions,
): Promise<Record<string, ReduceResult>> {
  const { signal, onPartial, keepsWords } = options;
  const { engine, resultsOf, request, type, state } = prepared;
  const progress = eventsTo(options);
  const onEvent = (event: ReadEvent | PartialEvent, taken: () => void) => {
    if (event.type === "partial") onPartial?.(resultsOf(event.answers), event.share);
    else progress(event, taken);
  };
  const reading = readArguments({ array, request, ...(type && { type }) }, options);
  const args = (objects: Parameters<typeof reading>[0]) => ({
    ...reading(objects),
    ...engine,
    wantsPartial: onPartial !== undefined,
    keepsWords,
  });
  const { answers, words, isCached } = await call("reduce", args, { signal, onEvent });
  if (!isCached) await needUnchanged(array, facts, prepared, options);
  const results = resultsOf(answers);
  if (words)
    for (const result of [results, ...Object.values(results)]) keepState(result, { ...state, words });
  return results;
}

/**
 * Reduces the selected elements of an array: sums, means, variances and extremes over dimensions,
 * in blocks or by groups. The same call gives the same bits every time.
 *
 *     const mean = await reduce(air, { time: between("2021-06-01", "2021-08-31") },
 *       { op: "mean", over: ["time"], decode: "cf" });
 *     mean.data; // one number for each latitude and longitude
 *
 * @param array The array.
 * @param selection Which elements are reduced: null for the whole array.
 * @returns the result; for a list of names an object with a result for each.
 * @throws an `Argument` error for options that contradict each other.
 * @throws a `Limit` error for a sum of integers beyond 64 bits, and for accumulators that are
 *   larger than `init({ memoryLimit })` allows.
 * @throws a `Store` error if another program changes the array's metadata meanwhile, unless it only
 *   makes the array larger.
 * @throws the errors of `Array.get`.
 */
export async function reduce<Op extends ReduceOp | readonly ReduceOp[]>(
  array: ZarrArray<DataType, Readable>,
  selection: AnySelection | null | undefined,
  options: ReduceOptions<Op>,
): Promise<ReduceAnswer<Op>> {
  needArray(array);
  const { op, onPartial, accumulate, ...others } = optionsOf(options, RULES);
  const ops = opsOf(op);
  const source = array as AnyArray;
  await source[FACTS].refreshStale?.(others.signal);
  const facts = source[FACTS];
  const before = accumulate === undefined || accumulate === true ? undefined : stateOf(accumulate);
  const reduced = await reducedOf(source, selection, others.signal);
  const keepsWords = accumulate !== undefined;
  const prepared = await prepare(reduced, ops, { ...others, before, keepsWords });
  await bindCodecs(source[FACTS], others.signal);
  const results = await run(source, prepared, facts, {
    ...others,
    keepsWords,
    ...(onPartial && { onPartial: (found, share) => onPartial(answerOf(op, found), share) }),
  });
  return answerOf(op, results);
}

const STATISTICS = ["count", "min", "max", "sum", "mean", "std", "var"] as const;

/**
 * The statistics of a selection: `count`, `min`, `max`, `sum`, `mean`, `std` and `var`. They are
 * numbers, or bigints beyond 2^53.
 */
export type Statistics = Record<(typeof STATISTICS)[number], number | bigint>;

const plain = (value: number | bigint | undefined): number | bigint => {
  const number = Number(value);
  return typeof value === "bigint" && !Number.isSafeInteger(number) ? value : number;
};

/**
 * The count, extremes, sum, mean, standard deviation and variance of the selected elements: plain
 * numbers, or with `over`, `coarsen` or `groups` what `reduce` gives for each.
 *
 *     const { min, max, mean, count } = await statistics(air, null, { decode: "cf" });
 *
 * @param array The array.
 * @param selection Which elements count: null or nothing for the whole array.
 * @returns the numbers; with `over`, `coarsen` or `groups` a result of `reduce` for each name.
 * @throws the errors of `reduce`.
 */
export async function statistics<Options extends StatisticsOptions = StatisticsOptions>(
  array: ZarrArray<DataType, Readable>,
  selection?: AnySelection | null,
  options: Options = {} as Options,
): Promise<
  Options extends { over: unknown } | { coarsen: unknown } | { groups: unknown }
    ? ReduceAnswer<typeof STATISTICS>
    : Statistics
> {
  const wanted = optionsOf(options, STATISTICS_RULES);
  const found = await reduce(array, selection, { ...wanted, op: STATISTICS });
  const isWhole = wanted.over === undefined && !wanted.coarsen && !wanted.groups;
  const numbers = STATISTICS.map((name) => [name, plain(found[name].data[0])]);
  return (isWhole ? Object.fromEntries(numbers) : found) as never;
}
