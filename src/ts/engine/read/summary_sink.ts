/**
 * The sink of a summary. Its parts are not elements but counts by value, which it adds up
 * (`src/kernel/summary.rs`).
 */
import { product } from "../../elements/typed_arrays.ts";
import type { TypeDescription } from "../../model/data_type.ts";
import { addSummary, newSummary } from "../../model/summary_numbers.ts";
import type { Layout } from "./assembly.ts";
import type { Sink } from "./job.ts";

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

  part(_start: ArrayLike<number>, shape: ArrayLike<number>, elements: Uint8Array | undefined): void {
    const found = elements ? numbersIn(elements) : this.#ofFill;
    const times = elements ? 1 : product(Array.from(shape));
    if (found) addSummary(this.numbers, found, times);
  }
}

const numbersIn = (bytes: Uint8Array): Float64Array => new Float64Array(bytes.slice().buffer);
