/**
 * Bundles one file of src/ts, for tests of internals. `glue` replaces functions of the wasm glue by
 * other statements, in which the original glue is `real`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { aliases } from "../../scripts/bundles.mjs";
import { ROOT } from "../../scripts/run_command.mjs";
import { glueFolder } from "../../scripts/wasm.mjs";

/** The glue of each build, by the name with which modules import it. */
const GLUES = { "#glue": "engine", "#full-glue": "full" };

const replacedGlue = (statements) => ({
  name: "replaced-glue",
  setup(build) {
    build.onResolve({ filter: /^#(full-)?glue$/ }, ({ path }) => ({ path, namespace: "replaced" }));
    build.onLoad({ filter: /.*/, namespace: "replaced" }, ({ path }) => {
      const glue = JSON.stringify(join(glueFolder(GLUES[path]), "zarr_wasm.js"));
      const contents = `import * as real from ${glue};
        export * from ${glue};
        export { default } from ${glue};
        ${statements}`;
      return { contents, resolveDir: ROOT };
    });
  },
});

/** Imports `src/ts/<file>`. `source` is the file of src/ts/entry/source for `#source`. */
export async function importSource(file, { source = "none", glue } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "zarr-wasm-bundled-"));
  try {
    const outfile = join(folder, "bundled.mjs");
    await build({
      entryPoints: [join(ROOT, "src/ts", file)],
      bundle: true,
      format: "esm",
      platform: "neutral",
      external: ["node:*"],
      outfile,
      logLevel: "error",
      alias: aliases(source),
      plugins: glue ? [replacedGlue(glue)] : [],
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
