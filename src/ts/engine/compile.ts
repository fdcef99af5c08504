/**
 * Compiles the wasm builds from the form in which they cross the port. Each build is compiled once,
 * and always asynchronously. The engine's own build usually comes with the first message; the
 * engine asks the page for the others.
 */
import { ZarrError } from "../model/errors.ts";
import type { Build, WasmText } from "../port/protocol.ts";
import { configuration } from "./configuration.ts";
import { PAGE, page } from "./page.ts";
import { inflating, unpacked } from "./unpack.ts";

/** Compiles while the bytes arrive, if the response has the required Content-Type. */
async function compileResponse(response: Response): Promise<WebAssembly.Module> {
  if (!response.ok) {
    throw new ZarrError(
      "Store",
      `the wasm at ${response.url} could not be loaded: HTTP status ${response.status}`,
    );
  }
  const isWasm = response.headers.get("Content-Type")?.startsWith("application/wasm");
  if (isWasm && WebAssembly.compileStreaming) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

/** Reads a file in Node, whose `fetch` does not support `file:` URLs. */
async function readFile(url: string): Promise<BufferSource> {
  const { process } = globalThis as {
    process?: { getBuiltinModule?(name: string): { readFile(url: URL): Promise<BufferSource> } };
  };
  const files = process?.getBuiltinModule?.("node:fs/promises");
  if (!files)
    throw new ZarrError(
      "Argument",
      `the wasm file ${url} cannot be read in this environment; pass its bytes to init`,
    );
  return files.readFile(new URL(url));
}

async function compile(wasm: WasmText): Promise<WebAssembly.Module> {
  if ("module" in wasm) return wasm.module;
  if ("deflated" in wasm) return compileResponse(inflating(wasm.deflated));
  if ("zstandard" in wasm) return WebAssembly.compile(await unpacked(wasm, await engineModule("engine")));
  if ("bytes" in wasm) return WebAssembly.compile(wasm.bytes as BufferSource);
  return wasm.url.startsWith("file:")
    ? WebAssembly.compile(await readFile(wasm.url))
    : compileResponse(await fetch(wasm.url));
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
