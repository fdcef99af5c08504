/**
 * Iteration over boxes of elements, in C order: nested loops over offsets in one or two memories,
 * and the rows of a part in its result.
 */
import { stridesInOrder } from "./typed_arrays.ts";

/** A loop: the number of its rounds, and how far each leads in the source and in the target. */
export interface Loop {
  count: number;
  source: number;
  target: number;
}

/**
 * Nested loops, as an odometer: the offsets of the current round, and the number of rounds left.
 */
export class Loops {
  source: number;
  target: number;
  left: number;
  readonly #loops: readonly Loop[];
  readonly #index: number[];

  /** `loops` are outermost first. */
  constructor(loops: readonly Loop[], source = 0, target = 0) {
    this.source = source;
    this.target = target;
    this.left = loops.reduce((rounds, { count }) => rounds * count, 1);
    this.#loops = loops;
    this.#index = loops.map(() => 0);
  }

  /** Goes on to the next round. */
  next(): void {
    this.left -= 1;
    for (let depth = this.#loops.length - 1; depth >= 0; depth -= 1) {
      const { count, source, target } = this.#loops[depth] as Loop;
      const at = (this.#index[depth] ?? 0) + 1;
      this.source += source;
      this.target += target;
      this.#index[depth] = at;
      if (at < count) return;
      this.source -= source * count;
      this.target -= target * count;
      this.#index[depth] = 0;
    }
  }
}

/** Loops over the elements of a box, which are `stride` apart in the source, from `start` on. */
export const loopsOver = (shape: readonly number[], stride: readonly number[], start = 0): Loops =>
  new Loops(
    shape.map((count, axis) => ({ count, source: stride[axis] ?? 0, target: 0 })),
    start,
  );

/**
 * A box inside a larger one. Dimensions are in memory order, slowest first; extents are in
 * elements, `elementSize` is in bytes.
 */
export interface TargetBox {
  targetShape: readonly number[];
  start: readonly number[];
  shape: readonly number[];
  elementSize: number;
}

/** A box in a result: the index of its first element, and its shape. */
export interface PartBox {
  start: ArrayLike<number>;
  shape: ArrayLike<number>;
}

/** The box of a part in a result. `order` has the dimensions in memory order. */
export function targetBoxOf(
  { start, shape }: PartBox,
  target: { shape: readonly number[]; order: readonly number[] },
  elementSize: number,
): TargetBox {
  const inMemory = (values: ArrayLike<number>) => target.order.map((axis) => values[axis] ?? 0);
  return { targetShape: inMemory(target.shape), start: inMemory(start), shape: inMemory(shape), elementSize };
}

/**
 * The byte offsets of a part's rows in the target, in the part's order. Trailing dimensions that
 * the part covers completely form one row with the dimension before them.
 */
export class Rows {
  readonly rowBytes: number;
  readonly count: number;
  readonly #loops: Loops;

  constructor({ targetShape, start, shape, elementSize }: TargetBox) {
    const steps = stridesInOrder(targetShape).map((stride) => stride * elementSize);
    let inRow = shape.length;
    let rowBytes = elementSize;
    let isWhole = true;
    while (inRow > 0 && isWhole) {
      inRow -= 1;
      rowBytes *= shape[inRow] ?? 1;
      isWhole = shape[inRow] === targetShape[inRow];
    }
    this.rowBytes = rowBytes;
    const first = start.reduce((sum, at, axis) => sum + at * (steps[axis] ?? 0), 0);
    this.#loops = loopsOver(shape.slice(0, inRow), steps, first);
    this.count = this.#loops.left;
  }

  /** The byte offset of the next row. */
  next(): number {
    const offset = this.#loops.source;
    this.#loops.next();
    return offset;
  }
}
