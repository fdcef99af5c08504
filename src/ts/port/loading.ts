/**
 * Loads the package's own files: the error for a chunk that failed to load, and the compilation of
 * wasm while it arrives. Works on the page and in the engine's worker.
 */
import { ZarrError } from "../model/errors.ts";

export function chunkFailed(cause: unknown): never {
  throw new ZarrError(
    "Store",
    `a chunk of zarr-wasm could not be loaded; reload the page, and check that all files of the bundle are served: ${cause}`,
    { cause },
  );
}

/** `compileStreaming` takes only responses with this type. Servers may send another one. */
const TYPE = "application/wasm";

export function requireOk({ ok, status, url }: Response): void {
  if (!ok) throw new ZarrError("Store", `the wasm at ${url} could not be loaded: HTTP status ${status}`);
}

export async function compileResponse(response: Response): Promise<WebAssembly.Module> {
  requireOk(response);
  const isWasm = response.headers.get("Content-Type")?.startsWith(TYPE);
  if (isWasm && WebAssembly.compileStreaming) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}
