/**
 * Measures how long a page blocks: the longest gap between two ticks of a timer of 8 ms, and
 * between two frames. The timer is work too, so work is measured in runs without it.
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

  /** Resolves at the next tick, which ends a gap in progress. */
  next() {
    return new Promise((resolve) => {
      this.#onTick = resolve;
    });
  }

  /** Waits for a tick and a frame. A measurement begins and ends with this. */
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
