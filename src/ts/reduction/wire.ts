/**
 * Writes the request of a reduction in the numbers that the module reads: `src/reduction/wire.rs`
 * says which they are.
 */

/** What happens to a dimension. */
export type Along = "keep" | "reduce" | "group" | { block: number };

/** Values for some dimensions, in C order. */
export interface Spread {
  axes: readonly number[];
  values: ArrayLike<number>;
}

/** A reduction of a box: `Reduction` of `src/reduction/request.rs`. */
export interface ReductionRequest {
  /** The type of the elements, by its place in `NUMBER_TYPES`. */
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

/** The types of numbers, in the order of `NumberType::ALL` (`src/kernel/number.rs`). */
export const NUMBER_TYPES = [
  ...["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"],
  ...["float16", "float32", "float64"],
];

/** The questions, in the order of `Question::ALL` (`src/reduction/answer.rs`). */
export const QUESTIONS = [
  ...["count", "sum", "mean", "min", "max", "var", "std", "any", "all", "argmin", "argmax", "quantile"],
] as const;

const [SUM, MOMENTS, LOWEST, HIGHEST, NONZERO] = [1, 2, 4, 8, 16];

/** What must be remembered for a question, as bits of `Measures`. */
export const MEASURES: Record<string, number> = {
  count: 0,
  sum: SUM,
  mean: SUM,
  min: LOWEST,
  max: HIGHEST,
  var: MOMENTS,
  std: MOMENTS,
  any: NONZERO,
  all: NONZERO,
  argmin: LOWEST,
  argmax: HIGHEST,
  quantile: 0,
  median: 0,
};

/** The place of the question by how much the share of a quantile may differ. */
export const DOUBT = QUESTIONS.length;

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
