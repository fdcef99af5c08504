/**
 * `Array.stream`: a selection as parts, in the order of arrival. The caller sets the pace: the
 * engine waits until parts are taken, so only a few are in memory, however large the selection is.
 * A queue is between the engine, which sends parts, and the caller, who takes them one by one. It
 * is lazy code, which `streamSelection` (`stream_start.ts`) loads.
 */
import type { TypeDescription } from "../../engine/ts/model/data_type.ts";
import { ZarrError } from "../../engine/ts/model/errors.ts";
import type { PartEvent } from "../../engine/ts/port/operations.ts";
import { type ArrayNode, FACTS } from "../node_facts.ts";
import type { AnySelection } from "../selection.ts";
import { readParts } from "./read.ts";
import { prepareRead, type Read, type ReadOptions, type WantedElements } from "./request.ts";
import { type Form, formed, type ReadResult } from "./result.ts";

/** The position of a part. */
export interface PartPlace {
  /** Index of its first element in the result, in the result's dimensions. */
  start: number[];
  /**
   * Index of its first element within the selection, in all dimensions of the array: 0 where an
   * integer selects one.
   */
  offset: number[];
}

export type AnyPart = ReadResult & PartPlace;

/** What a stream is of. */
export interface PartIterator {
  next(): Promise<IteratorResult<AnyPart, undefined>>;
  /** Ends the stream at once, even if a `next` is pending. */
  return(): Promise<IteratorResult<AnyPart, undefined>>;
}

/** Returns the parts of a read one by one. */
export class PartQueue {
  readonly #ready: { part: AnyPart; taken: () => void }[] = [];
  readonly #asking: { resolve(part: AnyPart | undefined): void; reject(error: unknown): void }[] = [];
  #end: { error?: unknown } | undefined;
  /** Parts are converted in the order in which they arrive. */
  #last: Promise<void> = Promise.resolve();

  /**
   * Adds a part. `taken` is called when the caller takes it, so that the engine sends the next one.
   */
  add(part: PartEvent, type: TypeDescription, form: Form, taken: () => void): void {
    const where = { start: part.start.filter((_, axis) => part.kept[axis]), offset: part.start };
    this.#last = this.#last.then(async () => {
      const result = await formed(type, form, part);
      this.#ready.push({ part: { ...result, ...where }, taken });
      this.#serve();
    });
    this.#last.catch((error) => this.end({ error }));
  }

  /** Resolves when all parts are converted. */
  settled(): Promise<void> {
    return this.#last;
  }

  /** Ends the queue. The remaining parts can still be taken, unless there is an error. */
  end(outcome: { error?: unknown }): void {
    this.#end ??= outcome;
    if ("error" in this.#end) this.#ready.length = 0;
    this.#serve();
  }

  /** Drops all parts, because the caller has left the stream. */
  stop(): void {
    this.#end = {};
    this.#ready.length = 0;
    this.#serve();
  }

  /** The next part; undefined after the last one. */
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
      // The error is reported once. Afterwards the stream has ended, as a generator has.
      if (error !== undefined) asking.reject(error);
      else asking.resolve(undefined);
      this.#end = {};
    }
  }
}

/** Options of `Array.stream`. */
export interface StreamOptions extends ReadOptions {
  /**
   * The order of requests: `"nearest"` begins at `centre` and proceeds outwards, `"c"` goes row by
   * row. Parts are returned in the order of arrival. Default: `"nearest"`.
   */
  order?: "nearest" | "c" | undefined;
  /**
   * The index in the result's dimensions at which `"nearest"` begins. Dimensions that an integer
   * selects are not among them. Default: the middle.
   */
  centre?: readonly number[] | undefined;
}

/**
 * Converts the centre to the dimensions of the array. Throws an `Argument` error if it is invalid.
 */
function nearestOf({ array, request }: Read, { order = "nearest", centre }: StreamOptions) {
  const { selection } = request;
  if (order === "c" || !("Orthogonal" in selection)) return undefined;
  if (!centre) return [];
  const isIndex = array[FACTS].shape.map((_, axis) => {
    const entry = selection.Orthogonal[axis];
    return typeof entry === "object" && "Index" in entry;
  });
  const rank = isIndex.filter((index) => !index).length;
  if (centre.length !== rank) {
    throw new ZarrError("Argument", "the option centre must be an index of the result", {
      expected: `${rank} numbers`,
      actual: `${centre.length}`,
      path: array.path,
    });
  }
  const indices = [...centre];
  return isIndex.map((index) => (index ? 0 : (indices.shift() ?? 0)));
}

/**
 * A stream of parts. It starts the read at the first `next` and cancels the requests at `return`.
 */
class PartStream implements PartIterator {
  readonly #queue: PartQueue;
  readonly #leaving = new AbortController();
  #begin: (() => void) | undefined;

  constructor(
    array: ArrayNode,
    selection: AnySelection | null | undefined,
    options: StreamOptions & WantedElements,
  ) {
    const { signal, onProgress } = options;
    const queue = new PartQueue();
    this.#queue = queue;
    const read = async (ends: AbortSignal) => {
      const prepared = await prepareRead(array, selection, { ...options, signal: ends });
      const { type, form } = prepared;
      const onPart = (part: PartEvent, taken: () => void) => queue.add(part, type, form, taken);
      const request = { ...prepared.request, streamed: true, nearest: nearestOf(prepared, options) };
      await readParts({ ...prepared, request }, { onProgress, onPart }, { signal: ends, repeats: false });
      await queue.settled();
      ends.throwIfAborted();
    };
    this.#begin = () => {
      const ends = signal ? AbortSignal.any([signal, this.#leaving.signal]) : this.#leaving.signal;
      read(ends).then(
        () => queue.end({}),
        (error) => queue.end({ error }),
      );
    };
  }

  async next(): Promise<IteratorResult<AnyPart, undefined>> {
    this.#begin?.();
    this.#begin = undefined;
    const value = await this.#queue.next();
    return value ? { value, done: false } : { value: undefined, done: true };
  }

  async return(): Promise<IteratorResult<AnyPart, undefined>> {
    this.#begin = undefined;
    this.#queue.stop();
    this.#leaving.abort();
    return { value: undefined, done: true };
  }
}

/** The parts of a selection, in the form that the options give. */
export const partsOf = (
  array: ArrayNode,
  selection: AnySelection | null | undefined,
  options: StreamOptions & WantedElements,
): PartIterator => new PartStream(array, selection, options);
