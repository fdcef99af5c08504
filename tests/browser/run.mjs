/**
 * The browser lane: bundles tests/browser/*.test.mjs with webpack (the package through `exports`, as a user's bundler
 * takes it), serves the page and the fixtures, runs the tests in headless Chromium and prints a TAP report.
 * With an argument only the tests whose names that expression matches.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build as esbuild } from "esbuild";
import { build as buildWithVite } from "vite";
import webpack from "webpack";
import { serve } from "../../scripts/serve.mjs";
import viewer from "../../webpack.config.js";
import { launchChromium } from "./chromium.mjs";

const ROOT = join(import.meta.dirname, "../..");
const OUTPUT = join(ROOT, "target/browser-tests");
const VIEWER = join(ROOT, "target/browser-viewer");
const VITE = join(ROOT, "target/browser-vite");

const TEST_PAGE = {
  mode: "development",
  devtool: "inline-source-map",
  context: ROOT,
  entry: { page: "./tests/browser/page.mjs", isolated: "./tests/browser/isolated/page.mjs" },
  output: { path: OUTPUT, filename: "[name].js", clean: true },
  performance: { hints: false },
};

/** Bundles the test page, and the viewer as `npm start` does; rejects with webpack's own words. */
function bundle() {
  const viewerHere = { ...viewer, context: ROOT, output: { ...viewer.output, path: VIEWER } };
  return new Promise((resolve, reject) => {
    webpack([TEST_PAGE, viewerHere], (error, stats) => {
      if (error || stats.hasErrors()) reject(error ?? new Error(stats.toString("errors-only")));
      else resolve();
    });
  });
}

/** What makes a page cross-origin isolated: it may share memory with its workers. */
const ISOLATION = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

/** The pages, and the headers that they come with. */
const PAGES = { "/": { script: "page.js" }, "/isolated": { script: "isolated.js", headers: ISOLATION } };

/** A page is an answer of ours: there is nothing in it but the bundle. */
function answerPage(request, response) {
  const page = PAGES[request.url];
  if (!page) return false;
  response.writeHead(200, { "Content-Type": "text/html; charset=utf-8", ...page.headers });
  response.end(
    `<!doctype html><title>zarr-wasm tests</title><link rel="icon" href="data:,"><script src="${page.script}"></script>`,
  );
  return true;
}

/** Answers that tell of their request, and a service worker that answers by itself. */
function answerEcho(request, response) {
  if (request.url.startsWith("/lost/modules/engine-texts.js")) {
    response.writeHead(404);
    response.end();
    return true;
  }
  if (!request.url.startsWith("/echo/")) return false;
  const send = (type, body, headers = {}) => {
    response.writeHead(200, { "Content-Type": type, "Cache-Control": "no-store", ...headers });
    response.end(body);
  };
  if (request.url === "/echo/cookie") send("text/plain", "", { "Set-Cookie": "zarr=1; Path=/" });
  else if (request.url === "/echo/service_worker.js") {
    send("text/javascript", SERVICE_WORKER, { "Service-Worker-Allowed": "/" });
  } else if (request.url.endsWith("/zarr.json")) {
    const { referer = "", cookie = "" } = request.headers;
    send(
      "application/json",
      JSON.stringify({ zarr_format: 3, node_type: "group", attributes: { referer, cookie } }),
    );
  } else {
    response.writeHead(404);
    response.end();
  }
  return true;
}

const SERVICE_WORKER = `
  self.addEventListener("install", () => self.skipWaiting());
  self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
  self.addEventListener("fetch", (event) => {
    if (!new URL(event.request.url).pathname.startsWith("/by-service-worker/")) return;
    const isDocument = event.request.url.endsWith("/zarr.json");
    const body = JSON.stringify({ zarr_format: 3, node_type: "group", attributes: { from: "service worker" } });
    event.respondWith(isDocument ? new Response(body) : new Response("", { status: 404 }));
  });`;

/** A frame with the policy that its address names. */
function answerFrame(request, response) {
  const { pathname, searchParams } = new URL(request.url, "http://localhost");
  if (pathname !== "/frame") return false;
  const [policy, script] = [searchParams.get("policy"), searchParams.get("script")];
  response.writeHead(200, {
    "Content-Type": "text/html; charset=utf-8",
    ...(policy && { "Content-Security-Policy": policy }),
  });
  response.end(
    `<!doctype html><title>frame</title><link rel="icon" href="data:,"><script type="module" crossorigin src="${script}"></script>`,
  );
  return true;
}

function reporter() {
  const totals = { pass: 0, fail: 0 };
  const report = ({ name, error }) => {
    totals[error ? "fail" : "pass"] += 1;
    console.log(`${error ? "not ok" : "ok"} ${totals.pass + totals.fail} - ${name}`);
    if (error) console.log(error.replace(/^/gm, "  # "));
  };
  return { totals, report };
}

async function runPage(browser, url, report) {
  const page = await browser.newPage();
  page.on("pageerror", (error) =>
    report({ name: "the page throws nothing outside its tests", error: String(error.stack) }),
  );
  page.on("crash", () => report({ name: "the page stays alive", error: "it crashed" }));
  page.on("console", (message) => {
    // Status 404 is how a store says that a key is absent: the browser complains of each.
    if (message.type() !== "error" || message.text().startsWith("Failed to load resource")) return;
    console.log(`# console.error: ${message.text()}`);
  });
  await page.exposeFunction("reportTest", report);
  // A test may change a frame's window before the frame's own scripts run: by setting `prepareFrame`.
  await page.addInitScript(() => {
    try {
      if (parent !== window) parent.prepareFrame?.(window);
    } catch {
      // A frame without an origin may not look at its parent.
    }
  });
  await page.goto(url);
  await page.evaluate((pattern) => window.runTests(pattern), process.argv[2] ?? "");
  await page.close();
}

/** A page of the file system: the inline entry as one classic script, since browsers load no modules from there. */
async function runFilePage(browser, report) {
  const { outputFiles } = await esbuild({
    entryPoints: [join(ROOT, "tests/browser/frames/file.mjs")],
    bundle: true,
    format: "iife",
    write: false,
    logLevel: "error",
  });
  const path = join(OUTPUT, "file.html");
  const script = outputFiles[0].text.replaceAll("</script", "<\\/script");
  writeFileSync(path, `<!doctype html><meta charset="utf-8"><title>file</title><script>${script}</script>`);
  const page = await browser.newPage();
  try {
    await page.goto(pathToFileURL(path).href);
    const told = await page.evaluate(() => window.told);
    const isRight = told.value === 2 && ["blob", "caller"].includes(told.engine);
    report({ name: "a page of the file system reads", ...(!isRight && { error: JSON.stringify(told) }) });
  } catch (error) {
    report({ name: "a page of the file system reads", error: String(error.stack) });
  }
  await page.close();
}

/** Builds a page with Vite, the package in chunks as Vite splits it. */
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

async function runVitePage(browser, address, report) {
  const name = "a page that Vite built reads, with the engine in a worker";
  const page = await browser.newPage();
  try {
    await page.goto(`${address}/vite/vite.html`);
    const told = await page.evaluate(() => window.told);
    const isRight = told.value === 2 && told.engine === "blob";
    report({ name, ...(!isRight && { error: JSON.stringify(told) }) });
  } catch (error) {
    report({ name, error: String(error.stack) });
  }
  await page.close();
}

/** An array of 5 × 7 elements, which are read past all caches. */
const ARRAY = "/fixtures/zarrita-0.7/create-v3/store/uint32";

/** Without a network a read says so at once; with it again the same array reads. */
async function runOfflinePage(browser, address, report) {
  const page = await browser.newPage();
  await page.goto(`${address}/frame?script=/frames/offline.mjs`);
  for (const engine of ["worker", "caller"]) {
    try {
      await page.evaluate(([place, url]) => window.begin(place, url), [engine, `${address}${ARRAY}`]);
      await page.context().setOffline(true);
      const offline = await page.evaluate(() => window.read());
      await page.context().setOffline(false);
      const online = await page.evaluate(() => window.read());
      const isRight = offline.code === "Store" && offline.cause === "TypeError" && online.length === 35;
      report({
        name: `offline, with the engine in the ${engine}: an error that says so, and no harm`,
        ...(!isRight && { error: JSON.stringify({ offline, online }) }),
      });
    } catch (error) {
      report({ name: `offline, with the engine in the ${engine}`, error: String(error.stack) });
    }
  }
  await page.close();
}

await bundle();
await bundleWithVite();
const FOLDERS = {
  "/": OUTPUT,
  "/dist/": join(ROOT, "dist"),
  "/lost/": join(ROOT, "dist"),
  "/frames/": join(ROOT, "tests/browser/frames"),
  "/fixtures/": join(ROOT, "tests/fixtures"),
  "/stores/": join(ROOT, "tests/stores"),
  "/vite/": VITE,
  "/viewer/": VIEWER,
  "/viewer/demo/": join(ROOT, "tests/fixtures/demo"),
};
const intercept = (...exchange) =>
  answerPage(...exchange) || answerEcho(...exchange) || answerFrame(...exchange);
const server = await serve(FOLDERS, { intercept });
const browser = await launchChromium();
const { totals, report } = reporter();
try {
  for (const path of Object.keys(PAGES)) await runPage(browser, `${server.url}${path}`, report);
  if (process.argv[2] === undefined) {
    await runFilePage(browser, report);
    await runVitePage(browser, server.url, report);
    await runOfflinePage(browser, server.url, report);
  }
} catch (error) {
  report({ name: "the page runs its tests", error: String(error.stack) });
} finally {
  await browser.close();
  await server.close();
}
console.log(`# pass ${totals.pass}\n# fail ${totals.fail}`);
process.exitCode = totals.fail > 0 ? 1 : 0;
