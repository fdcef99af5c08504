/**
 * One read as the engine sees it: the sink of its parts, and the door to whoever decodes them. Driven by `src/js/read.rs`.
 */

import { engineModule } from "../engine/compile.ts";
import { workerLimit } from "../engine/configuration.ts";
import { type BoundArray, DecodePool, type PartTask } from "../pool/pool.ts";
import { callerPort, openPort } from "../pool/port.ts";
import type { Layout, Result } from "./result.ts";

/** How far a read is. */
export interface Progress {
  /** Chunks that have arrived or are known to be absent. */
  chunks: number;
  /** Bytes that have arrived. */
  bytes: number;
  /** Parts of the result that are there, and all of them. */
  parts: number;
  totalParts: number;
}

/** Up to this many decoded bytes, sending a read to a worker takes longer than decoding it here. */
const CALLER_BYTES = 128 << 10;

const workers = new DecodePool(
  async () => openPort(await engineModule("engine")),
  () => Math.max(1, workerLimit()),
);

const caller = new DecodePool(
  async () => callerPort({ type: "module", home: "engine", module: await engineModule("engine") }),
  () => 1,
);

/** Whoever is to do work on so many decoded bytes. */
export const poolFor = (bytes: number): DecodePool =>
  bytes <= CALLER_BYTES || workerLimit() === 0 ? caller : workers;

/** How many decoders there are in the pool of workers. */
export const workerCount = (): number => workers.size;

/** Makes every decoder forget an array. */
export function unbindArray(number: number): void {
  workers.unbind(number);
  caller.unbind(number);
}

export interface JobOptions {
  array: BoundArray;
  result: Result;
  /** Bytes that reading all of this decodes, at most. */
  decodedBytes: (layout: Layout) => number;
  priority: number;
  onProgress: ((progress: Progress) => void) | undefined;
}

export class Job {
  readonly #options: JobOptions;
  readonly #parts = new Map<number, PartTask>();
  #pool = workers;

  constructor(options: JobOptions) {
    this.#options = options;
  }

  /** Whether a listener wants to hear of progress. */
  get hearsProgress(): boolean {
    return this.#options.onProgress !== undefined;
  }

  begin(layout: Layout): void {
    this.#pool = poolFor(this.#options.decodedBytes(layout));
    this.#options.result.begin(layout);
  }

  part(start: Float64Array, shape: Float64Array, elements: Uint8Array | undefined, ours: boolean) {
    return this.#options.result.part(start, shape, elements, ours);
  }

  progress(chunks: number, bytes: number, parts: number, totalParts: number): void {
    this.#options.onProgress?.({ chunks, bytes, parts, totalParts });
  }

  decodeBegin(header: Uint32Array): number {
    const part = this.#pool.begin(this.#options.array, header, this.#options.priority);
    this.#parts.set(part.id, part);
    return part.id;
  }

  decodeSupply(id: number, table: Uint32Array, buffers: Uint8Array[], owned: boolean[]): void {
    this.#pool.supply(this.#partOf(id), { table, buffers, owned });
  }

  decodeFinish(id: number): Promise<Uint8Array> {
    const part = this.#partOf(id);
    this.#parts.delete(id);
    return this.#pool.finish(part);
  }

  decodeCancel(id: number): void {
    const part = this.#parts.get(id);
    this.#parts.delete(id);
    if (part) this.#pool.cancel(part);
  }

  #partOf(id: number): PartTask {
    const part = this.#parts.get(id);
    if (!part) throw new Error(`part ${id} is over`);
    return part;
  }
}
