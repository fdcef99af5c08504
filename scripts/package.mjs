/**
 * Makes `dist/`, the published package, from TypeScript and wasm. Users' bundlers omit the files
 * that a program does not use, so the modules of `src` are published file by file. One file each
 * are the self-contained entries, the command, the engine of the caller's thread, the lazy code
 * (`lazy.mjs`), the element of the viewer (`embed.mjs`), and wasm and the programs of workers as
 * texts (`texts.mjs`).
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import {
  ALONE,
  aliases,
  DIST,
  ENTRY,
  firstScript,
  MODULE_ENTRIES,
  MODULES,
  optionsOf,
  programs,
  SOURCES,
  TEXTS,
} from "./bundles.mjs";
import { publishElement } from "./embed.mjs";
import { glueFunctions } from "./functions.mjs";
import { publishLazyCode } from "./lazy.mjs";
import { minified } from "./minified.mjs";
import { ROOT, run, say } from "./run_command.mjs";
import { publishTexts } from "./texts.mjs";
import { moduleOf, VARIANTS } from "./wasm.mjs";

/** The module of the engine on the caller's thread. */
const CALLER = "engine/ts/host/caller";

/** The module of the light build. */
const LIGHT = "light/ts/light";

/** Where a module of `src` is published, without its ending. */
function placeOf(source) {
  const module = relative(SOURCES, source).replace(/\.ts$/, "");
  const isEntry = dirname(source) === ENTRY && MODULE_ENTRIES.includes(basename(module));
  return isEntry ? join(DIST, basename(module)) : join(MODULES, module);
}

/** The modules with `#`, as modules that are published file by file import them. */
const MADE = {
  ...TEXTS,
  "#caller": join(MODULES, `${CALLER}.js`),
  "#lazy": join(MODULES, "lazy_loader.js"),
  "#light": join(MODULES, `${LIGHT}.js`),
  "#source": join(MODULES, "package/entry/source/inline.js"),
};

/** The import of a published file from another, for esbuild. */
function published(from, target) {
  const way = relative(dirname(from), target).split(sep).join("/");
  return { path: way.startsWith(".") ? way : `./${way}`, external: true };
}

/** An esbuild plugin that leaves each import an import, of the published file. */
const fileByFile = {
  name: "file by file",
  setup(build) {
    build.onResolve({ filter: /^[.#]/ }, ({ path, kind, importer, resolveDir }) => {
      if (kind === "entry-point") return undefined;
      const target = path.startsWith("#") ? MADE[path] : `${placeOf(join(resolveDir, path))}.js`;
      return published(placeOf(importer), target);
    });
  },
};

/** Publishes the modules that the entries reach. */
async function publishModules(build, options) {
  const program = MODULE_ENTRIES.map((name) => `export * as ${name} from "./${name}.ts";`);
  const { inputs } = await firstScript(build, program.join("\n"));
  const names = [
    ...Object.keys(inputs).filter((name) => name !== "<stdin>"),
    "src/package/entry/source/wasm_file.ts",
  ];
  const entryPoints = names.map((name) => ({ in: name, out: relative(DIST, placeOf(join(ROOT, name))) }));
  await build({ ...optionsOf(options), entryPoints, plugins: [fileByFile] });
}

/**
 * Publishes a module as one file. It imports texts, and the engine of the caller's thread, which
 * speaks to the page by messages alone and so may have copies of the page's modules.
 */
async function publishBundle(build, options, { entry, output, source, ...more }) {
  const outside = ({ path }) => published(output, MADE[path]);
  const beside = {
    name: "published files",
    setup(plugin) {
      plugin.onResolve({ filter: /^#(caller|light|.*-(texts|programs|wasm))$/ }, outside);
    },
  };
  await build({
    ...optionsOf(options),
    alias: aliases(source),
    plugins: [beside, programs, glueFunctions],
    entryPoints: [join(SOURCES, entry)],
    outdir: undefined,
    outfile: output,
    minifyIdentifiers: !options.quick,
    ...more,
  });
}

/** Pages load these as they are. Users' bundlers read the others, and leave out more of them so. */
const LOADED = ["slim", "worker", "script", CALLER, LIGHT];

const SCRIPT = { format: "iife", globalName: "zarr" };

/** Publishes a module as one file, and minifies it if pages load it as it is. */
async function publishOne(build, options, { name, ...bundle }) {
  await publishBundle(build, options, bundle);
  if (options.quick || !LOADED.includes(name)) return;
  const text = readFileSync(bundle.output, "utf8");
  writeFileSync(bundle.output, await minified(text, { module: bundle.format !== "iife" }));
}

async function publishBundles(build, options) {
  for (const [name, source] of Object.entries(ALONE)) {
    const files = { entry: `package/entry/${name}.ts`, output: join(DIST, `${name}.js`) };
    await publishOne(build, options, { name, ...files, source, ...(name === "script" && SCRIPT) });
  }
  for (const name of [CALLER, LIGHT, "package/entry/write_files"])
    await publishOne(build, options, {
      name,
      entry: `${name}.ts`,
      output: join(MODULES, `${name}.js`),
      source: "inline",
    });
}

/** Publishes the declarations of `src`, as tsc writes them. */
async function publishDeclarations() {
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  await run("tsc: declarations", process.execPath, [tsc, "--project", "tsconfig.build.json"]);
}

/**
 * Makes `dist/`. With `isFirst`, a part of it: see `build.mjs`. With `isAnew`, over what is there,
 * so that a server of it can go on.
 */
export async function buildPackage({ isFirst, isAnew, ...options }) {
  const { build } = await import("esbuild");
  if (!isAnew) rmSync(DIST, { recursive: true, force: true });
  mkdirSync(MODULES, { recursive: true });
  say("· esbuild: the entries of src/package/entry");
  await publishTexts(build, { ...options, isFirst });
  await publishBundles(build, options);
  await publishModules(build, options);
  await publishLazyCode(build, options);
  await publishElement(build);
  for (const { name, file } of VARIANTS.filter((variant) => variant.isFirst || !isFirst))
    copyFileSync(moduleOf(name), join(DIST, file));
  copyFileSync(moduleOf("engine"), join(MODULES, "engine.wasm"));
  if (!isFirst && !isAnew) await publishDeclarations();
  if (options.ledger) await (await import("./sizes.mjs")).writeSizes(build);
}
