/**
 * A selection part by part, as the parts arrive. Whoever takes them sets the pace: the engine waits while some are not taken, and so holds
 * no more than a few, however large the selection is.
 */
import { FACTS } from "../array.ts";
import type { TypeDescription } from "../../model/data_type.ts";
import { ZarrError } from "../../model/errors.ts";
import type { AnySelection, EngineRequest } from "../selection.ts";
import type { Sink } from "../../engine/read/job.ts";
import type { PlacedChunk } from "../../elements/place_chunk.ts";
import { type PreparedRead, prepareRead, type WantedElements } from "./prepared.ts";
import { type AnyArray, type ReadOptions, readInto } from "../../engine/read/read.ts";
import { type Form, type Layout, type ReadResult, Result } from "../../engine/read/assembly.ts";

/** What `Array.stream` takes beside the selection. */
export interface StreamOptions extends ReadOptions {
  /** `"nearest"` (the default) begins at `centre` and goes outwards, `"c"` goes row by row. Parts come as they arrive. */
  order?: "nearest" | "c";
  /**
   * A place of the result, by its own dimensions (those that an integer selects are not among them); its middle unless given. What is nearest
   * comes first.
   */
  centre?: readonly number[];
}

/** Where a part belongs. */
export interface PartPlace {
  /** First place in the result, by its own dimensions. */
  start: number[];
  /** The same in all dimensions of the array: 0 where an integer selects one. */
  offset: number[];
}

type AnyPart = ReadResult & PartPlace;

/** Takes the parts of a read and hands them out one by one: the engine's sink in place of a `Result`. */
class PartQueue implements Sink {
  #form: Form = "plain";
  #shaped: PreparedRead["shaped"] = (result) => result;
  readonly #ready: { part: AnyPart; taken: () => void }[] = [];
  readonly #asking: { resolve(part: AnyPart | undefined): void; reject(error: unknown): void }[] = [];
  #type: TypeDescription | undefined;
  #layout: Layout | undefined;
  #end: { error?: unknown } | undefined;

  /** Tells what becomes of each part, before anything else. */
  prepare({ form, shaped }: PreparedRead): void {
    this.#form = form;
    this.#shaped = shaped;
  }

  expect(type: TypeDescription): void {
    this.#type = type;
    new Result({ form: this.#form }).expect(type);
  }

  begin(layout: Layout): void {
    this.#layout = layout;
  }

  /** Resolves when the part was taken. */
  async part(
    start: ArrayLike<number>,
    shape: ArrayLike<number>,
    elements: Uint8Array | undefined | null,
    ours: boolean,
    chunks: readonly PlacedChunk[],
  ): Promise<void> {
    const layout = this.#layout;
    if (!this.#type || !layout) throw new Error("a part came before the layout");
    const result = new Result({ form: this.#form });
    result.expect(this.#type);
    result.begin({ ...layout, shape: Array.from(shape), parts: 1 });
    await result.part(new Float64Array(shape.length), shape, elements, ours, chunks);
    const offset = Array.from(start);
    const place = { start: offset.filter((_, axis) => layout.kept[axis]), offset };
    await new Promise<void>((taken) => {
      this.#ready.push({ part: { ...this.#shaped(result.finish()), ...place }, taken });
      this.#serve();
    });
  }

  /** No more parts come; those that are there can still be taken, but after an error. */
  end(outcome: { error?: unknown }): void {
    this.#end ??= outcome;
    if ("error" in this.#end) this.#ready.length = 0;
    this.#serve();
  }

  /** Nobody takes any more. */
  stop(): void {
    this.#end = {};
    this.#ready.length = 0;
    this.#serve();
  }

  /** The next part; undefined after the last. */
  next(): Promise<AnyPart | undefined> {
    return new Promise((resolve, reject) => {
      this.#asking.push({ resolve, reject });
      this.#serve();
    });
  }

  #serve(): void {
    for (;;) {
      const [asking] = this.#asking;
      if (!asking || (this.#ready.length === 0 && !this.#end)) return;
      this.#asking.shift();
      const first = this.#ready.shift();
      if (first) {
        first.taken();
        asking.resolve(first.part);
        continue;
      }
      const { error } = this.#end ?? {};
      // An error is told once; after it the stream is over, as a generator is.
      if (error !== undefined) asking.reject(error);
      else asking.resolve(undefined);
      this.#end = {};
    }
  }
}

/** The centre by the dimensions of the array, and what is wrong with it. */
function nearestOf(
  array: AnyArray,
  { selection }: EngineRequest,
  { order = "nearest", centre }: StreamOptions,
) {
  if (order === "c" || !("Orthogonal" in selection)) return undefined;
  if (!centre) return [];
  const isIndex = array[FACTS].shape.map((_, axis) => {
    const entry = selection.Orthogonal[axis];
    return typeof entry === "object" && "Index" in entry;
  });
  const rank = isIndex.filter((index) => !index).length;
  if (centre.length !== rank) {
    throw new ZarrError("Argument", "the centre of a stream is a place of its result", {
      expected: `${rank} numbers`,
      actual: `${centre.length}`,
      path: array.path,
    });
  }
  const places = [...centre];
  return isIndex.map((index) => (index ? 0 : (places.shift() ?? 0)));
}

/** A stream of parts: begins at the first `next`, ends its requests at `return`. */
class PartStream implements AsyncIterableIterator<AnyPart> {
  readonly #queue: PartQueue;
  readonly #leaving = new AbortController();
  #begin: (() => void) | undefined;

  constructor(
    array: AnyArray,
    selection: AnySelection | null | undefined,
    options: StreamOptions & WantedElements,
  ) {
    const { signal, onProgress, priority, cache } = options;
    const queue = new PartQueue();
    this.#queue = queue;
    const read = async (ends: AbortSignal) => {
      const prepared = await prepareRead(array, selection, options, ends);
      queue.prepare(prepared);
      const { request } = prepared;
      const asked = { ...request, streamed: true, nearest: nearestOf(array, request, options) };
      await readInto(array, asked, queue, { signal: ends, onProgress, priority, cache });
    };
    this.#begin = () => {
      const ends = signal ? AbortSignal.any([signal, this.#leaving.signal]) : this.#leaving.signal;
      read(ends).then(
        () => queue.end({}),
        (error) => queue.end({ error }),
      );
    };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<AnyPart, undefined>> {
    this.#begin?.();
    this.#begin = undefined;
    const value = await this.#queue.next();
    return value ? { value, done: false } : { value: undefined, done: true };
  }

  /** Ends the stream at once, also while somebody waits for the next part. */
  async return(): Promise<IteratorResult<AnyPart, undefined>> {
    this.#begin = undefined;
    this.#queue.stop();
    this.#leaving.abort();
    return { value: undefined, done: true };
  }
}

/** The parts of a selection, in the form that the options ask for. */
export const streamSelection = (
  array: AnyArray,
  selection: AnySelection | null | undefined,
  options: StreamOptions & WantedElements,
): AsyncIterableIterator<AnyPart> => new PartStream(array, selection, options);
