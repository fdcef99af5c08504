/**
 * `Array.stream`: a selection as parts, in the order of arrival. The caller sets the pace: the
 * engine waits until parts are taken, so only a few are in memory, however large the selection is.
 */
import { ZarrError } from "../../model/errors.ts";
import type { PartEvent } from "../../port/operations.ts";
import { type ArrayNode, FACTS } from "../node_facts.ts";
import type { AnySelection } from "../selection.ts";
import { type AnyPart, PartQueue } from "./part_queue.ts";
import { readParts } from "./read.ts";
import { prepareRead, type Read, type ReadOptions, type WantedElements } from "./request.ts";

/** Options of `Array.stream`. */
export interface StreamOptions extends ReadOptions {
  /**
   * The order of requests: `"nearest"` begins at `centre` and proceeds outwards, `"c"` goes row by
   * row. Parts are returned in the order of arrival. Default: `"nearest"`.
   */
  order?: "nearest" | "c";
  /**
   * The index in the result's dimensions at which `"nearest"` begins. Dimensions that an integer
   * selects are not among them. Default: the middle.
   */
  centre?: readonly number[];
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
  const places = [...centre];
  return isIndex.map((index) => (index ? 0 : (places.shift() ?? 0)));
}

/**
 * A stream of parts. It starts the read at the first `next` and cancels the requests at `return`.
 */
class PartStream implements AsyncIterableIterator<AnyPart> {
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
      const onPart = (part: PartEvent, credit: () => void) => queue.add(part, type, form, credit);
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

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<AnyPart, undefined>> {
    this.#begin?.();
    this.#begin = undefined;
    const value = await this.#queue.next();
    return value ? { value, done: false } : { value: undefined, done: true };
  }

  /** Ends the stream at once, even if a `next` is pending. */
  async return(): Promise<IteratorResult<AnyPart, undefined>> {
    this.#begin = undefined;
    this.#queue.stop();
    this.#leaving.abort();
    return { value: undefined, done: true };
  }
}

/** Streams the parts of a selection, in the form that the options give. */
export const streamSelection = (
  array: ArrayNode,
  selection: AnySelection | null | undefined,
  options: StreamOptions & WantedElements,
): AsyncIterableIterator<AnyPart> => new PartStream(array, selection, options);
