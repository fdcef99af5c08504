/**
 * Reads a selection of an array into a sink. A `Job` is one read: the sink of its parts and its
 * decoders. `src/engine/rust/js/read.rs` drives it. The sink of a result is an `Assembly`. Those of
 * a stream and of a summary, whose parts do not become one result, are here.
 */

import {
  type NumberedBox,
  numberedBoxShape,
  type ReadLayout,
  type ReadProgress,
  readLayoutShape,
  readProgressShape,
} from "../../../../contract/contract.ts";
import type { PartBox } from "../../elements/loops.ts";
import { VARIABLE_SIZE } from "../../elements/pack.ts";
import type { ChunkToScatter } from "../../elements/scatter.ts";
import { product } from "../../elements/typed_arrays.ts";
import type { TypeDescription } from "../../model/data_type.ts";
import { addSummary, newSummary } from "../../model/read_request.ts";
import { isUint8Array } from "../../model/realms.ts";
import { readRecord } from "../../model/records.ts";
import type { ArrayDefinition } from "../../port/definitions.ts";
import type { PartEvent, ReadCall, ResultLayout } from "../../port/operations.ts";
import type { DecodePool } from "../decode/decode_pool.ts";
import type { SharedTarget } from "../decode/gate.ts";
import type { PartReduction, PartTarget } from "../decode/messages.ts";
import type { DecodePools } from "../decode/pool_choice.ts";
import type { BoundArray, ReadPart, Task } from "../decode/work.ts";
import type { Glue, Instances } from "../instance_switch.ts";
import { type CallContext, operate } from "../operations/operation.ts";
import { ReportedError } from "../wasm_module.ts";
import { Assembly, type Part } from "./assembly.ts";

/** Receives the parts of a read: an `Assembly`, a stream or a sum. */
export interface Sink {
  expect(type: TypeDescription): void;
  begin(layout: ReadLayout): void;
  /**
   * The read has failed or was aborted. After the promise, if one is returned, has resolved,
   * nothing is written any more.
   */
  leave?(): undefined | void | Promise<void>;
  /**
   * Returns a function that takes a part's elements at once, in borrowed memory. Without it, `part`
   * receives elements to keep.
   */
  scatterer?(box: PartBox): ((elements: Uint8Array) => void) | undefined;
  /** The target for workers that write a part themselves. */
  target?(box: PartBox): SharedTarget | undefined;
  /** What a decoder is to do with a part's elements instead of an answer with them. */
  reduction?(box: NumberedBox): PartReduction;
  /** Receives the decoder's answer then. */
  reduced?(box: NumberedBox, words: Uint8Array): void;
  /**
   * Receives a part. If it returns a promise, the part counts as in flight until the promise
   * resolves.
   */
  part(part: Part): undefined | void | Promise<void>;
}

interface JobOptions {
  pools: DecodePools;
  array: BoundArray;
  result: Sink;
  /** Number of elements of a chunk. */
  chunkElements: number;
  decoding: ArrayDefinition["decoding"];
  priority: number;
  /** Receives the bytes of a `ReadProgress`. */
  onProgress: ((record: Uint8Array<ArrayBuffer>) => void) | undefined;
}

/**
 * Scatters elements. A lack of memory for the result is reported as such, not as an error of the
 * decoder.
 */
function scattered(scatter: (elements: Uint8Array) => void, elements: Uint8Array): void {
  try {
    scatter(elements);
  } catch (error) {
    const { message } = error as Error;
    throw ReportedError.of("Limit", `there is not enough memory for the result: ${message}`);
  }
}

class Job {
  readonly #options: JobOptions;
  readonly #parts = new Map<number, Task<ReadPart>>();
  /**
   * The error with which the sink refused to begin. It is kept here, because Rust would report it
   * as a lack of memory.
   */
  refusal: unknown;
  #pool: DecodePool;

  constructor(options: JobOptions) {
    this.#options = options;
    this.#pool = options.pools.of(Number.POSITIVE_INFINITY);
  }

  /** Whether progress is reported. */
  get wantsProgress(): boolean {
    return this.#options.onProgress !== undefined;
  }

  begin(record: Uint8Array<ArrayBuffer>): void {
    const layout = readRecord(readLayoutShape, record);
    const { pools, array, chunkElements, decoding } = this.#options;
    const size = layout.elementSize || VARIABLE_SIZE;
    const bytes = layout.touched * size;
    this.#pool = pools.forRead({ bytes, chunkBytes: chunkElements * size, array, decoding });
    try {
      this.#options.result.begin(layout);
    } catch (error) {
      this.refusal = error;
      throw error;
    }
  }

  part(
    record: Uint8Array<ArrayBuffer>,
    elements: Uint8Array | undefined | null,
    ours: boolean,
    numbers: Float64Array,
    chunks: Uint8Array[],
  ) {
    const box = readRecord(numberedBoxShape, record);
    const each = numbers.length / chunks.length;
    const toScatter = chunks.map((chunk, at): ChunkToScatter => {
      const [first, end] = [at * each, (at + 1) * each];
      return [numbers.subarray(first + 1, end), chunk, numbers[first] === 1];
    });
    return this.#options.result.part({ ...box, elements, ours, chunks: toScatter });
  }

  progress(record: Uint8Array<ArrayBuffer>): void {
    this.#options.onProgress?.(record);
  }

  decodeBegin(header: Uint32Array): number {
    const part = this.#pool.begin(this.#options.array, header, this.#options.priority);
    this.#parts.set(part.id, part);
    return part.id;
  }

  decodeSupply(id: number, table: Uint32Array, buffers: Uint8Array[], owned: boolean[]): void {
    this.#pool.supply(this.#partOf(id), { table, buffers, owned });
  }

  /** Resolves to the elements, or to a text: why the worker was lost that had the part. */
  async decodeFinish(id: number, target?: PartTarget): Promise<Uint8Array | string | undefined> {
    const part = this.#partOf(id);
    this.#parts.delete(id);
    const end = await this.#pool.finish(part, target);
    return "lost" in end ? end.lost : (end.result ?? undefined);
  }

  /**
   * As `decodeFinish`, for elements that may be scattered at once. Then it resolves to undefined.
   */
  decodeFinishAt(id: number, record: Uint8Array<ArrayBuffer>) {
    const { result } = this.#options;
    const box = readRecord(numberedBoxShape, record);
    const scatter = result.scatterer?.(box);
    const reduction = result.reduction?.(box);
    const target = {
      take: scatter && ((elements: Uint8Array) => scattered(scatter, elements)),
      shared: result.target?.(box),
      reduction,
    };
    const finished = this.decodeFinish(id, target);
    if (!reduction) return finished;
    return finished.then((words) => {
      if (!isUint8Array(words)) return words;
      result.reduced?.(box, words);
      return undefined;
    });
  }

  decodeCancel(id: number): void {
    const part = this.#parts.get(id);
    this.#parts.delete(id);
    if (part) this.#pool.cancel(part);
  }

  #partOf(id: number): Task<ReadPart> {
    const part = this.#parts.get(id);
    if (!part) throw new Error(`part ${id} has ended already`);
    return part;
  }
}

/** The progress callback of a read, if the caller listens. */
export const progressListener = (
  { wantsProgress }: Pick<ReadCall, "wantsProgress">,
  { tell }: CallContext,
) =>
  wantsProgress
    ? (record: Uint8Array<ArrayBuffer>) =>
        tell({ type: "progress", progress: readRecord(readProgressShape, record) })
    : undefined;

/**
 * Reads into a sink. Resolves to the counters of the read. After a rejection nothing is written to
 * the sink any more.
 */
export async function readInto(args: ReadCall, sink: Sink, context: CallContext): Promise<ReadProgress> {
  const { array, request, type } = args;
  const { arrays, pools } = context.engine;
  const known = arrays.of(array);
  const { chunks, decoding } = known.definition;
  let job: Job | undefined;
  const makeJob = (glue: Glue) => {
    sink.expect(type ?? arrays.typeOf(glue, array));
    job = new Job({
      pools,
      array: known.bound,
      result: sink,
      chunkElements: product(chunks),
      decoding,
      priority: request.priority ?? 0,
      onProgress: progressListener(args, context),
    });
    return { job };
  };
  try {
    return await operate("read", { array, request }, context, makeJob);
  } catch (error) {
    await sink.leave?.();
    throw job?.refusal ?? error;
  }
}

/** The sink of a stream. It sends each part and waits until the page has consumed it. */
export class PartSink implements Sink {
  readonly #instances: Instances;
  /** Sends a part. Resolves when the page has consumed it. */
  readonly #send: (part: PartEvent) => Promise<void>;
  /** Sends the layout before the parts. */
  readonly #tell: (layout: ResultLayout) => void;
  #type: TypeDescription | undefined;
  #layout: ReadLayout | undefined;

  constructor(
    instances: Instances,
    tell: (layout: ResultLayout) => void,
    send: (part: PartEvent) => Promise<void>,
  ) {
    this.#instances = instances;
    this.#tell = tell;
    this.#send = send;
  }

  expect(type: TypeDescription): void {
    this.#type = type;
  }

  begin(layout: ReadLayout): void {
    this.#layout = layout;
    const { shape, kept, order } = layout;
    this.#tell({ shape, kept, order });
  }

  async part(part: Part): Promise<void> {
    if (!this.#type || !this.#layout) throw new Error("a part arrived before the layout");
    const result = new Assembly(this.#instances, {});
    result.expect(this.#type);
    result.begin({ ...this.#layout, shape: Array.from(part.shape), parts: 1 });
    await result.part({ ...part, start: new Float64Array(part.shape.length) });
    await this.#send({ ...(await result.finish()), start: Array.from(part.start) });
  }
}

const numbersIn = (bytes: Uint8Array): Float64Array => new Float64Array(bytes.slice().buffer);

/**
 * The sink of a summary. Its parts are not elements but counts by value, which it adds up
 * (`src/kernel/summary.rs`).
 */
export class SummarySink implements Sink {
  readonly numbers: Float64Array;
  #ofFill: Float64Array | undefined;

  constructor(bins: number) {
    this.numbers = newSummary(bins);
  }

  expect(_type: TypeDescription): void {}

  begin({ fillValue }: ReadLayout): void {
    this.#ofFill = numbersIn(fillValue);
  }

  part({ shape, elements }: Part): void {
    const found = elements ? numbersIn(elements) : this.#ofFill;
    const times = elements ? 1 : product(Array.from(shape));
    if (found) addSummary(this.numbers, found, times);
  }
}
