/**
 * The queue of a stream's parts on the page, between the engine, which sends them, and the caller,
 * who takes them one by one.
 */
import type { TypeDescription } from "../../model/data_type.ts";
import type { PartEvent } from "../../port/operations.ts";
import { type Form, formed, type ReadResult } from "./form.ts";

/** The position of a part. */
export interface PartPlace {
  /** Index of its first element in the result, in the result's dimensions. */
  start: number[];
  /**
   * Index of its first element within the selection, in all dimensions of the array: 0 where an
   * integer selects one.
   */
  offset: number[];
}

export type AnyPart = ReadResult & PartPlace;

/** Returns the parts of a read one by one. */
export class PartQueue {
  readonly #ready: { part: AnyPart; taken: () => void }[] = [];
  readonly #asking: { resolve(part: AnyPart | undefined): void; reject(error: unknown): void }[] = [];
  #end: { error?: unknown } | undefined;
  /** Parts are converted in the order in which they arrive. */
  #last: Promise<void> = Promise.resolve();

  /**
   * Adds a part. `taken` is called when the caller takes it, so that the engine sends the next one.
   */
  add(part: PartEvent, type: TypeDescription, form: Form, taken: () => void): void {
    const place = { start: part.start.filter((_, axis) => part.kept[axis]), offset: part.start };
    this.#last = this.#last.then(async () => {
      const result = await formed(type, form, part);
      this.#ready.push({ part: { ...result, ...place }, taken });
      this.#serve();
    });
    this.#last.catch((error) => this.end({ error }));
  }

  /** Resolves when all parts are converted. */
  settled(): Promise<void> {
    return this.#last;
  }

  /** Ends the queue. The remaining parts can still be taken, unless there is an error. */
  end(outcome: { error?: unknown }): void {
    this.#end ??= outcome;
    if ("error" in this.#end) this.#ready.length = 0;
    this.#serve();
  }

  /** Drops all parts, because the caller has left the stream. */
  stop(): void {
    this.#end = {};
    this.#ready.length = 0;
    this.#serve();
  }

  /** The next part; undefined after the last one. */
  next(): Promise<AnyPart | undefined> {
    return new Promise((resolve, reject) => {
      this.#asking.push({ resolve, reject });
      this.#serve();
    });
  }

  #serve(): void {
    for (;;) {
      const [asking] = this.#asking;
      if (!asking || (this.#ready.length === 0 && !this.#end)) return;
      this.#asking.shift();
      const first = this.#ready.shift();
      if (first) {
        first.taken();
        asking.resolve(first.part);
        continue;
      }
      const { error } = this.#end ?? {};
      // The error is reported once. Afterwards the stream has ended, as a generator has.
      if (error !== undefined) asking.reject(error);
      else asking.resolve(undefined);
      this.#end = {};
    }
  }
}
