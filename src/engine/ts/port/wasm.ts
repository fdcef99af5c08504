/**
 * Provides the wasm builds that the engine needs: what `init` received, the file that the bundler
 * copied, or a text in a chunk of the package. The page loads them, because a blob worker cannot
 * import. The page compiles files while they arrive. The engine compiles texts.
 */
import { loadBuild, loadEngine, loadPrograms, wasmFile } from "#source";
import { type Build, WASM_OPTION } from "../../../contract/contract.ts";
import { need, parsedUrl } from "../model/argument.ts";
import { ZarrError } from "../model/errors.ts";
import { isNode } from "../model/node.ts";
import { configuration } from "./configuration.ts";
import { compileResponse, requireOk, type WorkerPrograms } from "./loading.ts";
import type { WasmBytes, WasmText } from "./protocol.ts";
import { warn } from "./warnings.ts";

/** The error for an entry point that has no inlined wasm and received none. */
const noWasm = (build: Build) =>
  new ZarrError(
    "Argument",
    `this entry point has no inlined wasm: call init({ ${WASM_OPTION[build]} }) first`,
  );

const read = new WeakMap<Response, Promise<ArrayBuffer>>();

/** The bytes of a response. They are kept, because a response can be read only once. */
async function bytesOf(response: Response): Promise<ArrayBuffer> {
  const known = read.get(response);
  if (known) return known;
  requireOk(response);
  const bytes = response.arrayBuffer();
  read.set(response, bytes);
  return bytes;
}

/** The wasm that `init` received for a build, as it crosses the port. */
async function givenWasm(build: Build): Promise<WasmBytes | { module: WebAssembly.Module } | undefined> {
  const source = await configuration[WASM_OPTION[build]];
  if (source === undefined) return undefined;
  if (source instanceof WebAssembly.Module) return { module: source };
  if (typeof source === "string" || source instanceof URL) return { url: parsedUrl(source).href };
  // A program that imitates a page has another class of responses.
  if (typeof (source as Response).arrayBuffer === "function")
    return { bytes: await bytesOf(source as Response) };
  need(source instanceof ArrayBuffer || ArrayBuffer.isView(source), WASM_OPTION[build], "WebAssembly");
  return { bytes: source };
}

/** Files whose compilation has begun, by URL, until the engine has them. */
const compiled = new Map<string, Promise<WebAssembly.Module>>();

function compileFile(url: string): Promise<WebAssembly.Module> {
  const known = compiled.get(url);
  if (known) return known;
  const compiling = fetch(url).then(compileResponse);
  compiled.set(url, compiling);
  compiling.catch(() => compiled.delete(url));
  return compiling;
}

/**
 * Compiles a file that `init` received. If the page cannot, the engine tries and reports the
 * error.
 */
async function compiledGiven(given: { url: string }): Promise<WasmText> {
  if (given.url.startsWith("file:")) return given;
  return compileFile(given.url).then(
    (module) => ({ module }),
    (error) => {
      if (error instanceof ZarrError) throw error;
      return given;
    },
  );
}

/** The file that the bundler copied could not be loaded, so the text is used. */
let isFileLost = false;

/**
 * The URL of the engine's wasm, if the bundler copied the file. Next.js gives a path instead of a
 * URL, and some bundlers give the path of the build machine.
 */
async function bundledFile(): Promise<string | undefined> {
  if (isFileLost || isNode()) return undefined;
  const path = await wasmFile?.();
  try {
    const url = path && parsedUrl(path.href).href;
    return url?.startsWith("file:") ? undefined : url;
  } catch {
    return undefined;
  }
}

async function engineText(): Promise<{ deflated: string }> {
  if (!loadEngine) throw noWasm("engine");
  return { deflated: (await loadEngine()).wasm };
}

async function engineWasm(): Promise<WasmText> {
  const given = await givenWasm("engine");
  if (given) return "url" in given ? compiledGiven(given) : given;
  const file = await bundledFile();
  if (file === undefined) return engineText();
  return compileFile(file).then(
    (module) => ({ module }),
    (reason) => {
      isFileLost = true;
      warn(`the engine's file could not be compiled, so its text is loaded instead: ${reason}`, file);
      return engineText();
    },
  );
}

/** The engine's bytes, which are the prefix of the other builds. */
async function enginePrefix(): Promise<WasmBytes> {
  const given = await givenWasm("engine");
  const url = given && "url" in given ? given.url : await bundledFile();
  return url === undefined ? engineText() : { url };
}

/** The wasm of a build, when the engine asks for it. */
export async function loadWasm(build: Build): Promise<WasmText> {
  if (build === "engine") return engineWasm().finally(() => compiled.clear());
  const given = await givenWasm(build);
  if (given) return given;
  if (!loadBuild) throw noWasm(build);
  const [zstandard, engine] = await Promise.all([loadBuild(build), enginePrefix()]);
  return { zstandard, engine };
}

/** Begins to load the text of a build, before the engine asks for it. */
export function preloadText(build: Exclude<Build, "engine">): void {
  if (configuration.wasm === undefined) loadBuild?.(build).catch(() => {});
}

interface Startup {
  programs: WorkerPrograms | undefined;
  wasm: WasmText | undefined;
}

/**
 * Loads the workers' programs, and the engine's wasm if that is a text in the same chunk. If it is
 * a file, the worker starts while the file is loading, and asks for the wasm later.
 */
export async function loadStartup(): Promise<Startup> {
  if (configuration.wasm === undefined && (await bundledFile()) === undefined) {
    const texts = await loadEngine?.();
    return { programs: texts, wasm: texts && { deflated: texts.wasm } };
  }
  engineWasm().catch(() => {});
  return { programs: await loadPrograms?.(), wasm: undefined };
}
