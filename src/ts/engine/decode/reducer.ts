/**
 * An instance of the wasm module for reductions (`src/reduction/` in Rust): beside the engine it
 * merges what parts remember, and in decode workers it adds up the elements of a part. Its
 * interface is that of `src/reduction/host.rs`.
 */
import { newDecoder } from "../../model/utf8.ts";
import { DecodeFailure } from "./decode_host.ts";
import type { PartReduction } from "./messages.ts";

/** The exports of the module. A number before `request` is that of a reduction. */
interface ReductionExports {
  memory: WebAssembly.Memory;
  reduction_request(len: number): number;
  reduction_sizes(request: number, len: number): number;
  reduction_open(request: number, len: number, most: number): number;
  reduction_within(session: number, request: number, len: number): number;
  reduction_elements(len: number): number;
  reduction_add(request: number, len: number, elementsLen: number): number;
  reduction_take_elements(session: number, request: number, len: number, elementsLen: number): number;
  reduction_take(session: number, request: number, len: number): number;
  reduction_resume(session: number, request: number, len: number): number;
  reduction_words(session: number): number;
  reduction_answer(
    session: number,
    question: number,
    source: number,
    freedom: number,
    skipsMissing: number,
    share: number,
  ): number;
  reduction_downsample(request: number, len: number): number;
  reduction_answer_ptr(): number;
  reduction_answer_len(): number;
}

/** How questions are answered: `Settings` of `src/reduction/answer.rs`. */
export interface ReductionSettings {
  /** The type of the elements, by its place in `NumberType::ALL`. */
  source: number;
  freedom: number;
  skipsMissing: boolean;
}

/** The bytes of a reduction's elements, and those that its accumulators take. */
export interface ReductionSizes {
  elementBytes: number;
  accumulatorBytes: number;
}

/** What another reduction remembered, and the places of its groups among those of this one. */
export interface Before {
  words: Uint8Array;
  groups: readonly number[];
}

type Bytes = Uint8Array<ArrayBuffer>;

/** The numbers of an answer of words. */
const counts = ({ buffer }: Bytes): number[] => Array.from(new BigUint64Array(buffer), Number);

export class Reducer {
  readonly #wasm: ReductionExports;

  constructor(module: WebAssembly.Module) {
    this.#wasm = new WebAssembly.Instance(module).exports as unknown as ReductionExports;
  }

  /** The sizes of a reduction, before it begins. */
  sizes(request: Uint8Array): ReductionSizes {
    const [at, len] = this.#place(request);
    const [elementBytes, accumulatorBytes] = counts(this.#answered(this.#wasm.reduction_sizes(at, len)));
    return { elementBytes, accumulatorBytes } as ReductionSizes;
  }

  /** Begins a reduction whose accumulators may take `most` bytes. `session` is its number. */
  open(request: Uint8Array, most: number): ReductionSizes & { session: number } {
    const [at, len] = this.#place(request);
    const answer = this.#answered(this.#wasm.reduction_open(at, len, most));
    const [session, elementBytes, accumulatorBytes] = counts(answer);
    return { session, elementBytes, accumulatorBytes } as ReductionSizes & { session: number };
  }

  /** What a part contributes to. `box` has the first places and the extents of the part. */
  within(session: number, box: Float64Array): Bytes {
    const [at, len] = this.#place(box);
    return this.#answered(this.#wasm.reduction_within(session, at, len));
  }

  /** What is remembered of a part's elements. */
  add(request: Uint8Array, elements: Uint8Array): Bytes {
    const [at, len] = this.#place(request);
    this.#placeElements(elements);
    return this.#answered(this.#wasm.reduction_add(at, len, elements.byteLength));
  }

  /**
   * Takes what is remembered of part `number`. Returns the number of elements that answers are made
   * of now: parts wait for those before them.
   */
  take(session: number, number: number, box: Float64Array, words: Uint8Array): number {
    const [at, len] = this.#place(Float64Array.of(number, ...box), words);
    return this.#number(this.#wasm.reduction_take(session, at, len));
  }

  /** Adds up the elements of part `number` here, in place of `add` and `take`. */
  takeElements(session: number, number: number, box: Float64Array, elements: Uint8Array): number {
    const [at, len] = this.#place(Float64Array.of(number, ...box));
    this.#placeElements(elements);
    return this.#number(this.#wasm.reduction_take_elements(session, at, len, elements.byteLength));
  }

  /** Goes on from another reduction. */
  resume(session: number, { words, groups }: Before): void {
    const [at, len] = this.#place(Float64Array.of(groups.length, ...groups), words);
    this.#answered(this.#wasm.reduction_resume(session, at, len));
  }

  /** What is remembered of all parts. */
  words(session: number): Bytes {
    return this.#answered(this.#wasm.reduction_words(session));
  }

  /** The answers to a question for all cells: the place of their type, as a byte, and them. */
  answer(
    session: number,
    { question, share }: { question: number; share: number },
    { source, freedom, skipsMissing }: ReductionSettings,
  ): Bytes {
    const skips = skipsMissing ? 1 : 0;
    return this.#answered(this.#wasm.reduction_answer(session, question, source, freedom, skips, share));
  }

  /** The elements of a smaller box. The request is that of `downsample.rs`. */
  downsampled(request: Uint8Array): Bytes {
    const [at, len] = this.#place(request);
    return this.#answered(this.#wasm.reduction_downsample(at, len));
  }

  /** Copies the pieces of a request into linear memory. The call that receives it frees it. */
  #place(...pieces: (Uint8Array | Float64Array)[]): [at: number, len: number] {
    const length = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const memory = this.#memory(this.#wasm.reduction_request(length), length);
    let end = 0;
    for (const { buffer, byteOffset, byteLength } of pieces) {
      memory.set(new Uint8Array(buffer, byteOffset, byteLength), end);
      end += byteLength;
    }
    return [memory.byteOffset, length];
  }

  /** Copies the elements of a part into linear memory. */
  #placeElements(elements: Uint8Array): void {
    const { byteLength } = elements;
    this.#memory(this.#wasm.reduction_elements(byteLength), byteLength).set(elements);
  }

  /** A stretch of linear memory. Throws a `Limit` error if the module had none. */
  #memory(at: number, length: number): Uint8Array {
    if (at !== 0) return new Uint8Array(this.#wasm.memory.buffer, at >>> 0, length);
    const message = `out of memory for ${length} bytes while reducing`;
    throw new DecodeFailure(JSON.stringify({ code: "Limit", message }));
  }

  /** The answer if it is a number. */
  #number(status: number): number {
    return new DataView(this.#answered(status).buffer).getFloat64(0, true);
  }

  /** A copy of the answer. Throws the error that the status tells. */
  #answered(status: number): Bytes {
    const { reduction_answer_ptr, reduction_answer_len, memory } = this.#wasm;
    const answer = new Uint8Array(
      memory.buffer,
      reduction_answer_ptr() >>> 0,
      reduction_answer_len(),
    ).slice();
    if (status !== 0) throw new DecodeFailure(newDecoder().decode(answer));
    return answer;
  }
}

/**
 * Reduces parts and boxes one after the other, with one instance, which it makes anew after a trap,
 * and for another module.
 */
export class PartReducer {
  #reducer: Reducer | undefined;
  #module: WebAssembly.Module | undefined;

  /** Adds up the elements of a part. */
  reduced({ module, request }: PartReduction, elements: Uint8Array): Bytes {
    return this.#with(module, (reducer) => reducer.add(request, elements));
  }

  /** The elements of a smaller box, for the next level of a pyramid. */
  downsampled(module: WebAssembly.Module, request: Uint8Array): Bytes {
    try {
      return this.#with(module, (reducer) => reducer.downsampled(request));
    } catch (error) {
      if (error instanceof DecodeFailure) throw error;
      throw new DecodeFailure(JSON.stringify({ code: "Limit", message: "the box of elements is too large" }));
    }
  }

  #with(module: WebAssembly.Module, act: (reducer: Reducer) => Bytes): Bytes {
    if (module !== this.#module) this.#reducer = undefined;
    this.#module = module;
    try {
      this.#reducer ??= new Reducer(module);
      return act(this.#reducer);
    } catch (error) {
      // It trapped, perhaps without memory, and is not used again.
      if (!(error instanceof DecodeFailure)) this.#reducer = undefined;
      throw error;
    }
  }
}
