/**
 * Makes the pictures of the gallery: runs the block of each page of `docs/gallery/` in Chromium, and
 * cuts the pictures of the examples to the same size. Writes the list in `docs/gallery.md`, which
 * GitHub shows in place of the pictures. It does not test the blocks:
 * `tests/browser/package/docs_pages.spec.mjs` does.
 *
 *   node site/gallery_pictures.mjs            all pictures
 *   node site/gallery_pictures.mjs globe      those with these names
 *
 * Needs `dist/`, and Chromium: `scripts/setup.mjs` finds it, or CHROMIUM names it.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { ROOT } from "../scripts/run_command.mjs";
import { launchChromium } from "../tests/browser/chromium.mjs";
import { serveExamples } from "../tests/support/docs/example_server.mjs";
import { programOf } from "../tests/support/docs/snippets.mjs";

const SIZE = { width: 640, height: 400 };
const MAX_BYTES = 40_000;
const QUALITY = 82;
const PROGRAM_MS = 60_000;
/** How often to look whether the picture still changes, and how often at most. */
const [LOOK_MS, LOOKS] = [300, 20];

const OUTPUT = join(ROOT, "docs/pictures/gallery");
const PROGRAMS = join(ROOT, "target/gallery");
const CLAIMS = join(ROOT, "tests/support/docs/claims.mjs");

const STYLE = `html, body { height: 100%; margin: 0; overflow: hidden; background: #fff; color: #1c2024;
  font: 13px/1.4 system-ui, "DejaVu Sans", sans-serif }
  body { display: flex; flex-direction: column; justify-content: center; align-items: center }`;

/** Bundles the block of a gallery page, and writes the page that runs it. Resolves to its name. */
async function writePage(id, host) {
  const page = `docs/gallery/${id}.md`;
  const contents = `${programOf(page, "browser", { host, claims: CLAIMS })}\nglobalThis.isPageDone = true;\n`;
  await build({
    stdin: { contents, loader: "ts", sourcefile: page, resolveDir: ROOT },
    absWorkingDir: ROOT,
    entryNames: id,
    outdir: PROGRAMS,
    bundle: true,
    splitting: true,
    format: "esm",
    logLevel: "error",
  });
  // The program waits for a test to look at its picture. Here nobody does.
  const head = `<title>${id}</title><style>${STYLE}</style><script>globalThis.drawn = () => {}</script>`;
  const body = `<body></body><script type="module" src="${id}.js"></script>`;
  writeFileSync(join(PROGRAMS, `${id}.html`), `<!doctype html><meta charset="utf-8">${head}${body}`);
  return `${id}.html`;
}

/** Waits until the page looks the same twice. */
async function settle(page) {
  let before = Buffer.alloc(0);
  for (let look = 0; look < LOOKS; look += 1) {
    await page.waitForTimeout(LOOK_MS);
    const now = await page.screenshot();
    if (now.equals(before)) return;
    before = now;
  }
}

/** Writes what a page shows, in the best quality that is small enough. */
async function writePicture(page, id) {
  for (let quality = QUALITY; quality > 0; quality -= 8) {
    const picture = await page.screenshot({ type: "jpeg", quality });
    if (picture.length > MAX_BYTES) continue;
    writeFileSync(join(OUTPUT, `${id}.jpg`), picture);
    return picture.length;
  }
  throw new Error(`${id}: more than ${MAX_BYTES} bytes in any quality`);
}

/** Shows the picture of an example without its top, which has the title alone. */
async function showExample(page, id) {
  const picture = readFileSync(join(ROOT, `www/examples/pictures/${id}.jpg`)).toString("base64");
  const place = "width: 100vw; height: 100vh; object-fit: cover; object-position: bottom";
  const image = `<img style="display: block; ${place}" src="data:image/jpeg;base64,${picture}">`;
  await page.setContent(`<style>body { margin: 0 }</style>${image}`);
}

/** Runs the block of a gallery page. */
async function showBlock(page, id, host) {
  const failed = new Promise((_, reject) => page.once("pageerror", reject));
  await page.goto(`${host}/programs/${await writePage(id, host)}`);
  const done = page.waitForFunction(() => globalThis.isPageDone, undefined, { timeout: PROGRAM_MS });
  await Promise.race([failed, done]);
}

async function makePictures(entries) {
  const [server, browser] = [await serveExamples({ "/programs/": PROGRAMS }), await launchChromium()];
  try {
    for (const { id, code } of entries) {
      const page = await browser.newPage({ viewport: SIZE, colorScheme: "light" });
      await (code.startsWith("www/") ? showExample(page, id) : showBlock(page, id, server.url));
      await settle(page);
      console.log(`${id}.jpg: ${await writePicture(page, id)} bytes`);
      await page.close();
    }
  } finally {
    await browser.close();
    await server.close();
  }
}

/** Writes the list of all entries, between the comments that mark it. */
function writeList(all) {
  const file = join(ROOT, "docs/gallery.md");
  const way = (code) => (code.startsWith("docs/") ? code.slice("docs/".length) : `../${code}`);
  const lines = all.map(({ title, idea, code }) => `- [${title}](${way(code)}): ${idea}`);
  const list = /(<!-- gallery: .* -->\n)[\s\S]*(<!-- \/gallery -->)/;
  const text = readFileSync(file, "utf8");
  if (!list.test(text)) throw new Error(`${file} has no place for the list`);
  const changed = text.replace(list, (_, start, end) => `${start}${lines.join("\n")}\n${end}`);
  writeFileSync(file, changed);
}

const wanted = process.argv.slice(2);
const entries = JSON.parse(readFileSync(join(ROOT, "docs/gallery.json"), "utf8"));
rmSync(PROGRAMS, { recursive: true, force: true });
for (const folder of [PROGRAMS, OUTPUT]) mkdirSync(folder, { recursive: true });
writeList(entries);
await makePictures(entries.filter(({ id }) => wanted.length === 0 || wanted.includes(id)));
