/**
 * Assembles the result of a read in the engine. Parts arrive in any order and are scattered. A
 * result with only one part is that part. Elements of variable length are collected in one buffer,
 * in the order of the result. The page converts the result to its final form
 * (`api/read/result.ts`).
 */
import type { NumberedBox, ReadLayout } from "../../../../contract/contract.ts";
import { type PartBox, Rows, type TargetBox, targetBoxOf } from "../../elements/loops.ts";
import { variableBuffer } from "../../elements/pack.ts";
import {
  type ChunkToScatter,
  scatterAtOnce,
  scatterChunk,
  scatterElements,
  scatterFill,
  wholeResult,
} from "../../elements/scatter.ts";
import { product, stridesOf } from "../../elements/typed_arrays.ts";
import { splitVariable } from "../../elements/variable.ts";
import { needOut } from "../../model/argument.ts";
import type { TypeDescription } from "../../model/data_type.ts";
import { ZarrError } from "../../model/errors.ts";
import { RESULT_BYTES } from "../../model/limits.ts";
import { canShare, isSharedMemory } from "../../model/memory.ts";
import { isDue, pauseIfDue } from "../../model/waiting.ts";
import type { ReadTarget, ResultAnswer } from "../../port/operations.ts";
import { closeGate, type Gate, newGate, type SharedTarget } from "../decode/gate.ts";
import { keepSpare } from "../decode/part_memory.ts";
import type { Instances } from "../instance_switch.ts";
import { losslessElements } from "../lossless.ts";

/** A part of a read. */
export interface Part extends NumberedBox {
  /** Undefined if the part is all fill value, null if there are only chunks. */
  elements: Uint8Array | undefined | null;
  /** Nothing else uses the memory of the elements. */
  ours: boolean;
  /** Chunks to scatter over the elements. */
  chunks: readonly ChunkToScatter[];
}

export class Assembly {
  readonly #instances: Instances;
  readonly #options: ReadTarget;
  #type: TypeDescription | undefined;
  #layout: ReadLayout | undefined;
  #shape: readonly number[] = [];
  #bytes: Uint8Array | undefined;
  /** The memory is as it was allocated: all zero. */
  #isFresh = true;
  /** Instead of `#bytes`, for data types of variable length. */
  #variable: VariableAssembly | undefined;
  /**
   * The read has failed or was aborted. Its memory may be the caller's, so nothing is written to it
   * any more.
   */
  #isOver = false;
  /** The gate for workers that write to shared memory. */
  #gate: Gate | undefined;
  readonly #goesOn = () => !this.#isOver;

  constructor(instances: Instances, options: ReadTarget) {
    this.#instances = instances;
    this.#options = options;
  }

  /** Sets the data type. Must be called first. */
  expect(type: TypeDescription): void {
    this.#type = type;
  }

  /**
   * Stops scattering parts, also those in progress. A promise, if one is returned, resolves when
   * workers no longer write to shared memory.
   */
  leave(): undefined | Promise<void> {
    this.#isOver = true;
    return this.#gate && closeGate(this.#gate);
  }

  begin(layout: ReadLayout): void {
    const { out } = this.#options;
    this.#layout = layout;
    this.#shape = layout.shape;
    if (out) this.#useOut(out);
    if (this.#elementType.size === undefined) {
      this.#variable = new VariableAssembly(product(this.#shape), layout.fillValue);
    }
  }

  /** Takes a part, and scatters chunks over its elements. */
  part({ start, shape, elements, ours, chunks }: Part): void | Promise<void> {
    if (this.#isOver) return;
    const below = elements === null ? undefined : this.#below({ start, shape }, elements, ours);
    if (chunks.length === 0) return below;
    if (below) return below.then(() => this.#scatterChunks(start, chunks));
    return this.#scatterChunks(start, chunks);
  }

  /**
   * Returns a function that scatters a part's elements synchronously, while they are in borrowed
   * memory. Undefined if the elements must be kept. Throws if the result cannot be allocated.
   */
  scatterer(box: PartBox): ((elements: Uint8Array) => void) | undefined {
    if (this.#variable) return undefined;
    if (this.#isSole && this.#known.parts === 1) {
      // The result is a copy of the part, so no memory is cleared first.
      return (elements) => this.#scatterSole(box, elements);
    }
    const target = this.#memory();
    const targetBox = this.#targetBox(box);
    return (elements) => this.#isOver || scatterAtOnce(target, targetBox, elements);
  }

  /** The target for workers that write a part themselves; only for shared memory. */
  target(box: PartBox): SharedTarget | undefined {
    if (this.#variable || !this.#isShared) return undefined;
    const memory = this.#memory() as Uint8Array<SharedArrayBuffer>;
    this.#gate ??= newGate();
    return { memory, targetBox: this.#targetBox(box), gate: this.#gate };
  }

  #scatterSole(box: PartBox, elements: Uint8Array): void {
    if (elements.byteLength === this.#byteLength) this.#bytes = new Uint8Array(elements);
    else scatterAtOnce(this.#memory(), this.#targetBox(box), elements);
  }

  /** The box of a part, with the dimensions in memory order. */
  #targetBox(box: PartBox): TargetBox {
    const { order, elementSize } = this.#known;
    return targetBoxOf(box, { shape: this.#shape, order }, elementSize);
  }

  #scatterChunks(start: ArrayLike<number>, chunks: readonly ChunkToScatter[]): void | Promise<void> {
    const { order, elementSize } = this.#known;
    const destination = { order, strides: stridesOf(this.#shape, order), start, elementSize };
    for (const [at, chunk] of chunks.entries()) {
      if (this.#isOver) return;
      const whole = this.#isSole && wholeResult(destination, chunk, this.#byteLength);
      if (whole) {
        // Memory for a copy is not cleared first.
        const [, , ours] = chunk;
        this.#bytes = ours && this.#isWhole(whole) ? whole : new Uint8Array(whole);
        return;
      }
      const scattering = scatterChunk(this.#memory(), destination, chunk, this.#goesOn);
      if (scattering) return scattering.then(() => this.#scatterChunks(start, chunks.slice(at + 1)));
    }
  }

  #below(box: PartBox, elements: Uint8Array | undefined, ours: boolean): void | Promise<void> {
    const { fillValue } = this.#known;
    const variable = this.#variable;
    if (!variable && elements && ours && this.#isWhole(elements)) {
      this.#bytes = elements;
      return undefined;
    }
    if (variable) return this.#putVariable(variable, box, elements);
    const targetBox = this.#targetBox(box);
    if (elements) return this.#scatter(targetBox, elements, ours);
    const isThere = this.#isFresh && fillValue.every((byte) => byte === 0);
    return isThere ? undefined : scatterFill(this.#memory(), targetBox, fillValue, this.#goesOn);
  }

  #scatter(targetBox: TargetBox, elements: Uint8Array, ours: boolean): void | Promise<void> {
    const scattering = scatterElements(this.#memory(), targetBox, elements, this.#goesOn);
    if (!ours) return scattering;
    if (scattering) return scattering.then(() => keepSpare(elements));
    keepSpare(elements);
  }

  /** Scatters elements of variable length. Elements without a part have the fill value. */
  #putVariable(
    variable: VariableAssembly,
    box: PartBox,
    elements: Uint8Array | undefined,
  ): void | Promise<void> {
    if (!elements) return;
    const isAll = this.#known.parts === 1 && this.#shape.every((extent, axis) => extent === box.shape[axis]);
    if (isAll) return variable.takeWhole(elements);
    return variable.put(this.#targetBox(box), elements);
  }

  /** Returns the result. All parts must have arrived. */
  async finish(): Promise<ResultAnswer> {
    const { kept, order } = this.#known;
    const layout = { shape: [...this.#shape], kept, order };
    if (!this.#variable) return { ...layout, bytes: this.#memory() };
    const bytes = await this.#variable.finish();
    const lossless = losslessElements(this.#instances, this.#elementType, bytes, product(this.#shape));
    return { ...layout, bytes, lossless };
  }

  /** Uses the caller's memory for the result. */
  #useOut(out: Uint8Array): void {
    needOut(out, this.#byteLength);
    this.#bytes = out;
    this.#isFresh = false;
  }

  get #elementType(): TypeDescription {
    if (!this.#type) throw new Error("the data type of the result is not set");
    return this.#type;
  }

  get #known(): ReadLayout {
    if (!this.#layout) throw new Error("the layout of the result is not set");
    return this.#layout;
  }

  get #byteLength(): number {
    return product(this.#shape) * this.#known.elementSize;
  }

  /** Whether these bytes can serve as the result without a copy. */
  #isWhole(elements: Uint8Array): boolean {
    const { parts, elementSize } = this.#known;
    const isAll = parts === 1 && elements.byteLength === this.#byteLength;
    return isAll && this.#isSole && elements.byteOffset % elementSize === 0;
  }

  /** Whether the result is in memory that workers can write to. */
  get #isShared(): boolean {
    const isShared = this.#bytes ? isSharedMemory(this.#bytes.buffer) : this.#options.useSharedArrayBuffer;
    return isShared === true && canShare();
  }

  /** Whether the result may be in any memory. */
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
}

/** Number of elements between two checks of the clock. */
const ELEMENTS_BETWEEN = 4096;

/** Maximum number of elements. Each takes some 20 bytes, however short it is. */
const MAX_ELEMENTS = 2 ** 26;

const tooLarge = (most: string, actual: string) =>
  new ZarrError("Limit", "elements of variable length are too large for one result", {
    expected: `at most ${most}`,
    actual,
  });

class VariableAssembly {
  readonly #count: number;
  /** The bytes of the parts, without their offsets. */
  readonly #parts: Uint8Array[];
  /**
   * For each element: the part that has it (0 is the fill value), its offset there, and its length.
   */
  readonly #part: Uint32Array;
  readonly #start: Uint32Array;
  readonly #length: Uint32Array;
  /** A part that is the complete result. */
  #whole: Uint8Array | undefined;

  constructor(count: number, fillValue: Uint8Array) {
    if (count > MAX_ELEMENTS) throw tooLarge(`${MAX_ELEMENTS} elements`, `${count} elements`);
    this.#count = count;
    this.#parts = [fillValue];
    this.#part = new Uint32Array(count);
    this.#start = new Uint32Array(count);
    this.#length = new Uint32Array(count).fill(fillValue.length);
  }

  /** Takes a part that is the complete result, in its order. */
  takeWhole(part: Uint8Array): void {
    this.#whole = part;
  }

  async put(targetBox: TargetBox, part: Uint8Array): Promise<void> {
    const rows = new Rows({ ...targetBox, elementSize: 1 });
    const { offsets, bytes } = splitVariable(part, rows.count * rows.rowBytes);
    const number = this.#parts.push(bytes) - 1;
    let at = 0;
    for (let row = 0; row < rows.count; row += 1) {
      const begin = rows.next();
      for (let index = begin; index < begin + rows.rowBytes; index += 1, at += 1) {
        const offset = offsets[at] as number;
        this.#part[index] = number;
        this.#start[index] = offset;
        this.#length[index] = (offsets[at + 1] as number) - offset;
        if (at % ELEMENTS_BETWEEN === 0 && isDue()) await pauseIfDue();
      }
    }
  }

  /** Returns the packed elements. Throws a `Limit` error beyond `RESULT_BYTES`. */
  async finish(): Promise<Uint8Array> {
    if (this.#whole) return this.#whole;
    let total = 0;
    for (const length of this.#length) total += length;
    if (total > RESULT_BYTES) throw tooLarge(`${RESULT_BYTES} bytes`, `${total} bytes`);
    const packed = variableBuffer(this.#count, total);
    const { offsets, bytes } = splitVariable(packed, this.#count);
    let end = 0;
    for (let at = 0; at < this.#count; at += 1) {
      const [start, length] = [this.#start[at] as number, this.#length[at] as number];
      const part = this.#parts[this.#part[at] as number] as Uint8Array;
      bytes.set(part.subarray(start, start + length), end);
      end += length;
      offsets[at + 1] = end;
      if (at % ELEMENTS_BETWEEN === 0 && isDue()) await pauseIfDue();
    }
    return packed;
  }
}
