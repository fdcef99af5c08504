/**
 * Links a wasm build of the engine with the JavaScript that wasm-bindgen has written for it
 * (`src/engine/rust/js`). That is a module with one wasm instance. `scripts/functions.mjs` makes a
 * function of it, because a thread may have several engines: one for each copy of the package.
 */

import makeEngine from "#engine-glue";
import makeFull from "#full-glue";
import makeReading from "#reading-glue";
import type { EngineBuild } from "../../../contract/contract.ts";
import { decoder, encoder } from "../model/utf8.ts";

/** Makes wasm-bindgen's module of a build. It uses these classes in place of the global ones. */
export type MakeGlue<Module> = (decoder: typeof TextDecoder, encoder: typeof TextEncoder) => Module;

/** What wasm-bindgen adds to a build's own functions. */
interface Made {
  default(from: { module_or_path: WebAssembly.Module }): Promise<unknown>;
  initSync(module: never): unknown;
  __wbg_reset_state(): void;
}

/** The functions of the wasm, and `reset`, which replaces its instance by a new one. */
type Linked<Make> =
  Make extends MakeGlue<infer Module> ? Omit<Module, keyof Made> & { reset(): void } : never;

/** What each build exports. */
export interface Glues {
  engine: Linked<typeof makeEngine>;
  reading: Linked<typeof makeReading>;
  full: Linked<typeof makeFull>;
}

/** What every build exports. */
export type Glue = Glues["engine"];

const MAKERS: Record<EngineBuild, MakeGlue<Made>> = {
  engine: makeEngine,
  reading: makeReading,
  full: makeFull,
};

/** Links a module of a build. */
export async function linked(module: WebAssembly.Module, build: EngineBuild): Promise<Glue> {
  const { default: link, __wbg_reset_state: reset, ...functions } = MAKERS[build](decoder(), encoder());
  await link({ module_or_path: module });
  return { ...functions, reset } as unknown as Glue;
}
