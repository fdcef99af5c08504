/**
 * Many nodes, many chunks and many bytes over a fast line with two workers. Measures times and the
 * longest task of the page's thread. In Chromium.
 */
import * as ours from "zarr-wasm";
import { newRun } from "../line/runs.mjs";
import { longestTask } from "../measure/long_tasks.mjs";
import { ENGINES, MEMORY_ENGINES, setWorkers } from "../peers/engines.mjs";
import {
  CHUNKS_CORNER,
  fetchFloor,
  mapValues,
  openOneOfMany,
  overLine,
  readOf,
  trafficOf,
} from "./reads.mjs";

const FAST = { latency: 0, rate: 0 };

/** The medians of an action over a fast line, and the longest task in one more run. */
async function felt(env, engines, prepare, act) {
  const { ms, figures } = await env.compare(
    mapValues(engines, (engine) => ({
      prepare: () => prepare(engine),
      run: (prepared) => act(engine, prepared),
    })),
  );
  const longest = {};
  for (const [name, engine] of Object.entries(engines)) {
    const prepared = await prepare(engine);
    longest[name] = (await longestTask(() => act(engine, prepared))).longest;
  }
  return { ms, figures, longest };
}

async function* nodes(env) {
  const prepare = () => newRun(env.base, FAST);
  const { ms, longest } = await felt(env, ENGINES, prepare, (engine, run) =>
    openOneOfMany(engine, run.url("nodes")),
  );
  yield { row: "100 000 consolidated nodes, open and open one", figures: ms };
  yield { row: "100 000 consolidated nodes: longest task", figures: longest };
}

async function* wholeArrays(env) {
  for (const codec of ["blosc-lz4", "shards", "raw"]) {
    const prepare = async (engine) =>
      engine.open(await engine.http(newRun(env.base, FAST).url(`volume-${codec}`)));
    const { longest } = await felt(env, ENGINES, prepare, (engine, array) => engine.read(array, null));
    yield { row: `reading 32 MiB, ${codec}: longest task`, figures: longest };
  }
}

async function* chunks(env) {
  const memory = await env.compare(readOf(MEMORY_ENGINES, await env.load("chunks"), null));
  yield { row: "10 000 chunks in memory", figures: memory.ms };
  const line = { store: "chunks", speed: FAST };
  const { trips } = await env.needs("chunks", "", CHUNKS_CORNER);
  const { ms, figures } = await env.compare({
    fetch: fetchFloor(env, line, trips),
    ...overLine(ENGINES, env, line, (engine, array) => engine.read(array, CHUNKS_CORNER)),
  });
  yield { row: "1 000 chunks over a fast line", figures: ms, ...trafficOf(figures) };
}

/** A store with an array of 2^32 chunks, all of them absent. */
const endless = () => {
  const document = {
    zarr_format: 3,
    node_type: "array",
    shape: [2 ** 20, 2 ** 20],
    data_type: "uint32",
    chunk_grid: { name: "regular", configuration: { chunk_shape: [16, 16] } },
    chunk_key_encoding: { name: "default" },
    fill_value: 0,
    codecs: [{ name: "bytes", configuration: { endian: "little" } }],
  };
  return new Map([["/zarr.json", new TextEncoder().encode(JSON.stringify(document))]]);
};

async function firstParts(array, count) {
  let left = count;
  for await (const _ of array.stream(null)) if (--left === 0) break;
}

async function* lazily(env) {
  const prepare = () => ours.open(endless(), { kind: "array" });
  const rows = {
    "4 294 967 296 chunks: planned": (array) => array.plan(null),
    "4 294 967 296 chunks: the first 20 parts of a stream": (array) => firstParts(array, 20),
  };
  for (const [row, run] of Object.entries(rows)) {
    const { ms } = await env.compare({ ours: { prepare, run } });
    const array = await prepare();
    yield { row, figures: ms };
    yield { row: `${row}: longest task`, figures: { ours: (await longestTask(() => run(array))).longest } };
  }
}

export async function* measure(env) {
  await setWorkers(2);
  yield* nodes(env);
  yield* wholeArrays(env);
  yield* chunks(env);
  yield* lazily(env);
}
