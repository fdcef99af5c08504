/** Requests and round trips of opening nodes, and of concurrent equal reads. In Chromium. */
import { fetchTrips, newRun } from "../line/runs.mjs";
import { ENGINES, setWorkers } from "../peers/engines.mjs";
import { mapValues, overLine, trafficOf } from "./reads.mjs";

const SPEED = { latency: 80, rate: 40 };
const READERS = 8;

const opening = (env, store, open) => (engine) => ({
  prepare: () => newRun(env.base, SPEED),
  run: async (run) => void (await open(engine, await engine.http(run.url(store)))),
  finish: (run) => run.tally(),
});

const documentFloor = (env, store) => ({
  prepare: () => newRun(env.base, SPEED),
  run: (run) => fetchTrips(run.url(store), [[{ key: "/zarr.json" }]]),
});

async function openings(env, row, store, open) {
  const { ms, figures } = await env.compare({
    fetch: documentFloor(env, store),
    ...mapValues(ENGINES, opening(env, store, open)),
  });
  return { row, figures: ms, ...trafficOf(figures) };
}

export async function* measure(env) {
  await setWorkers(2);
  yield await openings(env, "open an array, 80 ms", "volume-zstd", (engine, store) => engine.open(store));
  yield await openings(env, "open a consolidated group, 80 ms", "pyramid", (engine, store) =>
    engine.openGroup(store),
  );
  const line = { store: "pyramid", path: "/0", speed: SPEED };
  const tile = [
    [0, 256],
    [0, 256],
  ];
  const { ms, figures } = await env.compare(
    overLine(ENGINES, env, line, (engine, array) =>
      Promise.all(Array.from({ length: READERS }, () => engine.read(array, tile))),
    ),
  );
  yield { row: `${READERS} readers of one chunk, 80 ms`, figures: ms, ...trafficOf(figures) };
}
