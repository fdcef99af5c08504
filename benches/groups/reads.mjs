/** Contestants that every group of reads is made of: engines reading from memory, or over a line. */
import { MemoryStore } from "../data/memory_store.mjs";
import { fetchTrips, newRun } from "../line/runs.mjs";
import { Timed } from "../measure/compare.mjs";

/** Every engine reads a selection of an array in memory. The store is a new one each time: what an engine knows of one is not known of the next. */
export function readOf(engines, values, selection) {
  return mapValues(engines, (engine) => ({
    prepare: () => engine.open(new MemoryStore(values)),
    run: (array) => engine.read(array, selection),
  }));
}

export const mapValues = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]));

/**
 * Every engine does something with an array behind a line: `act(engine, array)`. Opened before; each time an address of its own.
 * What was asked for while acting is in the figures.
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

/** What a run has asked for since an earlier tally. */
export async function since(run, before) {
  const { requests, bytes } = await run.tally();
  return { requests: requests - before.requests, bytes: bytes - before.bytes };
}

/** The least that those reads take: the bytes fetched, trip after trip, and not looked at. */
export const fetchFloor = (env, { store, speed }, trips) => ({
  prepare: () => newRun(env.base, speed),
  run: async (run) => fetchTrips(run.url(store), trips),
  finish: async (run) => since(run, { requests: 0, bytes: 0 }),
});

/** The chunks among those bytes decoded by numcodecs for Python, in memory. */
export const nativeFloor = (env, { store }, { codec, pieces }) => ({
  run: async () => new Timed(await env.native(store, codec, pieces)),
});

/** `{requests, wire}` by contestant, of what `compare` kept. */
export const trafficOf = (figures) => ({
  requests: mapValues(figures, ({ requests }) => requests),
  wire: mapValues(figures, ({ bytes }) => bytes),
});

/** 64 boxes of 16 × 16 of an image, so far apart along both axes. */
export const smallBoxes = (step) =>
  Array.from({ length: 64 }, (_, idx) =>
    [Math.floor(idx / 8), idx % 8].map((at) => [at * step + 30, at * step + 46]),
  );

/** The corner of 32 × 32 of the 10 000 chunks, and one array in the middle of the 100 000 nodes. */
export const CHUNKS_CORNER = [
  [0, 512],
  [0, 512],
];

export async function openOneOfMany(engine, url) {
  const group = await engine.openGroup(await engine.http(url));
  await engine.open(group.store, "/array_050000");
}
