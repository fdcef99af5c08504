/** The contestants of the groups that read: engines that read from memory or over a line. */
import { MemoryStore } from "../data/memory_store.mjs";
import { fetchTrips, newRun } from "../line/runs.mjs";
import { Timed } from "../measure/compare.mjs";

/** Each engine reads a selection of an array in memory, from a new store without caches. */
export function readOf(engines, values, selection) {
  return mapValues(engines, (engine) => ({
    prepare: () => engine.open(new MemoryStore(values)),
    run: (array) => engine.read(array, selection),
  }));
}

export const mapValues = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]));

/**
 * Each engine performs `act(engine, array)` with an open array over a line, each time with a new
 * URL. The figures count the requests during `act`.
 */
export function overLine(engines, env, { store, path = "/", speed }, act) {
  return mapValues(engines, (engine) => ({
    prepare: async () => {
      const run = newRun(env.base, speed);
      const array = await engine.open(await engine.http(run.url(store)), path);
      return { run, array, before: await run.tally() };
    },
    run: ({ array }) => act(engine, array),
    finish: ({ run, before }) => since(run, before),
  }));
}

/** The requests and bytes of a run since an earlier tally. */
export async function since(run, before) {
  const { requests, bytes } = await run.tally();
  return { requests: requests - before.requests, bytes: bytes - before.bytes };
}

/** The floor of reads: fetches the bytes trip by trip and ignores them. */
export const fetchFloor = (env, { store, speed }, trips) => ({
  prepare: () => newRun(env.base, speed),
  run: async (run) => fetchTrips(run.url(store), trips),
  finish: async (run) => since(run, { requests: 0, bytes: 0 }),
});

/** Decodes the chunks in these bytes with Python's numcodecs, in memory. */
export const nativeFloor = (env, { store }, { codec, pieces }) => ({
  run: async () => new Timed(await env.native(store, codec, pieces)),
});

/** `{requests, wire}` by contestant, from the figures of `compare`. */
export const trafficOf = (figures) => ({
  requests: mapValues(figures, ({ requests }) => requests),
  wire: mapValues(figures, ({ bytes }) => bytes),
});

/** 64 boxes of 16 × 16, in a grid of 8 × 8 with this step. */
export const smallBoxes = (step) =>
  Array.from({ length: 64 }, (_, idx) =>
    [Math.floor(idx / 8), idx % 8].map((at) => [at * step + 30, at * step + 46]),
  );

/** The first 32 × 32 of the 10 000 chunks. */
export const CHUNKS_CORNER = [
  [0, 512],
  [0, 512],
];

/** Opens one of the 100 000 nodes. */
export async function openOneOfMany(engine, url) {
  const group = await engine.openGroup(await engine.http(url));
  await engine.open(group.store, "/array_050000");
}
