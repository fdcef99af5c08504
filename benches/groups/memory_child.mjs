/**
 * Reads arrays one after the other with one engine and keeps the results. Prints the peak growth
 * of memory without caches, as a multiple of the results. The engine `floor` fetches the same
 * chunks, drops them, and keeps as much memory as the results have.
 *
 *     node --expose-gc memory_child.mjs <engine> <url>…
 */
import { ENGINES, ourInfo, setWorkers } from "../peers/engines.mjs";

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

const [name, ...urls] = process.argv.slice(2);
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
const grown = process.resourceUsage().maxRSS * 1024 - before;
const { encoded, decoded } = isOurs ? ourInfo().caches : { encoded: { bytes: 0 }, decoded: { bytes: 0 } };
console.log(JSON.stringify({ peak: (grown - encoded.bytes - decoded.bytes) / bytes }));
process.exit(0); // idle workers would keep the process alive
