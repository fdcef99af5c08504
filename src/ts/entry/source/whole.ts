/**
 * `#source` of the entry `zarr-wasm/inline`: it imports all builds at once, without `import()`, for
 * bundles of one file.
 */
import conventions from "virtual:conventions-wasm";
import * as engine from "virtual:engine-texts";
import full from "virtual:full-wasm";
import images from "virtual:images-wasm";
import * as caller from "../../engine/caller.ts";
import type { CallerModule, EngineTexts } from "../../port/engine_source.ts";

export const loadEngine: (() => Promise<EngineTexts>) | undefined = async () => engine;
export const loadCaller = async (): Promise<CallerModule> => caller;
export const loadBuild: Record<"full" | "images" | "conventions", () => Promise<string>> | undefined = {
  full: async () => full,
  images: async () => images,
  conventions: async () => conventions,
};
