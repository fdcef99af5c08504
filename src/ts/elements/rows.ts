/**
 * The rows of a part in its result. A row is as long as the two have in common: trailing dimensions
 * that the part spans whole are one row with the dimension before them.
 */

/** A box within a box, dimensions in the order of memory, slowest first; extents in elements. */
export interface Placement {
  targetShape: readonly number[];
  start: readonly number[];
  shape: readonly number[];
  elementSize: number;
}

/**
 * Where the rows of a part go: byte offsets in the target, in the order in which the part has them.
 */
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
