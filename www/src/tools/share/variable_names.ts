/**
 * The names of variables in code that is copied. The first read has `store`, `array` and `data`,
 * the second `store2`, `array2` and `data2`, unless it reads the same store or array: then it uses
 * the variable of the earlier read.
 */

import type { ViewRead } from "../../widgets/views/view_reads.js";

export interface VariableNames {
  /** The name of a variable that each read has for itself, such as `data2`. */
  own(base: string): string;
  store: string;
  array: string;
  /** Whether the store and the array are opened for this read. */
  opensStore: boolean;
  opensArray: boolean;
}

const numbered = (base: string, at: number) => (at === 0 ? base : `${base}${at + 1}`);

/** The names of the read at an index of the list. */
export function variableNames(reads: readonly ViewRead[], at: number): VariableNames {
  const storeOf = (read?: ViewRead) => JSON.stringify(read?.store);
  const arrayOf = (read?: ViewRead) => JSON.stringify([read?.store, read?.path]);
  const store = reads.findIndex((read) => storeOf(read) === storeOf(reads[at]));
  const array = reads.findIndex((read) => arrayOf(read) === arrayOf(reads[at]));
  return {
    own: (base) => numbered(base, at),
    store: numbered("store", store),
    array: numbered("array", array),
    opensStore: store === at,
    opensArray: array === at,
  };
}
