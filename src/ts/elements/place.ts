/**
 * Puts a part into the result by copying rows.
 */
import { breathe, isDue } from "./breathe.ts";
import { type Placement, Rows } from "./rows.ts";

/** Rows, and about how many bytes, are copied between two looks at the clock. */
const ROWS_BETWEEN = 256;
const BYTES_BETWEEN = 1 << 18;

/** Whether what is placed is still wanted; asked whenever others have had their turn. */
export type GoesOn = () => boolean;

/** Does something for every row, letting other tasks in when it takes long. */
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
      await breathe();
      if (!goesOn()) return;
      some();
    }
  };
  do some();
  while (row < rows.count && !isDue());
  return row < rows.count ? rest() : undefined;
}

/** Copies the packed elements of a part. */
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

/** Copies the packed elements of a part, however long it takes. */
export function placeAtOnce(target: Uint8Array, placement: Placement, elements: Uint8Array): void {
  const rows = new Rows(placement);
  for (let at = 0; at < elements.length; at += rows.rowBytes) {
    target.set(elements.subarray(at, at + rows.rowBytes), rows.next());
  }
}

/** Fills a part with one packed element. */
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

/** Fills bytes with one packed element over and over. */
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
