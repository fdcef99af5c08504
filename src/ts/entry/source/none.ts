/**
 * `#source` of the entry `zarr-wasm/slim`: nothing is inlined; `init({ wasm, workerUrl })` gives
 * the URLs.
 */
import { chunkFailed } from "../../port/chunk_failed.ts";
import type {
  CallerModule,
  LoadBuild,
  LoadEngine,
  LoadPrograms,
  WasmFile,
} from "../../port/engine_source.ts";

export const loadEngine: LoadEngine = undefined;
export const loadPrograms: LoadPrograms = undefined;
export const wasmFile: WasmFile = undefined;
export const loadCaller = (): Promise<CallerModule> => import("#caller").catch(chunkFailed);
export const loadBuild: LoadBuild = undefined;
