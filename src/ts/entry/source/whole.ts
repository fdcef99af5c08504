/**
 * `#source` of the entry `zarr-wasm/inline`: it imports all builds at once, without `import()`, for
 * bundles of one file.
 */
import conventions from "virtual:conventions-wasm";
import * as engine from "virtual:engine-texts";
import full from "virtual:full-wasm";
import images from "virtual:images-wasm";
import * as caller from "../../engine/caller.ts";
import type {
  CallerModule,
  LoadBuild,
  LoadEngine,
  LoadPrograms,
  WasmFile,
} from "../../port/engine_source.ts";

export const loadEngine: LoadEngine = async () => engine;
export const loadPrograms: LoadPrograms = loadEngine;
export const wasmFile: WasmFile = undefined;
export const loadCaller = async (): Promise<CallerModule> => caller;
export const loadBuild: LoadBuild = {
  full: async () => full,
  images: async () => images,
  conventions: async () => conventions,
};
