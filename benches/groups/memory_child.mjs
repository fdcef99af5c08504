/**
 * Reads arrays one after the other with one engine and keeps the results. Prints the peak growth
 * of memory without caches, as a multiple of the results. The engine `floor` fetches the same
 * chunks, drops them, and keeps as much memory as the results have.
 *
 * The word `start` instead of an engine: the growth in MiB of an engine and two decode workers
 * that have decoded the last array together, and what is left of it when the workers were idle.
 *
 *     node --expose-gc memory_child.mjs <engine> <url>…
 */
import { setTimeout as wait } from "node:timers/promises";
import { peakMemory } from "../measure/peak_memory.mjs";
import { ENGINES, ourInfo, setWorkers, startOurs } from "../peers/engines.mjs";

/** The chunk URLs of a v3 array without shards, and its decoded size in bytes. */
async function described(url) {
  const { shape, chunk_grid: grid, data_type: dtype } = await (await fetch(`${url}/zarr.json`)).json();
  const chunks = shape.map((extent, axis) => Math.ceil(extent / grid.configuration.chunk_shape[axis]));
  const keys = chunks.reduce(
    (all, count) => all.flatMap((key) => Array.from({ length: count }, (_, at) => `${key}/${at}`)),
    [`${url}/c`],
  );
  return { keys, bytes: shape.reduce((product, at) => product * at, Number(dtype.slice(4)) / 8) };
}

const floor = {
  http: (url) => url,
  open: described,
  read: async ({ keys, bytes }) => {
    await Promise.all(keys.map(async (key) => (await fetch(key)).arrayBuffer()));
    return { data: new Uint8Array(bytes).fill(1) };
  },
};

const IDLE_MS = 500;

/** Memory in use, in MiB, after the garbage is collected. */
function memoryNow() {
  globalThis.gc();
  return process.memoryUsage.rss() / 2 ** 20;
}

async function ofStart(url) {
  const { http, open, read } = ENGINES.ours;
  const before = memoryNow();
  await startOurs({ workers: 2, workerIdleMs: IDLE_MS, caches: { encodedBytes: 0, decodedBytes: 0 } });
  const array = await open(await http(url));
  const out = new Uint16Array(new SharedArrayBuffer(2 * array.shape.reduce((all, extent) => all * extent)));
  await read(array, null, { out });
  if (ourInfo().workers !== 2) throw new Error(`${ourInfo().workers} workers run, not 2`);
  const result = out.byteLength / 2 ** 20;
  const started = memoryNow() - before - result;
  while (ourInfo().workers > 0) await wait(IDLE_MS);
  return { started, idle: memoryNow() - before - result };
}

const [name, ...urls] = process.argv.slice(2);
if (name === "start") {
  console.log(JSON.stringify(await ofStart(urls.at(-1))));
  process.exit(0);
}
const isOurs = name === "ours" || name === "alias";
const engine = name === "floor" ? floor : ENGINES[name];
if (isOurs) await setWorkers(2);
const arrays = [];
for (const url of urls) arrays.push(await engine.open(await engine.http(url)));
globalThis.gc();
const before = process.memoryUsage.rss();
const results = [];
for (const array of arrays) results.push((await engine.read(array, null)).data);
const bytes = results.reduce((sum, { byteLength }) => sum + byteLength, 0);
const grown = peakMemory() - before;
const { encoded, decoded } = isOurs ? ourInfo().caches : { encoded: { bytes: 0 }, decoded: { bytes: 0 } };
console.log(JSON.stringify({ peak: (grown - encoded.bytes - decoded.bytes) / bytes }));
process.exit(0); // idle workers would keep the process alive
