/**
 * Builds the element `<zarr-view>` (www/src/app/embed) in two forms:
 *
 * - `zarr-view.js`, one classic script: it has the engine and all codecs in it, loads nothing, and
 *   works from any host and in sandboxed frames.
 * - `zarr-wasm/view`, an entry of the package, beside the package's other entries and the libraries
 *   that the user brings. Coast lines, plots, planes and comparisons are modules of their own. They
 *   load when they are first shown.
 */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DIST, ELEMENT, ENTRY, PEERS } from "./bundles.mjs";
import { ROOT } from "./run_command.mjs";

const ELEMENT_SOURCE = "www/src/app/embed/main.ts";
const PART = new RegExp(`^${ELEMENT}-.*\\.js$`);

const OPTIONS = {
  absWorkingDir: ROOT,
  bundle: true,
  minify: true,
  target: "es2022",
  loader: { ".css": "text" },
  tsconfigRaw: {}, // that of www/ uses the sources instead of the package
  logLevel: "error",
};

/** Writes the script to a folder. */
export async function buildEmbed(folder) {
  const { build } = await import("esbuild");
  await build({
    ...OPTIONS,
    entryPoints: [{ in: ELEMENT_SOURCE, out: "zarr-view" }],
    outdir: folder,
    format: "iife",
  });
}

/** Makes imports of the package those of the published files beside this one. */
const besideThePackage = {
  name: "beside the package",
  setup(plugin) {
    plugin.onResolve({ filter: /^zarr-wasm(\/|$)/ }, ({ path }) => ({
      path: `./${path.split("/")[1] ?? "index"}.js`,
      external: true,
    }));
  },
};

/** Publishes the entry `zarr-wasm/view`. */
export async function publishElement(build) {
  for (const name of readdirSync(DIST).filter((name) => PART.test(name))) rmSync(join(DIST, name));
  await build({
    ...OPTIONS,
    entryPoints: [{ in: join(ENTRY, `${ELEMENT}.ts`), out: ELEMENT }],
    outdir: DIST,
    format: "esm",
    splitting: true,
    chunkNames: `${ELEMENT}-[name]-[hash]`,
    external: PEERS,
    alias: { "#view": join(ROOT, ELEMENT_SOURCE) },
    plugins: [besideThePackage],
  });
}
