/**
 * Reads over HTTP from an open array, with two workers, in Chromium: a viewport, viewports in one
 * and over four shards, a pan through shards, 64 small reads in a shard, and a time series through
 * shards. The line has 20 or 80 ms latency and limited bandwidth, or neither; then a whole array is
 * read too.
 */
import { ENGINES, setWorkers } from "../peers/engines.mjs";
import { fetchFloor, nativeFloor, overLine, smallBoxes, trafficOf } from "./reads.mjs";

const SPEEDS = {
  "fast line": { latency: 0, rate: 0 },
  "20 ms, 40 MB/s": { latency: 20, rate: 40 },
  "80 ms, 40 MB/s": { latency: 80, rate: 40 },
};

const one = (selection) => (engine, array) => engine.read(array, selection);

/** Each box is in another inner chunk, in every second row and column of the chunks. */
const BOXES = smallBoxes(256);

async function allBoxes(engine, array) {
  const read = await Promise.all(BOXES.map((box) => engine.read(array, box)));
  return { data: read.flatMap(({ data }) => [...data]) };
}

const read = (row, store, selection, path = "") => ({
  row,
  store,
  path,
  act: one(selection),
  selections: [selection],
});

const VIEW = [
  [900, 1924],
  [1100, 2124],
];
const IN_SHARD = [
  [300, 1324],
  [400, 1424],
];

/** The shards have 2048 × 2048 elements. */
const OVER_SHARDS = [
  [1100, 3100],
  [1200, 3100],
];

/** A view of 1024 × 1024 that moves over a shard's corner, step by step. */
const STEPS = Array.from({ length: 8 }, (_, step) =>
  [900, 1000].map((start) => [start + 128 * step, start + 128 * step + 1024]),
);

async function pan(engine, array) {
  let last;
  for (const view of STEPS) last = await engine.read(array, view);
  return last;
}

const CASES = [
  read("viewport", "pyramid", VIEW, "/0"),
  read("viewport in a shard", "image-shards", IN_SHARD),
  read("viewport over four shards", "image-shards", OVER_SHARDS),
  { row: "pan through shards", store: "image-shards", path: "", act: pan },
  read("series through shards", "cube-shards", [null, 64, 37]),
  {
    row: "64 small reads in a shard",
    store: "image-shards",
    path: "",
    act: allBoxes,
    selections: BOXES,
  },
  { ...read("whole array", "volume-blosc-zstd", null), speeds: ["fast line"] },
];

export async function* measure(env) {
  await setWorkers(2);
  for (const { row, store, path, act, selections, speeds = Object.keys(SPEEDS) } of CASES) {
    const needs = selections && (await env.needs(store, path, ...selections));
    for (const speed of speeds) {
      const where = { store, path: path || "/", speed: SPEEDS[speed] };
      const floors = needs && {
        fetch: fetchFloor(env, where, needs.trips),
        native: nativeFloor(env, where, needs),
      };
      const { ms, figures } = await env.compare({
        ...floors,
        ...overLine(ENGINES, env, where, act),
      });
      yield { row: `${row}, ${speed}`, figures: ms, ...trafficOf(figures) };
    }
  }
}
