/**
 * The sink of a reduction. Decoders remember what the elements of a part contribute to; the engine
 * merges that. Parts that need no decoder, such as those of raw or cached chunks, are reduced here.
 */
import type {
  NumberedBox,
  ReadLayout,
  ReductionAnswer,
  ReductionQuestion,
  ReductionRequest,
  ReductionSettings,
  ReductionSizes,
} from "../../../../contract/contract.ts";
import { wholeResult } from "../../elements/scatter.ts";
import { product, stridesOf } from "../../elements/typed_arrays.ts";
import type { TypeDescription } from "../../model/data_type.ts";
import type { Growth } from "../../model/read_request.ts";
import type { ChunkCounts } from "../../port/operations.ts";
import type { PartReduction } from "../decode/messages.ts";
import { type Before, Reducer } from "../decode/reducer.ts";
import type { Instances } from "../instance_switch.ts";
import { Assembly, type Part } from "./assembly.ts";
import type { Sink } from "./job.ts";

/** Bytes that the accumulators of a reduction may take, if `memoryLimit` is not given. */
const ACCUMULATOR_BYTES = 2 ** 31;

/** The size of a part of a reduction, decoded: the caches of a processor hold it and its copy. */
const PART_BYTES = 1 << 22;

/** The size up to which parts grow where their accumulators would be large: then less is merged. */
const LONG_PART_BYTES = 1 << 24;

/** How many times the size of its accumulators a part is to have. */
const TIMES_ACCUMULATORS = 16;

/** The least size of a part. */
const MIN_PART_BYTES = 1 << 16;

/** The bytes of parts in flight, and the most parts: those of streams (`read/drive.rs`). */
const [IN_FLIGHT_BYTES, MAX_IN_FLIGHT] = [32 << 20, 32];

/**
 * The bytes of parts whose ranges of shards are asked for together, and the most parts in flight
 * then (`read/drive.rs`). Two such lots are in flight, so that one is decoded while the next one
 * arrives.
 */
const [TOGETHER_BYTES, MAX_IN_BULK, LOTS] = [64 << 20, 128, 2];

/** The least bytes asked for together, and the share of a limit of memory that they may take. */
const [MIN_TOGETHER_BYTES, SHARE_OF_LIMIT] = [16 << 20, 8];

/** The bytes of parts whose ranges of shards are asked for together. */
const togetherBytes = (memoryLimit: number | undefined): number =>
  Math.max(
    MIN_TOGETHER_BYTES,
    Math.min(TOGETHER_BYTES, Math.floor((memoryLimit ?? Infinity) / SHARE_OF_LIMIT)),
  );

/**
 * The size that parts aim at. A part grows along the dimensions that go, until its accumulators are
 * small beside it; they never take more than it does.
 */
function partBytes({ elementBytes, accumulatorBytes }: ReductionSizes, { all, ofCell }: ChunkCounts): number {
  const accumulators = accumulatorBytes / Math.max(1, elementBytes);
  const chunks = Math.min(ofCell, Math.ceil(TIMES_ACCUMULATORS * ofCell * accumulators));
  const long = Math.min(LONG_PART_BYTES, (chunks * elementBytes) / all);
  const share = Math.min(1, 1 / accumulators);
  return Math.max(MIN_PART_BYTES, Math.floor(Math.max(PART_BYTES, long) * share));
}

/** What a reduction takes: accumulators of all cells and of parts in flight, and those parts. */
export function reductionMemory(
  sizes: ReductionSizes,
  chunks: ChunkCounts,
  memoryLimit: number | undefined,
): { accumulatorBytes: number; partsBytes: number; elementBytes: number } {
  const { elementBytes, accumulatorBytes } = sizes;
  const [most, mostBytes] = chunks.inBulk
    ? [MAX_IN_BULK, LOTS * togetherBytes(memoryLimit)]
    : [MAX_IN_FLIGHT, IN_FLIGHT_BYTES];
  const chunkBytes = elementBytes / chunks.all;
  const inPart = Math.max(1, partBytes(sizes, chunks) / Math.max(1, chunkBytes));
  const inFlight = Math.floor(mostBytes / Math.max(1, inPart * chunkBytes));
  // The accumulators of a chunk serve all chunks of a part that go into the same cells.
  const own = Math.ceil(inPart / chunks.ofCell) * (accumulatorBytes / chunks.all) * chunks.ofCell;
  const parts = Math.min(most, Math.max(2, inFlight));
  const partsBytes = Math.ceil(parts * Math.min(accumulatorBytes, own));
  return { accumulatorBytes, partsBytes, elementBytes: mostBytes };
}

/** What a reduction is made from. */
interface Reduction {
  request: ReductionRequest;
  chunks: ChunkCounts;
  /** Bytes that the accumulators may take. */
  memoryLimit: number | undefined;
  /** What another reduction with the same cells, or some of its groups, remembered. */
  before: Before | undefined;
}

export class ReductionSink implements Sink {
  readonly #instances: Instances;
  readonly #module: WebAssembly.Module;
  readonly #reducer: Reducer;
  readonly #session: number;
  /** The sizes of parts: what one aims at, and those that are asked for together. */
  readonly parts: Pick<Growth, "bytes" | "together">;
  #type: TypeDescription | undefined;
  #layout: ReadLayout | undefined;
  /** Number of elements that the answers are made of. */
  #merged = 0;
  /** Called with the share of elements that the answers are made of, when a part has arrived. */
  onReduced: (share: number) => void = () => {};

  constructor(
    instances: Instances,
    module: WebAssembly.Module,
    { request, chunks, memoryLimit, before }: Reduction,
  ) {
    this.#instances = instances;
    this.#module = module;
    this.#reducer = new Reducer(module);
    const opened = this.#reducer.open(request, memoryLimit ?? ACCUMULATOR_BYTES);
    this.#session = opened.session;
    this.parts = { bytes: partBytes(opened.sizes, chunks), together: togetherBytes(memoryLimit) };
    if (before) this.#reducer.resume(this.#session, before);
  }

  /** What is remembered of all parts, for a reduction that goes on. */
  words(): Uint8Array<ArrayBuffer> {
    return this.#reducer.words(this.#session);
  }

  expect(type: TypeDescription): void {
    this.#type = type;
  }

  begin(layout: ReadLayout): void {
    this.#layout = layout;
  }

  reduction(box: NumberedBox): PartReduction {
    return { module: this.#module, request: this.#reducer.within(this.#session, box) };
  }

  reduced(box: NumberedBox, words: Uint8Array): void {
    this.#merged = this.#reducer.take(this.#session, box, words);
    this.onReduced(this.share);
  }

  async part(part: Part): Promise<void> {
    // A decoder has reduced it.
    if (part.elements === null && part.chunks.length === 0) return;
    const elements = this.#wholeOf(part) ?? (await this.#elementsOf(part));
    this.#merged = this.#reducer.takeElements(this.#session, part, elements);
    this.onReduced(this.share);
  }

  /** The elements of a part that are those of one chunk as they lie in memory. */
  #wholeOf({ shape, elements, chunks: [chunk, ...others] }: Part): Uint8Array | undefined {
    if (!this.#layout || !chunk || elements !== null || others.length > 0) return undefined;
    const { order, elementSize } = this.#layout;
    const extents = Array.from(shape);
    const destination = {
      order,
      strides: stridesOf(extents, order),
      start: extents.map(() => 0),
      elementSize,
    };
    return wholeResult(destination, chunk, product(extents) * elementSize);
  }

  /** The elements of a part, packed in C order. */
  async #elementsOf(part: Part): Promise<Uint8Array> {
    if (!this.#type || !this.#layout) throw new Error("a part arrived before the layout");
    const whole = new Assembly(this.#instances, {});
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
  answers(questions: readonly ReductionQuestion[], settings: ReductionSettings): ReductionAnswer[] {
    return questions.map((asked) => this.#reducer.answer(this.#session, asked, settings));
  }
}
