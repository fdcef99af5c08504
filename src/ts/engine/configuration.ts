/**
 * What `init` was told. Everything is optional and has a default; the engine looks here when it first needs a thing.
 */

/** Where a build of the engine comes from. */
export type WasmSource = string | URL | Response | ArrayBuffer | ArrayBufferView | WebAssembly.Module;

export interface InitOptions {
  /** The engine, where it is not inlined (`zarr-wasm/slim`): the file `zarr-wasm/wasm`. */
  wasm?: WasmSource | Promise<WasmSource>;
  /** The full build: the file `zarr-wasm/wasm-full`. */
  wasmFull?: WasmSource | Promise<WasmSource>;
  /** The build with decoders of images: the file `zarr-wasm/wasm-images`. */
  wasmImages?: WasmSource | Promise<WasmSource>;
  /** What attributes mean, for `conventions`, `validate` and `pyramid`: the file `zarr-wasm/wasm-conventions`. */
  wasmConventions?: WasmSource | Promise<WasmSource>;
  /** The most workers to start; 0 decodes on the caller's thread. Default: cores − 1, at least 1, at most 4. */
  workers?: number;
  /** Workers that had nothing to do for so many ms end; others start when there is need. Default: 60 000; `Infinity` keeps them. */
  workerIdleMs?: number;
  /** The file `zarr-wasm/worker`, for pages whose policy forbids blob workers. */
  workerUrl?: string | URL;
  /**
   * Bytes that are kept of chunks that were read, of stores over HTTP and what is made of them: as they are stored, and decoded. The
   * second holds whole chunks that were decoded for a part of them. 0 keeps nothing.
   */
  caches?: { encodedBytes?: number; decodedBytes?: number };
  /**
   * About how many bytes the package may hold beside results that are under way: half of it in caches (unless `caches` says more or less), half in
   * the memories of workers, which begin anew when they have grown beyond. Workers that run already keep the bound they were started with.
   */
  memoryLimit?: number;
  /** Hears of what was read although it bends the rules; `node.warnings` keeps it too. */
  onWarning?: (message: string, path: string) => void;
}

export const configuration: InitOptions = {};

/** Linear memory never shrinks: an instance with more than this starts anew when it has no part at hand. */
const RECYCLE_BYTES = 256 << 20;

/** Below this an instance would begin anew after every chunk. */
const LEAST_RECYCLE_BYTES = 32 << 20;

/** Keeps what is given; what is not stays as it was. */
export function configure(options: InitOptions): void {
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) Object.assign(configuration, { [name]: value });
  }
}

/** How much the caches may hold; what is not a number is as it was. */
export function cacheLimits(): { encodedBytes: number; decodedBytes: number } {
  const { caches = {}, memoryLimit = Number.NaN } = configuration;
  const { encodedBytes = memoryLimit / 6, decodedBytes = memoryLimit / 3 } = caches;
  return { encodedBytes, decodedBytes };
}

/** How large the memory of a decoder's instance may grow that has nothing to do. */
export function recycleBytes(): number {
  const { memoryLimit } = configuration;
  if (memoryLimit === undefined) return RECYCLE_BYTES;
  return Math.max(LEAST_RECYCLE_BYTES, memoryLimit / 2 / Math.max(1, workerLimit()));
}

/** How long a worker may have nothing to do. */
export const workerIdleMs = (): number => configuration.workerIdleMs ?? 60_000;

export function workerLimit(): number {
  const { hardwareConcurrency = 2 } =
    (globalThis as { navigator?: { hardwareConcurrency?: number } }).navigator ?? {};
  return configuration.workers ?? Math.min(4, Math.max(1, hardwareConcurrency - 1));
}
