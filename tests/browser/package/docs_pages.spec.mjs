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
import { serveExamples } from "../docs/example_server.mjs";
import { PAGES, pagesThatDraw, programOf } from "../docs/snippets.mjs";
import { OUTPUT, ROOT, VIEWER } from "./served.mjs";

/** Where the documentation says that the script of the element is. */
const SCRIPT_HOST = "https://host.example";
/** MapLibre's worker, which bundlers put beside the script. */
const MAPLIBRE = join(ROOT, "node_modules/maplibre-gl/dist");
const CLAIMS = join(ROOT, "tests/docs/claims.mjs");
const TIMEOUT_MS = 60_000;
/** Time in ms for a picture to appear, which ends a test that would never end. */
const PICTURE_MS = 40_000;
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
    outdir: join(OUTPUT, "docs"),
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

/** Resolves to the colours of the page, as soon as it shows a picture or has had time for one. */
async function shownColours(page) {
  for (const end = Date.now() + PICTURE_MS; ; await page.waitForTimeout(BETWEEN_MS)) {
    const found = await page.evaluate(coloursOf, (await page.screenshot()).toString("base64"));
    if (found.colours >= MIN_COLOURS && found.share >= MIN_SHARE) return { ...found, isPicture: true };
    if (Date.now() > end) return { ...found, isPicture: false };
  }
}

/** Resolves to the number of elements that draw. A library may make them with its first frame. */
async function drawingElements(page) {
  for (const end = Date.now() + PICTURE_MS; ; await page.waitForTimeout(BETWEEN_MS)) {
    const count = await page.evaluate(showAlone, null);
    if (count > 0 || Date.now() > end) return count;
  }
}

/** Rejects unless each element of the page that draws shows a picture. */
async function expectPictures(page, place) {
  const count = await drawingElements(page);
  if (count === 0) throw new Error(`${place}: the page has no element that draws`);
  const folder = process.env.SCREENSHOTS;
  for (let at = 0; at < count; at += 1) {
    await page.evaluate(showAlone, at);
    const found = await shownColours(page);
    if (folder) await page.screenshot({ path: `${folder}/${place.replace(/\W+/g, "-")}-${at}.png` });
    if (!found.isPicture)
      throw new Error(`${place}: the picture of element ${at} is empty: ${JSON.stringify(found)}`);
  }
  await page.evaluate(showAlone, null);
}

/** Resolves to the error of the page's program, if there is one. */
async function runProgram(browser, url) {
  const page = await browser.newPage({ viewport: { width: 800, height: 600 } });
  try {
    await page.exposeFunction("drawn", (place) => expectPictures(page, place));
    const failed = new Promise((resolve) => page.once("pageerror", resolve));
    await page.goto(url);
    const done = page.waitForFunction(() => globalThis.isPageDone, undefined, { timeout: TIMEOUT_MS });
    const outcome = await Promise.race([failed, done.catch((error) => error)]);
    return outcome instanceof Error ? String(outcome.stack) : undefined;
  } finally {
    await page.close();
  }
}

/** Runs the blocks of HTML of a page: each is a page, and its picture must not be empty. */
async function runHtml(browser, page, host, report) {
  for (const { place, text } of pagesThatDraw(page, host)) {
    const shown = await browser.newPage({ viewport: { width: 800, height: 600 } });
    try {
      const html = `<!doctype html><meta charset="utf-8"><title>docs</title><body>${text}`;
      const name = `${place.replace(/\W+/g, "-")}.html`;
      writeFileSync(join(OUTPUT, "docs", name), html.replaceAll(SCRIPT_HOST, `${host}/viewer`));
      await shown.goto(`${host}/programs/${name}`);
      await expectPictures(shown, place);
      report({ name: `the page at ${place} draws` });
    } catch (error) {
      report({ name: `the page at ${place} draws`, error: String(error.stack) });
    }
    await shown.close();
  }
}

export async function runDocsPages(browser, report) {
  mkdirSync(join(OUTPUT, "docs"), { recursive: true });
  for (const name of ["maplibre-gl-worker.mjs", "maplibre-gl-shared.mjs"])
    cpSync(join(MAPLIBRE, name), join(OUTPUT, "docs", name));
  const server = await serveExamples({ "/programs/": join(OUTPUT, "docs"), "/viewer/": VIEWER });
  let ran = 0;
  for (const page of PAGES) {
    await runHtml(browser, page, server.url, report);
    const source = programOf(page, "browser", { host: server.url, claims: CLAIMS });
    if (source === undefined) continue;
    const script = await bundleProgram(page, source);
    const html = `<!doctype html><meta charset="utf-8"><title>docs</title><style>${STYLE}</style><link rel="icon" href="data:,"><body></body><script type="module" src="${script}"></script>`;
    writeFileSync(join(OUTPUT, "docs", `${script}.html`), html);
    const error = await runProgram(browser, `${server.url}/programs/${script}.html`);
    report({ name: `the code of ${page} runs in a browser and gives what it says`, error });
    ran += 1;
  }
  if (ran === 0) report({ name: "the documentation has code for browsers", error: "there is none" });
  await server.close();
}
