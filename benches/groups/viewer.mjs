/**
 * The built viewer (`npm run build:www`) with its samples over a line of 20 ms, in new profiles of
 * Chromium. Measures the times to the first tile and to the full view, requests before the first
 * chunk, the longest task during panning and playing (0: none above 50 ms), and the work of the
 * page's thread per pan. Run from Node.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT } from "../../scripts/run_command.mjs";
import { serve } from "../../scripts/serve.mjs";
import { median } from "../measure/compare.mjs";
import { MainThread } from "../measure/main_thread.mjs";

const FOLDER = join(ROOT, "dist-www");
const LATENCY_MS = 20;
const SAMPLES = ["cells.ome.zarr", "climate.zarr", "arctic.zarr", "tissue.ome.zarr"];
/** The samples with a time axis. */
const PLAYED = new Set(["cells.ome.zarr", "climate.zarr"]);
const PATIENCE_MS = 30_000;

const PANS = 4;
const PAN_STEPS = 15;
const PAN_PIXELS = 240;
const FRAME_MS = 16;
const PLAY_MS = 3000;

/**
 * Runs in the page before its scripts. Records when the first tile and all tiles are drawn, and
 * tasks above 50 ms.
 */
function watch() {
  window.watched = { tasks: [] };
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) window.watched.tasks.push([startTime, duration]);
  }).observe({ type: "longtask", buffered: true });
  const look = () => {
    const progress = document.querySelector("#progress");
    const isFull = document.querySelector('#map[aria-busy="false"] canvas') !== null;
    if (isFull || progress?.value > 0) window.watched.tile ??= performance.now();
    if (isFull) window.watched.full ??= performance.now();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

const isChunk = (path) => !/(\.json|\/\.z(array|group|attrs|metadata))$/.test(path);

/** Number of requests of a sample before the first request of a chunk. */
function requestsBeforeChunk(urls, sample) {
  const own = urls.map((url) => new URL(url).pathname).filter((path) => path.includes(`/samples/${sample}`));
  const first = own.findIndex(isChunk);
  return first < 0 ? own.length : first;
}

/** Opens the sample in a page. Resolves to `{page, urls}` when the view is complete. */
async function visit(context, url, sample) {
  const page = await context.newPage();
  const urls = [];
  page.on("request", (request) => urls.push(request.url()));
  await page.addInitScript(watch);
  await page.goto(`${url}/?source=./samples/${sample}`);
  await page.waitForFunction(() => window.watched.full !== undefined, undefined, { timeout: PATIENCE_MS });
  return { page, urls };
}

async function pan(page, backwards) {
  const box = await page.locator("#map").boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const way = backwards ? -PAN_PIXELS : PAN_PIXELS;
  await page.mouse.move(x - way / 2, y);
  await page.mouse.down();
  for (let step = 1; step <= PAN_STEPS; step += 1) {
    await page.mouse.move(x - way / 2 + (way * step) / PAN_STEPS, y + (way * step) / PAN_STEPS / 4);
    await sleep(FRAME_MS);
  }
  await page.mouse.up();
}

async function panAll(page) {
  for (let count = 0; count < PANS; count += 1) await pan(page, count % 2 === 1);
  return {};
}

async function play(page) {
  await page.getByRole("button", { name: /^play/i }).first().click();
  await sleep(PLAY_MS);
}

/** The longest task in ms since the start of an action. */
async function longestDuring(page, act) {
  const start = await page.evaluate(() => performance.now());
  const result = await act();
  await sleep(4 * FRAME_MS);
  const longest = await page.evaluate(
    (from) => Math.max(0, ...window.watched.tasks.filter(([at]) => at >= from).map(([, ms]) => ms)),
    start,
  );
  return { ...result, longest };
}

/** The figures of one visit, by row. */
async function measured(env, url, sample) {
  const context = await env.browser.newContext({ viewport: { width: 1440, height: 900 } });
  try {
    const { page, urls } = await visit(context, url, sample);
    const { tile, full } = await page.evaluate(() => window.watched);
    const figures = {
      "first tile": tile,
      "full view": full,
      "requests before the first chunk": requestsBeforeChunk(urls, sample),
    };
    const thread = await MainThread.of(page);
    const panned = await longestDuring(page, () => thread.during(() => panAll(page)));
    figures["work of a pan"] = panned.work / PANS;
    figures["processor time of a pan"] = panned.processor / PANS;
    figures["longest task while panning"] = panned.longest;
    if (PLAYED.has(sample))
      figures["longest task while playing"] = (await longestDuring(page, () => play(page))).longest;
    return figures;
  } finally {
    await context.close();
  }
}

const UNITS = { "requests before the first chunk": "requests" };

export async function* measure(env) {
  if (!existsSync(join(FOLDER, "index.html"))) throw new Error("there is no dist-www/: npm run build:www");
  const server = await serve({ "/": FOLDER }, { latency: LATENCY_MS });
  try {
    for (const sample of SAMPLES.filter((name) => new RegExp(env.rows ?? "").test(name))) {
      const visits = [];
      for (let round = 0; round < env.rounds; round += 1)
        visits.push(await measured(env, server.url, sample));
      for (const row of Object.keys(visits[0]))
        yield {
          row: `${sample}: ${row}`,
          figures: { ours: median(visits.map((visit) => visit[row])) },
          ...(UNITS[row] && { unit: UNITS[row] }),
        };
    }
  } finally {
    await server.close();
  }
}
