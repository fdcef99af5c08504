/**
 * A gate between workers that write to shared memory and a caller that wants it back. Shared memory
 * cannot be revoked, and a page's thread must not block. So a writer enters the gate for a few rows
 * at a time and checks each time whether it is open. When the gate is closed and all writers have
 * left, nothing is written any more.
 *
 * A decoder copies its parts through the gate into a result in shared memory. Nothing is
 * transferred, and the engine's thread copies nothing.
 */
import { Rows, type TargetBox } from "../../elements/loops.ts";
import { nextTask } from "../../model/waiting.ts";

/** Two words: whether the gate is closed, and the number of writers inside. */
export type Gate = Int32Array<SharedArrayBuffer>;

const CLOSED = 0;
const INSIDE = 1;

/**
 * Writing a few rows takes less than a millisecond. A writer that is inside for this long was
 * terminated there and writes nothing more.
 */
const LOST_MS = 1000;

export const newGate = (): Gate => new Int32Array(new SharedArrayBuffer(8));

/** Calls `write` unless the gate is closed. Returns whether it did. */
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

/** Closes the gate. If a promise is returned, writers are still inside until it resolves. */
export function closeGate(gate: Gate): undefined | Promise<void> {
  Atomics.store(gate, CLOSED, 1);
  return Atomics.load(gate, INSIDE) === 0 ? undefined : untilEmpty(gate);
}

async function untilEmpty(gate: Gate): Promise<void> {
  const begun = performance.now();
  while (Atomics.load(gate, INSIDE) > 0 && performance.now() - begun < LOST_MS) await nextTask();
}

/** A result in shared memory, and the box of a part in it. */
export interface SharedTarget {
  memory: Uint8Array<SharedArrayBuffer>;
  targetBox: TargetBox;
  /** Tells whether the memory may still be written to. */
  gate: Gate;
}

/** Approximate number of bytes copied between two checks of the gate. */
const BYTES_BETWEEN = 128 << 10;

/** Copies the packed elements of a part until the gate closes. */
export function scatterShared({ memory, targetBox, gate }: SharedTarget, elements: Uint8Array): void {
  const rows = new Rows(targetBox);
  const { rowBytes } = rows;
  const piece = Math.min(rowBytes, BYTES_BETWEEN);
  let [row, offset, at] = [0, rows.next(), 0];
  const copySome = () => {
    for (let copied = 0; row < rows.count && copied < BYTES_BETWEEN; copied += piece) {
      const end = Math.min(at + piece, rowBytes);
      const start = row * rowBytes;
      memory.set(elements.subarray(start + at, start + end), offset + at);
      at = end;
      if (at < rowBytes) continue;
      row += 1;
      at = 0;
      offset = rows.next();
    }
  };
  while (row < rows.count && passGate(gate, copySome));
}
