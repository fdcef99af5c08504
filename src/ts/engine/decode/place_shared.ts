/**
 * Copies a part from the decoder's memory into a result in shared memory. Nothing is transferred,
 * and the engine's thread copies nothing.
 */
import { Rows } from "../../elements/loops.ts";
import { passGate } from "./gate.ts";
import type { SharedTarget } from "./messages.ts";

/** Approximate number of bytes copied between two checks of the gate. */
const BYTES_BETWEEN = 128 << 10;

/** Copies the packed elements of a part until the gate closes. */
export function placeShared({ memory, placement, gate }: SharedTarget, elements: Uint8Array): void {
  const rows = new Rows(placement);
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
