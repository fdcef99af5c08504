/** Bundles the pages with esbuild as a user's bundler would, the package through its `exports`; into target/bench/page. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { extname, join, resolve, sep } from "node:path";
import { build } from "esbuild";
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
    logLevel: "warning",
    logOverride: { "ignored-bare-import": "silent" }, // between our own chunks, and nothing is lost
  });
  return outdir;
}

/** The floor's script stands in the page, so that nothing is waited for but data. */
function writeHtml(folder, isInlined) {
  const script = isInlined
    ? `<script type="module">${readFileSync(join(folder, "main.js"), "utf8")}</script>`
    : '<script type="module" src="main.js"></script>';
  writeFileSync(join(folder, "index.html"), page(script));
}

export async function bundlePages() {
  mkdirSync(PAGES, { recursive: true });
  writeHtml(await bundlePage("groups", "groups.mjs"), false);
  writeHtml(await bundlePage("cold/fetch", "cold/fetch.mjs"), true);
  writeHtml(await bundlePage("cold/zarrita", "cold/zarrita.mjs"), false);
  writeHtml(await bundlePage("cold/alias", "cold/zarrita.mjs", { zarrita: "zarr-wasm" }), false);
  writeHtml(await bundlePage("cold/ours", "cold/ours.mjs"), false);
  const slim = await bundlePage("cold/slim", "cold/slim.mjs");
  writeHtml(slim, false);
  for (const file of ["zarr_wasm.wasm", "worker.js"]) copyFileSync(join(DIST, file), join(slim, file));
}

const files = new Map();

/** A page's file, read once: `{type, body}`. */
export function pageFile(path) {
  const file = resolve(PAGES, path);
  if (!file.startsWith(PAGES + sep) || !existsSync(file) || !statSync(file).isFile()) return undefined;
  if (!files.has(file))
    files.set(file, { type: TYPES[extname(file)] ?? "text/plain", body: readFileSync(file) });
  return files.get(file);
}
