/**
 * Copies the parts of a read into the caller's memory, on the page. It is used for memory that is
 * not shared, which an engine in a worker cannot write to.
 */

import { placementOf } from "../../elements/loops.ts";
import { placeElements } from "../../elements/place.ts";
import { product } from "../../elements/typed_arrays.ts";
import { needOut } from "../../model/argument.ts";
import type { TypeDescription } from "../../model/data_type.ts";
import { viewBytes } from "../../model/memory.ts";
import type { PartEvent, ResultAnswer, ResultLayout } from "../../port/operations.ts";
import { type Form, isDirect } from "./form.ts";

/** Copies parts one after the other. Copies nothing after an abort. */
export class PartPlacer {
  readonly #out: ArrayBufferView;
  readonly #type: TypeDescription;
  readonly #form: Form;
  readonly #signal: AbortSignal | undefined;
  #layout: ResultLayout = { shape: [], kept: [], order: [] };
  #memory: Uint8Array = new Uint8Array(0);
  #last: Promise<void> = Promise.resolve();

  constructor(out: ArrayBufferView, type: TypeDescription, form: Form, signal: AbortSignal | undefined) {
    [this.#out, this.#type, this.#form, this.#signal] = [out, type, form, signal];
  }

  /** Sets the layout. Throws an `Argument` error if the caller's memory has another length. */
  begin(layout: ResultLayout): void {
    const { size = 0, components = 1 } = this.#type;
    const count = product(layout.shape);
    const isSame = isDirect(this.#type, this.#form);
    const length = count * (isSame ? size : components * 4);
    needOut(this.#out, length);
    this.#layout = layout;
    this.#memory = isSame ? viewBytes(this.#out) : new Uint8Array(count * size);
  }

  place(part: PartEvent, credit: () => void): void {
    const placement = placementOf(part, this.#layout, this.#type.size ?? 0);
    const isWanted = () => !this.#signal?.aborted;
    this.#last = this.#last.then(async () => {
      if (isWanted()) await placeElements(this.#memory, placement, part.bytes, isWanted);
      credit();
    });
  }

  /** Resolves to the result when all parts are copied. */
  async finish(): Promise<ResultAnswer> {
    await this.#last;
    this.#signal?.throwIfAborted();
    return { ...this.#layout, bytes: this.#memory };
  }
}
