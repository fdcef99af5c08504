/**
 * The built viewer (`npm run build:www`) with its samples over a line of 20 ms, in new profiles of
 * Chromium. Measures the times to the first tile and to the full view, requests before the first
 * chunk, the work of the page's thread per pan, its tasks during panning and playing (their length
 * and the thread's own work in them), and the intervals between pictures during playing. Run from
 * Node.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT } from "../../scripts/run_command.mjs";
import { serve } from "../../scripts/serve.mjs";
import { median } from "../measure/compare.mjs";
import { MainThread } from "../measure/main_thread.mjs";
import { tasksDuring } from "../measure/page_tasks.mjs";
import { watchPictures } from "../measure/pictures.mjs";

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
/** Time for all steps of a sample and a few more, at five steps per second. */
const PLAY_MS = 6000;
const LONG_TASK_MS = 50;

/**
 * Runs in the page before its scripts. Records when the first tile and all tiles are drawn.
 */
function watch() {
  window.watched = {};
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
  await page.addInitScript(watchPictures);
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

/** Measures the tasks of an action. Returns them as rows, and the result of the action. */
async function tasksOf(browser, doing, act) {
  const { result, tasks } = await tasksDuring(browser, act);
  const longest = (part) => Math.max(0, ...tasks.map((task) => task[part]));
  const rows = {
    [`longest task while ${doing}`]: longest("took"),
    [`longest task while ${doing}, work of the thread`]: longest("worked"),
    [`tasks above ${LONG_TASK_MS} ms while ${doing}`]: tasks.filter(({ took }) => took > LONG_TASK_MS).length,
    [`waiting for the picture to be read back while ${doing}`]: tasks.reduce(
      (sum, { waited }) => sum + waited,
      0,
    ),
  };
  return { result, rows };
}

async function panned(browser, page) {
  const thread = await MainThread.of(page);
  const { result, rows } = await tasksOf(browser, "panning", () => thread.during(() => panAll(page)));
  return {
    "work of a pan": result.work / PANS,
    "processor time of a pan": result.processor / PANS,
    ...rows,
  };
}

async function played(browser, page) {
  const start = await page.evaluate(() => performance.now());
  const { rows } = await tasksOf(browser, "playing", () => play(page));
  const { times, blanks } = await page.evaluate((from) => {
    const { times, blanks } = window.pictures;
    return { times: times.filter((time) => time > from), blanks: blanks.filter((time) => time > from) };
  }, start);
  const gaps = times.slice(1).map((time, at) => time - times[at]);
  const share = (part) => gaps.toSorted((a, b) => a - b)[Math.ceil(part * gaps.length) - 1] ?? PLAY_MS;
  return {
    ...rows,
    "from picture to picture while playing, median": share(0.5),
    "from picture to picture while playing, 95 %": share(0.95),
    "from picture to picture while playing, longest": share(1),
    "empty frames while playing": blanks.length,
  };
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
    Object.assign(figures, await panned(env.browser, page));
    if (PLAYED.has(sample)) Object.assign(figures, await played(env.browser, page));
    return figures;
  } finally {
    await context.close();
  }
}

/** The unit of a row, if it is not ms. */
const unitOf = (row) => row.match(/^(requests|tasks|empty frames) /)?.[1];

export async function* measure(env) {
  if (!existsSync(join(FOLDER, "index.html"))) throw new Error("there is no dist-www/: npm run build:www");
  const server = await serve({ "/": FOLDER }, { data: ["/samples/"], latency: LATENCY_MS });
  try {
    for (const sample of SAMPLES.filter((name) => new RegExp(env.rows ?? "").test(name))) {
      const visits = [];
      for (let round = 0; round < env.rounds; round += 1)
        visits.push(await measured(env, server.url, sample));
      for (const row of Object.keys(visits[0]))
        yield {
          row: `${sample}: ${row}`,
          figures: { ours: median(visits.map((visit) => visit[row])) },
          ...(unitOf(row) && { unit: unitOf(row) }),
        };
    }
  } finally {
    await server.close();
  }
}
