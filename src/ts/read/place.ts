/**
 * Puts a part into the result by copying rows. A row is as long as the two have in common: trailing dimensions that the part
 * spans whole are one row with the dimension before them.
 */
import { breathe, isDue } from "./breathe.ts";

/** A box within a box, dimensions in the order of memory, slowest first; extents in elements. */
export interface Placement {
  targetShape: readonly number[];
  start: readonly number[];
  shape: readonly number[];
  elementSize: number;
}

/** Copies between two looks at the clock. */
const ROWS_BETWEEN = 256;

/** Where the rows of a part go: byte offsets in the target, in the order in which the part has them. */
export class Rows {
  readonly rowBytes: number;
  readonly count: number;
  /** Dimensions outside of a row. */
  readonly #shape: number[];
  readonly #steps: number[];
  readonly #index: number[];
  #offset: number;

  constructor({ targetShape, start, shape, elementSize }: Placement) {
    const steps = targetShape.map(() => elementSize);
    for (let axis = steps.length - 2; axis >= 0; axis -= 1) {
      steps[axis] = (steps[axis + 1] ?? 1) * (targetShape[axis + 1] ?? 1);
    }
    let inRow = shape.length;
    let rowBytes = elementSize;
    let isWhole = true;
    while (inRow > 0 && isWhole) {
      inRow -= 1;
      rowBytes *= shape[inRow] ?? 1;
      isWhole = shape[inRow] === targetShape[inRow];
    }
    this.rowBytes = rowBytes;
    this.#shape = shape.slice(0, inRow);
    this.#steps = steps;
    this.#index = this.#shape.map(() => 0);
    this.count = this.#shape.reduce((product, extent) => product * extent, 1);
    this.#offset = start.reduce((sum, at, axis) => sum + at * (steps[axis] ?? 0), 0);
  }

  /** The next row's place. */
  next(): number {
    const offset = this.#offset;
    for (let axis = this.#shape.length - 1; axis >= 0; axis -= 1) {
      const step = this.#steps[axis] ?? 0;
      const at = (this.#index[axis] ?? 0) + 1;
      this.#offset += step;
      if (at < (this.#shape[axis] ?? 0)) {
        this.#index[axis] = at;
        break;
      }
      this.#offset -= at * step;
      this.#index[axis] = 0;
    }
    return offset;
  }
}

/** Whether what is placed is still wanted; asked whenever others have had their turn. */
export type GoesOn = () => boolean;

/** Does something for every row, letting other tasks in when it takes long. */
function eachRow(
  rows: Rows,
  goesOn: GoesOn,
  place: (offset: number, row: number) => void,
): void | Promise<void> {
  let row = 0;
  const some = () => {
    const end = Math.min(rows.count, row + ROWS_BETWEEN);
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
