/**
 * The result of a read in the making: parts come in any order and are placed; a result of one part is that part.
 */
import { ZarrError } from "../errors.ts";
import type { DataType } from "../types.ts";
import { placeElements, placeFill, repeat } from "./place.ts";
import { type Elements, finished, stridesOf, viewOf } from "./typed_arrays.ts";

/** What the engine says of the result before its parts; written by `src/js/read.rs`. */
export interface Layout {
  /** Extent along each dimension of the array, 1 for integer indices; one dimension for points. */
  shape: number[];
  /** Which of them the result keeps. */
  kept: boolean[];
  /** Dimensions in the order of memory, slowest first. */
  order: number[];
  parts: number;
  /** One packed element. */
  fillValue: Uint8Array;
  elementSize: number;
}

export interface ReadResult {
  data: Elements;
  shape: number[];
  stride: number[];
}

export interface ResultOptions {
  dtype: DataType;
  /** The caller's own memory for it. */
  out?: ArrayBufferView;
  /** Allocate shared memory. */
  useSharedArrayBuffer?: boolean;
  /** A larger box to put the selection into, at its origin: a whole chunk at the edge of an array. */
  frame?: readonly number[];
}

const product = (extents: readonly number[]) => extents.reduce((total, extent) => total * extent, 1);

/** The bytes of a caller's array, if they have room for just this. */
function bytesOf(out: ArrayBufferView, byteLength: number): Uint8Array {
  if (out.byteLength !== byteLength) {
    throw new ZarrError("Argument", "`out` is not as long as the result", {
      expected: `${byteLength} bytes`,
      actual: `${out.byteLength} bytes`,
    });
  }
  return new Uint8Array(out.buffer, out.byteOffset, out.byteLength);
}

export class Result {
  readonly #options: ResultOptions;
  #layout: Layout | undefined;
  #shape: readonly number[] = [];
  #bytes: Uint8Array | undefined;
  /** Memory is as it was allocated: all zero. */
  #isFresh = true;

  constructor(options: ResultOptions) {
    this.#options = options;
  }

  begin(layout: Layout): void {
    const { out, frame } = this.#options;
    this.#layout = layout;
    this.#shape = frame ?? layout.shape;
    const isFramed = this.#shape.some((extent, axis) => extent !== layout.shape[axis]);
    if (out) {
      this.#bytes = bytesOf(out, this.#byteLength);
      this.#isFresh = false;
    }
    if (isFramed) this.#fillAll();
  }

  part(start: ArrayLike<number>, shape: ArrayLike<number>, elements: Uint8Array | undefined, ours: boolean) {
    const { order, elementSize, fillValue } = this.#known;
    if (elements && ours && this.#isWhole(elements)) {
      this.#bytes = elements;
      return undefined;
    }
    const inMemory = (values: ArrayLike<number>) => order.map((axis) => values[axis] ?? 0);
    const placement = {
      targetShape: inMemory(this.#shape),
      start: inMemory(start),
      shape: inMemory(shape),
      elementSize,
    };
    if (elements) return placeElements(this.#memory(), placement, elements);
    const isThere = this.#isFresh && fillValue.every((byte) => byte === 0);
    return isThere ? undefined : placeFill(this.#memory(), placement, fillValue);
  }

  /** The result, when all parts have come. */
  finish(): ReadResult {
    const { kept, order } = this.#known;
    const { dtype, out } = this.#options;
    const strides = stridesOf(this.#shape, order);
    const keep = <T>(values: readonly T[]) => values.filter((_, axis) => kept[axis]);
    const data = (out as Elements | undefined) ?? finished(dtype, viewOf(dtype, this.#memory()));
    return { data, shape: keep(this.#shape), stride: keep(strides) };
  }

  get #known(): Layout {
    if (!this.#layout) throw new Error("a result is asked for before it has begun");
    return this.#layout;
  }

  get #byteLength(): number {
    return product(this.#shape) * this.#known.elementSize;
  }

  /** Whether these bytes can be the result as they are. */
  #isWhole(elements: Uint8Array): boolean {
    const { parts, elementSize } = this.#known;
    const isSole = parts === 1 && !this.#bytes && !this.#options.useSharedArrayBuffer;
    return isSole && elements.byteLength === this.#byteLength && elements.byteOffset % elementSize === 0;
  }

  #memory(): Uint8Array {
    if (!this.#bytes) {
      const length = this.#byteLength;
      const { useSharedArrayBuffer } = this.#options;
      this.#bytes = new Uint8Array(
        useSharedArrayBuffer ? new SharedArrayBuffer(length) : new ArrayBuffer(length),
      );
    }
    return this.#bytes;
  }

  #fillAll(): void {
    repeat(this.#memory(), this.#known.fillValue);
    this.#isFresh = false;
  }
}
