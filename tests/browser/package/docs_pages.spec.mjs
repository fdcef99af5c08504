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
import { PAGES, pagesThatDraw, programOf } from "../../support/docs/snippets.mjs";
import { test as base, expect } from "../fixtures.mjs";
import { OUTPUT, ROOT, VIEWER } from "../places.mjs";

/** Where the documentation says that the script of the element is. */
const SCRIPT_HOST = "https://host.example";
/** MapLibre's worker, which bundlers put beside the script. */
const MAPLIBRE = join(ROOT, "node_modules/maplibre-gl/dist");
const PROGRAMS = join(OUTPUT, "docs");
const CLAIMS = join(ROOT, "tests/support/docs/claims.mjs");
/** Time in ms for a picture to appear, which ends a test that would never end. */
const PICTURE_MS = 40_000;
/** The same for a whole program. */
const PROGRAM_MS = 100_000;
const BETWEEN_MS = 250;

/** A page as users have it: the elements that code makes have a size. */
const STYLE = "html, body { height: 100%; margin: 0 } body > div:not([class^=maplibre]) { height: 90% }";

/** What a picture has at least: colours, and pixels beside those of the three commonest colours. */
const MIN_COLOURS = 200;
const MIN_SHARE = 0.02;

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

/** Runs in the page: what a screenshot has of colours. */
async function coloursOf(png) {
  const answer = await fetch(`data:image/png;base64,${png}`);
  const bitmap = await createImageBitmap(await answer.blob());
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
  context.drawImage(bitmap, 0, 0);
  const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
  const counts = new Map();
  for (const pixel of new Uint32Array(data.buffer)) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const common = [...counts.values()].sort((a, b) => b - a).slice(0, 3);
  const others = common.reduce((left, count) => left - count, data.length / 4);
  return { colours: counts.size, share: others / (data.length / 4) };
}

/** Runs in the page: shows one of the elements that draw alone, or all. Returns their number. */
function showAlone(at) {
  const draws = (element) =>
    element.shadowRoot || element.matches("canvas") || element.querySelector("canvas, img, svg");
  const elements = [...document.body.children];
  const shown = elements.filter(draws);
  for (const element of elements)
    element.style.visibility = at === null || element === shown[at] ? "" : "hidden";
  shown[at]?.scrollIntoView();
  return shown.length;
}

/** Waits until the page shows a picture. */
const showsPicture = (page, what) =>
  expect(async () => {
    const found = await page.evaluate(coloursOf, (await page.screenshot()).toString("base64"));
    expect(found.colours, `${what}: colours`).toBeGreaterThanOrEqual(MIN_COLOURS);
    expect(found.share, `${what}: share of other colours`).toBeGreaterThanOrEqual(MIN_SHARE);
  }).toPass({ timeout: PICTURE_MS, intervals: [BETWEEN_MS] });

/** Rejects unless each element of the page that draws shows a picture. */
async function expectPictures(page, place) {
  // A library may make its elements with its first frame.
  const drawing = () => page.evaluate(showAlone, null);
  await expect
    .poll(drawing, { message: `${place}: elements that draw`, timeout: PICTURE_MS })
    .toBeGreaterThan(0);
  const count = await drawing();
  const folder = process.env.SCREENSHOTS;
  for (let at = 0; at < count; at += 1) {
    await page.evaluate(showAlone, at);
    await showsPicture(page, `${place}: element ${at}`);
    if (folder) await page.screenshot({ path: `${folder}/${place.replace(/\W+/g, "-")}-${at}.png` });
  }
  await page.evaluate(showAlone, null);
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
