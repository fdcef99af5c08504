/**
 * `#source` of the entry `zarr-wasm/script`: the wasm and the worker are loaded at the first call
 * from the files of the package beside the script, by their URLs.
 */
import { ZarrError } from "../../../engine/ts/model/errors.ts";
import {
  type CallerModule,
  chunkFailed,
  type EngineSource,
  type EngineTexts,
  type LightModule,
  type WorkerPrograms,
} from "../../../engine/ts/port/loading.ts";

interface ScriptHost {
  document?: { currentScript?: { src?: string } | null };
  location?: { href: string };
}

/** The script's URL, which is known only while the script begins. A worker's is its location. */
const { document, location } = globalThis as ScriptHost;
const script = document ? document.currentScript?.src : location?.href;

function urlOf(name: string): URL {
  if (!script)
    throw new ZarrError("Argument", "zarr-wasm/script knows its files only from the src of a script tag");
  return new URL(`modules/${name}`, script);
}

async function beside(name: string): Promise<unknown> {
  return import(/* webpackIgnore: true */ /* @vite-ignore */ urlOf(name).href).catch(chunkFailed);
}

const textOf = async (name: string) => ((await beside(name)) as { default: string }).default;

export const loadEngine: EngineSource["loadEngine"] = async () =>
  (await beside("engine-texts.js")) as EngineTexts;

export const loadPrograms: EngineSource["loadPrograms"] = async () =>
  (await beside("engine-programs.js")) as WorkerPrograms;

export const wasmFile: EngineSource["wasmFile"] = async () => urlOf("engine.wasm");

export const loadCaller: EngineSource["loadCaller"] = async () =>
  (await beside("engine/ts/host/caller.js")) as CallerModule;

export const loadLight: EngineSource["loadLight"] = async () =>
  (await beside("light/ts/light.js")) as LightModule;

export const loadBuild: EngineSource["loadBuild"] = (build) => textOf(`${build}-wasm.js`);
