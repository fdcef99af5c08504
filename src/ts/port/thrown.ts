/**
 * Keeps the values that users' code threw on the page, by number. An error of the engine refers to
 * such a number as its cause, so the caller gets the very same object.
 */
import { ZarrError } from "../model/errors.ts";

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

  /**
   * The error that the caller of an operation gets. Where a store or a `fetch` of the user failed,
   * it is what the user's code threw. This package's own errors stay, because they tell more, and
   * so do those of the network.
   */
  ofCaller(error: unknown): unknown {
    if (!(error instanceof ZarrError) || error.code !== "Store" || !("cause" in error)) return error;
    const { cause, field } = error;
    // An error of a storage transformer names its field of the metadata.
    const isOwn = cause instanceof ZarrError || isNetwork(error) || field !== undefined;
    return !isOwn && [...this.#values.values()].includes(cause) ? cause : error;
  }
}

/** Whether a request got no answer. `fetch` throws a `TypeError` then. */
const isNetwork = ({ cause, message }: ZarrError) =>
  cause instanceof TypeError && message.startsWith("network or CORS");
