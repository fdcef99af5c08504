/**
 * The options that `init` received. Every option has a default. The page reads an option when it
 * first needs it, so `init` must be called before that.
 */

import type { WasmOptions } from "../../../contract/contract.ts";
import { needUrl, optionsOf, pageUrl, parsedUrl, type Rules } from "../model/argument.ts";
import type { EngineOptions } from "./protocol.ts";

/** The source of a wasm build: a URL, a response, its bytes, or a compiled module. */
type WasmSource = string | URL | Response | ArrayBuffer | ArrayBufferView | WebAssembly.Module;

/** Options of `init`. */
export interface InitOptions extends WasmOptions<WasmSource | Promise<WasmSource>> {
  /**
   * Where the engine runs: in a worker, which keeps the page's thread free, or on the thread that
   * calls (`"caller"`). Default: `"worker"` in a page of a browser; `"caller"` in workers, in Node,
   * and where no worker can be started.
   */
  engine?: "worker" | "caller" | undefined;
  /**
   * Whether the light build answers small reads on the thread that calls: it downloads and starts
   * faster than the engine, but has no caches and no workers. Default: true in a page of a browser,
   * until a call needs the engine. `init` and `preload` start that, so it is never used after them.
   * With `true` it is used everywhere and beside the engine, which `init` does not start then.
   */
  light?: boolean | undefined;
  /**
   * Starts the engine's worker from your own script, which imports `zarr-wasm/worker`. `null`
   * removes an earlier function. Default: the inlined script of the worker.
   */
  worker?: (() => Worker) | null | undefined;
  /**
   * The engine's wasm, instead of the inlined text: the URL of the file `zarr-wasm/engine.wasm`,
   * which the bundler copies. The page compiles a file while it arrives, and browsers need less
   * time for it than for a text. `zarr-wasm/slim` has no inlined text: it takes this file, or
   * `zarr_wasm.wasm`, which the command `zarr-wasm <folder>` writes. Default: the inlined text, if
   * the entry has one.
   */
  wasm?: WasmSource | Promise<WasmSource> | undefined;
  /**
   * The maximum number of decode workers. 0 decodes on the engine's thread. Default: the number of
   * cores − 1, but at least 1 and at most 4.
   */
  workers?: number | undefined;
  /**
   * Time after which an idle decode worker ends. New ones start when needed. `Infinity` keeps them.
   * Default: 60 000.
   *
   * @unit milliseconds
   */
  workerIdleMs?: number | undefined;
  /**
   * The URL of the file `zarr-wasm/worker`, for pages whose content security policy forbids blob
   * workers. It is tried before a blob. A relative URL is resolved against the page. Default: a
   * blob with the inlined script.
   */
  workerUrl?: string | URL | undefined;
  /**
   * The sizes of the two chunk caches, for stores over HTTP and stores built on them. 0 disables a
   * cache. Default: the sizes of its members.
   */
  caches?:
    | {
        /**
         * The most that the cache of chunks holds, as they came over HTTP. Default: 64 MiB, or what
         * `memoryLimit` leaves.
         *
         * @unit bytes
         */
        encodedBytes?: number | undefined;
        /**
         * The most that the cache of decoded chunks holds, of which a read needed only a part.
         * Default: 128 MiB, or what `memoryLimit` leaves.
         *
         * @unit bytes
         */
        decodedBytes?: number | undefined;
      }
    | undefined;
  /**
   * About how much the package may hold in addition to results in flight. Half is for the caches,
   * unless `caches` is given. Half is for the memories of workers, which restart when they grow
   * beyond it. Workers that run already keep the bound with which they started. What a server
   * without ranges sent whole for a part of it may take a sixth more. A reduction that would
   * remember more rejects with a `Limit` error before its first request. Default: no limit besides
   * those of the caches.
   *
   * @unit bytes
   */
  memoryLimit?: number | undefined;
  /**
   * Called with a warning about data that breaks a rule but could be read, and the path or address
   * that it concerns. `node.warnings` has the warnings too. Default: the warnings are only kept.
   */
  onWarning?: ((message: string, path: string) => void) | undefined;
}

export const configuration: InitOptions = {};

/** The compiler finds an option without a rule. Rules made from the table cost 89 bytes of gzip. */
const RULES: Rules<InitOptions> = {
  engine: ["worker", "caller"],
  light: "a boolean",
  worker: "a function",
  wasm: "a text or an object",
  wasmReading: "a text or an object",
  wasmFull: "a text or an object",
  wasmImages: "a text or an object",
  wasmGrib: "a text or an object",
  wasmConventions: "a text or an object",
  wasmReduction: "a text or an object",
  workers: "a number",
  workerIdleMs: "a number",
  workerUrl: "a URL",
  caches: { encodedBytes: "a number", decodedBytes: "a number" },
  memoryLimit: "a number",
  onWarning: "a function",
};

/** Stores the given options and keeps the others. Throws an `Argument` error for wrong ones. */
export function configure(options: InitOptions): void {
  for (const [name, value] of Object.entries(optionsOf(options, RULES))) {
    if (value !== undefined) Object.assign(configuration, { [name]: value });
  }
}

/** Resolves a relative URL against the page's. */
export function absoluteUrl(url: string | URL): string {
  needUrl(url, "url");
  const text = String(url);
  return /^[a-z][a-z\d+.-]*:\/\//i.test(text) || !pageUrl() ? text : parsedUrl(text).href;
}

/** The options that the engine needs, as they cross the port. */
export function engineOptions(): EngineOptions {
  const { workers, workerIdleMs, caches, memoryLimit, workerUrl } = configuration;
  return {
    workers,
    workerIdleMs,
    caches,
    memoryLimit,
    workerUrl: workerUrl === undefined ? undefined : absoluteUrl(workerUrl),
  };
}
