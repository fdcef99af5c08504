/**
 * `#source` of the entry `zarr-wasm/inline`: it imports all builds at once, without `import()`, for
 * bundles of one file.
 */

import * as caller from "#caller";
import * as engine from "#engine-texts";
import type { EngineSource } from "../../../engine/ts/port/loading.ts";
import { texts } from "./whole_texts.ts";

export const loadEngine: EngineSource["loadEngine"] = async () => engine;
export const loadPrograms: EngineSource["loadPrograms"] = loadEngine;
export const wasmFile: EngineSource["wasmFile"] = undefined;
export const loadCaller: EngineSource["loadCaller"] = async () => caller;
export const loadLight: EngineSource["loadLight"] = undefined;
export const loadBuild: EngineSource["loadBuild"] = async (build) => texts[build];
