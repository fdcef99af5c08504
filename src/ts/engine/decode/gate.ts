/**
 * Between workers that write to shared memory and whoever gives it up. Nobody can take shared
 * memory back, and nobody may stand still on a page's thread: writers announce themselves for some
 * rows at a time, and look whether they still may; once the gate is closed and all who were inside
 * have left, nothing is written any more.
 */
import { nextTask } from "../../elements/breathe.ts";

/** Whether it is closed, and how many are writing. */
export type Gate = Int32Array<SharedArrayBuffer>;

const CLOSED = 0;
const INSIDE = 1;

/**
 * Some rows are written in less than a millisecond. Whoever is inside for so long was ended there,
 * and writes nothing.
 */
const LOST_MS = 1000;

export const newGate = (): Gate => new Int32Array(new SharedArrayBuffer(8));

/** Writes, unless the gate is closed; whether it did. */
export function passGate(gate: Gate, write: () => void): boolean {
  Atomics.add(gate, INSIDE, 1);
  try {
    if (Atomics.load(gate, CLOSED) !== 0) return false;
    write();
    return true;
  } finally {
    Atomics.sub(gate, INSIDE, 1);
  }
}

/** Closes the gate. The promise, if there is one, is to be waited for: somebody is inside. */
export function closeGate(gate: Gate): undefined | Promise<void> {
  Atomics.store(gate, CLOSED, 1);
  return Atomics.load(gate, INSIDE) === 0 ? undefined : untilEmpty(gate);
}

async function untilEmpty(gate: Gate): Promise<void> {
  const begun = performance.now();
  while (Atomics.load(gate, INSIDE) > 0 && performance.now() - begun < LOST_MS) await nextTask();
}
