/**
 * Publishes the modules of `src/ts` file by file, so that users' bundlers can omit the files that a
 * program does not use. Modules without a file (`#source`, `#glue`, `virtual:…`) become files
 * beside them. It writes `dist/modules/`, and in `dist/` a one-line file for each entry.
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { publishLateModules } from "./late_modules.mjs";
import { ROOT, StepFailed } from "./run_command.mjs";
import { virtualText } from "./virtual_modules.mjs";
import { glueFolder } from "./wasm.mjs";

const SOURCES = join(ROOT, "src/ts");
const MODULES = join(ROOT, "dist/modules");

/**
 * Published files without a counterpart in `src/ts`, by the name with which modules import them.
 */
const MADE = {
  "#source": "entry/source/inline.js",
  "#glue": "glue/engine.js",
  "#full-glue": "glue/full.js",
  "virtual:engine-texts": "engine-texts.js",
  "virtual:engine-programs": "engine-programs.js",
  "virtual:full-wasm": "full-wasm.js",
  "virtual:images-wasm": "images-wasm.js",
  "virtual:conventions-wasm": "conventions-wasm.js",
};

/**
 * The modules of `src/ts` to publish. Tests are left out; so are workers and entries that are
 * bundled separately.
 */
const isPublished = (name) =>
  name.endsWith(".ts") &&
  !name.endsWith(".d.ts") &&
  !name.endsWith(".test.ts") &&
  !["entry/inline.ts", "entry/script.ts", "entry/slim.ts", "entry/worker.ts"].includes(name) &&
  !["none", "whole", "beside"].some((source) => name === `entry/source/${source}.ts`) &&
  !/\/(engine|decode)_main\.ts$/.test(name);

const relativeName = (from, to) => {
  const path = relative(dirname(from), to).split(sep).join("/");
  return path.startsWith(".") ? path : `./${path}`;
};

/** Replaces the imports in a module's text by published names. */
function withPublishedImports(name, text) {
  return text.replace(
    /(\bfrom\s*|\bimport\s*\(?\s*(?:\/\*.*?\*\/\s*)?)"([^"]+)"/g,
    (all, before, imported) => {
      if (imported in MADE) return `${before}"${relativeName(name, MADE[imported])}"`;
      return imported.startsWith(".") ? `${before}"${imported.replace(/\.ts$/, ".js")}"` : all;
    },
  );
}

function write(name, text) {
  const path = join(MODULES, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Throws if a module imports something that users do not have. */
function checkImports(name, text) {
  const strange = text.match(/(?:from|import\()\s*"(#[^"]+|virtual:[^"]+)"/);
  if (strange) throw new StepFailed(`${name} imports ${strange[1]}, which is not published`);
}

/**
 * Publishes the glue of a build, and the modules of `src/engine/js` that it imports, which wasm-bindgen
 * puts into a folder.
 */
function writeGlue(build) {
  const folder = glueFolder(build);
  const glue = readFileSync(join(folder, "zarr_wasm.js"), "utf8");
  const published = glue.replace(/(["'])\.\/(snippets\/[^"']+)\1/g, (_, quote, snippet) => {
    const name = basename(snippet);
    write(`glue/${name}`, readFileSync(join(folder, snippet), "utf8"));
    return `${quote}./${name}${quote}`;
  });
  write(`glue/${build}.js`, published);
}

/** Publishes the modules and the given entries. */
export async function publishModules(entries, { quick }) {
  const { build } = await import("esbuild");
  const names = readdirSync(SOURCES, { recursive: true })
    .map((name) => String(name).split(sep).join("/"))
    .filter(isPublished);
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: names.map((name) => join(SOURCES, name)),
    outbase: SOURCES,
    outdir: MODULES,
    bundle: false,
    format: "esm",
    target: "es2022",
    minifySyntax: !quick,
    write: false,
    logLevel: "warning",
  });
  for (const { path, text } of outputFiles) {
    const name = relative(MODULES, path).split(sep).join("/");
    const published = withPublishedImports(name, text);
    checkImports(name, published);
    write(name, published);
  }
  for (const build of ["engine", "full"]) writeGlue(build);
  for (const [imported, name] of Object.entries(MADE)) {
    if (imported.startsWith("virtual:")) write(name, await virtualText(imported, { quick }));
  }
  copyFileSync(join(glueFolder("engine"), "zarr_wasm.wasm"), join(MODULES, "engine.wasm"));
  await publishLateModules(build, MODULES, { minify: !quick });
  for (const entry of entries) {
    const isDefault = /\bas default\b|export default/.test(
      readFileSync(join(SOURCES, "entry", entry), "utf8"),
    );
    const from = `"./modules/entry/${entry.replace(/\.ts$/, ".js")}"`;
    writeFileSync(
      join(ROOT, "dist", entry.replace(/\.ts$/, ".js")),
      `export * from ${from};\n${isDefault ? `export { default } from ${from};\n` : ""}`,
    );
  }
}
