/**
 * The sinks of reads whose parts do not become one result: those of a stream, and of a summary. The
 * sink of a result is an `Assembly`.
 */
import { product } from "../../elements/typed_arrays.ts";
import type { TypeDescription } from "../../model/data_type.ts";
import { addSummary, newSummary } from "../../model/summary_numbers.ts";
import type { PartEvent, ResultLayout } from "../../port/operations.ts";
import { Assembly, type Layout, type Part } from "./assembly.ts";
import type { Sink } from "./job.ts";

/** The sink of a stream. It sends each part and waits until the page has consumed it. */
export class PartSink implements Sink {
  /** Sends a part. Resolves when the page has consumed it. */
  readonly #send: (part: PartEvent) => Promise<void>;
  /** Sends the layout before the parts. */
  readonly #tell: (layout: ResultLayout) => void;
  #type: TypeDescription | undefined;
  #layout: Layout | undefined;

  constructor(tell: (layout: ResultLayout) => void, send: (part: PartEvent) => Promise<void>) {
    this.#tell = tell;
    this.#send = send;
  }

  expect(type: TypeDescription): void {
    this.#type = type;
  }

  begin(layout: Layout): void {
    this.#layout = layout;
    const { shape, kept, order } = layout;
    this.#tell({ shape, kept, order });
  }

  async part({ start, ...part }: Part): Promise<void> {
    if (!this.#type || !this.#layout) throw new Error("a part arrived before the layout");
    const result = new Assembly({});
    result.expect(this.#type);
    result.begin({ ...this.#layout, shape: Array.from(part.shape), parts: 1 });
    await result.part({ ...part, start: new Float64Array(part.shape.length) });
    await this.#send({ ...(await result.finish()), start: Array.from(start) });
  }
}

const numbersIn = (bytes: Uint8Array): Float64Array => new Float64Array(bytes.slice().buffer);

/**
 * The sink of a summary. Its parts are not elements but counts by value, which it adds up
 * (`src/kernel/summary.rs`).
 */
export class SummarySink implements Sink {
  readonly numbers: Float64Array;
  #ofFill: Float64Array | undefined;

  constructor(bins: number) {
    this.numbers = newSummary(bins);
  }

  expect(_type: TypeDescription): void {}

  begin({ fillValue }: Layout): void {
    this.#ofFill = numbersIn(fillValue);
  }

  part({ shape, elements }: Part): void {
    const found = elements ? numbersIn(elements) : this.#ofFill;
    const times = elements ? 1 : product(Array.from(shape));
    if (found) addSummary(this.numbers, found, times);
  }
}
