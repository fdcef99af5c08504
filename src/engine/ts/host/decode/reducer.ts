/**
 * An instance of the wasm module for reductions (`src/reduction/rust/` in Rust): beside the engine
 * it merges what parts remember, and in decode workers it adds up the elements of a part. Its calls
 * are those of `src/reduction/rust/calls.rs`.
 */
import {
  type DownsampleRequest,
  downsampleRequestShape,
  type NumberedBox,
  numberedBoxShape,
  type OpenedReduction,
  openedReductionShape,
  REDUCTION_CALLS,
  type ReductionAnswer,
  type ReductionCalls,
  type ReductionQuestion,
  type ReductionRequest,
  type ReductionSettings,
  type ReductionSizes,
  reductionAnswerShape,
  reductionQuestionShape,
  reductionRequestShape,
  reductionSettingsShape,
  reductionSizesShape,
} from "../../../../contract/contract.ts";
import { float, natural, readRecord, recordBytes } from "../../model/records.ts";
import { ReportedError, WasmModule } from "../wasm_module.ts";
import type { PartReduction } from "./messages.ts";

/** What another reduction remembered, and the indices of its groups among those of this one. */
export interface Before {
  words: Uint8Array;
  groups: readonly number[];
}

type Bytes = Uint8Array<ArrayBuffer>;

const bytesOf = (request: ReductionRequest): Uint8Array => recordBytes(reductionRequestShape, request);

export class Reducer {
  readonly #wasm: WasmModule<ReductionCalls>;

  constructor(module: WebAssembly.Module) {
    this.#wasm = new WasmModule(new WebAssembly.Instance(module), "reduction_call", REDUCTION_CALLS);
  }

  /** The sizes of a reduction, before it begins. */
  sizes(request: ReductionRequest): ReductionSizes {
    return readRecord(reductionSizesShape, this.#wasm.bytes("sizes", { blocks: [bytesOf(request)] }));
  }

  /** Begins a reduction whose accumulators may take `most` bytes. */
  open(request: ReductionRequest, most: number): OpenedReduction {
    const answer = this.#wasm.bytes("open", { blocks: [recordBytes(float, most), bytesOf(request)] });
    return readRecord(openedReductionShape, answer);
  }

  /** What a part contributes to: the bytes of a request. */
  within(session: number, part: NumberedBox): Bytes {
    return this.#wasm.bytes("within", { words: [session], blocks: [recordBytes(numberedBoxShape, part)] });
  }

  /** What is remembered of a part's elements. */
  add(request: Uint8Array, elements: Uint8Array): Bytes {
    return this.#wasm.bytes("add", { blocks: [request, elements] });
  }

  /**
   * Takes what is remembered of a part. Returns the number of elements that answers are made of
   * now: parts wait for those before them.
   */
  take(session: number, part: NumberedBox, words: Uint8Array): number {
    return this.#merged("take", session, [recordBytes(numberedBoxShape, part), words]);
  }

  /** Adds up the elements of a part here, instead of `add` and `take`. */
  takeElements(session: number, part: NumberedBox, elements: Uint8Array): number {
    return this.#merged("takeElements", session, [recordBytes(numberedBoxShape, part), elements]);
  }

  /** Goes on from another reduction. */
  resume(session: number, { words, groups }: Before): void {
    this.#wasm.bytes("resume", { words: [session], table: Uint32Array.from(groups), blocks: [words] });
  }

  /** What is remembered of all parts. */
  words(session: number): Bytes {
    return this.#wasm.bytes("words", { words: [session] });
  }

  /** The answers to a question for all cells. */
  answer(session: number, question: ReductionQuestion, settings: ReductionSettings): ReductionAnswer {
    const blocks: ReductionCalls["answer"]["blocks"] = [
      recordBytes(reductionQuestionShape, question),
      recordBytes(reductionSettingsShape, settings),
    ];
    return readRecord(reductionAnswerShape, this.#wasm.bytes("answer", { words: [session], blocks }));
  }

  /** The elements of a smaller box. */
  downsampled(request: DownsampleRequest, elements: Uint8Array): Bytes {
    return this.#wasm.bytes("downsample", {
      blocks: [recordBytes(downsampleRequestShape, request), elements],
    });
  }

  #merged(name: "take" | "takeElements", session: number, blocks: [Uint8Array, Uint8Array]): number {
    return readRecord(natural, this.#wasm.bytes(name, { words: [session], blocks }));
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
  downsampled(module: WebAssembly.Module, request: DownsampleRequest, elements: Uint8Array): Bytes {
    try {
      return this.#with(module, (reducer) => reducer.downsampled(request, elements));
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
