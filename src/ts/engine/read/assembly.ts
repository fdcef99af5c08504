/**
 * The result of a read in the making: parts come in any order and are placed; a result of one part is that part.
 */
import type { TypeDescription } from "../../model/data_type.ts";
import { ZarrError } from "../../model/errors.ts";
import { closeGate, type Gate, newGate } from "../decode/gate.ts";
import { keepSpare } from "../decode/part_memory.ts";
import type { SharedTarget } from "../decode/messages.ts";
import { type Packed, packedOf } from "../../elements/elements.ts";
import { placeAtOnce, placeElements, placeFill, repeat } from "../../elements/place.ts";
import { type PlacedChunk, placeChunk } from "../../elements/place_chunk.ts";
import type { Placement } from "../../elements/rows.ts";
import { type Elements, isView, stridesOf } from "../../elements/typed_arrays.ts";
import { VariableElements } from "../../elements/variable.ts";
import { wrappedScalarOf, wrapperOf } from "../../elements/wrapped.ts";

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

/** What `data` holds is for the form to say. */
export interface ReadResult extends Omit<Packed, "data"> {
  data: unknown;
}

/** `plain` as `Array.get` has it, `bytes` packed, `wrapped` as zarrita has it, and `scalar` its one element. */
export type Form = "plain" | "bytes" | "wrapped" | "scalar";

export interface ResultOptions {
  form: Form;
  /** The caller's own memory for it. */
  out?: ArrayBufferView;
  /** Allocate shared memory. */
  useSharedArrayBuffer?: boolean;
  /** A larger box to put the selection into, at its origin: a whole chunk at the edge of an array. */
  frame?: readonly number[];
}

const product = (extents: readonly number[]) => extents.reduce((total, extent) => total * extent, 1);

const NUMBERS = new Set(["bool", "integer", "float", "complex", "datetime", "timedelta"]);

/** Memory of whatever realm. */
const isSharedMemory = (buffer: ArrayBufferLike) =>
  Object.prototype.toString.call(buffer) === "[object SharedArrayBuffer]";

/** Whether shared memory may be given to workers: on a page that is not isolated it can be made by way of wasm, but not posted. */
const canShare = () =>
  typeof SharedArrayBuffer !== "undefined" &&
  (globalThis as { crossOriginIsolated?: boolean }).crossOriginIsolated !== false;

/** The bytes of a caller's array. */
const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) =>
  new Uint8Array(buffer, byteOffset, byteLength);

function checkOut(out: ArrayBufferView, byteLength: number): void {
  if (out.byteLength === byteLength) return;
  throw new ZarrError("Argument", "`out` is not as long as the result", {
    expected: `${byteLength} bytes`,
    actual: `${out.byteLength} bytes`,
  });
}

/** Fails where the elements are nothing that a form or a caller's memory can hold. */
function checkForm({ name, kind, size }: TypeDescription, { form, out }: ResultOptions): void {
  if (form === "bytes" && size === undefined) {
    throw new ZarrError(
      "Argument",
      `elements of data type ${name} have lengths of their own, and no packed bytes`,
    );
  }
  if (out && form !== "bytes" && !NUMBERS.has(kind)) {
    throw new ZarrError("Argument", `elements of data type ${name} are no numbers for \`out\``);
  }
}

export class Result {
  readonly #options: ResultOptions;
  #type: TypeDescription | undefined;
  #layout: Layout | undefined;
  #shape: readonly number[] = [];
  #bytes: Uint8Array | undefined;
  /** Memory is as it was allocated: all zero. */
  #isFresh = true;
  /** Instead of bytes, of elements with lengths of their own. */
  #variable: VariableElements | undefined;
  /** The read has failed or was given up: its memory, which may be the caller's, is not touched any more. */
  #isOver = false;
  /** What workers go by that write to shared memory. */
  #gate: Gate | undefined;
  readonly #goesOn = () => !this.#isOver;

  constructor(options: ResultOptions) {
    this.#options = options;
  }

  /** Tells what the elements are, before anything else. */
  expect(type: TypeDescription): void {
    checkForm(type, this.#options);
    this.#type = type;
  }

  /** Ends placing, also of what is being placed. A promise, if there is one, resolves when workers have let go of shared memory. */
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
      this.#variable = new VariableElements(this.#elementType, product(this.#shape), layout.fillValue);
    }
    const isFramed = this.#shape.some((extent, axis) => extent !== layout.shape[axis]);
    if (isFramed) this.#fillAll();
  }

  /** Takes a part: its elements (undefined: all fill value, null: nothing), and chunks that are placed over them. */
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
   * Who puts a part's elements into the result while they stand in memory that is not ours, without letting others in; undefined where
   * they have to be kept. Fails where there is no room for the result.
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
    const placement = this.#placement(start, shape);
    if (variable) return elements ? variable.put(placement, elements) : variable.fill(placement);
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

  /** The result, when all parts have come. */
  finish(): ReadResult {
    const { kept, order } = this.#known;
    const keep = <T>(values: readonly T[]) => values.filter((_, axis) => kept[axis]);
    const layout = { shape: keep(this.#shape), stride: keep(stridesOf(this.#shape, order)) };
    if (!this.#variable) return this.#formed(this.#memory(), layout);
    const { values } = this.#variable;
    return { ...layout, data: this.#options.form === "scalar" ? values[0] : values };
  }

  #formed(bytes: Uint8Array, layout: Pick<ReadResult, "shape" | "stride">): ReadResult {
    const type = this.#elementType;
    const { form, out } = this.#options;
    if (form === "bytes") return { ...layout, data: out ?? bytes };
    if (form === "scalar") return { ...layout, data: wrappedScalarOf(type, bytes) };
    const wrapper = form === "wrapped" ? wrapperOf(type, bytes) : undefined;
    if (wrapper) return { ...layout, data: wrapper };
    const packed = packedOf(type, bytes, layout);
    if (!out) return packed;
    if (!isView(type)) bytesOf(out).set(bytesOf(packed.data as Elements));
    return { ...packed, data: out };
  }

  /** Has the caller's memory filled: at once, or at last, with numbers that have to be widened. */
  #useOut(out: ArrayBufferView): void {
    const type = this.#elementType;
    const isDirect = this.#options.form === "bytes" || isView(type);
    checkOut(out, isDirect ? this.#byteLength : product(this.#shape) * (type.components ?? 1) * 4);
    if (!isDirect) return;
    this.#bytes = bytesOf(out);
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
    if (this.#variable) this.#variable.fillAll();
    else repeat(this.#memory(), this.#known.fillValue);
    this.#isFresh = false;
  }
}
