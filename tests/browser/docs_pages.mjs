/**
 * Runs the code of README.md and docs/ that needs a browser: the blocks of the class `browser`, one
 * program per page. `tests/node/docs_snippets.test.mjs` runs the others.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { serveExamples } from "../docs/example_server.mjs";
import { PAGES, programOf } from "../docs/snippets.mjs";
import { OUTPUT, ROOT } from "./served.mjs";

const CLAIMS = join(ROOT, "tests/docs/claims.mjs");
const TIMEOUT_MS = 60_000;

/** Bundles a page's program, with a source map to the page. Resolves to the file's name. */
async function bundleProgram(page, source) {
  const name = page.replaceAll("/", "-").replace(/\.md$/, "");
  await build({
    stdin: {
      contents: `${source}\nglobalThis.isPageDone = true;\n`,
      loader: "ts",
      sourcefile: page,
      resolveDir: ROOT,
    },
    absWorkingDir: ROOT,
    entryNames: name,
    outdir: join(OUTPUT, "docs"),
    bundle: true,
    splitting: true,
    format: "esm",
    sourcemap: "inline",
    logLevel: "error",
  });
  return `${name}.js`;
}

/** Resolves to the error of the page's program, if there is one. */
async function runProgram(browser, url) {
  const page = await browser.newPage();
  try {
    const failed = new Promise((resolve) => page.once("pageerror", resolve));
    await page.goto(url);
    const done = page.waitForFunction(() => globalThis.isPageDone, undefined, { timeout: TIMEOUT_MS });
    const outcome = await Promise.race([failed, done.catch((error) => error)]);
    return outcome instanceof Error ? String(outcome.stack) : undefined;
  } finally {
    await page.close();
  }
}

export async function runDocsPages(browser, report) {
  mkdirSync(join(OUTPUT, "docs"), { recursive: true });
  const server = await serveExamples({ "/programs/": join(OUTPUT, "docs") });
  let ran = 0;
  for (const page of PAGES) {
    const source = programOf(page, "browser", { host: server.url, claims: CLAIMS });
    if (source === undefined) continue;
    const script = await bundleProgram(page, source);
    const html = `<!doctype html><meta charset="utf-8"><title>docs</title><link rel="icon" href="data:,"><script type="module" src="${script}"></script>`;
    writeFileSync(join(OUTPUT, "docs", `${script}.html`), html);
    const error = await runProgram(browser, `${server.url}/programs/${script}.html`);
    report({ name: `the code of ${page} runs in a browser and gives what it says`, error });
    ran += 1;
  }
  if (ran === 0) report({ name: "the documentation has code for browsers", error: "there is none" });
  await server.close();
}
