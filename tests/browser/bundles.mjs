/**
 * Bundles what the browser tests open: the pages whose tests run inside of them, the viewer with
 * its samples and examples, and a page that Vite built. webpack, esbuild and Vite find the package
 * through its `exports`.
 */
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build as buildWithEsbuild } from "esbuild";
import { build as buildWithVite } from "vite";
import webpack from "webpack";
import { buildEmbed } from "../../scripts/embed.mjs";
import { buildExamples } from "../../scripts/examples.mjs";
import { begin, finish, finished, keyOf } from "../../scripts/finished.mjs";
import { addSamples } from "../../scripts/www.mjs";
import viewer from "../../webpack.config.js";
import { OUTPUT, ROOT, VIEW_ENTRY, VIEWER, VITE } from "./places.mjs";

const TEST_PAGE = {
  mode: "development",
  devtool: "inline-source-map",
  context: ROOT,
  entry: {
    page: "./tests/browser/page.mjs",
    isolated: "./tests/browser/isolated/page.mjs",
    engines: "./tests/engines/page.mjs",
  },
  output: { path: OUTPUT, filename: "[name].js", clean: true },
  performance: { hints: false },
};

/** A page's script that imports the entry of the package, without a loader or a plugin. */
const ENTRY_OF_VIEW = {
  mode: "development",
  devtool: false,
  context: ROOT,
  entry: "./tests/browser/frames/view_entry.mjs",
  output: { path: VIEW_ENTRY, filename: "bundle.js", publicPath: "/bundled/" },
};

const ADAPTERS = join(ROOT, "tests/browser/adapters");
/** What the pages of adapters share. */
const SHARED = "page.mjs";

const adapters = () =>
  readdirSync(ADAPTERS)
    .filter((name) => name.endsWith(".mjs") && name !== SHARED)
    .map((name) => name.replace(/\.mjs$/, ""));

/** The paths of the pages whose tests run inside of them. Each adapter has its page. */
export const bundledPages = () => [
  ...["/", "/isolated", "/isolated_alone"],
  ...adapters().map((name) => `/adapters/${name}.html`),
];

/** What the bundles are made of. */
const SOURCES = [
  ...["benches", "dist", "docs", "examples", "package-lock.json", "package.json", "scripts", "src"],
  ...["tests", "tsconfig.json", "webpack.config.js", "www"],
];
const BUNDLES = "browser-bundles";

/** Bundles, unless the bundles of these sources are there. Rejects with the bundler's message. */
export async function bundle() {
  const key = keyOf(SOURCES);
  const areThere = [join(OUTPUT, "engines.js"), join(VIEWER, "zarr-view.js"), VITE].every(existsSync);
  if (areThere && finished(BUNDLES)?.key === key) return;
  begin(BUNDLES);
  await bundleAnew();
  finish(BUNDLES, { key });
}

/** Rejects if webpack reports something of `kinds`. */
async function bundleWithWebpack(configurations, kinds) {
  const stats = await new Promise((resolve, reject) => {
    webpack(configurations, (error, done) => (error ? reject(error) : resolve(done)));
  });
  const report = stats.toString({ all: false, ...kinds }).trim();
  if (report !== "") throw new Error(report);
}

async function bundleAnew() {
  const viewerHere = { ...viewer, context: ROOT, output: { ...viewer.output, path: VIEWER } };
  await bundleWithWebpack([TEST_PAGE, viewerHere], { errors: true });
  await bundleWithWebpack([ENTRY_OF_VIEW], { errors: true, warnings: true });
  addSamples(VIEWER);
  await buildExamples(join(VIEWER, "examples"));
  await buildEmbed(VIEWER);
  for (const name of adapters()) await bundleAdapter(name);
  await bundleWithVite();
}

/** An import without names would be left out, because the package has no side effects. */
const programOf = (name) => `
  import { offerTests } from "../harness.mjs";
  await import("./${name}.mjs");
  offerTests();`;

/** Bundles the page of an adapter. */
async function bundleAdapter(name) {
  const outdir = join(OUTPUT, "adapters");
  await buildWithEsbuild({
    stdin: { contents: programOf(name), resolveDir: ADAPTERS, sourcefile: `${name}.page.mjs` },
    absWorkingDir: ROOT,
    entryNames: name,
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "error",
  });
  const html = `<!doctype html><meta charset="utf-8"><title>${name}</title><link rel="icon" href="data:,"><link rel="stylesheet" href="${name}.css"><script type="module" src="${name}.js"></script>`;
  writeFileSync(join(outdir, `${name}.html`), html);
}

/** Builds a page with Vite, which splits the package into chunks. */
function bundleWithVite() {
  const root = join(ROOT, "tests/browser/frames");
  return buildWithVite({
    configFile: false,
    root,
    base: "/vite/",
    logLevel: "error",
    resolve: { alias: { "zarr-wasm": join(ROOT, "dist/index.js") } },
    build: { outDir: VITE, emptyOutDir: true, rolldownOptions: { input: join(root, "vite.html") } },
  });
}
