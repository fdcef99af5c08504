/**
 * Follows the requests of a page's first open and read, in the output of each bundler. It needs two
 * scripts: the page's own and the engine. A third one would be a round trip more.
 */

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { build as buildWithEsbuild } from "esbuild";
import { build as buildWithVite } from "vite";
import webpack from "webpack";
import { unpackFixtures } from "../fixture_archives.mjs";
import { OUTPUT, ROOT } from "./served.mjs";

const FOLDER = join(OUTPUT, "first_requests");
const ENTRY = join(ROOT, "dist/index.js");
/** An array that zarrita wrote. */
const STORE = join(unpackFixtures(), "zarrita-0.7/create-v3/store/uint32");

const PROGRAM = `
import { get, open, slice } from ${JSON.stringify(ENTRY)};
const array = await open(new URL("/store", location.href), { kind: "array" });
const { data } = await get(array, [slice(0, 2), null]);
window.told = { data: [...data] };
`;

const BUNDLERS = {
  esbuild: (entry, outdir) =>
    buildWithEsbuild({
      entryPoints: { main: entry },
      outdir,
      bundle: true,
      splitting: true,
      minify: true,
      format: "esm",
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

const HTML = '<!doctype html><link rel="icon" href="data:,"><script type="module" src="main.js"></script>';

/** Serves a bundler's output and the array. Resolves to the address and the paths asked for. */
async function serve(folder) {
  const asked = [];
  const server = createServer(({ url }, response) => {
    asked.push(url);
    if (url === "/") return response.writeHead(200, { "Content-Type": "text/html" }).end(HTML);
    const path = url.startsWith("/store/") ? join(STORE, url.slice(7)) : join(folder, url);
    if (!existsSync(path)) return response.writeHead(404).end();
    const type = extname(path) === ".js" ? { "Content-Type": "text/javascript" } : {};
    return response.writeHead(200, type).end(readFileSync(path));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${server.address().port}`, asked, close };
}

/** The scripts that a page asks for until it has its values. */
async function scriptsOf(browser, folder) {
  const { url, asked, close } = await serve(folder);
  const page = await browser.newPage();
  try {
    const failed = new Promise((_, reject) => page.on("pageerror", reject));
    await page.goto(url);
    await Promise.race([page.waitForFunction(() => window.told !== undefined), failed]);
    const { data } = await page.evaluate(() => window.told);
    if (data.length !== 14) throw new Error(`the page read ${data.length} elements`);
    return asked.filter((path) => path.endsWith(".js"));
  } finally {
    await page.close();
    close();
  }
}

/** Runs the tests and reports each. */
export async function runFirstRequests({ browser, report, pattern }) {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const entry = join(FOLDER, "page.mjs");
  writeFileSync(entry, PROGRAM);
  for (const [bundler, bundle] of Object.entries(BUNDLERS)) {
    const name = `${bundler}: the first read needs two scripts`;
    if (!pattern.test(name)) continue;
    try {
      const folder = join(FOLDER, bundler);
      await bundle(entry, folder);
      const scripts = await scriptsOf(browser, folder);
      report({ name, ...(scripts.length !== 2 && { error: `it asked for ${scripts.join(", ")}` }) });
    } catch (error) {
      report({ name, error: String(error.stack) });
    }
  }
}
