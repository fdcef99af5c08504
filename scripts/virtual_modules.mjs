/**
 * An esbuild plugin for the modules that `src/ts` imports and that have no file:
 *
 * - `#glue`, `#full-glue`: the wasm-bindgen glue of the engine and of the full build (a chunk of
 *   its own).
 * - `#source`: the file of `src/ts/entry/source` that provides wasm and worker, by entry.
 * - `virtual:engine-texts`: the engine's wasm as text (deflate-raw, then base64), which browsers
 *   inflate themselves, and the workers' programs as texts, for blob workers. Base64 of compressed
 *   bytes costs one per cent on the wire; base64 alone costs a third.
 * - `virtual:engine-programs`: the workers' programs alone, for pages that have the wasm as a file.
 * - `virtual:full-wasm`, `virtual:images-wasm`, `virtual:conventions-wasm`: a wasm module as text
 *   (a Zstandard frame with the engine's wasm as prefix, then base64). It is two fifths smaller
 *   than deflate. The package has each module once, in this form.
 *
 * Their types are in `src/ts/virtual.d.ts`.
 */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { ROOT } from "./run_command.mjs";
import { glueFolder, packedWasm } from "./wasm.mjs";

const PROGRAMS = ["decode/decode_main.ts", "engine_main.ts"].map((name) => join(ROOT, "src/ts/engine", name));

const wasmOf = (variant) => readFileSync(join(glueFolder(variant), "zarr_wasm.wasm"));
const deflated = (variant) => deflateRawSync(wasmOf(variant), { level: 9 }).toString("base64");

/** The prefix is the module that `virtual:engine-texts` has. A quick build needs no small text. */
async function packed(variant, { initialOptions: { minifyIdentifiers } }) {
  const path = await packedWasm(variant, { quick: !minifyIdentifiers });
  return readFileSync(path).toString("base64");
}

/** An esbuild plugin: a bundle gets the modules of the chunk from the global variable `shared`. */
const withShared = {
  name: "modules of the program before",
  setup(build) {
    build.onResolve({ filter: /\/chunk-\w+\.js$/ }, ({ path }) => ({ path, namespace: "shared" }));
    build.onLoad({ filter: /.*/, namespace: "shared" }, () => ({ contents: "module.exports = shared;" }));
  },
};

/**
 * The programs of workers as classic scripts, so that blob workers made from them start in every
 * browser. The engine's program is appended to that of decode workers and uses its modules, which
 * are in a chunk at first: a decode worker starts from a seventh of the text.
 */
async function workerPrograms({ esbuild, initialOptions }) {
  const { minifyIdentifiers, minifySyntax, target } = initialOptions;
  // No bundler sees the texts, so they need no comments for them.
  const options = { bundle: true, write: false, minifyIdentifiers, minifySyntax, target };
  const { outputFiles } = await esbuild.build({
    ...options,
    entryPoints: PROGRAMS,
    outdir: ROOT,
    splitting: true,
    format: "esm",
    plugins: [virtualModules({ source: "none" })],
  });
  const textOf = (name) => outputFiles.find(({ path }) => basename(path).startsWith(name)).text;
  const script = async (name, more) => {
    const stdin = { contents: textOf(name), resolveDir: ROOT };
    const wrapped = { format: "iife", minifyWhitespace: minifyIdentifiers, ...more };
    const { outputFiles: made } = await esbuild.build({ ...options, ...wrapped, stdin });
    return made[0].text;
  };
  const plugins = [withShared];
  const shared = await script("chunk", { globalName: "shared" });
  return {
    decoder: shared + (await script("decode_main", { plugins })),
    engine: await script("engine_main", { plugins }),
  };
}

const exported = (name, text) =>
  `export ${name === "default" ? "default" : `const ${name} =`} ${JSON.stringify(text)};`;

async function exportedPrograms(build) {
  const { decoder, engine } = await workerPrograms(build);
  return `${exported("decoder", decoder)}\n${exported("engine", engine)}`;
}

/** The text of each module. */
const CONTENTS = {
  "virtual:engine-texts": async (build) =>
    `${exported("wasm", deflated("engine"))}\n${await exportedPrograms(build)}`,
  "virtual:engine-programs": exportedPrograms,
  "virtual:full-wasm": async (build) => exported("default", await packed("full", build)),
  "virtual:images-wasm": async (build) => exported("default", await packed("images", build)),
  "virtual:conventions-wasm": async (build) => exported("default", await packed("conventions", build)),
};

/** The text of one virtual module, outside of a build. */
export async function virtualText(name, { quick }) {
  const minify = { minifyIdentifiers: !quick, minifySyntax: !quick };
  return CONTENTS[name]({
    esbuild: await import("esbuild"),
    initialOptions: { ...minify, target: "es2022" },
  });
}

/**
 * The esbuild plugin. `source` is the file of `src/ts/entry/source` that `#source` resolves to.
 * `isPublished`: the output, in `dist/`, imports the texts and the engine of the caller's thread
 * from the published modules.
 */
export function virtualModules({ source, isPublished = false }) {
  return {
    name: "virtual-modules",
    setup(build) {
      build.onResolve({ filter: /^#glue$/ }, () => ({ path: join(glueFolder("engine"), "zarr_wasm.js") }));
      build.onResolve({ filter: /^#full-glue$/ }, () => ({ path: join(glueFolder("full"), "zarr_wasm.js") }));
      build.onResolve({ filter: /^#source$/ }, () => ({
        path: join(ROOT, `src/ts/entry/source/${source}.ts`),
      }));
      // package.json declares that no module has side effects, but the workers' programs have.
      build.onResolve({ filter: /\/(decode|engine)_main\.[jt]s$/ }, ({ path }) => ({
        path: PROGRAMS.find((program) => program.endsWith(basename(path))),
        sideEffects: true,
      }));
      if (isPublished) {
        // The engine of the caller's thread speaks to the page by messages alone, so it may be a
        // copy of its own.
        const path = "./modules/engine/caller.js";
        build.onResolve({ filter: /\/caller\.ts$/ }, () => ({ path, external: true, sideEffects: false }));
      }
      build.onResolve({ filter: /^virtual:/ }, ({ path }) => {
        if (isPublished) return { path: `./modules/${path.slice("virtual:".length)}.js`, external: true };
        if (path in CONTENTS) return { path, namespace: "virtual" };
        return {
          errors: [{ text: `no virtual module ${path}; there are ${Object.keys(CONTENTS).join(", ")}` }],
        };
      });
      build.onLoad({ filter: /.*/, namespace: "virtual" }, async ({ path }) => ({
        contents: await CONTENTS[path](build),
        loader: "js",
      }));
    },
  };
}
