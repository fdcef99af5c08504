/**
 * `npm run build:www`: builds the viewer to dist-www/, a folder for any static host. It has the
 * page, its element for other pages, the examples, the samples, and compressed forms (.gz and .br)
 * of text and wasm files for hosts that send them. All its paths are relative, so it works in a
 * subfolder and offline. The package is built first, unless there is a finished release build.
 * `--quick` also accepts a quick build.
 */
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { buildUnlessFinished } from "./build.mjs";
import { buildEmbed } from "./embed.mjs";
import { buildExamples } from "./examples.mjs";
import { begin, finish, finished, keyOf } from "./finished.mjs";
import { command, ROOT, run, StepFailed, say, seconds } from "./run_command.mjs";
import { installNodeModules } from "./setup.mjs";

const FOLDER = join(ROOT, "dist-www");
const SAMPLES = join(ROOT, "www/samples");
const WEBPACK = join(ROOT, "node_modules/webpack/bin/webpack.js");
const SOURCES = [
  "www",
  "webpack.config.js",
  "package-lock.json",
  "scripts/www.mjs",
  "scripts/embed.mjs",
  "scripts/examples.mjs",
];

const COMPRESSED = new Set([".css", ".html", ".js", ".json", ".svg", ".wasm"]);
/** Smaller files fit into one packet uncompressed. */
const WORTH_IT_BYTES = 1024;

/** Copies the samples to a folder with a page. */
export function addSamples(folder) {
  cpSync(SAMPLES, join(folder, "samples"), { recursive: true });
}

/** Writes `<file>.gz` and `<file>.br` for the files in a folder that compress well. */
async function compressBeside(folder) {
  const files = readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => COMPRESSED.has(extname(path)) && statSync(path).size >= WORTH_IT_BYTES);
  const brotli = (bytes) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } });
  const gzipped = (bytes) => promisify(gzip)(bytes, { level: 9 });
  for (const path of files) {
    const bytes = readFileSync(path);
    const forms = await Promise.all([gzipped(bytes), brotli(bytes)]);
    for (const [idx, form] of forms.entries()) writeFileSync(path + [".gz", ".br"][idx], form);
  }
}

/** Builds dist-www/ unless it is finished. `compressed` adds the compressed forms (15 s). */
export async function buildViewer({ compressed = false } = {}) {
  const key = keyOf(SOURCES, finished("dist"));
  const there = finished("dist-www");
  if (there?.key === key && (there.compressed || !compressed) && existsSync(join(FOLDER, "index.html")))
    return say("· the viewer: dist-www/ is finished");
  begin("dist-www");
  await installNodeModules();
  await run("webpack: the viewer in www/", process.execPath, [WEBPACK]);
  say("· esbuild: what the examples import");
  await buildExamples(join(FOLDER, "examples"));
  say("· esbuild: the element for other pages, zarr-view.js");
  await buildEmbed(FOLDER);
  addSamples(FOLDER);
  if (compressed) {
    const started = performance.now();
    await compressBeside(FOLDER);
    say(`· compressed forms beside the files in ${seconds(started)}`);
  }
  finish("dist-www", { key, compressed });
}

if (import.meta.filename === process.argv[1]) {
  await command(async (args) => {
    const unknown = args.find((argument) => argument !== "--quick");
    if (unknown) throw new StepFailed(`unknown option ${unknown}: there is --quick`);
    await buildUnlessFinished({ quick: args.includes("--quick") });
    await buildViewer({ compressed: true });
    say("\n✓ dist-www/ is the viewer: put it on any static host, under any path");
  });
}
