/**
 * Compiles the wasm builds from the form in which they cross the port. Each build is compiled once,
 * and always asynchronously. The engine's own build usually comes with the first message; the
 * engine asks the page for the others.
 */
import { compileResponse } from "../port/compile_response.ts";
import { type Build, PAGE, type WasmText } from "../port/protocol.ts";
import { configuration } from "./configuration.ts";
import { page } from "./page.ts";
import { opened, unpacked } from "./unpack.ts";

async function compile(wasm: WasmText): Promise<WebAssembly.Module> {
  if ("module" in wasm) return wasm.module;
  if ("zstandard" in wasm) return WebAssembly.compile(await unpacked(wasm, await engineModule("engine")));
  const bytes = await opened(wasm);
  return bytes instanceof Response ? compileResponse(bytes) : WebAssembly.compile(bytes);
}

async function load(build: Build): Promise<WebAssembly.Module> {
  const sent = build === "engine" ? configuration.wasm : undefined;
  return compile(sent ?? ((await page().ask(PAGE, "wasm", [build])) as WasmText));
}

const modules = new Map<Build, Promise<WebAssembly.Module>>();

/** Drops the compiled modules. */
export function forgetModules(): void {
  modules.clear();
}

/** The compiled module of a build. The next call tries a failed load again. */
export function engineModule(build: Build): Promise<WebAssembly.Module> {
  const known = modules.get(build);
  if (known) return known;
  const loading = load(build);
  modules.set(build, loading);
  loading.catch(() => modules.delete(build));
  return loading;
}
