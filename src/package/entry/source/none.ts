/**
 * `#source` of the entry `zarr-wasm/slim`: nothing is inlined; `init({ wasm, workerUrl })` gives
 * the URLs.
 */
import { chunkFailed, type EngineSource } from "../../../engine/ts/port/loading.ts";

export const loadEngine: EngineSource["loadEngine"] = undefined;
export const loadPrograms: EngineSource["loadPrograms"] = undefined;
export const wasmFile: EngineSource["wasmFile"] = undefined;
export const loadCaller: EngineSource["loadCaller"] = () => import("#caller").catch(chunkFailed);
export const loadLight: EngineSource["loadLight"] = undefined;
export const loadBuild: EngineSource["loadBuild"] = undefined;
