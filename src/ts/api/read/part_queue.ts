/**
 * The parts of a stream on the page, between the engine, which sends them, and the caller, who
 * takes them one by one.
 */
import type { TypeDescription } from "../../model/data_type.ts";
import type { PartEvent } from "../../port/operations.ts";
import { formed, type ReadResult } from "./form.ts";
import type { PreparedRead } from "./prepared.ts";

/** Where a part belongs. */
export interface PartPlace {
  /** First place in the result, by its own dimensions. */
  start: number[];
  /** The same in all dimensions of the array: 0 where an integer selects one. */
  offset: number[];
}

export type AnyPart = ReadResult & PartPlace;

/** Hands out the parts of a read one by one. */
export class PartQueue {
  readonly #ready: { part: AnyPart; taken: () => void }[] = [];
  readonly #asking: { resolve(part: AnyPart | undefined): void; reject(error: unknown): void }[] = [];
  #end: { error?: unknown } | undefined;
  /** Parts get their form in the order in which they come. */
  #last: Promise<void> = Promise.resolve();

  /** Takes a part; `taken` lets the engine go on. */
  add(part: PartEvent, { form, shaped }: PreparedRead, type: TypeDescription, taken: () => void): void {
    const place = { start: part.start.filter((_, axis) => part.kept[axis]), offset: part.start };
    this.#last = this.#last.then(async () => {
      const result = shaped(await formed(type, form, part));
      this.#ready.push({ part: { ...result, ...place }, taken });
      this.#serve();
    });
    this.#last.catch((error) => this.end({ error }));
  }

  /** Resolves when all parts have their form. */
  settled(): Promise<void> {
    return this.#last;
  }

  /** No more parts come; those that are there can still be taken, but after an error. */
  end(outcome: { error?: unknown }): void {
    this.#end ??= outcome;
    if ("error" in this.#end) this.#ready.length = 0;
    this.#serve();
  }

  /** Nobody takes any more. */
  stop(): void {
    this.#end = {};
    this.#ready.length = 0;
    this.#serve();
  }

  /** The next part; undefined after the last. */
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
      // An error is told once; after it the stream is over, as a generator is.
      if (error !== undefined) asking.reject(error);
      else asking.resolve(undefined);
      this.#end = {};
    }
  }
}
