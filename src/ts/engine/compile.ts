/**
 * From wherever the wasm is to a compiled module; each build is compiled once, never synchronously.
 */
import { conventionsBytes, engineBytes, fullBytes, imagesBytes } from "#source";
import { ZarrError } from "../model/errors.ts";
import { configuration, type WasmSource } from "./configuration.ts";

/** Compiles while it downloads, where the server names the type that this requires. */
async function compileResponse(response: Response): Promise<WebAssembly.Module> {
  if (!response.ok) {
    throw new ZarrError("Store", `the wasm is not at ${response.url}: HTTP status ${response.status}`);
  }
  if (response.headers.get("Content-Type")?.startsWith("application/wasm")) {
    return WebAssembly.compileStreaming(response);
  }
  return WebAssembly.compile(await response.arrayBuffer());
}

/** Node's `fetch` knows no files. */
async function readFile(url: URL): Promise<BufferSource> {
  const { process } = globalThis as {
    process?: { getBuiltinModule?(name: string): { readFile(url: URL): Promise<BufferSource> } };
  };
  const files = process?.getBuiltinModule?.("node:fs/promises");
  if (!files) throw new ZarrError("Argument", `${url} cannot be read here; pass the bytes`);
  return files.readFile(url);
}

async function compileUrl(source: string | URL): Promise<WebAssembly.Module> {
  const { location } = globalThis as { location?: { href: string } };
  const url = new URL(source, location?.href);
  if (url.protocol === "file:") return WebAssembly.compile(await readFile(url));
  return compileResponse(await fetch(url));
}

async function compile(source: WasmSource): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  if (typeof source === "string" || source instanceof URL) return compileUrl(source);
  if (typeof Response !== "undefined" && source instanceof Response) return compileResponse(source);
  return WebAssembly.compile(source as BufferSource);
}

/** Where each build comes from when `init` did not say. */
const SOURCES = {
  engine: { option: "wasm", inlined: engineBytes },
  full: { option: "wasmFull", inlined: fullBytes },
  images: { option: "wasmImages", inlined: imagesBytes },
  conventions: { option: "wasmConventions", inlined: conventionsBytes },
} as const;

/** A build of the crate: one of the engine, or the conventions' own. */
type Build = keyof typeof SOURCES;

async function load(build: Build): Promise<WebAssembly.Module> {
  const { option, inlined } = SOURCES[build];
  const given = configuration[option];
  const source = given === undefined ? await inlined?.() : await given;
  if (source === undefined) {
    throw new ZarrError("Argument", `this entry has no wasm inlined: call init({ ${option} }) first`);
  }
  return compile(source);
}

const modules = new Map<Build, Promise<WebAssembly.Module>>();

/** Forgets the compiled modules. */
export function forgetModules(): void {
  modules.clear();
}

/** The compiled module of a build; a failed load is tried again at the next call. */
export function engineModule(build: Build): Promise<WebAssembly.Module> {
  const known = modules.get(build);
  if (known) return known;
  const loading = load(build);
  modules.set(build, loading);
  loading.catch(() => modules.delete(build));
  return loading;
}
