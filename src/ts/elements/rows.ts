/**
 * Iterates over the rows of a part in the result. Trailing dimensions that the part covers
 * completely form one row with the dimension before them.
 */
import { product } from "./typed_arrays.ts";

/**
 * A box inside a larger one. Dimensions are in memory order, slowest first; extents are in
 * elements, `elementSize` is in bytes.
 */
export interface Placement {
  targetShape: readonly number[];
  start: readonly number[];
  shape: readonly number[];
  elementSize: number;
}

/** The byte offsets of a part's rows in the target, in the part's order. */
export class Rows {
  readonly rowBytes: number;
  readonly count: number;
  /** Extents of the dimensions outside of a row. */
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
    this.count = product(this.#shape);
    this.#offset = start.reduce((sum, at, axis) => sum + at * (steps[axis] ?? 0), 0);
  }

  /** The byte offset of the next row. */
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
