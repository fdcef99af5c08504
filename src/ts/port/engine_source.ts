/**
 * The types of what the modules that `#source` resolves to export. They import the chunks that hold
 * the engine. What an entry point does not have is undefined.
 */
import type { Build, Channel, ToEngine } from "./protocol.ts";

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

/** What the modules that `#source` resolves to export. */
export interface EngineSource {
  loadEngine: (() => Promise<EngineTexts>) | undefined;
  /** Loads the programs alone, where the wasm is a file. */
  loadPrograms: (() => Promise<WorkerPrograms>) | undefined;
  /** The URL of the engine's wasm; undefined if this bundler did not place the file. */
  wasmFile: (() => Promise<URL | undefined>) | undefined;
  loadCaller: () => Promise<CallerModule>;
  /** The builds that are loaded when a call needs them, as texts. */
  loadBuild: Record<Exclude<Build, "engine">, () => Promise<string>> | undefined;
}
