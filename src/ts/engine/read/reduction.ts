/**
 * The sink of a reduction. Decoders remember what the elements of a part contribute to; the engine
 * merges that. Parts that need no decoder, such as those of raw or cached chunks, are reduced here.
 */
import { product } from "../../elements/typed_arrays.ts";
import type { TypeDescription } from "../../model/data_type.ts";
import type { PartReduction } from "../decode/messages.ts";
import { type Before, Reducer, type ReductionSettings, type ReductionSizes } from "../decode/reducer.ts";
import { Assembly, type Layout, type Part } from "./assembly.ts";
import type { NumberedBox, Sink } from "./job.ts";

/** The box of a part in numbers: two lists, each behind its length. */
function boxOf({ start, shape }: NumberedBox): Float64Array {
  const rank = shape.length;
  const numbers = new Float64Array(2 * rank + 2);
  numbers[0] = rank;
  numbers.set(Array.from(start).slice(0, rank), 1);
  numbers[rank + 1] = rank;
  numbers.set(shape, rank + 2);
  return numbers;
}

const numberOf = ({ start, shape }: NumberedBox): number => start[shape.length] as number;

/** The size of a part of a reduction, decoded: the longer it is, the less is merged. */
const PART_BYTES = 1 << 24;

/** The least size of a part. */
const LEAST_PART_BYTES = 1 << 16;

/** The bytes of parts in flight, and the most parts: those of streams (`read/drive.rs`). */
const [IN_FLIGHT_BYTES, MOST_IN_FLIGHT] = [32 << 20, 32];

/** The size that parts aim at, so that their accumulators take no more than they do. */
function partBytes({ elementBytes, accumulatorBytes }: ReductionSizes): number {
  const share = accumulatorBytes > elementBytes ? elementBytes / accumulatorBytes : 1;
  return Math.max(LEAST_PART_BYTES, Math.floor(PART_BYTES * share));
}

/** What the accumulators of a reduction take: of all cells, and of parts in flight. */
export function reductionMemory(sizes: ReductionSizes): { accumulatorBytes: number; partsBytes: number } {
  const { accumulatorBytes } = sizes;
  const inFlight = Math.min(MOST_IN_FLIGHT, Math.max(2, Math.floor(IN_FLIGHT_BYTES / partBytes(sizes))));
  return { accumulatorBytes, partsBytes: inFlight * Math.min(accumulatorBytes, PART_BYTES) };
}

export class ReductionSink implements Sink {
  readonly #module: WebAssembly.Module;
  readonly #reducer: Reducer;
  readonly #session: number;
  /** The size that parts aim at, in bytes. */
  readonly partBytes: number;
  #type: TypeDescription | undefined;
  #layout: Layout | undefined;
  /** Number of elements that the answers are made of. */
  #merged = 0;
  /** Called with the share of elements that the answers are made of, when a part has arrived. */
  onReduced: (share: number) => void = () => {};

  /**
   * `request` is that of `src/reduction/wire.rs`. Its accumulators may take `most` bytes. `before`
   * is what another reduction with the same cells, or some of its groups, remembered.
   */
  constructor(module: WebAssembly.Module, request: Uint8Array, most: number, before?: Before) {
    this.#module = module;
    this.#reducer = new Reducer(module);
    const opened = this.#reducer.open(request, most);
    this.#session = opened.session;
    this.partBytes = partBytes(opened);
    if (before) this.#reducer.resume(this.#session, before);
  }

  /** What is remembered of all parts, for a reduction that goes on. */
  words(): Uint8Array<ArrayBuffer> {
    return this.#reducer.words(this.#session);
  }

  expect(type: TypeDescription): void {
    this.#type = type;
  }

  begin(layout: Layout): void {
    this.#layout = layout;
  }

  reduction(box: NumberedBox): PartReduction {
    return { module: this.#module, request: this.#reducer.within(this.#session, boxOf(box)) };
  }

  reduced(box: NumberedBox, words: Uint8Array): void {
    this.#merged = this.#reducer.take(this.#session, numberOf(box), boxOf(box), words);
    this.onReduced(this.share);
  }

  async part(part: Part): Promise<void> {
    // A decoder has reduced it.
    if (part.elements === null && part.chunks.length === 0) return;
    const request = this.#reducer.within(this.#session, boxOf(part));
    this.reduced(part, this.#reducer.add(request, await this.#elementsOf(part)));
  }

  /** The elements of a part, packed in C order. */
  async #elementsOf(part: Part): Promise<Uint8Array> {
    if (!this.#type || !this.#layout) throw new Error("a part arrived before the layout");
    const whole = new Assembly({});
    whole.expect(this.#type);
    whole.begin({ ...this.#layout, shape: Array.from(part.shape), parts: 1 });
    await whole.part({ ...part, start: new Float64Array(part.shape.length) });
    return (await whole.finish()).bytes;
  }

  /** The share of elements that the answers are made of. */
  get share(): number {
    const all = product(this.#layout?.shape ?? []);
    return all === 0 ? 1 : this.#merged / all;
  }

  /** The answers to questions, by what is merged so far. */
  answers(
    questions: readonly { question: number; share: number }[],
    settings: ReductionSettings,
  ): Uint8Array<ArrayBuffer>[] {
    return questions.map((asked) => this.#reducer.answer(this.#session, asked, settings));
  }
}
