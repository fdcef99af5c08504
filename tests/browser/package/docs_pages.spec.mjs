/**
 * Runs the code of README.md and docs/ that needs a browser: the blocks of the classes `browser`
 * and `draws`, one program per page. `tests/node/docs_snippets.test.mjs` runs the others.
 *
 * After a block that draws, each element that is in the page must show a picture: many colours on a
 * good part of the window. A white map with its buttons is none.
 */
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { serveExamples } from "../../support/docs/example_server.mjs";
import { expectPictures } from "../../support/docs/pictures.mjs";
import { PAGES, pagesThatDraw, programOf } from "../../support/docs/snippets.mjs";
import { test as base } from "../fixtures.mjs";
import { OUTPUT, ROOT, VIEWER } from "../places.mjs";

/** Where the documentation says that the script of the element is. */
const SCRIPT_HOST = "https://host.example";
/** MapLibre's worker, which bundlers put beside the script. */
const MAPLIBRE = join(ROOT, "node_modules/maplibre-gl/dist");
const PROGRAMS = join(OUTPUT, "docs");
const CLAIMS = join(ROOT, "tests/support/docs/claims.mjs");
/** Time in ms for a whole program, which ends a test that would never end. */
const PROGRAM_MS = 100_000;

/** A page as users have it: the elements that code makes have a size. */
const STYLE = "html, body { height: 100%; margin: 0 } body > div:not([class^=maplibre]) { height: 90% }";

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
    outdir: PROGRAMS,
    bundle: true,
    splitting: true,
    format: "esm",
    sourcemap: "inline",
    logLevel: "error",
  });
  return `${name}.js`;
}

const test = base.extend({
  /** The address of a server of what the documentation reads, and of the programs. */
  host: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures here
    async ({}, use) => {
      mkdirSync(PROGRAMS, { recursive: true });
      for (const name of ["maplibre-gl-worker.mjs", "maplibre-gl-shared.mjs"])
        cpSync(join(MAPLIBRE, name), join(PROGRAMS, name));
      const server = await serveExamples({ "/programs/": PROGRAMS, "/viewer/": VIEWER });
      await use(server.url);
      await server.close();
    },
    { scope: "worker" },
  ],
});

test.use({ viewport: { width: 800, height: 600 } });

/** Stands for the address of a server where only names and numbers of programs matter. */
const ANY_HOST = "http://127.0.0.1";

for (const page of PAGES) {
  // Each block of HTML is a page, and its picture must not be empty.
  for (const [at, { place }] of pagesThatDraw(page, ANY_HOST).entries())
    test(`the page at ${place} draws`, async ({ page: shown, host }) => {
      const { text } = pagesThatDraw(page, host)[at];
      const html = `<!doctype html><meta charset="utf-8"><title>docs</title><body>${text}`;
      const name = `${place.replace(/\W+/g, "-")}.html`;
      writeFileSync(join(PROGRAMS, name), html.replaceAll(SCRIPT_HOST, `${host}/viewer`));
      await shown.goto(`${host}/programs/${name}`);
      await expectPictures(shown, place);
    });
}

const hasProgram = (page) => programOf(page, "browser", { host: ANY_HOST, claims: CLAIMS }) !== undefined;

for (const page of PAGES.filter(hasProgram))
  test(`the code of ${page} runs in a browser and gives what it says`, async ({ page: shown, host }) => {
    const script = await bundleProgram(page, programOf(page, "browser", { host, claims: CLAIMS }));
    const html = `<!doctype html><meta charset="utf-8"><title>docs</title><style>${STYLE}</style><link rel="icon" href="data:,"><body></body><script type="module" src="${script}"></script>`;
    writeFileSync(join(PROGRAMS, `${script}.html`), html);
    await shown.exposeFunction("drawn", (place) => expectPictures(shown, place));
    const failed = new Promise((_, reject) => shown.once("pageerror", reject));
    await shown.goto(`${host}/programs/${script}.html`);
    const done = shown.waitForFunction(() => globalThis.isPageDone, undefined, { timeout: PROGRAM_MS });
    await Promise.race([failed, done]);
  });
