/**
 * The result of a read, put together in the engine: parts come in any order and are placed; a
 * result of one part is that part. The page gives it its last form (`api/read/form.ts`).
 */
import { placeAtOnce, placeElements, placeFill, repeat } from "../../elements/place.ts";
import { type PlacedChunk, placeChunk } from "../../elements/place_chunk.ts";
import type { Placement } from "../../elements/rows.ts";
import { stridesOf } from "../../elements/typed_arrays.ts";
import type { TypeDescription } from "../../model/data_type.ts";
import { ZarrError } from "../../model/errors.ts";
import type { ReadTarget, ResultAnswer } from "../../port/operations.ts";
import { closeGate, type Gate, newGate } from "../decode/gate.ts";
import type { SharedTarget } from "../decode/messages.ts";
import { keepSpare } from "../decode/part_memory.ts";
import { markedElements } from "../marked.ts";
import { VariableAssembly } from "./variable_assembly.ts";

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
  /** 0 where elements have lengths of their own. */
  elementSize: number;
}

const product = (extents: readonly number[]) => extents.reduce((total, extent) => total * extent, 1);

/** Memory of whatever realm. */
const isSharedMemory = (buffer: ArrayBufferLike) =>
  Object.prototype.toString.call(buffer) === "[object SharedArrayBuffer]";

/**
 * Whether shared memory may be given to workers: on a page that is not isolated it can be made by
 * way of wasm, but not posted.
 */
const canShare = () =>
  typeof SharedArrayBuffer !== "undefined" &&
  (globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated !== false;

function checkOut(out: Uint8Array, byteLength: number): void {
  if (out.byteLength === byteLength) return;
  throw new ZarrError("Argument", "`out` is not as long as the result", {
    expected: `${byteLength} bytes`,
    actual: `${out.byteLength} bytes`,
  });
}

export class Assembly {
  readonly #options: ReadTarget;
  #type: TypeDescription | undefined;
  #layout: Layout | undefined;
  #shape: readonly number[] = [];
  #bytes: Uint8Array | undefined;
  /** Memory is as it was allocated: all zero. */
  #isFresh = true;
  /** Instead of bytes, of elements with lengths of their own. */
  #variable: VariableAssembly | undefined;
  /**
   * The read has failed or was given up: its memory, which may be the caller's, is not touched any
   * more.
   */
  #isOver = false;
  /** What workers go by that write to shared memory. */
  #gate: Gate | undefined;
  readonly #goesOn = () => !this.#isOver;

  constructor(options: ReadTarget) {
    this.#options = options;
  }

  /** Tells what the elements are, before anything else. */
  expect(type: TypeDescription): void {
    this.#type = type;
  }

  /**
   * Ends placing, also of what is being placed. A promise, if there is one, resolves when workers
   * have let go of shared memory.
   */
  leave(): undefined | Promise<void> {
    this.#isOver = true;
    return this.#gate && closeGate(this.#gate);
  }

  begin(layout: Layout): void {
    const { frame, out } = this.#options;
    this.#layout = layout;
    this.#shape = frame ?? layout.shape;
    if (out) this.#useOut(out);
    if (this.#elementType.size === undefined) {
      this.#variable = new VariableAssembly(product(this.#shape), layout.fillValue);
    }
    const isFramed = this.#shape.some((extent, axis) => extent !== layout.shape[axis]);
    if (isFramed) this.#fillAll();
  }

  /**
   * Takes a part: its elements (undefined: all fill value, null: nothing), and chunks that are
   * placed over them.
   */
  part(
    start: ArrayLike<number>,
    shape: ArrayLike<number>,
    elements: Uint8Array | undefined | null,
    ours: boolean,
    chunks: readonly PlacedChunk[],
  ): void | Promise<void> {
    if (this.#isOver) return;
    const below = elements === null ? undefined : this.#below(start, shape, elements, ours);
    if (chunks.length === 0) return below;
    if (below) return below.then(() => this.#placeChunks(start, chunks));
    return this.#placeChunks(start, chunks);
  }

  /**
   * Who puts a part's elements into the result while they stand in memory that is not ours, without
   * letting others in; undefined where they have to be kept. Fails where there is no room for the
   * result.
   */
  placer(start: ArrayLike<number>, shape: ArrayLike<number>): ((elements: Uint8Array) => void) | undefined {
    if (this.#variable) return undefined;
    if (this.#isSole && this.#known.parts === 1) {
      // A copy of its own is the result; nothing is cleared first.
      return (elements) => this.#placeSole(start, shape, elements);
    }
    const target = this.#memory();
    const placement = this.#placement(start, shape);
    return (elements) => this.#isOver || placeAtOnce(target, placement, elements);
  }

  /** Where workers put a part's elements: into shared memory alone. */
  target(start: ArrayLike<number>, shape: ArrayLike<number>): SharedTarget | undefined {
    if (this.#variable || !this.#isShared) return undefined;
    const memory = this.#memory() as Uint8Array<SharedArrayBuffer>;
    this.#gate ??= newGate();
    return { memory, placement: this.#placement(start, shape), gate: this.#gate };
  }

  #placeSole(start: ArrayLike<number>, shape: ArrayLike<number>, elements: Uint8Array): void {
    if (elements.byteLength === this.#byteLength) this.#bytes = new Uint8Array(elements);
    else placeAtOnce(this.#memory(), this.#placement(start, shape), elements);
  }

  /** Where a part goes, dimensions in the order of memory. */
  #placement(start: ArrayLike<number>, shape: ArrayLike<number>): Placement {
    const { order, elementSize } = this.#known;
    const inMemory = (values: ArrayLike<number>) => order.map((axis) => values[axis] ?? 0);
    return {
      targetShape: inMemory(this.#shape),
      start: inMemory(start),
      shape: inMemory(shape),
      elementSize,
    };
  }

  #placeChunks(start: ArrayLike<number>, chunks: readonly PlacedChunk[]): void | Promise<void> {
    const { order, elementSize } = this.#known;
    const place = { order, strides: stridesOf(this.#shape, order), start, elementSize };
    for (const [at, chunk] of chunks.entries()) {
      if (this.#isOver) return;
      const placing = placeChunk(this.#memory(), place, chunk, this.#goesOn);
      if (placing) return placing.then(() => this.#placeChunks(start, chunks.slice(at + 1)));
    }
  }

  #below(
    start: ArrayLike<number>,
    shape: ArrayLike<number>,
    elements: Uint8Array | undefined,
    ours: boolean,
  ): void | Promise<void> {
    const { fillValue } = this.#known;
    const variable = this.#variable;
    if (!variable && elements && ours && this.#isWhole(elements)) {
      this.#bytes = elements;
      return undefined;
    }
    if (variable) return this.#putVariable(variable, start, shape, elements);
    const placement = this.#placement(start, shape);
    if (elements) return this.#place(placement, elements, ours);
    const isThere = this.#isFresh && fillValue.every((byte) => byte === 0);
    return isThere ? undefined : placeFill(this.#memory(), placement, fillValue, this.#goesOn);
  }

  #place(placement: Placement, elements: Uint8Array, ours: boolean): void | Promise<void> {
    const placing = placeElements(this.#memory(), placement, elements, this.#goesOn);
    if (!ours) return placing;
    if (placing) return placing.then(() => keepSpare(elements));
    keepSpare(elements);
  }

  /** Elements are fill value until they are put. */
  #putVariable(
    variable: VariableAssembly,
    start: ArrayLike<number>,
    shape: ArrayLike<number>,
    elements: Uint8Array | undefined,
  ): void | Promise<void> {
    if (!elements) return;
    const isAll = this.#known.parts === 1 && this.#shape.every((extent, axis) => extent === shape[axis]);
    if (isAll) return variable.takeWhole(elements);
    return variable.put(this.#placement(start, shape), elements);
  }

  /** The result, when all parts have come. */
  async finish(): Promise<ResultAnswer> {
    const { kept, order } = this.#known;
    const layout = { shape: [...this.#shape], kept, order };
    if (!this.#variable) return { ...layout, bytes: this.#memory() };
    const bytes = await this.#variable.finish();
    return { ...layout, bytes, marked: markedElements(this.#elementType, bytes, product(this.#shape)) };
  }

  /** Has the caller's memory filled. */
  #useOut(out: Uint8Array): void {
    checkOut(out, this.#byteLength);
    this.#bytes = out;
    this.#isFresh = false;
  }

  get #elementType(): TypeDescription {
    if (!this.#type) throw new Error("a result begins before it is known what of");
    return this.#type;
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
    const isAll = parts === 1 && elements.byteLength === this.#byteLength;
    return isAll && this.#isSole && elements.byteOffset % elementSize === 0;
  }

  /** Whether the result stands in memory that workers can be given to write to. */
  get #isShared(): boolean {
    const isShared = this.#bytes ? isSharedMemory(this.#bytes.buffer) : this.#options.useSharedArrayBuffer;
    return isShared === true && canShare();
  }

  /** Whether there is no memory yet that the result must be in. */
  get #isSole(): boolean {
    return !this.#bytes && !this.#options.useSharedArrayBuffer;
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
    if (!this.#variable) repeat(this.#memory(), this.#known.fillValue);
    this.#isFresh = false;
  }
}
