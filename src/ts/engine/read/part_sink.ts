/**
 * The sink of a stream. It sends each part to the page and waits until the page has consumed it.
 */
import type { PlacedChunk } from "../../elements/place_chunk.ts";
import type { TypeDescription } from "../../model/data_type.ts";
import type { PartEvent, ResultLayout } from "../../port/operations.ts";
import { Assembly, type Layout } from "./assembly.ts";
import type { Sink } from "./job.ts";

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

  async part(
    start: ArrayLike<number>,
    shape: ArrayLike<number>,
    elements: Uint8Array | undefined | null,
    ours: boolean,
    chunks: readonly PlacedChunk[],
  ): Promise<void> {
    if (!this.#type || !this.#layout) throw new Error("a part arrived before the layout");
    const result = new Assembly({});
    result.expect(this.#type);
    result.begin({ ...this.#layout, shape: Array.from(shape), parts: 1 });
    await result.part(new Float64Array(shape.length), shape, elements, ours, chunks);
    await this.#send({ ...(await result.finish()), start: Array.from(start) });
  }
}
