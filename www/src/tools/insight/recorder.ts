/**
 * Records what the engine reports, once a second for the last minute, and for how long the page was
 * blocked or waited for tiles. It is small, because it runs from the start: a user asks why the
 * page is slow after it was.
 */

import * as zarr from "zarr-wasm";

/** What happened within a second. Counts and bytes are those of this second. */
export interface Second {
  /** The end of it, in s since the page was opened. */
  time: number;
  requests: number;
  bytes: number;
  cancelled: number;
  hits: number;
  misses: number;
  /** Working time of the decoders in ms, by the names of the codecs. */
  decodeMs: Record<string, number>;
  /** Number of decode workers at its end. */
  workers: number;
  /** Bytes in the engine's caches at its end. */
  keptBytes: number;
  /** The most bytes that they hold. */
  keptLimit: number;
  /** For how many ms the page could not react. */
  blockedMs: number;
  /** For how many ms the picture waited for tiles. */
  waitingMs: number;
}

type Totals = Pick<zarr.Info, "wire" | "caches" | "decodeMsBy" | "workers">;

const KEPT = 60;
const TICK_MS = 100;
/** A later tick means that the page was blocked. */
const BLOCKED_MS = 50;

export class Recorder {
  readonly seconds: Second[] = [];
  readonly #isWaiting: () => boolean;
  #before: Totals = zarr.info();
  #ticked = performance.now();
  #ended = this.#ticked;
  #blockedMs = 0;
  #waitingMs = 0;

  /** `isWaiting` tells whether the picture lacks tiles. */
  constructor(isWaiting: () => boolean) {
    this.#isWaiting = isWaiting;
    setInterval(() => this.#tick(), TICK_MS);
    document.addEventListener("visibilitychange", () => {
      this.#ticked = performance.now();
    });
  }

  #tick(): void {
    const now = performance.now();
    const passed = now - this.#ticked;
    this.#ticked = now;
    // Browsers slow the timers of hidden pages down.
    if (document.hidden) return;
    if (passed - TICK_MS > BLOCKED_MS) this.#blockedMs += passed - TICK_MS;
    if (this.#isWaiting()) this.#waitingMs += passed;
    if (now - this.#ended >= 1000) this.#end(now);
  }

  #end(now: number): void {
    const info = zarr.info();
    const waitingMs = Math.min(this.#waitingMs, 1000);
    this.seconds.push({
      ...between(this.#before, info),
      time: now / 1000,
      blockedMs: this.#blockedMs,
      waitingMs,
    });
    if (this.seconds.length > KEPT) this.seconds.shift();
    [this.#before, this.#ended, this.#blockedMs, this.#waitingMs] = [info, now, 0, 0];
  }
}

function between(before: Totals, after: Totals): Omit<Second, "time" | "blockedMs" | "waitingMs"> {
  const { caches } = after;
  const count = (of: (totals: Totals) => number) => Math.max(0, of(after) - of(before));
  const names = Object.keys(after.decodeMsBy);
  const decodeMs = names.map((name) => [name, count(({ decodeMsBy }) => decodeMsBy[name] ?? 0)] as const);
  return {
    requests: count((totals) => totals.wire.requests),
    bytes: count((totals) => totals.wire.bytes),
    cancelled: count((totals) => totals.wire.aborted),
    hits: count((totals) => totals.caches.encoded.hits + totals.caches.decoded.hits),
    misses: count((totals) => totals.caches.encoded.misses + totals.caches.decoded.misses),
    decodeMs: Object.fromEntries(decodeMs.filter(([, ms]) => ms > 0)),
    workers: after.workers,
    keptBytes: caches.encoded.bytes + caches.decoded.bytes,
    keptLimit: caches.encoded.limit + caches.decoded.limit,
  };
}
