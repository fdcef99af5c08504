/**
 * Bundles one file of src, for tests of internals. The statements `glue` replace functions of
 * the object `glue`, which are those of the wasm.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { aliases } from "../../scripts/bundles.mjs";
import { glueFunctions } from "../../scripts/functions.mjs";
import { ROOT } from "../../scripts/run_command.mjs";

/** A plugin that runs statements on the `glue` of each instance. */
const replacedGlue = (statements) => ({
  name: "replaced-glue",
  setup(build) {
    build.onLoad({ filter: /engine\/ts\/host\/glue\.ts$/ }, ({ path }) => {
      const contents = readFileSync(path, "utf8").replace("function made(", "function madeFirst(");
      const replaced = `
        function made(build) {
          const glue = madeFirst(build);
          ${statements}
          return glue;
        }`;
      return { contents: contents + replaced, loader: "ts" };
    });
  },
});

/** Imports `src/<file>`. `source` is the file of src/package/entry/source for `#source`. */
export async function importSource(file, { source = "none", glue } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "zarr-wasm-bundled-"));
  try {
    const outfile = join(folder, "bundled.mjs");
    await build({
      entryPoints: [join(ROOT, "src", file)],
      bundle: true,
      format: "esm",
      platform: "neutral",
      external: ["node:*"],
      outfile,
      logLevel: "error",
      alias: aliases(source),
      plugins: [glueFunctions, ...(glue ? [replacedGlue(glue)] : [])],
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
