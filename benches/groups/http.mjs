/**
 * Reads over HTTP from an open array, with two workers, in Chromium: a viewport, a viewport in a
 * shard, 64 small reads in a shard, and a time series through shards. The line has 20 or 80 ms
 * latency and limited bandwidth, or neither; then a whole array is read too.
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

const CASES = [
  read("viewport", "pyramid", VIEW, "/0"),
  read("viewport in a shard", "image-shards", IN_SHARD),
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
    const needs = await env.needs(store, path, ...selections);
    for (const speed of speeds) {
      const where = { store, path: path || "/", speed: SPEEDS[speed] };
      const { ms, figures } = await env.compare({
        fetch: fetchFloor(env, where, needs.trips),
        native: nativeFloor(env, where, needs),
        ...overLine(ENGINES, env, where, act),
      });
      yield { row: `${row}, ${speed}`, figures: ms, ...trafficOf(figures) };
    }
  }
}
