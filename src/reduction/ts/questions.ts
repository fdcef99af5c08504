/**
 * The questions of a reduction in the engine's form, and the results that its answers become.
 */
import {
  QUESTIONS,
  type Question,
  type ReductionAnswer,
  type ReductionQuestion,
} from "../../contract/contract.ts";
import { keepOrigin } from "../../conventions/ts/coordinates.ts";
import { stridesInOrder } from "../../engine/ts/elements/typed_arrays.ts";
import { need, needReadable, refuse, refuseField } from "../../engine/ts/model/argument.ts";
import type { GroupKey } from "./groups.ts";
import type { UserQuestion } from "./request.ts";

/**
 * What is asked of the elements of each cell of the result: `"count"`, `"sum"`, `"mean"`, `"min"`,
 * `"max"`; `"var"` and `"std"`, variance and standard deviation; `"any"` and `"all"`, whether one
 * or every element is not zero; `"argmin"` and `"argmax"`, the index of the first minimum or
 * maximum; `"median"`, and `"quantile"` with the share `q`.
 */
export type ReduceOp = UserQuestion | "median";

const OPS: readonly ReduceOp[] = [...QUESTIONS.filter((question) => question !== "rankError"), "median"];

/** The typed arrays of results: `bool` and truth are bytes. */
export const VIEWS = {
  bool: Uint8Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  float32: Float32Array,
  float64: Float64Array,
} as const;

/** The typed arrays that results of reductions have. */
export type ReducedData = InstanceType<(typeof VIEWS)[keyof typeof VIEWS]>;

/** The typed arrays of the answers, by question. */
interface AnswerArrays
  extends Record<"count" | "mean" | "var" | "std" | "quantile" | "median", Float64Array>,
    Record<"any" | "all", Uint8Array>,
    Record<"argmin" | "argmax", BigInt64Array>,
    Record<"min" | "max", ReducedData> {
  sum: Float64Array | BigInt64Array | BigUint64Array;
}

/** The answers to one question. */
export interface ReduceResult<Op extends ReduceOp = ReduceOp> {
  /**
   * The answers, in C order. `count`, `mean`, `var`, `std` and quantiles are float64; `sum` is
   * int64 or uint64 of integers, else float64; `min` and `max` have the type of the array, decoded
   * float64; `any` and `all` are bytes; `argmin` and `argmax` are indices in the array, −1 if there
   * is none.
   */
  data: AnswerArrays[Op];
  /** The number of answers along each dimension that is left. */
  shape: number[];
  /** The strides of `data`, in elements. */
  stride: number[];
  /** The names of the dimensions that are left. That of the groups is `"group"`. */
  dimensionNames: (string | null)[];
  /** The number of elements that each answer was made of. */
  count: Float64Array;
  /** The groups, if there are any. */
  groups?: GroupKey[];
  /** Of `quantile` and `median`: by how much the share may differ at most; 0 if all is exact. */
  error?: number;
}

/** The options that quantiles have. */
export interface QuantileOptions {
  /**
   * The share of `"quantile"`, from 0 to 1. Of several, the results have a first dimension.
   * Default: none; `"quantile"` needs it.
   */
  q?: number | readonly number[] | undefined;
  /**
   * By how much the share of elements below a `"quantile"` or `"median"` may differ from `q`.
   * Quantiles of few elements are exact. Default: 0.01.
   */
  error?: number | undefined;
}

/** The numbers of an answer. */
const dataOf = ({ number, values }: ReductionAnswer): ReducedData =>
  new VIEWS[number as keyof typeof VIEWS](values.buffer as ArrayBuffer);

/** Lists one behind the other. */
function joined(lists: readonly Float64Array[]): Float64Array<ArrayBuffer> {
  const [first = new Float64Array(0)] = lists;
  const all = new Float64Array(lists.length * first.length);
  for (const [at, list] of lists.entries()) all.set(list, at * first.length);
  return all;
}

/** The shares of a question; none if it is no quantile. */
function sharesOf(op: ReduceOp, { q }: QuantileOptions): readonly number[] | undefined {
  if (op === "median") return [0.5];
  if (op !== "quantile") return undefined;
  needReadable(q, "q");
  const shares = Array.isArray(q) ? Array.from(q as readonly number[]) : [q as number];
  const isShare = (share: unknown) => typeof share === "number" && share >= 0 && share <= 1;
  if (shares.length > 0 && shares.every(isShare)) return shares;
  return refuseField("q", "a number from 0 to 1, or several", q);
}

/** Elements that a reduction may have with all those that go on from it. */
export const ELEMENTS_TO_COME = 2 ** 40;

/**
 * The length of a full list of a sketch, so that the share of a quantile differs by less than
 * `error` at most: each of the lists may move it by one over its length.
 */
export function sketchSize(
  ops: readonly ReduceOp[],
  { error = 0.01 }: QuantileOptions,
  elements: number,
): number {
  if (!ops.some((op) => op === "quantile" || op === "median")) return 0;
  need(error >= 1e-6 && error < 1, "error", "a share from 0.000001 to 1", error);
  let size = Math.ceil(1 / error);
  while (Math.max(0, Math.ceil(Math.log2(elements / size))) / size > error) size *= 2;
  return size;
}

/** The names in the option `op`. */
export const opsOf = (op: unknown): readonly ReduceOp[] => {
  needReadable(op, "op");
  const ops = (Array.isArray(op) ? Array.from(op) : [op]) as readonly ReduceOp[];
  if (ops.length > 0 && ops.every((name) => OPS.includes(name))) return ops;
  const found = ops.length > 0 ? op : "an empty list";
  return refuseField("op", `one or more of ${OPS.join(", ")}`, found);
};

/** A question, and the shares if it is for quantiles. */
interface Asked {
  op: ReduceOp;
  shares: readonly number[] | undefined;
  /** Whether the result has a dimension for several shares. */
  isList: boolean;
}

export function askedOf(op: ReduceOp, options: QuantileOptions & { weights?: unknown }): Asked {
  const shares = sharesOf(op, options);
  if (shares && options.weights !== undefined)
    refuse("quantiles cannot be weighted", "no option weights", "weights");
  return { op, shares, isList: op === "quantile" && Array.isArray(options.q) };
}

/** The questions for the engine. The first one is for the counts. */
export function questionsOf(asked: readonly Asked[]): ReductionQuestion[] {
  const sharing = (question: Question, share = 0) => ({ question, share });
  const ofOne = ({ op, shares }: Asked) =>
    shares
      ? [...shares.map((share) => sharing("quantile", share)), sharing("rankError")]
      : [sharing(op as Question)];
  return [sharing("count"), ...asked.flatMap(ofOne)];
}

/** What all results of a reduction have. */
export interface ResultLayout {
  shape: readonly number[];
  dimensionNames: readonly (string | null)[];
  groups: readonly GroupKey[] | undefined;
  /** Where the dimensions come from. */
  origin: Parameters<typeof keepOrigin>[1];
}

/** The results by question. */
export function resultsOf(
  asked: readonly Asked[],
  answers: readonly ReductionAnswer[],
  { shape, dimensionNames, groups, origin }: ResultLayout,
): Record<string, ReduceResult> {
  const left = answers.map(dataOf);
  const count = left.shift() as Float64Array;
  const resultOf = ({ shares, isList }: Asked): ReduceResult => {
    const quantiles = shares && joined(left.splice(0, shares.length) as Float64Array[]);
    const data = quantiles ?? (left.shift() as ReducedData);
    const rankErrors = shares && (left.shift() as Float64Array);
    const all = isList ? [shares?.length ?? 0, ...shape] : [...shape];
    const result = {
      data,
      shape: all,
      stride: stridesInOrder(all),
      dimensionNames: isList ? ["quantile", ...dimensionNames] : [...dimensionNames],
      count,
      ...(groups && { groups: [...groups] }),
      ...(rankErrors && { error: rankErrors.reduce((one, other) => Math.max(one, other), 0) }),
    };
    const { array, places } = origin;
    keepOrigin(result, { array, places: isList ? [undefined, ...places] : places });
    return result;
  };
  return Object.fromEntries(asked.map((one) => [one.op, resultOf(one)]));
}
