/**
 * A reduction as the page describes it, and as the contract's record, which the engine passes to
 * the module for reductions.
 */

import type { Along as AlongRecord, Measure, Question, ReductionRequest } from "../../contract/contract.ts";

/** What happens to a dimension. */
export type Along = "keep" | "reduce" | "group" | { block: number };

/** Values for some dimensions, in C order. */
export interface Spread {
  axes: readonly number[];
  values: ArrayLike<number>;
}

/** A reduction of a box. */
interface Asked extends Pick<ReductionRequest, "source" | "measures" | "sketch" | "groups"> {
  dimensions: readonly { extent: number; along: Along }[];
  /** −1: no group. */
  labels: Spread | undefined;
  weights: readonly Spread[];
  mask: Spread | undefined;
  range: readonly [low: number | bigint, high: number | bigint] | undefined;
  /** The index in the array of each place of a dimension, for `argmin` and `argmax`. */
  indices: Spread | undefined;
}

/** What users ask. The engine asks by itself how exact quantiles are. */
export type UserQuestion = Exclude<Question, "rankError">;

/** What must be remembered for a question. */
const REMEMBERED: Record<UserQuestion | "median", readonly Measure[]> = {
  count: [],
  sum: ["sum"],
  mean: ["sum"],
  min: ["lowest"],
  max: ["highest"],
  var: ["moments"],
  std: ["moments"],
  any: ["nonzero"],
  all: ["nonzero"],
  argmin: ["lowest"],
  argmax: ["highest"],
  quantile: [],
  median: [],
};

/** What must be remembered for questions. */
export const measuresOf = (questions: readonly (UserQuestion | "median")[]): Measure[] =>
  questions.flatMap((question) => REMEMBERED[question]);

const ALONG = { keep: "Keep", reduce: "Reduce", group: "Group" } as const;

const alongOf = (along: Along): AlongRecord =>
  typeof along === "object" ? { Blocks: { size: along.block, phase: 0 } } : ALONG[along];

/** Beyond any number of an array. */
const BEYOND = 2n ** 64n;

/** A number as the sum of two floats. */
function boundOf(bound: number | bigint): [nearest: number, rest: number] {
  if (typeof bound === "number") return [bound, 0];
  const least = bound < -BEYOND ? -BEYOND : bound;
  const within = least > BEYOND ? BEYOND : least;
  const nearest = Number(within);
  return [nearest, Number(within - BigInt(nearest))];
}

/** Whether an element counts: 0 says that it does not. */
const counts = (value: number): number => (value === 0 ? 0 : 1);

/** The values of a list, in the form of the record. */
const spreadAs =
  <Values>(type: { from(values: ArrayLike<number>): Values }) =>
  ({ axes, values }: Spread): { dimensions: number[]; values: Values } => ({
    dimensions: [...axes],
    values: type.from(values),
  });

/** The record of a reduction. */
export function requestOf(asked: Asked): ReductionRequest {
  const { dimensions, labels, weights, mask, range, indices, ...others } = asked;
  const [axis = 0] = indices?.axes ?? [];
  return {
    ...others,
    dimensions: dimensions.map(({ extent, along }) => ({ extent, along: alongOf(along) })),
    // −1 becomes the last number of 32 bits.
    labels: labels && spreadAs(Uint32Array)(labels),
    weights: weights.map(spreadAs(Float64Array)),
    mask: mask && spreadAs(Uint8Array)({ ...mask, values: Array.from(mask.values, counts) }),
    range: range && [boundOf(range[0]), boundOf(range[1])],
    indices: indices && { dimension: axis, values: Float64Array.from(indices.values) },
  };
}
