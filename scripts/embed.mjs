/**
 * Builds `zarr-view.js`, the element `<zarr-view>` (www/src/embed), as one classic script: it has
 * the engine and all codecs in it, loads nothing, and works from any host and in sandboxed frames.
 */
import { ROOT } from "./run_command.mjs";

/** Writes the script to a folder. */
export async function buildEmbed(folder) {
  const { build } = await import("esbuild");
  await build({
    absWorkingDir: ROOT,
    entryPoints: [{ in: "www/src/embed/main.ts", out: "zarr-view" }],
    outdir: folder,
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    loader: { ".css": "text" },
    tsconfigRaw: {}, // that of www/ puts the sources in the place of the package
    logLevel: "error",
  });
}
