/**
 * What users' code threw on the page, by number: the engine refers to it as a cause, and the caller
 * gets the very object.
 */

/** Values that are kept; an error that is reported later than so many others loses its cause. */
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
