/**
 * The types of the modules that `#source` resolves to. They import the chunks that hold the engine.
 */
import type { Channel } from "./channel.ts";
import type { ToEngine } from "./protocol.ts";

/** The engine's wasm and the worker's program, as texts. */
export interface EngineTexts {
  /** Base64 of a deflate-raw stream. */
  wasm: string;
  /** The complete program of the worker, as a classic script. */
  worker: string;
}

/** The module that runs the engine on the caller's thread. */
export interface CallerModule {
  openCaller(startup: Extract<ToEngine, { type: "start" }>): Promise<Channel>;
}
