/**
 * Runs the pages of `tests/browser/adapters` in headless Chromium: each has adapters under the
 * libraries that they are for. esbuild bundles them. `run.mjs` calls this.
 */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { OUTPUT, ROOT } from "./served.mjs";

const PAGES = join(ROOT, "tests/browser/adapters");
/** What the pages share. */
const SHARED = "page.mjs";

const names = readdirSync(PAGES)
  .filter((name) => name.endsWith(".mjs") && name !== SHARED)
  .map((name) => name.replace(/\.mjs$/, ""));

/** An import without names would be left out, because the package has no side effects. */
const programOf = (name) => `
  import { runAll } from "../harness.mjs";
  await import("./${name}.mjs");
  window.runTests = (pattern) => runAll(window.reportTest, new RegExp(pattern));`;

/** Bundles a page, with the package through its `exports`. */
async function bundlePage(name) {
  const outdir = join(OUTPUT, "adapters");
  await build({
    stdin: { contents: programOf(name), resolveDir: PAGES, sourcefile: `${name}.page.mjs` },
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

async function runPage(browser, url, report, pattern) {
  const page = await browser.newPage({ viewport: { width: 1000, height: 700 } });
  page.on("pageerror", (error) =>
    report({ name: `${url} throws nothing outside its tests`, error: String(error.stack) }),
  );
  await page.exposeFunction("reportTest", report);
  await page.exposeFunction("screenshot", async () => (await page.screenshot()).toString("base64"));
  await page.goto(url);
  await page.waitForFunction(() => window.runTests);
  await page.evaluate((source) => window.runTests(source), pattern.source);
  await page.close();
}

export async function runAdapters({ browser, url, report, pattern }) {
  for (const name of names) {
    await bundlePage(name);
    await runPage(browser, `${url}/adapters/${name}.html`, report, pattern);
  }
}
