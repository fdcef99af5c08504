/**
 * `planReduction`: what a reduction will cost, before anything but coordinates is fetched.
 */
import type { AnyArray, Array as ZarrArray } from "../../api/array.ts";
import { needArray } from "../../api/node_facts.ts";
import { planRead, type ReadPlan } from "../../api/read/plan.ts";
import type { AnySelection } from "../../api/selection.ts";
import { optionsOf } from "../../engine/ts/model/argument.ts";
import type { DataType, Readable } from "../../engine/ts/model/types.ts";
import { call } from "../../engine/ts/port/engine.ts";
import { prepare, reducedOf } from "./prepare.ts";
import { opsOf, type ReduceOp } from "./questions.ts";
import { PLAN_RULES, type ReduceOptions } from "./reduce.ts";

/** The cost of a reduction. `planReduction` resolves to it. */
export interface ReductionPlan {
  /** Shape of the result; that of one share, if there are several quantiles. */
  shape: number[];
  /** The cost of reading the selection. Its result is not held. */
  read: ReadPlan;
  /**
   * What the accumulators of all cells of the result take. `init({ memoryLimit })` bounds it.
   *
   * @unit bytes
   */
  accumulatorBytes: number;
  /**
   * Peak memory: the accumulators of the result, and the parts in flight with theirs.
   *
   * @unit bytes
   */
  memoryBytes: number;
}

/**
 * Plans a reduction. It fetches the coordinates that the options need, and no chunk of the array.
 *
 *     const { memoryBytes } = await planReduction(air, null, { op: "mean", over: "time" });
 *
 * @param array The array.
 * @param selection Which elements would be reduced: null for the whole array.
 * @throws an `Argument` error for options that contradict each other.
 */
export async function planReduction<Op extends ReduceOp | readonly ReduceOp[]>(
  array: ZarrArray<DataType, Readable>,
  selection: AnySelection | null | undefined,
  options: Omit<ReduceOptions<Op>, "onPartial" | "accumulate">,
): Promise<ReductionPlan> {
  needArray(array);
  const { op, ...others } = optionsOf(options, PLAN_RULES);
  const { signal } = others;
  const reduced = await reducedOf(array as AnyArray, selection, signal);
  const { engine, request, shape } = await prepare(reduced, opsOf(op), others);
  const read = await planRead(array as AnyArray, request, signal);
  const { reduction, counts } = engine;
  const ask = () => ({ reduction, counts });
  const found = await call("planReduction", ask, { signal });
  const { accumulatorBytes, partsBytes, elementBytes } = found;
  const inFlight = Math.min(elementBytes, read.decodedBytes) + Math.min(elementBytes, read.encodedBytes);
  return { shape, read, accumulatorBytes, memoryBytes: accumulatorBytes + partsBytes + inFlight };
}
