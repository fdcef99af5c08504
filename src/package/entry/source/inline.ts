/**
 * `#source` of the entry `zarr-wasm`: the wasm and the worker are in chunks that are imported at
 * the first call. The wasm is text, so that bundlers, content types and CORS rules do not matter.
 * In webpack's bundles the engine's wasm is a file, because webpack copies such files by itself.
 */
import { chunkFailed, type EngineSource } from "../../../engine/ts/port/loading.ts";
import { texts } from "./lazy_texts.ts";

export const loadEngine: EngineSource["loadEngine"] = () => import("#engine-texts").catch(chunkFailed);

export const loadPrograms: EngineSource["loadPrograms"] = () => import("#engine-programs").catch(chunkFailed);

/** webpack and its relatives define it while they bundle. */
declare const __webpack_require__: unknown;

/** webpack joins the module with this one. Other bundlers make a chunk that is not loaded. */
export const wasmFile: EngineSource["wasmFile"] = async () =>
  typeof __webpack_require__ === "function"
    ? (await import(/* webpackMode: "eager" */ "./wasm_file.ts")).default
    : undefined;

/** Resolves to the module that runs the engine on the caller's thread. */
export const loadCaller: EngineSource["loadCaller"] = () => import("#caller").catch(chunkFailed);

/** Resolves to the light build. */
export const loadLight: EngineSource["loadLight"] = () => import("#light").catch(chunkFailed);

export const loadBuild: EngineSource["loadBuild"] = (build) =>
  texts[build]().then((module) => module.default, chunkFailed);
