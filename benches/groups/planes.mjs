/**
 * Reads the planes of a volume one by one, as an animation or a slider for z does. A chunk has 16
 * planes. In Chromium.
 */
import { newRun } from "../line/runs.mjs";
import { ENGINES, setWorkers } from "../peers/engines.mjs";
import { fetchFloor, overLine, trafficOf } from "./reads.mjs";

const PLANES = 32;
const LINE = { store: "volume-blosc-zstd", speed: { latency: 20, rate: 40 } };

async function step(engine, array) {
  let last;
  for (let z = 0; z < PLANES; z++) last = await engine.read(array, [z, null, null]);
  return last;
}

export async function* measure(env) {
  await setWorkers(2);
  // The floor fetches each chunk once, at its first plane.
  const halves = await Promise.all([0, 16].map((z) => env.needs(LINE.store, "", [z, null, null])));
  const trips = halves.flatMap((needs) => needs.trips);
  const { ms, figures } = await env.compare({
    fetch: fetchFloor(env, LINE, trips),
    ...overLine(ENGINES, env, LINE, step),
  });
  yield { row: `${PLANES} planes of 16 a chunk, 20 ms, 40 MB/s`, figures: ms, ...trafficOf(figures) };
  yield await cachedViewport(env);
}

/** Reads the same viewport again, as after panning back. */
async function cachedViewport(env) {
  const view = [
    [900, 1412],
    [1100, 1612],
  ];
  const again = (engine) => ({
    prepare: async () => {
      const run = newRun(env.base, { latency: 80, rate: 40 });
      const array = await engine.open(await engine.http(run.url("pyramid")), "/0");
      await engine.read(array, view);
      return array;
    },
    run: (array) => engine.read(array, view),
  });
  const { ms } = await env.compare({
    zarrita: again(ENGINES.zarrita),
    tuned: again(ENGINES.tuned),
    alias: again(ENGINES.alias),
    ours: again(ENGINES.ours),
  });
  return { row: "a viewport again", figures: ms };
}
