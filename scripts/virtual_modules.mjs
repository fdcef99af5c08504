/**
 * The modules that src/ts imports and that no file holds, as an esbuild plugin:
 *
 * - `#glue`: the wasm-bindgen glue of the variant at hand (the engine, unless a bundle is made for `full`);
 *   `#glue-full`: always that of `full`.
 * - `virtual:engine-wasm`, `virtual:full-wasm`: the module as text: deflate-raw, then base64. Deflated first, base64
 *   costs one per cent on the wire; by itself a third.
 * - `virtual:worker-source`, `virtual:full-worker-source`: a worker's whole program as text, for a blob worker; each
 *   with the glue of its variant.
 *
 * Their types are in src/ts/virtual.d.ts.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { ROOT } from "./run_command.mjs";
import { glueFolder } from "./wasm.mjs";

const WORKER_MAIN = join(ROOT, "src/ts/worker/worker_main.ts");

const wasmText = (variant) =>
  deflateRawSync(readFileSync(join(glueFolder(variant), "zarr_wasm.wasm")), { level: 9 }).toString("base64");

/** The worker as one classic script: blob workers made from it start in every engine. */
async function workerText(build, variant) {
  const result = await build.esbuild.build({
    entryPoints: [WORKER_MAIN],
    bundle: true,
    write: false,
    format: "iife",
    minify: build.initialOptions.minify,
    target: build.initialOptions.target,
    plugins: [virtualModules({ variant })],
  });
  return result.outputFiles[0].text;
}

const CONTENTS = {
  "virtual:engine-wasm": () => wasmText("engine"),
  "virtual:full-wasm": () => wasmText("full"),
  "virtual:worker-source": (build) => workerText(build, "engine"),
  "virtual:full-worker-source": (build) => workerText(build, "full"),
};

export function virtualModules({ variant }) {
  return {
    name: "virtual-modules",
    setup(build) {
      const glue = (name) => ({ path: join(glueFolder(name), "zarr_wasm.js") });
      build.onResolve({ filter: /^#glue$/ }, () => glue(variant));
      build.onResolve({ filter: /^#glue-full$/ }, () => glue("full"));
      // package.json tells bundlers that nothing here acts by being imported; the worker's program does.
      build.onResolve({ filter: /\/worker_main\.[jt]s$/ }, () => ({ path: WORKER_MAIN, sideEffects: true }));
      build.onResolve({ filter: /^virtual:/ }, ({ path }) => {
        if (path in CONTENTS) return { path, namespace: "virtual" };
        return {
          errors: [{ text: `no virtual module ${path}; there are ${Object.keys(CONTENTS).join(", ")}` }],
        };
      });
      build.onLoad({ filter: /.*/, namespace: "virtual" }, async ({ path }) => ({
        contents: `export default ${JSON.stringify(await CONTENTS[path](build))};`,
        loader: "js",
      }));
    },
  };
}
