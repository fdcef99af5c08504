/**
 * Provides the wasm builds that the engine asks for, from `init` or from a chunk of the package.
 * The page loads the chunk, because a blob worker cannot import. The engine compiles it.
 */
import { loadBuild } from "#source";
import { givenWasm, noWasm } from "./configuration.ts";
import type { Build, WasmText } from "./protocol.ts";

export async function loadWasm(build: Build): Promise<WasmText> {
  const given = await givenWasm(build);
  if (given) return given;
  const zstandard = build === "engine" ? undefined : await loadBuild?.[build]();
  if (zstandard === undefined) throw noWasm(build);
  return { zstandard };
}
