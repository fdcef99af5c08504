/**
 * Keeps the values that users' code threw on the page, by number. An error of the engine refers to
 * such a number as its cause, so the caller gets the very same object.
 */

/** Number of values kept. An error that arrives after more of them were thrown loses its cause. */
const MOST_KEPT = 1024;

export class ThrownValues {
  readonly #values = new Map<number, unknown>();
  #next = 1;

  keep(value: unknown): number {
    const number = this.#next++;
    this.#values.set(number, value);
    const [oldest] = this.#values.keys();
    if (this.#values.size > MOST_KEPT && oldest !== undefined) this.#values.delete(oldest);
    return number;
  }

  get(number: number): unknown {
    return this.#values.get(number);
  }
}
