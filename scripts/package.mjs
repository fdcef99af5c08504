/**
 * Makes `dist/`, the published package, from TypeScript and wasm: modules file by file
 * (`modules.mjs`), bundles of the self-contained entries, declarations (`declarations.mjs`), wasm
 * files, and a report of sizes. `sizes.json` is the committed record for the release build, with
 * the code size of each room in each module. `docs/sizes.md` has a table of it.
 */
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { publishDeclarations } from "./declarations.mjs";
import { publishModules } from "./modules.mjs";
import { ROOT, StepFailed, say } from "./run_command.mjs";
import { virtualModules } from "./virtual_modules.mjs";
import { glueFolder, VARIANTS } from "./wasm.mjs";

const DIST = join(ROOT, "dist");
const ENTRIES = join(ROOT, "src/ts/entry");
/** The module that all entries share. It is not an entry itself. */
const NAMES = "names.ts";
const LEDGER = join(ROOT, "sizes.json");
const SIZES_PAGE = join(ROOT, "docs/sizes.md");

/** The wasm file of a build in the package. */
const wasmFile = ({ name }) => (name === "engine" ? "zarr_wasm.wasm" : `zarr_wasm_${name}.wasm`);

/**
 * esbuild's names of the inlined modules. `./slim` must not include them, because its users provide
 * the files.
 */
const INLINED = /^virtual:/;

const bundleOptions = (source, { quick }) => ({
  absWorkingDir: ROOT,
  bundle: true,
  format: "esm",
  target: "es2022",
  platform: "neutral",
  external: ["node:*"],
  minifyIdentifiers: !quick,
  minifySyntax: !quick,
  // Keep white space, because otherwise esbuild removes the comments that stop bundlers from
  // rewriting the import of a user's module.
  metafile: true,
  outdir: DIST,
  logLevel: "warning",
  plugins: [virtualModules({ source, isPublished: true })],
});

/**
 * The files that an output loads at once, including itself. Files behind `import()` are loaded
 * later.
 */
function staticClosure(outputs, start, seen = new Set()) {
  if (seen.has(start)) return seen;
  seen.add(start);
  for (const { path, kind, external } of outputs[start].imports) {
    if (kind === "import-statement" && !external) staticClosure(outputs, path, seen);
  }
  return seen;
}

/** Throws if `./slim` would ever download wasm or worker text inside JavaScript. */
function checkSlim(outputs) {
  const reachable = new Set();
  const visit = (path) => {
    if (reachable.has(path)) return;
    reachable.add(path);
    for (const { path: next, external } of outputs[path].imports) if (!external) visit(next);
  };
  const slim = Object.keys(outputs).find((path) => outputs[path].entryPoint === "src/ts/entry/slim.ts");
  if (!slim) return;
  visit(slim);
  for (const path of reachable) {
    const inlined = Object.keys(outputs[path].inputs).find((input) => INLINED.test(input));
    if (inlined) throw new StepFailed(`./slim pulls in ${inlined}, through ${path}`);
  }
}

/** Files that no bundler changes: the script for pages, and the texts of the workers' programs. */
const UNBUNDLED = ["script.js", ...["texts", "programs"].map((name) => join("modules", `engine-${name}.js`))];

/** Throws if a user's bundler would rewrite the import of a module by its URL. */
function checkImports() {
  for (const path of readdirSync(DIST, { recursive: true }).filter((name) => String(name).endsWith(".js"))) {
    if (UNBUNDLED.includes(String(path))) continue;
    const bare = readFileSync(join(DIST, String(path)), "utf8").match(/\bimport\(\s*[\w$]+\s*\)/);
    if (bare) throw new StepFailed(`${path}: ${bare[0]} has lost its webpackIgnore`);
  }
}

/**
 * Removes imports without names. esbuild adds them to keep the order of modules. Here no module has
 * side effects, as package.json states, and bundlers warn about such imports.
 */
function dropBareImports(outputs) {
  for (const path of Object.keys(outputs).filter((name) => name.endsWith(".js"))) {
    const text = readFileSync(join(ROOT, path), "utf8");
    const without = text.replace(/(?<=^|;)import ?"\.{1,2}\/[\w/.-]+\.js";/gm, "");
    if (without !== text) writeFileSync(join(ROOT, path), without);
  }
}

/** The self-contained entries, and the file of `src/ts/entry/source` that each is built with. */
const ALONE = { "slim.ts": "none", "worker.ts": "none", "inline.ts": "whole", "script.ts": "beside" };

/** Files of `src/ts/entry` that are published as modules, but are no entries. */
const NO_ENTRIES = [NAMES, "write_files.ts"];

/** What the options of a self-contained entry add to those of all. */
const OWN_OPTIONS = {
  // Bundles of one file must include the targets of `import()`.
  "inline.ts": { splitting: false },
  // In chunks the first read needed thirteen more requests.
  "slim.ts": { splitting: false },
  // A page loads the script as it is, so no bundler needs its comments.
  "script.ts": { splitting: false, format: "iife", globalName: "zarr", minifyWhitespace: true },
};

/** Bundles the self-contained entries. Resolves to esbuild's metadata of the outputs. */
async function bundleAlone(options) {
  const { build } = await import("esbuild");
  const outputs = {};
  for (const [name, source] of Object.entries(ALONE)) {
    const { metafile } = await build({
      ...bundleOptions(source, options),
      entryPoints: [join(ENTRIES, name)],
      splitting: true,
      ...OWN_OPTIONS[name],
      entryNames: "[name]",
      // Beside the entries, because their imports of published modules are relative to dist/.
      chunkNames: "[name]-[hash]",
    });
    Object.assign(outputs, metafile.outputs);
  }
  checkSlim(outputs);
  dropBareImports(outputs);
  return outputs;
}

/** The entries whose modules are published file by file. */
const moduleEntries = () =>
  readdirSync(ENTRIES).filter(
    (name) => name.endsWith(".ts") && !NO_ENTRIES.includes(name) && !(name in ALONE),
  );

/** The libraries of users that adapters are for. */
const { peerDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

/** Raw and gzipped bytes of one file. */
function measure(path) {
  const bytes = readFileSync(path);
  return { raw: bytes.length, gz: gzipSync(bytes, { level: 9 }).length };
}

/**
 * The size of what a program downloads before its first call, as a user's bundler makes it:
 * minified and without unused code.
 */
async function downloadSize(program) {
  const { build } = await import("esbuild");
  const { outputFiles, metafile } = await build({
    stdin: { contents: program, resolveDir: DIST },
    absWorkingDir: ROOT,
    outdir: join(ROOT, "target/download"),
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    // Node's modules and the user's own dependencies are not part of the package.
    external: ["node:*", ...Object.keys(peerDependencies)],
    write: false,
    metafile: true,
    logLevel: "error",
  });
  const { outputs } = metafile;
  const first = Object.keys(outputs).find((path) => outputs[path].entryPoint === "<stdin>");
  const files = [...staticClosure(outputs, first)].map((path) =>
    outputFiles.find((file) => file.path === join(ROOT, path)),
  );
  return {
    raw: files.reduce((sum, { contents }) => sum + contents.length, 0),
    gz: files.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0),
  };
}

/** The texts that are downloaded only when a call needs them. */
const LATER = [
  "engine-texts.js",
  "engine-programs.js",
  "full-wasm.js",
  "images-wasm.js",
  "conventions-wasm.js",
];

async function entrySizes(outputs) {
  const sizes = { "open, get, slice": await downloadSize('export { get, open, slice } from "./index.js"') };
  for (const entry of moduleEntries()) {
    const name = entry.replace(/\.ts$/, ".js");
    sizes[name] = await downloadSize(`export * from "./${name}"`);
  }
  for (const path of Object.keys(outputs).filter((name) =>
    /^dist\/(slim|worker|inline|script)\.js$/.test(name),
  )) {
    const parts = [...staticClosure(outputs, path)].map((part) => measure(join(ROOT, part)));
    const sum = (key) => parts.reduce((total, part) => total + part[key], 0);
    sizes[path.replace(/^dist\//, "")] = { raw: sum("raw"), gz: sum("gz") };
  }
  for (const name of LATER) sizes[`modules/${name}`] = measure(join(DIST, "modules", name));
  for (const name of VARIANTS.map(wasmFile)) sizes[name] = measure(join(DIST, name));
  return sizes;
}

/** The files in the README's table of sizes, and when a page downloads them. */
const TOLD = {
  "open, get, slice": "what a page downloads at first that imports these three",
  "index.js": "the same with every name",
  "modules/engine-texts.js": "at the first call: the engine's wasm and the workers' programs",
  "modules/engine-programs.js": "in its place where the engine's wasm is a file: the programs alone",
  "modules/full-wasm.js": "for all that reading v2 and v3 rarely needs",
  "modules/images-wasm.js": "for codecs of images",
  "modules/conventions-wasm.js": "for conventions, pyramids, CF",
  "script.js": "the script for pages without a bundler",
  "slim.js": "the facade that is told where the engine is",
  "worker.js": "the workers' program, for `workerUrl`",
  "zarr_wasm.wasm": "the engine, as `npx zarr-wasm <folder>` writes it",
  "zarr_wasm_full.wasm": "the full build, likewise",
};
const kilobytes = (bytes) => `${Math.round(bytes / 1000)} kB`;

/** Replaces what a pattern finds in a file. */
function replaceIn(path, pattern, replacement) {
  writeFileSync(path, readFileSync(path, "utf8").replace(pattern, replacement));
}

/** Writes the table of sizes into its page, and the first download into the README. */
function writeTable(sizes) {
  const rows = Object.entries(TOLD).map(([file, what]) => {
    const { raw, gz } = sizes[file];
    return `| \`${file}\` | ${what} | ${kilobytes(raw)} | ${kilobytes(gz)} |`;
  });
  const table = ["| file | what | raw | gzip |", "|---|---|---|---|", ...rows].join("\n");
  const place = /(<!-- sizes: [^\n]*-->\n)[\s\S]*?(\n<!-- \/sizes -->)/;
  replaceIn(SIZES_PAGE, place, (_all, begin, end) => begin + table + end);
  const [first, later] = [sizes["open, get, slice"], sizes["modules/engine-texts.js"]];
  const download = `${kilobytes(first.gz)}, then ${kilobytes(later.gz)}`;
  replaceIn(join(ROOT, "README.md"), /^(\| first download, gzip \| )[^|]+ \|/m, `$1${download} |`);
}

/** Bytes of code by room of `src/`, as `scripts/wasm_sections.mjs` counts them. */
const readRooms = ({ name }) => JSON.parse(readFileSync(join(glueFolder(name), "rooms.json"), "utf8"));

function report(sizes, { quick, ledger }) {
  const committed = existsSync(LEDGER) ? JSON.parse(readFileSync(LEDGER, "utf8")) : {};
  say("\n  entry (with what it imports at once)      raw        gz");
  for (const [name, { raw, gz }] of Object.entries(sizes)) {
    const before = committed[name]?.gz;
    const change =
      quick || before === undefined || before === gz
        ? ""
        : `  (${gz > before ? "+" : ""}${gz - before} against sizes.json)`;
    say(`  ${name.padEnd(32)} ${String(raw).padStart(12)} ${String(gz).padStart(9)}${change}`);
  }
  if (quick) say("  (a quick build: neither minified nor optimised for size)");
  if (ledger) {
    const rooms = Object.fromEntries(VARIANTS.map((variant) => [wasmFile(variant), readRooms(variant)]));
    writeFileSync(LEDGER, `${JSON.stringify({ ...sizes, rooms }, null, 2)}\n`);
    writeTable(sizes);
  }
}

export async function buildPackage(options) {
  rmSync(DIST, { recursive: true, force: true });
  say("· esbuild: the entries of src/ts/entry");
  const outputs = await bundleAlone(options);
  await publishModules(moduleEntries(), options);
  checkImports();
  for (const variant of VARIANTS) {
    copyFileSync(join(glueFolder(variant.name), "zarr_wasm.wasm"), join(DIST, wasmFile(variant)));
  }
  await publishDeclarations(join(DIST, "types"));
  report(await entrySizes(outputs), options);
}
