/**
 * `#source` of the entry `zarr-wasm/slim`: nothing is inlined; `init({ wasm, workerUrl })` gives
 * the URLs.
 */
import { chunkFailed } from "../../port/chunk_failed.ts";
import type { CallerModule, EngineTexts } from "../../port/engine_source.ts";

export const loadEngine: (() => Promise<EngineTexts>) | undefined = undefined;
export const loadCaller = (): Promise<CallerModule> => import("../../engine/caller.ts").catch(chunkFailed);
export const loadBuild: Record<"full" | "images" | "conventions", () => Promise<string>> | undefined =
  undefined;
