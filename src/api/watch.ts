/**
 * `watch`: tells when the metadata of an array have changed, such as its shape, because another
 * program appends to it. It requests the metadata alone, and no chunk.
 */

import { need, optionsOf, type Rules, SIGNAL } from "../engine/ts/model/argument.ts";
import { ZarrError } from "../engine/ts/model/errors.ts";
import type { Attributes, DataType, Readable } from "../engine/ts/model/types.ts";
import { unlessAborted } from "../engine/ts/model/waiting.ts";
import { type AnyArray, renew, type Array as ZarrArray } from "./array.ts";
import { FACTS, needArray } from "./node_facts.ts";
import { readSummaryAnew } from "./opened_nodes.ts";

/** Options of `watch`. */
export interface WatchOptions {
  /**
   * Time between two requests. A hidden page waits six times as long. Default: 30 000.
   *
   * @unit milliseconds
   * @throws an `Argument` error for a time that is not above 0.
   */
  interval?: number | undefined;
  /** Ends the watch. */
  signal?: AbortSignal | undefined;
}

/** A change of an array's metadata. The array itself has the new ones already. */
export interface ArrayChange {
  /** The shape now, in elements. */
  readonly shape: readonly number[];
  /** The shape before, in elements. */
  readonly oldShape: readonly number[];
  /** The attributes now. */
  readonly attrs: Attributes;
  /** The attributes before. */
  readonly oldAttrs: Attributes;
}

const RULES: Rules<WatchOptions> = { ...SIGNAL, interval: "a number" };

/** How many times longer a hidden page waits. */
const HIDDEN = 6;

/** The longest wait in ms after failures, each of which doubles it. */
const MAX_WAIT_MS = 600_000;

/** The longest time in ms that a timer takes. It fires at once for a longer one. */
const LONGEST_TIMER = 2 ** 31 - 1;

async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  const { visibilityState } = (globalThis as { document?: Document }).document ?? {};
  const time = Math.min(visibilityState === "hidden" ? HIDDEN * ms : ms, LONGEST_TIMER);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, time);
  });
  await unlessAborted(waited, signal).finally(() => clearTimeout(timer));
}

/** Whether the next attempt may succeed: the server may have failed for a moment. */
const isPassing = (error: unknown): boolean => error instanceof ZarrError && error.code === "Store";

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * Yields each change of an array's shape and attributes. The array has the new metadata then. If it
 * has grown, the chunks at its old edge are read anew; after other changes all chunks are. While
 * the server fails, requests become rarer. Other errors end the watch, as an abort of `signal`
 * does.
 *
 * The requests are conditional: as long as nothing has changed, a server with `ETag`s sends no
 * body.
 *
 *     for await (const { shape, oldShape } of watch(air, { signal })) {
 *       const fresh = { time: slice(oldShape[0], shape[0]) };
 *       mean = await reduce(air, fresh, { op: "mean", over: "time", accumulate: mean });
 *     }
 *
 * @param array The array, as it was opened.
 * @throws the errors of `Array.refresh`, but not those of a server that fails for a while.
 */
export function watch(
  array: ZarrArray<DataType, Readable>,
  options: WatchOptions = {},
): AsyncGenerator<ArrayChange, void> {
  needArray(array);
  const { interval = 30_000, signal } = optionsOf(options, RULES);
  need(interval > 0, "interval", "a time in ms, above 0", interval);
  return changes(array as AnyArray, interval, signal);
}

async function* changes(
  array: AnyArray,
  interval: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<ArrayChange, void> {
  let pause = interval;
  for (;;) {
    await wait(pause, signal);
    const { shape: oldShape, attributes: oldAttrs, format } = array[FACTS];
    try {
      const summary = await readSummaryAnew(array, { kind: "array", format, signal, asks: true });
      pause = interval;
      if (summary.document === array[FACTS].document && !summary.large) continue;
      await renew(array, summary, array[FACTS].document);
    } catch (error) {
      signal?.throwIfAborted();
      if (!isPassing(error)) throw error;
      pause = Math.min(2 * pause, Math.max(interval, MAX_WAIT_MS));
      continue;
    }
    const { shape, attributes: attrs } = array[FACTS];
    if (!same([shape, attrs], [oldShape, oldAttrs])) yield { shape, oldShape, attrs, oldAttrs };
  }
}
