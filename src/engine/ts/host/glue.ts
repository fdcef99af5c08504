/**
 * Links a wasm build of the engine with the JavaScript that wasm-bindgen has written for it
 * (`src/engine/rust/js`). That is a module with the state of one wasm instance.
 * `scripts/functions.mjs` makes a function of it, which is called for each instance: an engine
 * replaces its instance, and each copy of the package on a thread has an engine.
 */

import makeEngine from "#engine-glue";
import makeFull from "#full-glue";
import makeReading from "#reading-glue";
import type { EngineBuild } from "../../../contract/contract.ts";
import { decoder, encoder } from "../model/utf8.ts";

/** Makes wasm-bindgen's module of a build. It uses these classes in place of the global ones. */
export type MakeGlue<Module> = (decoder: typeof TextDecoder, encoder: typeof TextEncoder) => Module;

/** What wasm-bindgen adds to a build's own functions. */
interface Links {
  default(from: { module_or_path: WebAssembly.Module }): Promise<unknown>;
  initSync(from: { module: WebAssembly.Module }): unknown;
}

type Linked<Make> = Make extends MakeGlue<infer Module> ? Omit<Module, keyof Links> : never;

/** What each build exports. */
export interface Glues {
  engine: Linked<typeof makeEngine>;
  reading: Linked<typeof makeReading>;
  full: Linked<typeof makeFull>;
}

/** What every build exports. */
export type Glue = Glues["engine"];

const MAKERS: Record<EngineBuild, MakeGlue<Links>> = {
  engine: makeEngine,
  reading: makeReading,
  full: makeFull,
};

/** New functions, which have no instance yet. */
function made(build: EngineBuild): Links & Glue {
  return { ...MAKERS[build](decoder(), encoder()) } as Links & Glue;
}

/** Links the first instance of a module. Others are linked by `linkedAgain`. */
export async function linked(module: WebAssembly.Module, build: EngineBuild): Promise<Glue> {
  const glue = made(build);
  await glue.default({ module_or_path: module });
  return glue;
}

/** Links a further instance, at once. */
export function linkedAgain(module: WebAssembly.Module, build: EngineBuild): Glue {
  const glue = made(build);
  glue.initSync({ module });
  return glue;
}
