/**
 * What stands behind `#source`: chunks that hold the engine.
 */
import type { Channel } from "./channel.ts";
import type { ToEngine } from "./protocol.ts";

/** The engine as texts. */
export interface EngineTexts {
  /** Base64 of a deflate-raw stream. */
  wasm: string;
  /** The worker's whole program, as a classic script. */
  worker: string;
}

/** The engine's program, for the caller's thread. */
export interface CallerModule {
  openCaller(startup: Extract<ToEngine, { type: "start" }>): Promise<Channel>;
}
