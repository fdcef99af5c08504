/**
 * Measures what users download, for `npm run build -- --ledger`: writes `sizes.json`, the table in
 * `docs/sizes.md`, and the first download in the README.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { ALONE, DIST, ELEMENT, MODULE_ENTRIES, MODULES, optionsOf, TEXTS } from "./bundles.mjs";
import { roomSizes } from "./rooms.mjs";
import { ROOT, StepFailed, say } from "./run_command.mjs";
import { VARIANTS } from "./wasm.mjs";

const LEDGER = join(ROOT, "sizes.json");
const SIZES_PAGE = join(ROOT, "docs/sizes.md");

/** The light build, as the package has it. */
const LIGHT = "modules/light/ts/light.js";

const sizeOf = (files) => ({
  raw: files.reduce((sum, bytes) => sum + bytes.length, 0),
  gz: files.reduce((sum, bytes) => sum + gzipSync(bytes, { level: 9 }).length, 0),
});

/**
 * The size of what a program downloads before its first call, as a user's bundler makes it:
 * minified and without unused code. `later` has the modules behind `import()` that it loads too.
 */
async function downloadSize(build, program, later = []) {
  const { outputFiles, metafile } = await build({
    ...optionsOf({ quick: false }),
    stdin: { contents: program, resolveDir: DIST },
    target: "esnext",
    splitting: true,
    minify: true,
    write: false,
    metafile: true,
    outdir: join(ROOT, "target/download"),
  });
  const { outputs } = metafile;
  const open = [Object.keys(outputs).find((path) => outputs[path].entryPoint === "<stdin>")];
  // What an output imports follows it. Files behind `import()` are loaded later: only those that
  // have a module of `later` count.
  const isWanted = (path) =>
    Object.keys(outputs[path].inputs).some((input) => later.some((name) => input.endsWith(name)));
  for (const path of open)
    for (const { path: next, kind } of outputs[path].imports)
      if (next in outputs && !open.includes(next) && (kind === "import-statement" || isWanted(next)))
        open.push(next);
  return sizeOf(
    outputFiles
      .filter(({ path }) => open.some((name) => path === join(ROOT, name)))
      .map(({ contents }) => contents),
  );
}

async function allSizes(build) {
  const sizes = {
    "open, get, slice": await downloadSize(build, 'export { get, open, slice } from "./index.js"'),
  };
  for (const name of [...MODULE_ENTRIES, ELEMENT])
    sizes[`${name}.js`] = await downloadSize(build, `export * from "./${name}.js"`);
  const files = [
    ...Object.keys(ALONE).map((name) => `${name}.js`),
    LIGHT,
    ...Object.values(TEXTS).flatMap((path) => (path.startsWith(MODULES) ? `modules/${basename(path)}` : [])),
    ...VARIANTS.map(({ file }) => file),
  ];
  for (const file of files) sizes[file] = sizeOf([readFileSync(join(DIST, file))]);
  return sizes;
}

/** The files in the README's table of sizes, and when a page downloads them. */
const TOLD = {
  "open, get, slice": "what a page downloads at first that imports these three",
  "index.js": "the same with every name",
  [LIGHT]: "at the first call: the light build, which reads a few chunks on the page's thread",
  "modules/engine-texts.js": "when a call needs more: the engine's wasm and the workers' programs",
  "modules/engine-programs.js": "in its place where the engine's wasm is a file: the programs alone",
  ...Object.fromEntries(
    VARIANTS.filter(({ name }) => name !== "engine").map(({ name, serves }) => [
      `modules/${name}-wasm.js`,
      `for ${serves}`,
    ]),
  ),
  "script.js": "the script for pages without a bundler",
  "slim.js": "the facade that is told where the engine is",
  "worker.js": "the workers' program, for `workerUrl`",
  "zarr_wasm.wasm": "the engine, as `npx zarr-wasm <folder>` writes it",
  "zarr_wasm_reading.wasm": "the build `reading`, likewise",
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
  const section = /(<!-- sizes: [^\n]*-->\n)[\s\S]*?(\n<!-- \/sizes -->)/;
  replaceIn(SIZES_PAGE, section, (_all, begin, end) => begin + table + end);
  const [first, later] = [sizes["open, get, slice"], sizes[LIGHT]];
  const download = `${kilobytes(first.gz)}, then ${kilobytes(later.gz)}`;
  replaceIn(join(ROOT, "README.md"), /^(\| first download, gzip \| )[^|]+ \|/m, `$1${download} |`);
}

/** The modules of zarrita's codecs that a page downloads, by the arrays that it opens and reads. */
const CODECS_OF_ZARRITA = {
  "v2, Blosc": ["numcodecs/dist/blosc.js"],
  "v3, Zstandard": ["numcodecs/dist/zstd.js"],
  gzip: [],
  "v2 and v3, with all three": ["numcodecs/dist/blosc.js", "numcodecs/dist/zstd.js"],
};

/** Writes the comparison with zarrita, which loads a module for each codec. */
async function writeComparison(build, files) {
  const { gz: first } = files["open, get, slice"];
  const ours = kilobytes(first + files[LIGHT].gz);
  const program = 'export { FetchStore, get, open, root, slice } from "zarrita"';
  const rows = [];
  for (const [what, codecs] of Object.entries(CODECS_OF_ZARRITA)) {
    const { gz } = await downloadSize(build, program, codecs);
    rows.push(`| ${what} | ${kilobytes(gz)} | ${ours} |`);
  }
  const table = ["| arrays | zarrita | zarr-wasm |", "|---|---|---|", ...rows].join("\n");
  const section = /(<!-- comparison: [^\n]*-->\n)[\s\S]*?(\n<!-- \/comparison -->)/;
  replaceIn(SIZES_PAGE, section, (_all, begin, end) => begin + table + end);
}

const readLedger = () => JSON.parse(readFileSync(LEDGER, "utf8"));

/** By how much a size may exceed its budget. */
const TOLERANCE = 1.01;

/**
 * What is larger than its budget: a line for each file and room of the ledger. A change that needs
 * more bytes raises the budget in `sizes.json`, and its commit says why.
 */
export function brokenBudgets({ files, rooms } = readLedger()) {
  const sizes = [
    ...Object.entries(files).map(([name, { gz, budget }]) => [name, gz, budget]),
    ...Object.entries(rooms).map(([name, { raw, budget }]) => [`the room ${name}`, raw, budget]),
  ];
  return sizes
    .filter(([, size, budget]) => !(size <= budget * TOLERANCE))
    .map(([name, size, budget]) => `${name} has ${size} bytes, and a budget of ${budget} in sizes.json`);
}

/** The new ledger. What has no budget yet gets its size as budget. */
async function measured(build, before) {
  const files = Object.entries(await allSizes(build)).map(([name, { raw, gz }]) => [
    name,
    { raw, gz, budget: before.files[name]?.budget ?? gz },
  ]);
  const rooms = Object.entries(await roomSizes()).map(([name, raw]) => [
    name,
    { raw, budget: before.rooms[name]?.budget ?? raw },
  ]);
  return { files: Object.fromEntries(files), rooms: Object.fromEntries(rooms) };
}

/** Measures a release build, tells what has changed, writes the records, and checks the budgets. */
export async function writeSizes(build) {
  const before = readLedger();
  const ledger = await measured(build, before);
  for (const [name, { raw, gz }] of Object.entries(ledger.files)) {
    const change = gz - (before.files[name]?.gz ?? gz);
    const difference = change === 0 ? "" : `  (${change > 0 ? "+" : ""}${change})`;
    say(`  ${name.padEnd(32)} ${String(raw).padStart(12)} ${String(gz).padStart(9)}${difference}`);
  }
  writeFileSync(LEDGER, `${JSON.stringify(ledger, null, 2)}\n`);
  writeTable(ledger.files);
  await writeComparison(build, ledger.files);
  const broken = brokenBudgets(ledger);
  if (broken.length > 0) throw new StepFailed(broken.join("\n"));
}
