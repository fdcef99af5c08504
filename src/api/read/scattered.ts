/**
 * Reads into memory of the caller that the engine cannot write: parts arrive, and this thread
 * copies them. It is lazy code.
 */
import type { targetBoxOf } from "../../engine/ts/elements/loops.ts";
import type { scatterElements } from "../../engine/ts/elements/scatter.ts";
import { product } from "../../engine/ts/elements/typed_arrays.ts";
import { needOut } from "../../engine/ts/model/argument.ts";
import type { TypeDescription } from "../../engine/ts/model/data_type.ts";
import { viewBytes } from "../../engine/ts/model/memory.ts";
import type { CallOptions } from "../../engine/ts/port/connection.ts";
import type { PartEvent, ResultAnswer, ResultLayout } from "../../engine/ts/port/operations.ts";
import { type ResultOptions, readParts } from "./read.ts";
import type { Read } from "./request.ts";
import { type Form, isDirect } from "./result.ts";

/** How elements are copied: the modules hold classes, so the first script has them once. */
export interface Placing {
  targetBoxOf: typeof targetBoxOf;
  scatterElements: typeof scatterElements;
}

/**
 * Reads into memory that the engine cannot write because it is not shared. The engine sends the
 * parts of the result, and this thread copies them. Elements that need conversion are converted at
 * the end.
 */
export async function readScattered(
  read: Read,
  out: ArrayBufferView,
  { onProgress, signal, storeOptions }: ResultOptions & CallOptions,
  steps: Placing,
): Promise<ResultAnswer> {
  const scatterer = new PartScatterer(out, read, steps, signal);
  const listeners = {
    onProgress,
    onLayout: (layout: ResultLayout) => scatterer.begin(layout),
    onPart: (part: PartEvent, taken: () => void) => scatterer.scatter(part, taken),
  };
  await readParts(read, listeners, { signal, storeOptions });
  return scatterer.finish();
}

/** Copies parts one after the other. Copies nothing after an abort. */
export class PartScatterer {
  readonly #out: ArrayBufferView;
  readonly #type: TypeDescription;
  readonly #form: Form;
  readonly #signal: AbortSignal | undefined;
  readonly #steps: Placing;
  #layout: ResultLayout = { shape: [], kept: [], order: [] };
  #memory: Uint8Array = new Uint8Array(0);
  #last: Promise<void> = Promise.resolve();

  constructor(
    out: ArrayBufferView,
    { type, form }: Pick<Read, "type" | "form">,
    steps: Placing,
    signal: AbortSignal | undefined,
  ) {
    [this.#out, this.#type, this.#form, this.#signal] = [out, type, form, signal];
    this.#steps = steps;
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

  scatter(part: PartEvent, taken: () => void): void {
    const targetBox = this.#steps.targetBoxOf(part, this.#layout, this.#type.size ?? 0);
    const isWanted = () => !this.#signal?.aborted;
    this.#last = this.#last.then(async () => {
      if (isWanted()) await this.#steps.scatterElements(this.#memory, targetBox, part.bytes, isWanted);
      taken();
    });
  }

  /** Resolves to the result when all parts are copied. */
  async finish(): Promise<ResultAnswer> {
    await this.#last;
    this.#signal?.throwIfAborted();
    return { ...this.#layout, bytes: this.#memory };
  }
}
