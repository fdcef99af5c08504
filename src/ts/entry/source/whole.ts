/**
 * `#source` of the entry `zarr-wasm/inline`: it imports all builds at once, without `import()`, for
 * bundles of one file.
 */

import * as caller from "#caller";
import conventions from "#conventions-wasm";
import * as engine from "#engine-texts";
import full from "#full-wasm";
import grib from "#grib-wasm";
import images from "#images-wasm";
import reading from "#reading-wasm";
import reduction from "#reduction-wasm";
import type { EngineSource } from "../../port/loading.ts";

export const loadEngine: EngineSource["loadEngine"] = async () => engine;
export const loadPrograms: EngineSource["loadPrograms"] = loadEngine;
export const wasmFile: EngineSource["wasmFile"] = undefined;
export const loadCaller: EngineSource["loadCaller"] = async () => caller;
export const loadBuild: EngineSource["loadBuild"] = {
  reading: async () => reading,
  full: async () => full,
  images: async () => images,
  grib: async () => grib,
  conventions: async () => conventions,
  reduction: async () => reduction,
};
