/**
 * `reduceAlong`: a reduction whose result grows along one dimension while the array is read, such
 * as a series through time. Its steps are whole chunks.
 */
import type { AnyArray, Array as ZarrArray } from "../../api/array.ts";
import { bindCodecs, elementSizeOf } from "../../api/array_definitions.ts";
import { FACTS, needArray } from "../../api/node_facts.ts";
import type { AnySelection } from "../../api/selection.ts";
import { product } from "../../engine/ts/elements/typed_arrays.ts";
import { needReadable, optionsOf, refuse } from "../../engine/ts/model/argument.ts";
import type { DataType, Readable } from "../../engine/ts/model/types.ts";
import { axisOf, type Reduced } from "./beside.ts";
import { prepare, reducedOf, type StatisticsOptions, shapeOf } from "./prepare.ts";
import { opsOf, type ReduceOp } from "./questions.ts";
import { ALONG_RULES, answerOf, type ReduceAnswer, type ReduceOptions, run } from "./reduce.ts";
import type { Along } from "./request.ts";
import type { SelectedAxis } from "./selected_axes.ts";

/** The answers for some places along the dimension. */
export interface ReductionStep<Op> {
  /** The first of these places, in the whole result. */
  start: number;
  /** The number of places of the whole result. */
  length: number;
  /** The result for these places alone. */
  result: ReduceAnswer<Op>;
}

/** Options of `reduceAlong`. */
export type ReduceAlongOptions<Op extends ReduceOp | readonly ReduceOp[]> = Omit<
  ReduceOptions<Op>,
  "onPartial" | "accumulate" | "spread"
>;

/** Decoded bytes of a step. A step has at least one chunk along the dimension. */
const STEP_BYTES = 8 << 20;

/** Steps that are read at a time, so that requests do not wait for decoding. */
const STEPS_AHEAD = 3;

/** A step: the places of the dimension from one to another. */
interface Step {
  from: number;
  to: number;
}

/** Cuts places where another chunk begins, in multiples of `block`. */
function stepsOf({ indices }: SelectedAxis, extent: number, block: number): Step[] {
  const steps: Step[] = [];
  let from = 0;
  for (let to = block; to < indices.length; to += block) {
    if (Math.floor(indices.at(to - 1) / extent) === Math.floor(indices.at(to) / extent)) continue;
    steps.push({ from, to });
    from = to;
  }
  return indices.length > 0 ? [...steps, { from, to: indices.length }] : [];
}

/** The number of elements along the dimension that a step has about: whole chunks. */
async function stepExtent({ array, axes }: Reduced, axis: number): Promise<number> {
  const chunk = array.chunks[axis] ?? 1;
  const others = product(axes.map(({ indices }, at) => (at === axis ? 1 : indices.length)));
  const bytes = chunk * others * ((await elementSizeOf(array)) ?? 8);
  return chunk * Math.max(1, Math.floor(STEP_BYTES / Math.max(1, bytes)));
}

/** The selected places of the dimension, and how many of them are one place of the result. */
async function growing(
  reduced: Reduced,
  dimension: string | number,
  options: StatisticsOptions,
): Promise<{ axis: number; selected: SelectedAxis; block: number }> {
  const axis = axisOf(reduced, dimension, "dimension");
  const { axes, along } = await shapeOf(reduced, options);
  const [selected, one] = [axes[axis] as SelectedAxis, along[axis] as Along];
  if (one === "reduce" || one === "group")
    refuse("the dimension along which a result grows does not stay", "a dimension of the result", dimension);
  return { axis, selected, block: typeof one === "object" ? one.block : 1 };
}

/**
 * Reduces the selected elements, and yields the answers for one stretch of a dimension after the
 * other, in its order. Leaving the loop aborts the requests that are left.
 *
 *     const options = { op: "mean", over: ["latitude", "longitude"], decode: "cf" };
 *     for await (const { start, result } of reduceAlong(air, null, "time", options)) {
 *       draw(start, result.data);
 *     }
 *
 * @param array The array.
 * @param selection Which elements are reduced: null for the whole array.
 * @param dimension The dimension along which the result grows, by name or index. It is one that
 *   stays.
 * @returns the answers, one stretch after the other.
 * @throws an `Argument` error for a dimension that goes.
 * @throws the errors of `reduce`.
 */
export function reduceAlong<Op extends ReduceOp | readonly ReduceOp[]>(
  array: ZarrArray<DataType, Readable>,
  selection: AnySelection | null | undefined,
  dimension: string | number,
  options: ReduceAlongOptions<Op>,
): AsyncGenerator<ReductionStep<Op>, void> {
  needArray(array);
  const { op, ...others } = optionsOf(options, ALONG_RULES);
  needReadable(dimension, "dimension");
  return steps(array as AnyArray, selection, dimension, { op, ops: opsOf(op), others });
}

/** What `reduceAlong` asks: `op` says the form of the answers, and `ops` has its names. */
interface Question<Op> {
  op: Op;
  ops: readonly ReduceOp[];
  others: StatisticsOptions;
}

async function* steps<Op>(
  source: AnyArray,
  selection: AnySelection | null | undefined,
  dimension: string | number,
  { op, ops, others }: Question<Op>,
): AsyncGenerator<ReductionStep<Op>, void> {
  await source[FACTS].refreshStale?.(others.signal);
  const facts = source[FACTS];
  const reduced = await reducedOf(source, selection, others.signal);
  const { axis, selected, block } = await growing(reduced, dimension, others);
  await bindCodecs(source[FACTS], others.signal);
  const leaving = new AbortController();
  const ends = [leaving.signal, ...(others.signal ? [others.signal] : [])];
  const answer = async ({ from, to }: Step): Promise<ReductionStep<Op>> => {
    // One for each step: Node warns of a signal to which many calls listen.
    const signal = AbortSignal.any(ends);
    const axes = [...reduced.axes];
    axes[axis] = { ...selected, indices: selected.indices.slice(from, to) };
    const prepared = await prepare({ ...reduced, axes }, ops, { ...others, signal });
    const results = await run(source, prepared, facts, { ...others, signal, keepsWords: false });
    const length = Math.ceil(selected.indices.length / block);
    return { start: from / block, length, result: answerOf(op, results) };
  };
  try {
    yield* inOrder(stepsOf(selected, await stepExtent(reduced, axis), block), answer);
  } finally {
    leaving.abort();
  }
}

/** Yields the answers in their order, while the next ones are under way. */
async function* inOrder<T>(steps: readonly Step[], answer: (step: Step) => Promise<T>): AsyncGenerator<T> {
  const underWay: Promise<T>[] = [];
  for (const step of steps) {
    const promise = answer(step);
    // Its error belongs to whom it is yielded to.
    promise.catch(() => {});
    underWay.push(promise);
    if (underWay.length >= STEPS_AHEAD) yield await (underWay.shift() as Promise<T>);
  }
  for (const promise of underWay) yield await promise;
}
