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

type Made<Make> = Make extends MakeGlue<infer Module> ? Module : never;

/** What each build exports. */
export interface Glues {
  engine: Made<typeof makeEngine>;
  reading: Made<typeof makeReading>;
  full: Made<typeof makeFull>;
}

/** What every build exports. */
export type Glue = Glues["engine"];

/** The functions that call the wasm, and those that it imports. */
interface Both extends WebAssembly.ModuleImports {
  __wbg_set_wasm(exports: WebAssembly.Exports): void;
}

const MAKERS = { engine: makeEngine, reading: makeReading, full: makeFull };

/** New functions, which have no instance yet, and the imports of one. */
function made(module: WebAssembly.Module, build: EngineBuild) {
  const functions = MAKERS[build](decoder(), encoder()) as unknown as Both;
  const from = new Set(WebAssembly.Module.imports(module).map((each) => each.module));
  return { functions, imports: Object.fromEntries([...from].map((name) => [name, functions])) };
}

/** Gives the functions their instance. */
function started(functions: Both, { exports }: WebAssembly.Instance): Glue {
  functions.__wbg_set_wasm(exports);
  (exports.__wbindgen_start as () => void)();
  return functions as unknown as Glue;
}

/** Links the first instance of a module. Others are linked by `linkedAgain`. */
export async function linked(module: WebAssembly.Module, build: EngineBuild): Promise<Glue> {
  const { functions, imports } = made(module, build);
  return started(functions, await WebAssembly.instantiate(module, imports));
}

/** Links a further instance, at once. */
export function linkedAgain(module: WebAssembly.Module, build: EngineBuild): Glue {
  const { functions, imports } = made(module, build);
  return started(functions, new WebAssembly.Instance(module, imports));
}
