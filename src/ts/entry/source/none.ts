/**
 * `#source` of the entry `zarr-wasm/slim`: nothing is inlined; `init({ wasm, workerUrl })` gives
 * the URLs.
 */

import type {
  CallerModule,
  LoadBuild,
  LoadEngine,
  LoadPrograms,
  WasmFile,
} from "../../port/engine_source.ts";
import { chunkFailed } from "../../port/loading.ts";

export const loadEngine: LoadEngine = undefined;
export const loadPrograms: LoadPrograms = undefined;
export const wasmFile: WasmFile = undefined;
export const loadCaller = (): Promise<CallerModule> => import("../../engine/caller.ts").catch(chunkFailed);
export const loadBuild: LoadBuild = undefined;
