/**
 * An instance of the wasm module for reductions (`src/reduction/` in Rust): beside the engine it
 * merges what parts remember, and in decode workers it adds up the elements of a part. Its calls
 * are those of `src/reduction/calls.rs`.
 */
import { REDUCTION_CALLS, type ReductionCalls } from "../../contract.ts";
import { ReportedError, WasmModule } from "../wasm_module.ts";
import type { PartReduction } from "./messages.ts";

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

/** The number that is an answer. */
const numberOf = ({ buffer }: Bytes): number => new DataView(buffer).getFloat64(0, true);

export class Reducer {
  readonly #wasm: WasmModule<ReductionCalls>;

  constructor(module: WebAssembly.Module) {
    this.#wasm = new WasmModule(new WebAssembly.Instance(module), "reduction_call", REDUCTION_CALLS);
  }

  /** The sizes of a reduction, before it begins. */
  sizes(request: Uint8Array): ReductionSizes {
    const [elementBytes, accumulatorBytes] = counts(this.#wasm.bytes("sizes", { blocks: [request] }));
    return { elementBytes, accumulatorBytes } as ReductionSizes;
  }

  /** Begins a reduction whose accumulators may take `most` bytes. `session` is its number. */
  open(request: Uint8Array, most: number): ReductionSizes & { session: number } {
    const answer = this.#wasm.bytes("open", { blocks: [Float64Array.of(most), request] });
    const [session, elementBytes, accumulatorBytes] = counts(answer);
    return { session, elementBytes, accumulatorBytes } as ReductionSizes & { session: number };
  }

  /** What a part contributes to. `box` has the first places and the extents of the part. */
  within(session: number, box: Float64Array): Bytes {
    return this.#wasm.bytes("within", { words: [session], blocks: [box] });
  }

  /** What is remembered of a part's elements. */
  add(request: Uint8Array, elements: Uint8Array): Bytes {
    return this.#wasm.bytes("add", { blocks: [request, elements] });
  }

  /**
   * Takes what is remembered of part `number`. Returns the number of elements that answers are made
   * of now: parts wait for those before them.
   */
  take(session: number, number: number, box: Float64Array, words: Uint8Array): number {
    const part = Float64Array.of(number, ...box);
    return numberOf(this.#wasm.bytes("take", { words: [session], blocks: [part, words] }));
  }

  /** Adds up the elements of part `number` here, in place of `add` and `take`. */
  takeElements(session: number, number: number, box: Float64Array, elements: Uint8Array): number {
    const part = Float64Array.of(number, ...box);
    return numberOf(this.#wasm.bytes("takeElements", { words: [session], blocks: [part, elements] }));
  }

  /** Goes on from another reduction. */
  resume(session: number, { words, groups }: Before): void {
    const places = Float64Array.of(groups.length, ...groups);
    this.#wasm.bytes("resume", { words: [session], blocks: [places, words] });
  }

  /** What is remembered of all parts. */
  words(session: number): Bytes {
    return this.#wasm.bytes("words", { words: [session] });
  }

  /** The answers to a question for all cells: the place of their type, as a byte, and them. */
  answer(
    session: number,
    { question, share }: { question: number; share: number },
    { source, freedom, skipsMissing }: ReductionSettings,
  ): Bytes {
    const words: ReductionCalls["answer"]["words"] = [session, question, source, skipsMissing ? 1 : 0];
    return this.#wasm.bytes("answer", { words, blocks: [Float64Array.of(freedom, share)] });
  }

  /** The elements of a smaller box. The request is that of `downsample.rs`. */
  downsampled(request: Uint8Array): Bytes {
    return this.#wasm.bytes("downsample", { blocks: [request] });
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
      if (error instanceof ReportedError) throw error;
      throw ReportedError.of("Limit", "the box of elements is too large");
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
      if (!(error instanceof ReportedError)) this.#reducer = undefined;
      throw error;
    }
  }
}
