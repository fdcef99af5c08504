/**
 * The package's own files: what the modules that `#source` resolves to export, which import the
 * chunks that hold the engine; the error for a chunk that failed to load; and the compilation of
 * wasm while it arrives. Works on the page and in the engine's worker.
 */

import type { Build } from "../../../contract/contract.ts";
import { ZarrError } from "../model/errors.ts";
import { isNode } from "../model/node.ts";
import type { LightServer, LightStart } from "./light_server.ts";
import type { Channel, ToEngine } from "./protocol.ts";

/** The programs of the workers, as classic scripts. */
export interface WorkerPrograms {
  /** The complete program of decode workers. */
  decoder: string;
  /** The program of the engine's worker, to which it is appended. */
  engine: string;
}

/** The engine's wasm and the workers' programs, as texts. */
export interface EngineTexts extends WorkerPrograms {
  /** Base64 of a deflate-raw stream. */
  wasm: string;
}

/** The module that runs the engine on the caller's thread. */
export interface CallerModule {
  openCaller(startup: Extract<ToEngine, { type: "start" }>): Promise<Channel>;
}

/** The module of the light build, with its wasm. */
export interface LightModule {
  startLight(start: LightStart): Promise<LightServer>;
}

/**
 * What the modules that `#source` resolves to export. What an entry point does not have is
 * undefined.
 */
export interface EngineSource {
  loadEngine: (() => Promise<EngineTexts>) | undefined;
  /** Loads the programs alone, where the wasm is a file. */
  loadPrograms: (() => Promise<WorkerPrograms>) | undefined;
  /** The URL of the engine's wasm; undefined if this bundler did not copy the file. */
  wasmFile: (() => Promise<URL | undefined>) | undefined;
  loadCaller: () => Promise<CallerModule>;
  /** The light build. */
  loadLight: (() => Promise<LightModule>) | undefined;
  /** The builds that are loaded when a call needs them, as texts. */
  loadBuild: ((build: Exclude<Build, "engine">) => Promise<string>) | undefined;
}

interface ChunkHost {
  /** Only in service workers. */
  ServiceWorkerGlobalScope?: unknown;
  location?: { protocol?: string };
}

/** Why a chunk cannot be loaded here, and what to do. */
function chunkAdvice({ ServiceWorkerGlobalScope, location }: ChunkHost): string {
  if (ServiceWorkerGlobalScope)
    return "service workers cannot import it later; import zarr-wasm/inline in place of this";
  if (location?.protocol === "file:")
    return "browsers forbid it on file://; serve the folder, or bundle zarr-wasm/inline as one script";
  return "reload the page, and check that all files are served";
}

export function chunkFailed(cause: unknown): never {
  const advice = chunkAdvice(globalThis as ChunkHost);
  throw new ZarrError("Store", `a chunk of zarr-wasm could not be loaded: ${advice}: ${cause}`, { cause });
}

/** `compileStreaming` takes only responses with this type. Servers may send another one. */
const TYPE = "application/wasm";

export function requireOk({ ok, status, url }: Response): void {
  if (!ok) throw new ZarrError("Store", `the wasm at ${url} could not be loaded: status ${status}`);
}

export async function compileResponse(response: Response): Promise<WebAssembly.Module> {
  requireOk(response);
  const isWasm = response.headers?.get("Content-Type")?.startsWith(TYPE);
  // In Node the response may be that of a program that imitates a page.
  if (isWasm && !isNode() && WebAssembly.compileStreaming) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}
