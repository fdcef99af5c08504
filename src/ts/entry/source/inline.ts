/**
 * Where the entry `zarr-wasm` has its wasm and its worker from: chunks of its own, loaded at the
 * first call. `#source` there. The wasm is text (base64 of a deflate-raw stream), so that no
 * bundler, content type or CORS rule stands in its way.
 */
import { chunkFailed } from "../../port/chunk_failed.ts";
import type { CallerModule, EngineTexts } from "../../port/engine_source.ts";

/** The engine's wasm and the worker's program. */
export const loadEngine: (() => Promise<EngineTexts>) | undefined = () =>
  import("virtual:engine-texts").catch(chunkFailed);

/** The engine's program for the caller's thread. */
export const loadCaller = (): Promise<CallerModule> => import("../../engine/caller.ts").catch(chunkFailed);

/** Builds that are loaded when something needs them. */
export const loadBuild: Record<"full" | "images" | "conventions", () => Promise<string>> | undefined = {
  full: () => import("virtual:full-wasm").then((module) => module.default, chunkFailed),
  images: () => import("virtual:images-wasm").then((module) => module.default, chunkFailed),
  conventions: () => import("virtual:conventions-wasm").then((module) => module.default, chunkFailed),
};
