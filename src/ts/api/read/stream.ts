/**
 * `Array.stream`: a selection as parts, in the order of arrival. The caller sets the pace: the
 * engine waits until parts are taken, so only a few are in memory, however large the selection is.
 */
import { ZarrError } from "../../model/errors.ts";
import { call } from "../../port/engine.ts";
import type { ReadEvent } from "../../port/operations.ts";
import { arrayNumber, bindCodecs, typeOf } from "../arrays.ts";
import { type ArrayNode, FACTS } from "../node_facts.ts";
import type { AnySelection } from "../selection.ts";
import { observeRead, type ReadOptions, type ReadRequest, readArguments } from "./arguments.ts";
import { checkForm } from "./form.ts";
import { type AnyPart, PartQueue } from "./part_queue.ts";
import { prepareRead, type WantedElements } from "./prepared.ts";
import { progressOf } from "./progress.ts";

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
function nearestOf(
  array: ArrayNode,
  { selection }: ReadRequest,
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
    const { signal, onProgress, priority, cache } = options;
    const queue = new PartQueue();
    this.#queue = queue;
    const reading = {
      ...(onProgress && { onProgress }),
      ...(priority !== undefined && { priority }),
      ...(cache && { cache }),
    };
    const read = async (ends: AbortSignal) => {
      const prepared = await prepareRead(array, selection, options, ends);
      await bindCodecs(array[FACTS], ends);
      const { request } = prepared;
      const type = request.conversion?.type ?? (await typeOf(array, ends));
      checkForm(type, prepared.form, undefined);
      const asked = { ...request, streamed: true, nearest: nearestOf(array, request, options) };
      const { arrayNode, ...args } = readArguments(array, asked, reading);
      const onEvent = (event: ReadEvent, credit: () => void) => {
        if (event.type === "part") queue.add(event, prepared, type, credit);
        else if (event.type === "progress") onProgress?.(progressOf(event.numbers));
      };
      const numbers = await call(
        "stream",
        (objects) => ({ ...args, array: arrayNumber(objects, arrayNode) }),
        { signal: ends, onEvent, repeats: false },
      );
      await queue.settled();
      ends.throwIfAborted();
      observeRead(array, numbers);
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
