/**
 * Provides the wasm builds that the engine asks for, from `init` or from a chunk of the package.
 * The page loads the chunk, because a blob worker cannot import. The engine compiles it. The
 * package's own engine goes with it, because the build is compressed with that: `init` may have
 * given another.
 */
import { loadBuild, loadEngine } from "#source";
import { givenWasm, noWasm } from "./configuration.ts";
import type { Build, WasmText } from "./protocol.ts";

export async function loadWasm(build: Build): Promise<WasmText> {
  const given = await givenWasm(build);
  if (given) return given;
  if (build === "engine" || !loadBuild || !loadEngine) throw noWasm(build);
  const [zstandard, { wasm: engine }] = await Promise.all([loadBuild[build](), loadEngine()]);
  return { zstandard, engine };
}
