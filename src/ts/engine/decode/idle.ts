/**
 * Ends what nobody has used for a while, without keeping a process of Node alive for it.
 */

/** The longest time that a timer can wait, in ms. */
const LONGEST = 2 ** 31 - 1;

export class IdleClock {
  readonly #limit: () => number;
  readonly #end: (since: number) => boolean;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When the timer rings; never, while there is none. */
  #due = Number.POSITIVE_INFINITY;

  /**
   * `end(since)` ends what has been idle since then or longer, and says whether there is more to
   * watch; a limit in ms, or none.
   */
  constructor(limit: () => number, end: (since: number) => boolean) {
    this.#limit = limit;
    this.#end = end;
  }

  /** Something is idle from now on; the limit may be another than before. */
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
