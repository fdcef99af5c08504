/**
 * Unpacks and compiles the wasm builds from the form in which they cross the port. Each build is
 * compiled once, and always asynchronously. The engine's own build usually comes with the first
 * message; the engine asks the page for the others. The engine's text is a deflate stream, which
 * JavaScript engines inflate themselves. The other builds are Zstandard frames that refer to the
 * engine's bytes, because the builds share most of their code. The engine decompresses them.
 */

import { type Build, WASM_EXPORT, WASM_FILE, WASM_OPTION } from "../../../contract/contract.ts";
import { ZarrError } from "../model/errors.ts";
import { viewBytes } from "../model/memory.ts";
import { nodeModule } from "../model/node.ts";
import { once } from "../model/once.ts";
import { compileResponse, requireOk } from "../port/loading.ts";
import { PAGE, type PackedWasm, type WasmBytes, type WasmText } from "../port/protocol.ts";
import { DecodeHost } from "./decode/decode_host.ts";
import type { PageLink } from "./page.ts";
import type { EngineState } from "./state.ts";

/** The error for bytes that are not the wasm of a build: a web page, half a file, another file. */
export const wrongWasm = (build: Build, cause: unknown): ZarrError =>
  new ZarrError("Argument", `the option ${WASM_OPTION[build]} of init is not the ${build} build: ${cause}`, {
    expected: `the file ${WASM_FILE[build]} of this version of zarr-wasm`,
    cause,
  });

/** Rejects a module that is another build. */
function checked(build: Build, module: WebAssembly.Module): WebAssembly.Module {
  if (WebAssembly.Module.exports(module).some(({ name }) => name === WASM_EXPORT[build])) return module;
  throw new Error(`it does not export ${WASM_EXPORT[build]}`);
}

/** Whether `init` gave it, or the bundler copied it. The others are texts of the package. */
const isGiven = (wasm: WasmText): boolean => !("zstandard" in wasm || "deflated" in wasm);

/** The compiled modules of an engine. Another engine may have been given other files. */
export class WasmBuilds {
  readonly #state: EngineState;
  readonly #page: PageLink;
  readonly #modules = new Map<Build, Promise<WebAssembly.Module>>();

  constructor(state: EngineState, page: PageLink) {
    this.#state = state;
    this.#page = page;
  }

  /** The compiled module of a build. The next call tries a failed load again. */
  module(build: Build): Promise<WebAssembly.Module> {
    return once(this.#modules, build, () => this.#load(build));
  }

  /** Drops the compiled modules. */
  forget(): void {
    this.#modules.clear();
  }

  async #load(build: Build): Promise<WebAssembly.Module> {
    const sent = build === "engine" ? this.#state.wasm : undefined;
    const wasm = sent ?? ((await this.#page.ask(PAGE, "wasm", [build])) as WasmText);
    try {
      return checked(build, await this.#compile(wasm));
    } catch (error) {
      throw error instanceof ZarrError || !isGiven(wasm) ? error : wrongWasm(build, error);
    }
  }

  async #compile(wasm: WasmText): Promise<WebAssembly.Module> {
    if ("module" in wasm) return wasm.module;
    if ("zstandard" in wasm) return WebAssembly.compile(await unpacked(wasm, await this.module("engine")));
    const bytes = await opened(wasm);
    return isResponse(bytes) ? compileResponse(bytes) : WebAssembly.compile(bytes);
  }
}

/** Without `fromBase64` a loop takes a tenth of the time of `Uint8Array.from` with a function. */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const { fromBase64 } = Uint8Array as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };
  if (fromBase64) return fromBase64.call(Uint8Array, text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

interface Zlib {
  inflateRaw(bytes: Uint8Array, done: (error: Error | null, bytes: Uint8Array<ArrayBuffer>) => void): void;
}

/**
 * The bytes of a base64 text of a deflate-raw stream, or a response from which they arrive. Node
 * inflates without streams: where a test imitates a page in it, `Response` may be another
 * program's, which no stream of the platform takes, and `DecompressionStream` may be absent.
 */
export async function inflated(text: string): Promise<Response | Uint8Array<ArrayBuffer>> {
  const bytes = decodeBase64(text);
  const zlib = nodeModule("node:zlib") as Zlib | undefined;
  if (zlib)
    return new Promise((resolve, reject) => {
      zlib.inflateRaw(bytes, (error, inflated) => (error ? reject(error) : resolve(inflated)));
    });
  const deflated = new Response(bytes).body as ReadableStream<Uint8Array<ArrayBuffer>>;
  const headers = { "Content-Type": "application/wasm" };
  return new Response(deflated.pipeThrough(new DecompressionStream("deflate-raw")), { headers });
}

/** Whether it is a response, of the platform or of a program that imitates it. */
const isResponse = (value: Response | BufferSource): value is Response => "arrayBuffer" in value;

/** Reads a file in Node, whose `fetch` does not support `file:` URLs. */
async function readFile(url: string): Promise<Uint8Array<ArrayBuffer>> {
  const files = nodeModule("node:fs/promises") as
    | { readFile(url: URL): Promise<Uint8Array<ArrayBuffer>> }
    | undefined;
  if (!files)
    throw new ZarrError(
      "Argument",
      `the wasm file ${url} cannot be read in this environment; pass its bytes to init`,
    );
  return files.readFile(new URL(url));
}

/** A module's bytes, or a response from which they arrive. */
async function opened(wasm: WasmBytes): Promise<Response | BufferSource> {
  if ("deflated" in wasm) return inflated(wasm.deflated);
  if ("bytes" in wasm) return wasm.bytes as BufferSource;
  const { url } = wasm;
  const reading = url.startsWith("file:") ? readFile(url) : fetch(url, { cache: "force-cache" });
  return reading.catch((cause) => {
    if (cause instanceof ZarrError) throw cause;
    throw new ZarrError("Store", `the wasm at ${url} could not be loaded: ${cause}`, { cause });
  });
}

async function bytesOf(wasm: WasmBytes): Promise<Uint8Array> {
  const bytes = await opened(wasm);
  if (!isResponse(bytes)) return ArrayBuffer.isView(bytes) ? viewBytes(bytes) : new Uint8Array(bytes);
  requireOk(bytes);
  return new Uint8Array(await bytes.arrayBuffer());
}

/**
 * The bytes of a build that was compressed with the engine. An instance of the engine decompresses
 * them, and is dropped: linear memory never shrinks.
 */
export async function unpacked(
  { zstandard, engine }: PackedWasm,
  module: WebAssembly.Module,
): Promise<Uint8Array<ArrayBuffer>> {
  const [prefix, host] = await Promise.all([bytesOf(engine), DecodeHost.start(module)]);
  try {
    return host.unpack(decodeBase64(zstandard), prefix);
  } catch (cause) {
    throw new ZarrError(
      "Store",
      `a wasm build of zarr-wasm does not fit the engine; reload the page, and check that all files of the bundle are of one version: ${cause}`,
      { cause },
    );
  }
}
