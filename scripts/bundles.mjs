/**
 * What all esbuild runs over `src` share: options, and the modules whose names begin with `#`.
 * Those are made, or depend on the entry. `tsconfig.json` and `src/package/virtual.d.ts` have their
 * types.
 */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { ROOT } from "./run_command.mjs";
import { VARIANTS } from "./wasm.mjs";

export const SOURCES = join(ROOT, "src");

/** The folder of the entries: what `package.json` exports. */
export const ENTRY = join(SOURCES, "package/entry");
export const DIST = join(ROOT, "dist");
export const MODULES = join(DIST, "modules");

const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

/** The packages that users bring, and their modules. */
export const PEERS = Object.keys(manifest.peerDependencies).flatMap((name) => [name, `${name}/*`]);

/** The entries of package.json, without the wasm file. */
export const ENTRIES = Object.values(manifest.exports).flatMap(({ default: file }) =>
  file ? basename(file, ".js") : [],
);

/** The entries that are one file each, and the file of `src/package/entry/source` that each has. */
export const ALONE = { slim: "none", worker: "none", inline: "whole", script: "beside" };

/** The entry of the element of the viewer, which is made of `www/`: see `embed.mjs`. */
export const ELEMENT = "view";

/** The entries whose modules are published file by file. */
export const MODULE_ENTRIES = ENTRIES.filter((name) => !(name in ALONE) && name !== ELEMENT);

const OTHER_BUILDS = VARIANTS.map(({ name }) => name).filter((name) => name !== "engine");

const TEXT_NAMES = ["engine-texts", "engine-programs", ...OTHER_BUILDS.map((name) => `${name}-wasm`)];

/** The texts: see `texts.mjs`. That of the light build becomes a part of its module. */
export const TEXTS = {
  ...Object.fromEntries(TEXT_NAMES.map((name) => [`#${name}`, join(MODULES, `${name}.js`)])),
  "#light-text": join(ROOT, "target/glue/light/text.js"),
};

/** The files of the names with `#`. `source` is the file of `src/package/entry/source`. */
export const aliases = (source) => ({
  "#caller": join(SOURCES, "engine/ts/host/caller.ts"),
  "#lazy": join(ENTRY, "source/lazy.ts"),
  "#light": join(SOURCES, "light/ts/light.ts"),
  "#source": join(ENTRY, `source/${source}.ts`),
  ...TEXTS,
});

/** Options of every run. White space stays: it keeps the comments that bundlers read. */
export const optionsOf = ({ quick }) => ({
  absWorkingDir: ROOT,
  bundle: true,
  format: "esm",
  target: "es2022",
  platform: "neutral",
  external: ["node:*", ...PEERS],
  minifySyntax: !quick,
  outdir: DIST,
  logLevel: "warning",
});

/**
 * A plugin that keeps imports of the workers' programs: package.json declares that no module has
 * side effects, but these have.
 */
export const programs = {
  name: "programs",
  setup(build) {
    build.onResolve({ filter: /^\..*_main\.ts$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path),
      sideEffects: true,
    }));
  },
};

/** A plugin that leaves out what a program loads later. */
const withoutLater = {
  name: "without what is loaded later",
  setup(build) {
    build.onResolve({ filter: /^[.#]/ }, ({ path, kind }) =>
      kind === "dynamic-import" || path === "#lazy"
        ? { path, external: true, sideEffects: false }
        : undefined,
    );
  },
};

/** esbuild's record of the first script of a program, which imports `src`. */
export async function firstScript(build, program) {
  const { metafile } = await build({
    ...optionsOf({ quick: true }),
    stdin: { contents: program, resolveDir: ENTRY },
    alias: aliases("inline"),
    plugins: [withoutLater],
    metafile: true,
    write: false,
  });
  return metafile;
}
