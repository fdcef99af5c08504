/**
 * Computes the mean over time of an array in memory, in a process of its own, once to warm up and
 * once to be measured. Prints as JSON: the processor time of all threads and the elapsed time in
 * ms, the peak growth of memory in MiB, and the sum of the answers.
 *
 *     node --expose-gc reduce_child.mjs <ours|zarrita> <workers> <store>
 *
 * The store is a name of `data/datasets.mjs`, or `raw@<steps>`: elements without a codec, all
 * chunks the same.
 */
import * as zarr from "zarr-wasm";
import * as zarrita from "zarrita";
import { load } from "../data/datasets.mjs";
import { MemoryStore } from "../data/memory_store.mjs";
import { peakMemory } from "../measure/peak_memory.mjs";
import { ourInfo, startOurs } from "../peers/engines.mjs";

const SIDE = 512;
/** A chunk of 16 MiB. */
const CHUNK = [64, 256, 256];

/** Elements without a codec. */
function raw(steps) {
  const elements = Float32Array.from({ length: CHUNK[0] * CHUNK[1] * CHUNK[2] }, (_, at) => 280 + (at % 97));
  const chunk = new Uint8Array(elements.buffer);
  const document = {
    zarr_format: 3,
    node_type: "array",
    shape: [steps, SIDE, SIDE],
    data_type: "float32",
    chunk_grid: { name: "regular", configuration: { chunk_shape: CHUNK } },
    chunk_key_encoding: { name: "default" },
    fill_value: 0,
    codecs: [{ name: "bytes", configuration: { endian: "little" } }],
  };
  const metadata = new TextEncoder().encode(JSON.stringify(document));
  const get = (key) => {
    if (key.startsWith("/c/")) return chunk;
    return key === "/zarr.json" ? metadata : undefined;
  };
  return { get };
}

/** What a caller of zarrita writes: the sum and the count of each cell, chunk by chunk. */
async function meanByZarrita(values) {
  const array = await zarrita.open(new MemoryStore(values), { kind: "array" });
  const [steps, rows, columns] = array.shape;
  const [depth, high, wide] = array.chunks;
  const [sums, counts] = [new Float64Array(rows * columns), new Uint32Array(rows * columns)];
  for (let z = 0; z * depth < steps; z++)
    for (let y = 0; y * high < rows; y++)
      for (let x = 0; x * wide < columns; x++) {
        const { data } = await array.getChunk([z, y, x]);
        let at = 0;
        for (let step = 0; step < depth; step++)
          for (let row = 0; row < high; row++) {
            let cell = (y * high + row) * columns + x * wide;
            for (let column = 0; column < wide; column++, at++, cell++) {
              const value = data[at];
              if (Number.isNaN(value)) continue;
              sums[cell] += value;
              counts[cell] += 1;
            }
          }
      }
  return sums.map((sum, cell) => sum / counts[cell]);
}

const MEANS = {
  zarrita: meanByZarrita,
  async ours(values) {
    const array = await zarr.open(new MemoryStore(values), { kind: "array" });
    return (await zarr.reduce(array, null, { op: "mean", over: [0] })).data;
  },
};

const [name, workers, store] = process.argv.slice(2);
const values = store.startsWith("raw@") ? raw(Number(store.slice(4))) : load(store);
if (name === "ours") await startOurs({ workers: Number(workers) });
globalThis.gc();
const memory = process.memoryUsage.rss();
// Compiles what is used, which is not measured.
await MEANS[name](values);
globalThis.gc();
const before = { processor: process.cpuUsage(), ms: performance.now() };
const means = await MEANS[name](values);
const { user, system } = process.cpuUsage(before.processor);
console.log(
  JSON.stringify({
    processor: (user + system) / 1e3,
    ms: performance.now() - before.ms,
    peak: (peakMemory() - memory) / 2 ** 20,
    sum: means.reduce((sum, mean) => sum + mean, 0),
    workers: name === "ours" ? ourInfo().workers : 0,
  }),
);
process.exit(0); // idle workers would keep the process alive
