/**
 * The browser lane: bundles tests/browser/*.test.mjs with webpack, with the package through its
 * `exports`. It serves the page and the fixtures, runs the tests in headless Chromium and prints a
 * TAP report. An argument is a regular expression for test names.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build as esbuild } from "esbuild";
import { build as buildWithVite } from "vite";
import { runAccessibility } from "./accessibility.mjs";
import { runAdapters } from "./adapters.mjs";
import { runCatalogues } from "./catalogues.mjs";
import { launchChromium } from "./chromium.mjs";
import { runChunkAdvice } from "./chunk_advice.mjs";
import { runDocsPages } from "./docs_pages.mjs";
import { runEmbed } from "./embed.mjs";
import { runExamples } from "./examples.mjs";
import { runFirstRequests } from "./first_requests.mjs";
import { runInsight } from "./insight.mjs";
import { runLinkedViews } from "./linked_views.mjs";
import { runLongMetadata } from "./long_metadata.mjs";
import { runOpening } from "./opening.mjs";
import { runPlates } from "./plates.mjs";
import { runPlotMarks } from "./plot_marks.mjs";
import { bundle, OUTPUT, ROOT, serveTests, VITE } from "./served.mjs";
import { runSharing } from "./sharing.mjs";
import { runStaticHosts } from "./static_hosts.mjs";

/** The pages to run. The first one includes the tests of `/engines`. */
const PAGES = ["/", "/isolated"];

function reporter() {
  const totals = { pass: 0, fail: 0 };
  const report = ({ name, error, earlier, ms }) => {
    totals[error ? "fail" : "pass"] += 1;
    const time = ms === undefined ? "" : ` # ${ms} ms`;
    console.log(`${error ? "not ok" : "ok"} ${totals.pass + totals.fail} - ${name}${time}`);
    if (earlier) console.log(`the first attempt failed:\n${earlier}`.replace(/^/gm, "  # "));
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
    // Chromium logs each status 404, which is normal for absent keys.
    if (message.type() !== "error" || message.text().startsWith("Failed to load resource")) return;
    console.log(`# console.error: ${message.text()}`);
  });
  await page.exposeFunction("reportTest", report);
  await page.goto(url);
  await page.evaluate((pattern) => window.runTests(pattern), process.argv[2] ?? "");
  await page.close();
}

/**
 * Makes a page that is opened from a file. The inline entry is one classic script, because browsers
 * load no modules from files.
 */
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

/** An array of 5 × 7 elements. It is read without caches. */
const ARRAY = "/fixtures/zarrita-0.7/create-v3/store/uint32";

/** Offline, a read fails at once; online again, the same array can be read. */
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
const server = await serveTests();
const browser = await launchChromium();
const { totals, report } = reporter();
try {
  for (const path of PAGES) await runPage(browser, `${server.url}${path}`, report);
  if (process.argv[2] === undefined) {
    await runFilePage(browser, report);
    await runVitePage(browser, server.url, report);
    await runOfflinePage(browser, server.url, report);
    await runDocsPages(browser, report);
  }
  const pattern = new RegExp(process.argv[2] ?? "");
  const session = { browser, url: server.url, report, pattern };
  await runFirstRequests(session);
  await runChunkAdvice(session);
  await runOpening(session);
  await runPlates(session);
  await runPlotMarks(session);
  await runLinkedViews(session);
  await runSharing(session);
  await runInsight(session);
  await runCatalogues(session);
  await runLongMetadata(session);
  await runAccessibility(session);
  await runExamples(session);
  await runEmbed(session);
  await runStaticHosts(browser, report, pattern);
  await runAdapters(session);
} catch (error) {
  report({ name: "the page runs its tests", error: String(error.stack) });
} finally {
  await browser.close();
  await server.close();
}
console.log(`# pass ${totals.pass}\n# fail ${totals.fail}`);
process.exitCode = totals.fail > 0 ? 1 : 0;
