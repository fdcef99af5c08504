/**
 * The mean over time of float32 in shards of blosc-zstd, 1 GiB if the row does not say otherwise.
 * All shards have the same bytes (`data/tiled.mjs`). Run from Node.
 *
 * - In Chromium over a line, with two decode workers and without caches: `fetch` only fetches the
 *   bytes, `stream` decodes them, too.
 * - In processes of Node (`reduce_child.mjs`), from memory: processor time of all threads, against
 *   a loop over zarrita's chunks; the same of elements that need no decoder, on one thread against
 *   NumPy; peaks of memory.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { interpreter } from "../data/datasets.mjs";
import { needsOf } from "../data/needs.mjs";
import { newRun } from "../line/runs.mjs";
import { compare, median, Timed } from "../measure/compare.mjs";
import { LINE } from "./main_thread/rows.mjs";
import { ChromiumTab } from "./main_thread/tabs.mjs";
import { mapValues, since, trafficOf } from "./reads.mjs";

const FAST = { latency: 0, rate: 0 };
/** Steps of time in a GiB. */
const GIBIBYTE = 1024;
/** Steps of what one process of Node reduces in a round, besides those that measure memory. */
const QUARTER = GIBIBYTE / 4;

const CHILD = join(import.meta.dirname, "reduce_child.mjs");
const MEAN = join(import.meta.dirname, "../peers/mean.py");
const start = promisify(execFile);

const tabOf = (env, who) =>
  ChromiumTab.open(env.browser, env.base, who, `${env.base}/page/reduce/index.html?who=${who}`);

/** A contestant over a line. Adds to `works` the processor time of the page's thread. */
function overLine(env, tab, store, speed, works) {
  const { trips } = needsOf(env.store(store), "", [null]);
  return {
    async prepare() {
      const run = newRun(env.base, speed);
      await tab.prepare({ url: run.url(store), trips });
      return { run, before: await run.tally() };
    },
    async run() {
      const { ms, processor } = await tab.run(false);
      works.push(processor);
      return new Timed(ms);
    },
    finish: ({ run, before }) => since(run, before),
  };
}

async function* lines(env, steps) {
  const size = `${steps / GIBIBYTE} GiB`;
  const lineOf = {
    "20 ms, 200 Mbit/s": [LINE, ["fetch", "ours"]],
    "fast line": [FAST, ["fetch", "stream", "ours"]],
  };
  for (const [line, [speed, names]] of Object.entries(lineOf)) {
    const tabs = {};
    try {
      for (const name of names) tabs[name] = await tabOf(env, name);
      const works = mapValues(tabs, () => []);
      const contestants = mapValues(tabs, (tab, name) =>
        overLine(env, tab, `tile@${steps}`, speed, works[name]),
      );
      const { ms, figures } = await compare(contestants, env);
      yield { where: "chromium", row: `${size}, ${line}`, figures: ms, ...trafficOf(figures) };
      yield {
        where: "chromium",
        row: `${size}, ${line}: processor time of the page's thread`,
        figures: mapValues(works, median),
      };
    } finally {
      for (const tab of Object.values(tabs)) await tab.close();
    }
  }
}

/** What a child prints. */
async function inChild(engine, workers, store) {
  const { stdout } = await start(process.execPath, ["--expose-gc", CHILD, engine, workers, store]);
  return JSON.parse(stdout);
}

async function* processorTime(env) {
  const sums = {};
  const contestant = (engine) => ({
    run: async () => {
      const { processor, sum } = await inChild(engine, "2", `tile@${QUARTER}`);
      sums[engine] = sum;
      return new Timed(processor);
    },
  });
  const { ms } = await compare({ zarrita: contestant("zarrita"), ours: contestant("ours") }, env);
  if (Math.abs(sums.ours / sums.zarrita - 1) > 1e-9) throw new Error(`other means: ${JSON.stringify(sums)}`);
  yield { where: "node", row: "0.25 GiB of shards: processor time", figures: ms };
}

async function* decoded(env) {
  const python = interpreter();
  const numpy = { plain: [], withoutNan: [] };
  const ours = [];
  for (let round = 0; round < env.rounds; round++) {
    const { stdout } = await start(python, [MEAN, QUARTER, "512"]);
    const [plain, withoutNan] = stdout.trim().split(" ").map(Number);
    numpy.plain.push(plain);
    numpy.withoutNan.push(withoutNan);
    ours.push((await inChild("ours", "0", `raw@${QUARTER}`)).processor);
  }
  const figures = { ours: median(ours), numpy: median(numpy.plain), nanmean: median(numpy.withoutNan) };
  yield { where: "node", row: "0.25 GiB without a codec, one thread: processor time", figures };
}

async function* memory(env) {
  const peaks = { 0.25: [], 4: [] };
  for (let round = 0; round < Math.min(3, env.rounds); round++)
    for (const [size, list] of Object.entries(peaks))
      list.push((await inChild("ours", "2", `tile@${size * GIBIBYTE}`)).peak);
  const medians = mapValues(peaks, median);
  for (const [size, peak] of Object.entries(medians))
    yield {
      where: "node",
      row: `${size} GiB in memory: peak of memory`,
      unit: "MiB",
      figures: { ours: peak },
    };
  const grown = Math.abs(medians[4] - medians[0.25]);
  yield { where: "node", row: "from 0.25 to 4 GiB: more memory", unit: "MiB", figures: { ours: grown } };
}

export async function* measure(env) {
  yield* decoded(env);
  yield* processorTime(env);
  yield* memory(env);
  yield* lines(env, env.steps);
}
