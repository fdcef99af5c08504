/**
 * What `init` was told. Everything is optional and has a default; the page looks here when it first
 * needs a thing.
 */
import { ZarrError } from "../model/errors.ts";
import type { Build, EngineOptions, WasmText } from "./protocol.ts";

/** Where a build of the engine comes from. */
export type WasmSource = string | URL | Response | ArrayBuffer | ArrayBufferView | WebAssembly.Module;

export interface InitOptions {
  /**
   * Where the engine runs: in a worker of its own, so that the page's thread is free, or on the
   * thread that calls. A worker by default in a browser's page; the caller's thread in workers, in
   * Node, and where workers are blocked.
   */
  engine?: "worker" | "caller";
  /**
   * Starts the engine's worker from a script of your own that imports `zarr-wasm/worker`; `null`
   * takes that back.
   */
  worker?: (() => Worker) | null;
  /** The engine, where it is not inlined (`zarr-wasm/slim`): the file `zarr-wasm/wasm`. */
  wasm?: WasmSource | Promise<WasmSource>;
  /** The full build: the file `zarr-wasm/wasm-full`. */
  wasmFull?: WasmSource | Promise<WasmSource>;
  /** The build with decoders of images: the file `zarr-wasm/wasm-images`. */
  wasmImages?: WasmSource | Promise<WasmSource>;
  /**
   * What attributes mean, for `conventions`, `validate` and `pyramid`: the file
   * `zarr-wasm/wasm-conventions`.
   */
  wasmConventions?: WasmSource | Promise<WasmSource>;
  /**
   * The most decode workers to start; 0 decodes where the engine runs. Default: cores − 1, at least
   * 1, at most 4.
   */
  workers?: number;
  /**
   * Decode workers that were idle for so many ms end; others start when there is need. Default: 60
   * 000; `Infinity` keeps them.
   */
  workerIdleMs?: number;
  /** The file `zarr-wasm/worker`, for pages whose policy forbids blob workers. */
  workerUrl?: string | URL;
  /**
   * Bytes that are kept of chunks that were read, of stores over HTTP and stores made of them:
   * encoded, and decoded. The second holds whole chunks that were decoded for a part of them. 0
   * keeps nothing.
   */
  caches?: { encodedBytes?: number; decodedBytes?: number };
  /**
   * About how many bytes the package may hold beside results that are under way: half of it in
   * caches (unless `caches` says otherwise), half in the memories of workers, which start anew when
   * they have grown beyond. Workers that run already keep the bound they were started with.
   */
  memoryLimit?: number;
  /** Hears of data that was read although it bends the rules; `node.warnings` keeps it too. */
  onWarning?: (message: string, path: string) => void;
}

export const configuration: InitOptions = {};

/** Keeps what is given; the rest stays as it was. */
export function configure(options: InitOptions): void {
  const { engine } = options;
  if (engine !== undefined && engine !== "worker" && engine !== "caller") {
    throw new ZarrError("Argument", "init({ engine }) names no place for the engine", {
      expected: '"worker" or "caller"',
      actual: String(engine),
    });
  }
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) Object.assign(configuration, { [name]: value });
  }
}

/** An absolute URL; relative ones are seen from the page. */
export function absoluteUrl(url: string | URL): string {
  const text = String(url);
  const { location } = globalThis as { location?: { href: string } };
  return /^[a-z][a-z\d+.-]*:\/\//i.test(text) || !location ? text : new URL(text, location.href).href;
}

/** The options that the engine needs. */
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

const OPTION = {
  engine: "wasm",
  full: "wasmFull",
  images: "wasmImages",
  conventions: "wasmConventions",
} as const;

/**
 * The wasm that `init` was given for a build, as it can cross; undefined where it was given none.
 */
export async function givenWasm(build: Build): Promise<WasmText | undefined> {
  const source = await configuration[OPTION[build]];
  if (source === undefined) return undefined;
  if (source instanceof WebAssembly.Module) return { module: source };
  if (typeof source === "string" || source instanceof URL) return { url: wasmUrl(source) };
  if (typeof Response !== "undefined" && source instanceof Response) return { bytes: await bytesOf(source) };
  return { bytes: source as ArrayBuffer | ArrayBufferView };
}

/** A file's URL stays one; Node has no page to see a relative one from. */
function wasmUrl(source: string | URL): string {
  const { location } = globalThis as { location?: { href: string } };
  return new URL(source, location?.href).href;
}

/** The bytes of a response. It is kept: a response can be read once only. */
async function bytesOf(response: Response): Promise<ArrayBuffer> {
  const known = read.get(response);
  if (known) return known;
  if (!response.ok) {
    throw new ZarrError("Store", `the wasm is not at ${response.url}: HTTP status ${response.status}`);
  }
  const bytes = response.arrayBuffer();
  read.set(response, bytes);
  return bytes;
}

const read = new WeakMap<Response, Promise<ArrayBuffer>>();

/** The error of an entry that has no wasm inlined, and was given none. */
export const noWasm = (build: Build) =>
  new ZarrError("Argument", `this entry has no wasm inlined: call init({ ${OPTION[build]} }) first`);
