/**
 * Copies a part into the result, row by row.
 */

import { type Placement, Rows } from "./loops.ts";
import { isDue, pauseIfDue } from "./pause.ts";

/** Approximate numbers of rows and bytes copied between two checks of the clock. */
const ROWS_BETWEEN = 256;
const BYTES_BETWEEN = 1 << 18;

/** Whether the part is still wanted. Called after each pause. */
export type GoesOn = () => boolean;

/** Calls `place` for every row. Pauses if it takes long, and then returns a promise. */
function eachRow(
  rows: Rows,
  goesOn: GoesOn,
  place: (offset: number, row: number) => void,
): void | Promise<void> {
  const between = Math.max(1, Math.min(ROWS_BETWEEN, Math.floor(BYTES_BETWEEN / rows.rowBytes)));
  let row = 0;
  const some = () => {
    const end = Math.min(rows.count, row + between);
    for (; row < end; row += 1) place(rows.next(), row);
  };
  const rest = async () => {
    while (row < rows.count) {
      await pauseIfDue();
      if (!goesOn()) return;
      some();
    }
  };
  do some();
  while (row < rows.count && !isDue());
  return row < rows.count ? rest() : undefined;
}

/** Copies the packed elements of a part into the result, with pauses. */
export function placeElements(
  target: Uint8Array,
  placement: Placement,
  elements: Uint8Array,
  goesOn: GoesOn,
): void | Promise<void> {
  const rows = new Rows(placement);
  const { rowBytes } = rows;
  return eachRow(rows, goesOn, (offset, row) => {
    target.set(elements.subarray(row * rowBytes, (row + 1) * rowBytes), offset);
  });
}

/** Copies the packed elements of a part into the result, without pauses. */
export function placeAtOnce(target: Uint8Array, placement: Placement, elements: Uint8Array): void {
  const rows = new Rows(placement);
  for (let at = 0; at < elements.length; at += rows.rowBytes) {
    target.set(elements.subarray(at, at + rows.rowBytes), rows.next());
  }
}

/** Fills a part of the result with one packed element. */
export function placeFill(
  target: Uint8Array,
  placement: Placement,
  element: Uint8Array,
  goesOn: GoesOn,
): void | Promise<void> {
  const rows = new Rows(placement);
  const pattern = new Uint8Array(rows.rowBytes);
  repeat(pattern, element);
  return eachRow(rows, goesOn, (offset) => target.set(pattern, offset));
}

/** Fills bytes with repetitions of one packed element. */
export function repeat(bytes: Uint8Array, element: Uint8Array): void {
  if (element.every((byte) => byte === element[0])) {
    bytes.fill(element[0] ?? 0);
    return;
  }
  bytes.set(element.subarray(0, bytes.length));
  for (let filled = element.length; filled < bytes.length; filled *= 2) {
    bytes.copyWithin(filled, 0, Math.min(filled, bytes.length - filled));
  }
}
