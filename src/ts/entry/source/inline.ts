/**
 * `#source` of the entry `zarr-wasm`: the wasm and the worker are in chunks that are imported at
 * the first call. The wasm is text, so that bundlers, content types and CORS rules do not matter.
 */
import { chunkFailed } from "../../port/chunk_failed.ts";
import type { CallerModule, EngineTexts } from "../../port/engine_source.ts";

/** The engine's wasm and the worker's program. */
export const loadEngine: (() => Promise<EngineTexts>) | undefined = () =>
  import("virtual:engine-texts").catch(chunkFailed);

/** Resolves to the module that runs the engine on the caller's thread. */
export const loadCaller = (): Promise<CallerModule> => import("../../engine/caller.ts").catch(chunkFailed);

/** The builds that are loaded when a call needs them. */
export const loadBuild: Record<"full" | "images" | "conventions", () => Promise<string>> | undefined = {
  full: () => import("virtual:full-wasm").then((module) => module.default, chunkFailed),
  images: () => import("virtual:images-wasm").then((module) => module.default, chunkFailed),
  conventions: () => import("virtual:conventions-wasm").then((module) => module.default, chunkFailed),
};
