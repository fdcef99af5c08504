/**
 * Writes the request of a reduction in the numbers that the module reads: `src/reduction/wire.rs`
 * says which they are.
 */

import { MEASURES, type Measure, type Question } from "../contract.ts";

/** What happens to a dimension. */
export type Along = "keep" | "reduce" | "group" | { block: number };

/** Values for some dimensions, in C order. */
export interface Spread {
  axes: readonly number[];
  values: ArrayLike<number>;
}

/** A reduction of a box: `Reduction` of `src/reduction/request.rs`. */
export interface ReductionRequest {
  /** The type of the elements, by its place in `NUMBER_TYPES` of the contract. */
  source: number;
  measures: number;
  /** The length of a full list of a sketch for quantiles; 0 for none. */
  sketch: number;
  dimensions: readonly { extent: number; along: Along }[];
  groups: number;
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

/** What must be remembered for questions, as a bit for each of `MEASURES`. */
export const measuresOf = (questions: readonly (UserQuestion | "median")[]): number =>
  questions
    .flatMap((question) => REMEMBERED[question])
    .reduce((bits, measure) => bits | (1 << MEASURES.indexOf(measure)), 0);

const KINDS = { keep: 0, reduce: 1, group: 3 } as const;

const dimensionNumbers = ({ extent, along }: ReductionRequest["dimensions"][number]): number[] =>
  typeof along === "object" ? [extent, 2, along.block, 0] : [extent, KINDS[along], 0, 0];

/** Beyond any number of an array. */
const BEYOND = 2n ** 64n;

/** A number as the sum of two floats. */
function boundNumbers(bound: number | bigint): [nearest: number, rest: number] {
  if (typeof bound === "number") return [bound, 0];
  const within = bound > BEYOND ? BEYOND : bound < -BEYOND ? -BEYOND : bound;
  const nearest = Number(within);
  return [nearest, Number(within - BigInt(nearest))];
}

/** The bytes of a request. */
export function requestBytes(request: ReductionRequest): Uint8Array {
  const { source, measures, sketch, groups, range, dimensions, labels, weights, mask, indices } = request;
  const head = [
    source,
    measures,
    sketch,
    groups,
    range ? 1 : 0,
    ...(range ?? [0, 0]).flatMap(boundNumbers),
    dimensions.length,
  ];
  const lists: readonly (readonly Spread[])[] = [
    labels ? [labels] : [],
    weights,
    mask ? [mask] : [],
    indices ? [indices] : [],
  ];
  const parts: ArrayLike<number>[] = [head, dimensions.flatMap(dimensionNumbers)];
  for (const list of lists) {
    parts.push([list.length]);
    for (const { axes, values } of list) parts.push([axes.length, ...axes, values.length], values);
  }
  const numbers = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    numbers.set(part, at);
    at += part.length;
  }
  return new Uint8Array(numbers.buffer);
}
