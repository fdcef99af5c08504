/**
 * Runs the code that the viewer writes for what it shows, with zarr-wasm, zarrita, xarray and
 * zarr-python, and compares the values (tests/browser/snippets.mjs).
 *
 *     node snippets.mjs <python>
 */
import { launchChromium } from "../browser/chromium.mjs";
import { runDriven } from "../browser/driven_page.mjs";
import { bundle, serveTests } from "../browser/served.mjs";
import { COMPARISONS, checkComparison, checkView, VIEWS } from "../browser/snippets.mjs";

const python = process.argv[2];
const tests = Object.fromEntries([
  ...Object.keys(VIEWS).map((name) => [name, (viewer) => checkView(viewer, name, python)]),
  ...Object.keys(COMPARISONS).map((name) => [name, (viewer) => checkComparison(viewer, name, python)]),
]);

function report({ name, error }) {
  console.log(`${error ? "not ok" : "ok"} ${name}`);
  if (error) console.log(error.replace(/^/gm, "  # "));
  if (error) process.exitCode = 1;
}

await bundle();
const server = await serveTests();
const browser = await launchChromium();
await runDriven("code of the viewer", tests, { browser, url: server.url, report, pattern: /./ });
await browser.close();
await server.close();
