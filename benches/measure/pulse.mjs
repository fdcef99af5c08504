/**
 * How long a page stands still: the longest gap between two ticks of a timer of 8 ms, and between two frames. The timer costs the
 * page some work of its own, so that work is measured without it.
 */

const TICK_MS = 8;

export class Pulse {
  #gap = 0;
  #frame = 0;
  #tickedAt = performance.now();
  #shownAt;
  #onTick = () => {};
  #isRunning = true;
  #timer = setInterval(() => this.#tick(), TICK_MS);

  constructor() {
    requestAnimationFrame((at) => this.#show(at));
  }

  #tick() {
    const now = performance.now();
    this.#gap = Math.max(this.#gap, now - this.#tickedAt);
    this.#tickedAt = now;
    this.#onTick();
  }

  #show(at) {
    if (this.#shownAt !== undefined) this.#frame = Math.max(this.#frame, at - this.#shownAt);
    this.#shownAt = at;
    if (this.#isRunning) requestAnimationFrame((next) => this.#show(next));
  }

  /** Resolves with the next tick: before it, a pause that is under way has not been seen. */
  next() {
    return new Promise((resolve) => {
      this.#onTick = resolve;
    });
  }

  /** A tick and a frame: what is measured lies between two of these. */
  async beat() {
    await this.next();
    await new Promise(requestAnimationFrame);
  }

  /** The longest gaps in ms. */
  async stop() {
    await this.beat();
    clearInterval(this.#timer);
    this.#isRunning = false;
    return { gap: this.#gap, frame: this.#frame };
  }
}
