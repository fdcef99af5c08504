/**
 * Bundles the benchmark's pages to target/bench/page, as a user would: with esbuild, and the cold
 * page also with Vite and webpack.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { extname, join, resolve, sep } from "node:path";
import { build } from "esbuild";
import { build as buildWithVite } from "vite";
import webpack from "webpack";
import { ROOT } from "../../scripts/run_command.mjs";

const PAGES = join(ROOT, "target/bench/page");
const SOURCES = import.meta.dirname;
const DIST = join(ROOT, "dist");

const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".wasm": "application/wasm" };

const page = (script) => `<!doctype html><title>benchmark</title><link rel="icon" href="data:,">${script}`;

async function bundlePage(name, entry, alias = {}) {
  const outdir = join(PAGES, name);
  await build({
    entryPoints: { main: join(SOURCES, entry) },
    outdir,
    alias,
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: "es2022",
    platform: "browser",
    external: ["node:*"],
    loader: { ".wasm": "file" },
    logLevel: "warning",
    logOverride: { "ignored-bare-import": "silent" }, // our modules have no side effects
  });
  return outdir;
}

const textOf = (folder) => readFileSync(join(folder, "main.js"), "utf8");

/** The floor's script is inline in the page, so that the page waits only for data. */
const scriptOf = (folder, isInlined) =>
  isInlined
    ? `<script type="module">${textOf(folder)}</script>`
    : '<script type="module" src="main.js"></script>';

async function writePage(name, entry, alias) {
  const folder = await bundlePage(name, entry, alias);
  writeFileSync(join(folder, "index.html"), page(scriptOf(folder, false)));
  return folder;
}

/** Writes a cold page, and another one that also measures the pulse (measure/pulse.mjs). */
async function writeColdPage(name, entry, alias) {
  const folder = await bundlePage(`cold/${name}`, `cold/${entry}.mjs`, alias);
  const script = scriptOf(folder, name === "fetch");
  const pulse = `<script type="module">${textOf(join(PAGES, "cold/pulsed"))}</script>`;
  writeFileSync(join(folder, "index.html"), page(script));
  writeFileSync(join(folder, "pulsed.html"), page(pulse + script));
  return folder;
}

/** The cold page of this package by Vite. */
async function bundleWithVite(input, outDir) {
  await buildWithVite({
    configFile: false,
    root: SOURCES,
    logLevel: "error",
    resolve: { alias: { "zarr-wasm": join(DIST, "index.js") } },
    build: {
      outDir,
      emptyOutDir: true,
      target: "es2022",
      modulePreload: false,
      rolldownOptions: { input, output: { entryFileNames: "main.js" } },
    },
  });
}

/** The cold page of this package by webpack. */
function bundleWithWebpack(entry, path) {
  const options = {
    mode: "production",
    entry,
    resolve: { alias: { "zarr-wasm": join(DIST, "index.js") } },
    output: { path, filename: "main.js", publicPath: "auto" },
    performance: { hints: false },
  };
  return new Promise((done, failed) => {
    webpack(options, (error, stats) =>
      error || stats.hasErrors() ? failed(error ?? new Error(String(stats))) : done(),
    );
  });
}

async function writeOtherBundles() {
  for (const [name, bundle] of Object.entries({ vite: bundleWithVite, webpack: bundleWithWebpack })) {
    const folder = join(PAGES, `cold/${name}`);
    await bundle(join(SOURCES, "cold/ours.mjs"), folder);
    writeFileSync(join(folder, "index.html"), page(scriptOf(folder, false)));
  }
}

/** `before` is the entry of another build of this package, for `--compare`. */
export async function bundlePages({ before } = {}) {
  mkdirSync(PAGES, { recursive: true });
  await writePage("groups", "groups.mjs");
  await writePage("main_thread", "main_thread.mjs");
  await writePage("reduce", "reduce.mjs");
  await bundlePage("cold/pulsed", "cold/pulsed.mjs");
  writeFileSync(join(PAGES, "cold/empty.html"), page(""));
  for (const name of ["fetch", "zarrita", "tuned", "ours", "file", "caller"]) await writeColdPage(name, name);
  await writeColdPage("alias", "zarrita", { zarrita: "zarr-wasm" });
  await writeOtherBundles();
  const slim = await writeColdPage("slim", "slim");
  for (const file of ["zarr_wasm.wasm", "worker.js"]) copyFileSync(join(DIST, file), join(slim, file));
  if (before === undefined) return;
  await writePage("before", "main_thread.mjs", { "zarr-wasm": before });
  await writeColdPage("before", "ours", { "zarr-wasm": before });
}

const files = new Map();

/** Returns a page's file as `{type, body}`. Each file is read once. */
export function pageFile(path) {
  const file = resolve(PAGES, path);
  if (!file.startsWith(PAGES + sep) || !existsSync(file) || !statSync(file).isFile()) return undefined;
  if (!files.has(file))
    files.set(file, { type: TYPES[extname(file)] ?? "text/plain", body: readFileSync(file) });
  return files.get(file);
}
