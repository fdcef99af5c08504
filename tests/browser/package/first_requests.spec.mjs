/**
 * Follows the requests of a page's first open and read, in the output of each bundler. It needs two
 * scripts: the page's own and the light build, or the engine if the page has started that. A third
 * one would be a round trip more. The engine's wasm may be a file.
 */

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { build as buildWithEsbuild } from "esbuild";
import { build as buildWithVite } from "vite";
import webpack from "webpack";
import { unpackFixtures } from "../../support/fixture_archives.mjs";
import { expect, test } from "../fixtures.mjs";
import { OUTPUT, ROOT } from "../places.mjs";

const FOLDER = join(OUTPUT, "first_requests");
const ENTRY = join(ROOT, "dist/index.js");
/** An array that zarrita wrote. */
const STORE = join(unpackFixtures(), "zarrita-0.7/create-v3/store/uint32");

const program = (setup) => `
import { get, open, slice } from ${JSON.stringify(ENTRY)};
${setup}
const array = await open(new URL("/store", location.href), { kind: "array" });
const { data } = await get(array, [slice(0, 2), null]);
window.told = { data: [...data] };
`;

const WITH_ENGINE = `
import { preload } from ${JSON.stringify(ENTRY)};
preload();`;

const withFile = (query) => `
import { init } from ${JSON.stringify(ENTRY)};
import wasm from "zarr-wasm/engine.wasm${query}";
await init({ wasm });`;

const BUNDLERS = {
  esbuild: (entry, outdir) =>
    buildWithEsbuild({
      entryPoints: { main: entry },
      outdir,
      bundle: true,
      splitting: true,
      minify: true,
      format: "esm",
      loader: { ".wasm": "file" },
      logLevel: "error",
    }),

  Vite: (entry, outDir) =>
    buildWithVite({
      configFile: false,
      root: FOLDER,
      logLevel: "error",
      build: {
        outDir,
        target: "es2022",
        modulePreload: false,
        rolldownOptions: { input: entry, output: { entryFileNames: "main.js" } },
      },
    }),

  webpack: (entry, path) =>
    new Promise((resolve, reject) => {
      const output = { path, filename: "main.js", publicPath: "auto" };
      const options = { mode: "production", entry, output, performance: { hints: false } };
      webpack(options, (error, stats) =>
        error || stats.hasErrors() ? reject(error ?? new Error(String(stats))) : resolve(),
      );
    }),
};

/**
 * By name: the bundler, the lines that give `init` the engine's file, the files that the server
 * lacks, and what the page asks for beside its own script.
 */
const CASES = {
  "esbuild: the first read needs two scripts": { bundler: "esbuild", asked: [/light.*\.js$/] },
  "Vite: the first read needs two scripts": { bundler: "Vite", asked: [/light.*\.js$/] },
  "webpack: the first read needs two scripts": { bundler: "webpack", asked: [/\.js$/] },
  "esbuild: preload starts the engine": {
    bundler: "esbuild",
    setup: WITH_ENGINE,
    asked: [/engine-texts.*\.js$/],
  },
  "webpack: preload starts the engine from its file": {
    bundler: "webpack",
    setup: WITH_ENGINE,
    asked: [/\.js$/, /\.wasm$/],
  },
  "webpack: a page without the engine's file loads its text": {
    bundler: "webpack",
    setup: WITH_ENGINE,
    lost: /\.wasm$/,
    asked: [/\.js$/, /\.js$/, /\.wasm$/],
  },
  "esbuild: init takes the engine's file": {
    bundler: "esbuild",
    setup: withFile(""),
    asked: [/engine-programs.*\.js$/, /engine.*\.wasm$/],
  },
  "Vite: init takes the engine's file": {
    bundler: "Vite",
    setup: withFile("?url"),
    asked: [/engine-programs.*\.js$/, /engine.*\.wasm$/],
  },
};

const HTML = '<!doctype html><link rel="icon" href="data:,"><script type="module" src="main.js"></script>';

const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm" };

/** Serves a bundler's output and the array. Resolves to the address and the paths asked for. */
async function serve(folder, lost) {
  const asked = [];
  const server = createServer(({ url }, response) => {
    asked.push(url);
    if (url === "/") return response.writeHead(200, { "Content-Type": "text/html" }).end(HTML);
    const path = url.startsWith("/store/") ? join(STORE, url.slice(7)) : join(folder, url);
    if (lost?.test(url) || !existsSync(path)) return response.writeHead(404).end();
    const type = TYPES[extname(path)] ?? "application/octet-stream";
    return response.writeHead(200, { "Content-Type": type }).end(readFileSync(path));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, asked, close };
}

/** The files of code that a page asks for until it has its values, without its own script. */
async function codeOf(page, folder, lost) {
  const { url, asked, close } = await serve(folder, lost);
  try {
    const failed = new Promise((_, reject) => page.on("pageerror", reject));
    await page.goto(url);
    await Promise.race([page.waitForFunction(() => window.told !== undefined), failed]);
    const { data } = await page.evaluate(() => window.told);
    expect(data).toHaveLength(14);
    return asked.filter((path) => extname(path) in TYPES && path !== "/main.js");
  } finally {
    close();
  }
}

for (const [number, [name, { bundler, setup = "", lost, asked }]] of Object.entries(CASES).entries())
  test(name, async ({ page }) => {
    const folder = join(FOLDER, String(number));
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const entry = join(FOLDER, `page${number}.mjs`);
    writeFileSync(entry, program(setup));
    await BUNDLERS[bundler](entry, folder);
    const paths = await codeOf(page, folder, lost);
    expect(paths, paths.join(", ")).toHaveLength(asked.length);
    for (const pattern of asked)
      expect(
        paths.some((path) => pattern.test(path)),
        paths.join(", "),
      ).toBe(true);
  });
