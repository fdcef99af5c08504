/**
 * Copies the elements of a part into the result: whole parts row by row, and boxes of decoded
 * chunks, whose dimensions have a constant step in both. Elements that are adjacent in both are
 * copied as one run.
 */

import { isDue, pauseIfDue } from "../model/waiting.ts";
import { type Loop, Loops, Rows, type TargetBox } from "./loops.ts";

/** Approximate numbers of rows and bytes copied between two checks of the clock. */
const ROWS_BETWEEN = 256;
const BYTES_BETWEEN = 1 << 18;

/** Whether the part is still wanted. Called after each pause. */
type GoesOn = () => boolean;

/**
 * Works in turns: `some` does a part of the work, and returns whether any is left. Pauses if it
 * takes long, and then returns a promise.
 */
function inTurns(some: () => boolean, goesOn: GoesOn): void | Promise<void> {
  const rest = async () => {
    do {
      await pauseIfDue();
      if (!goesOn()) return;
    } while (some());
  };
  while (some()) if (isDue()) return rest();
}

/** Calls `copy` for every row. */
function eachRow(
  rows: Rows,
  goesOn: GoesOn,
  copy: (offset: number, row: number) => void,
): void | Promise<void> {
  const between = Math.max(1, Math.min(ROWS_BETWEEN, Math.floor(BYTES_BETWEEN / rows.rowBytes)));
  let row = 0;
  return inTurns(() => {
    const end = Math.min(rows.count, row + between);
    for (; row < end; row += 1) copy(rows.next(), row);
    return row < rows.count;
  }, goesOn);
}

/** Copies the packed elements of a part into the result, with pauses. */
export function scatterElements(
  target: Uint8Array,
  targetBox: TargetBox,
  elements: Uint8Array,
  goesOn: GoesOn,
): void | Promise<void> {
  const rows = new Rows(targetBox);
  const { rowBytes } = rows;
  return eachRow(rows, goesOn, (offset, row) => {
    target.set(elements.subarray(row * rowBytes, (row + 1) * rowBytes), offset);
  });
}

/** Copies the packed elements of a part into the result, without pauses. */
export function scatterAtOnce(target: Uint8Array, targetBox: TargetBox, elements: Uint8Array): void {
  const rows = new Rows(targetBox);
  for (let at = 0; at < elements.length; at += rows.rowBytes) {
    target.set(elements.subarray(at, at + rows.rowBytes), rows.next());
  }
}

/** Fills a part of the result with one packed element. */
export function scatterFill(
  target: Uint8Array,
  targetBox: TargetBox,
  element: Uint8Array,
  goesOn: GoesOn,
): void | Promise<void> {
  const rows = new Rows(targetBox);
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

/**
 * The box that a part takes from a chunk, as `src/engine/rust/js/read.rs` writes it. `numbers` has
 * the index of the first element in the chunk; then, for each dimension of the array: the count,
 * the step in elements of the chunk, and the first index in the part. `ours`: nothing else uses the
 * memory of the elements.
 */
export type ChunkToScatter = [numbers: Float64Array, elements: Uint8Array, ours: boolean];

/** The layout of the result, and the origin of the part in it. */
export interface Destination {
  /** Dimensions in memory order, slowest first. */
  order: readonly number[];
  /** Strides of the result in elements, by dimension of the array. */
  strides: readonly number[];
  start: ArrayLike<number>;
  elementSize: number;
}

/** A run of `run` bytes, and the loops around it, outermost first. Offsets are in bytes. */
interface Runs {
  loops: Loop[];
  run: number;
  source: number;
  target: number;
}

/** `TypedArray.set` is faster than a loop for runs of more words. */
const MAX_LOOPED_WORDS = 24;

function runsOf({ order, strides, start, elementSize }: Destination, numbers: Float64Array): Runs {
  const runs: Runs = { loops: [], run: elementSize, source: (numbers[0] ?? 0) * elementSize, target: 0 };
  for (const axis of [...order].reverse()) {
    const [count = 0, step = 0, place = 0] = numbers.subarray(1 + 3 * axis);
    const stride = (strides[axis] ?? 0) * elementSize;
    runs.target += ((start[axis] ?? 0) + place) * stride;
    addLoop(runs, { count, source: step * elementSize, target: stride });
  }
  return runs;
}

/** Adds an outer loop. A loop that continues the run or the outermost loop is merged with it. */
function addLoop(runs: Runs, loop: Loop): void {
  const [outermost] = runs.loops;
  if (loop.count === 1) return;
  if (!outermost && loop.source === runs.run && loop.target === runs.run) runs.run *= loop.count;
  else if (outermost && goesOn(outermost, loop)) outermost.count *= loop.count;
  else runs.loops.unshift(loop);
}

const goesOn = (inner: Loop, outer: Loop) =>
  outer.source === inner.source * inner.count && outer.target === inner.target * inner.count;

type Words = Uint8Array | Uint16Array | Uint32Array;

/** Two memories as words of the same size in bytes. */
type SameWords = [source: Words, target: Words, size: number];

/** The same bytes as the longest words of which every step is a multiple. */
function wordsOf(runs: Runs, source: Uint8Array, target: Uint8Array): SameWords {
  const steps = runs.loops.reduce((all, loop) => all | loop.source | loop.target, runs.run);
  const all = steps | runs.source | runs.target | source.byteOffset | target.byteOffset;
  const as = (
    bytes: Uint8Array,
    View: new (buffer: ArrayBufferLike, at: number, length: number) => Uint32Array | Uint16Array,
    size: number,
  ) => new View(bytes.buffer, bytes.byteOffset, Math.floor(bytes.byteLength / size));
  if (all % 4 === 0) return [as(source, Uint32Array, 4), as(target, Uint32Array, 4), 4];
  if (all % 2 === 0) return [as(source, Uint16Array, 2), as(target, Uint16Array, 2), 2];
  return [source, target, 1];
}

/** Copies `count` runs of the innermost loop, from the given byte offsets on. */
type CopyLoop = (source: number, target: number, count: number) => void;

function longRuns({ run }: Runs, loop: Loop, source: Uint8Array, target: Uint8Array): CopyLoop {
  return (from, to, count) => {
    for (let at = 0; at < count; at += 1, from += loop.source, to += loop.target) {
      target.set(source.subarray(from, from + run), to);
    }
  };
}

function shortRuns(runs: Runs, loop: Loop, [source, target, size]: SameWords): CopyLoop {
  const [length, sourceStep, targetStep] = [runs.run / size, loop.source / size, loop.target / size];
  return (fromByte, toByte, count) => {
    let from = fromByte / size;
    let to = toByte / size;
    for (let at = 0; at < count; at += 1, from += sourceStep, to += targetStep) {
      for (let word = 0; word < length; word += 1) target[to + word] = source[from + word] as number;
    }
  };
}

function copyLoop(runs: Runs, loop: Loop, source: Uint8Array, target: Uint8Array): CopyLoop {
  const words = wordsOf(runs, source, target);
  const isShort = runs.run <= MAX_LOOPED_WORDS * words[2];
  return isShort ? shortRuns(runs, loop, words) : longRuns(runs, loop, source, target);
}

/** The state of a copy: the rounds of the outer loops, and the progress of the innermost one. */
class Progress {
  readonly #outer: Loops;
  readonly #innermost: Loop;
  readonly #copy: CopyLoop;
  /** Number of copied runs of the innermost loop. */
  #done = 0;

  constructor(runs: Runs, source: Uint8Array, target: Uint8Array) {
    this.#innermost = runs.loops.at(-1) ?? { count: 1, source: 0, target: 0 };
    this.#outer = new Loops(runs.loops.slice(0, -1), runs.source, runs.target);
    this.#copy = copyLoop(runs, this.#innermost, source, target);
  }

  get isDone(): boolean {
    return this.#outer.left <= 0;
  }

  /** Copies at most this many runs. */
  some(most: number): void {
    const loop = this.#innermost;
    const outer = this.#outer;
    for (let room = most; room > 0 && outer.left > 0; ) {
      const count = Math.min(room, loop.count - this.#done);
      const [from, to] = [loop.source * this.#done, loop.target * this.#done];
      this.#copy(outer.source + from, outer.target + to, count);
      room -= Math.max(1, count);
      this.#done += count;
      if (this.#done < loop.count) continue;
      this.#done = 0;
      outer.next();
    }
  }
}

/**
 * The bytes of a chunk that are the whole result as it lies in memory; undefined if a result of
 * this many bytes is anything else.
 */
export function wholeResult(
  destination: Destination,
  [numbers, elements]: ChunkToScatter,
  byteLength: number,
): Uint8Array | undefined {
  const { loops, run, source } = runsOf(destination, numbers);
  return loops.length === 0 && run === byteLength ? elements.subarray(source, source + run) : undefined;
}

/** Copies a box of a chunk into the result. Pauses if it takes long, and then returns a promise. */
export function scatterChunk(
  target: Uint8Array,
  destination: Destination,
  [numbers, elements]: ChunkToScatter,
  isWanted: GoesOn,
): void | Promise<void> {
  const runs = runsOf(destination, numbers);
  const progress = new Progress(runs, elements, target);
  const between = Math.max(1, Math.floor(BYTES_BETWEEN / runs.run));
  return inTurns(() => {
    progress.some(between);
    return !progress.isDone;
  }, isWanted);
}
