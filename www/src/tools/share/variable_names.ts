/**
 * The names of the variables of a program that has several reads: those of the first are plain,
 * others have a number. A store or an array that an earlier read has opened keeps its name.
 */

import type { ScreenRead } from "../../widgets/views/view_reads.js";

export interface CodeNames {
  /** The name of what each read has of its own. */
  own(base: string): string;
  store: string;
  array: string;
  /** Whether the store and the array are opened for this read. */
  opensStore: boolean;
  opensArray: boolean;
}

const numbered = (base: string, at: number) => (at === 0 ? base : `${base}${at + 1}`);

export function namesOf(reads: readonly ScreenRead[], at: number): CodeNames {
  const storeOf = (read?: ScreenRead) => JSON.stringify(read?.store);
  const arrayOf = (read?: ScreenRead) => JSON.stringify([read?.store, read?.path]);
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
