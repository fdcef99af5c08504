/**
 * What an engine was told and what it counts: the options that its page sent, the limits that
 * follow from them, and counters. Sizes are in bytes, times in ms.
 */
import { type EngineOptions, type EngineStatus, newStatus, type WasmText } from "../port/protocol.ts";

/**
 * Linear memory never shrinks. A decoder's instance with more than this restarts when it has no
 * part in progress.
 */
const RECYCLE_BYTES = 256 << 20;

/** With a smaller limit an instance would restart after every chunk. */
const MIN_RECYCLE_BYTES = 32 << 20;

export class EngineState {
  readonly options: EngineOptions = {};
  readonly counters: EngineStatus = newStatus();
  /** The engine's wasm, if it came with the first message. */
  wasm: WasmText | undefined;

  configure(options: EngineOptions): void {
    const { workerScript = this.options.workerScript } = options;
    Object.assign(this.options, options, { workerScript });
  }

  /** Sizes of the two chunk caches, and of what came whole for a part. NaN changes nothing. */
  cacheLimits(): { encodedBytes: number; decodedBytes: number; wholeBytes: number } {
    const { caches = {}, memoryLimit = Number.NaN } = this.options;
    const { encodedBytes = memoryLimit / 6, decodedBytes = memoryLimit / 3 } = caches;
    return { encodedBytes, decodedBytes, wholeBytes: memoryLimit / 6 };
  }

  /** Memory size at which an idle decoder instance restarts. */
  recycleBytes(): number {
    const { memoryLimit } = this.options;
    if (memoryLimit === undefined) return RECYCLE_BYTES;
    return Math.max(MIN_RECYCLE_BYTES, memoryLimit / 2 / Math.max(1, this.workerLimit()));
  }

  /** Time after which an idle decode worker ends. */
  workerIdleMs(): number {
    return this.options.workerIdleMs ?? 60_000;
  }

  /** Maximum number of decode workers; 0 decodes on this thread. */
  workerLimit(): number {
    const { hardwareConcurrency = 2 } =
      (globalThis as { navigator?: { hardwareConcurrency?: number } }).navigator ?? {};
    return this.options.workers ?? Math.min(4, Math.max(1, hardwareConcurrency - 1));
  }
}
