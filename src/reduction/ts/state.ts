/**
 * What reductions remember beyond their answers, so that a later one goes on from them. It is kept
 * as long as the result.
 */
import { object, refuse, refuseField } from "../../engine/ts/model/argument.ts";
import type { GroupKey } from "./groups.ts";

/** The accumulators of all cells, and what they are of. */
export interface State {
  words: Uint8Array;
  /** Two reductions with the same text remember the same, of the same cells but for groups. */
  signature: string;
  groups: readonly GroupKey[] | undefined;
  /** The length of a full list of a sketch. */
  sketch: number;
}

const states = new WeakMap<object, State>();

/** Keeps the state of a result. */
export function keepState(result: object, state: State): void {
  states.set(result, state);
}

/** The state of an earlier result. Throws an `Argument` error if it has none. */
export function stateOf(result: unknown): State {
  const state = states.get(object(result as object, "accumulate"));
  return state ?? refuseField("accumulate", "true, or a result with accumulate: true", "another");
}

/** Throws an `Argument` error if a reduction is not of the same cells. */
export function needSame(before: State, signature: string): void {
  if (before.signature !== signature)
    refuse("a reduction cannot go on from another one", before.signature, signature);
}
