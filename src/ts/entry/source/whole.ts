/**
 * `#source` of the entry `zarr-wasm/inline`: it imports all builds at once, without `import()`, for
 * bundles of one file.
 */

import * as caller from "#caller";
import conventions from "#conventions-wasm";
import * as engine from "#engine-texts";
import full from "#full-wasm";
import images from "#images-wasm";
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
