/**
 * A timer that ends what has been idle for a while. It does not keep Node's process alive.
 */

/** The longest delay of a timer, in ms. */
const LONGEST = 2 ** 31 - 1;

export class IdleClock {
  readonly #limit: () => number;
  readonly #end: (since: number) => boolean;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Time at which the timer fires; infinity if none is set. */
  #due = Number.POSITIVE_INFINITY;

  /**
   * `limit()` is in ms. `end(since)` ends what has been idle since then, and returns whether
   * anything is left to watch.
   */
  constructor(limit: () => number, end: (since: number) => boolean) {
    this.#limit = limit;
    this.#end = end;
  }

  /** Something is idle from now on. The limit may have changed. */
  watch(): void {
    const limit = Math.max(1, this.#limit());
    const due = performance.now() + limit;
    if (!(limit <= LONGEST) || due >= this.#due) return;
    clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(() => {
      this.#due = Number.POSITIVE_INFINITY;
      if (this.#end(performance.now() - this.#limit())) this.watch();
    }, limit);
    (this.#timer as { unref?(): void }).unref?.();
  }
}
