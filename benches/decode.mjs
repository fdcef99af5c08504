/**
 * `npm run bench`: how fast chunks are decoded in Node, in one process, every engine in turn, medians.
 *
 * Columns: numcodecs.js decoding the chunk alone; zarrita 0.7.5 and this package reading an array of that one chunk from memory (planning and
 * placing included), this package without workers. Data: a generated image of 12 bits with structure and noise, as uint16, and a label image as
 * uint32, encoded by numcodecs.js. The first figure of a row is MB/s of decoded bytes; ratios are ours to the other's.
 */
import { cpus } from "node:os";
import Blosc from "numcodecs/blosc";
import GZip from "numcodecs/gzip";
import LZ4 from "numcodecs/lz4";
import Zlib from "numcodecs/zlib";
import Zstd from "numcodecs/zstd";
import * as zarr from "zarr-wasm";
import * as zarrita from "zarrita";

const SIDE = 1024;
const ROUNDS = 25;

/** A generator of numbers in [0, 1): the same in every run (mulberry32). */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A camera's picture: blobs on a slope, with the noise of counting. */
function picture() {
  const random = generator(1);
  const blobs = Array.from({ length: 60 }, () => [
    random() * SIDE,
    random() * SIDE,
    15 + random() * 50,
    random() * 1500,
  ]);
  return Uint16Array.from({ length: SIDE * SIDE }, (_, at) => {
    const [x, y] = [at % SIDE, Math.floor(at / SIDE)];
    let light = 200 + x / 8;
    for (const [cx, cy, radius, height] of blobs)
      light += height * Math.exp(-((x - cx) ** 2 + (y - cy) ** 2) / radius ** 2);
    const noise = (random() + random() + random() - 1.5) * Math.sqrt(light);
    return Math.min(4095, Math.max(0, Math.round(light + noise)));
  });
}

/** Cells as numbers: long runs. */
function labels() {
  const random = generator(2);
  const cells = Array.from({ length: 200 }, () => [random() * SIDE, random() * SIDE]);
  return Uint32Array.from({ length: SIDE * SIDE }, (_, at) => {
    const [x, y] = [(at % SIDE) & ~3, Math.floor(at / SIDE) & ~3];
    let nearest = 0;
    let best = Number.POSITIVE_INFINITY;
    cells.forEach(([cx, cy], cell) => {
      const distance = (x - cx) ** 2 + (y - cy) ** 2;
      if (distance < best) [best, nearest] = [distance, cell];
    });
    return best < 900 ? nearest + 1 : 0;
  });
}

const codecs = {
  "blosc-lz4 shuffle": [Blosc, { id: "blosc", cname: "lz4", clevel: 5, shuffle: 1, blocksize: 0 }],
  "blosc-lz4 bitshuffle": [Blosc, { id: "blosc", cname: "lz4", clevel: 5, shuffle: 2, blocksize: 0 }],
  "blosc-zstd shuffle": [Blosc, { id: "blosc", cname: "zstd", clevel: 5, shuffle: 1, blocksize: 0 }],
  zstd: [Zstd, { id: "zstd", level: 3 }],
  lz4: [LZ4, { id: "lz4", acceleration: 1 }],
  gzip: [GZip, { id: "gzip", level: 5 }],
  zlib: [Zlib, { id: "zlib", level: 5 }],
};

function store(dtype, compressor, encoded) {
  const json = (value) => new TextEncoder().encode(JSON.stringify(value));
  return new Map([
    [
      "/.zarray",
      json({
        zarr_format: 2,
        shape: [SIDE, SIDE],
        chunks: [SIDE, SIDE],
        dtype,
        compressor,
        fill_value: 0,
        order: "C",
        filters: null,
      }),
    ],
    ["/0.0", encoded],
  ]);
}

const median = (times) => times.toSorted((a, b) => a - b)[times.length >> 1];

async function measure(name, data, dtype) {
  for (const [codec, [Codec, config]] of Object.entries(codecs)) {
    const theirs = await Codec.fromConfig({ ...config });
    const encoded = await theirs.encode(new Uint8Array(data.buffer));
    const map = store(dtype, config, encoded);
    const [old, ours] = [await zarrita.open(map, { kind: "array" }), await zarr.open(map, { kind: "array" })];
    const runs = {
      numcodecs: async () => (await theirs.decode(encoded)).byteLength,
      zarrita: async () => (await zarrita.get(old)).data,
      ours: async () => (await ours.get()).data,
    };
    for (const result of [await runs.zarrita(), await runs.ours()])
      if (!result.every((value, at) => value === data[at])) throw new Error(`${name} ${codec}: wrong values`);
    const times = { numcodecs: [], zarrita: [], ours: [] };
    for (let round = 0; round < ROUNDS; round++)
      for (const [engine, run] of Object.entries(runs)) {
        const started = performance.now();
        await run();
        times[engine].push(performance.now() - started);
      }
    const speed = Object.fromEntries(
      Object.entries(times).map(([engine, all]) => [engine, data.byteLength / 1e3 / median(all)]),
    );
    const row = [name, codec, (data.byteLength / encoded.length).toFixed(1)];
    row.push(...["numcodecs", "zarrita", "ours"].map((engine) => speed[engine].toFixed(0)));
    row.push((speed.ours / speed.numcodecs).toFixed(1), (speed.ours / speed.zarrita).toFixed(1));
    console.log(`| ${row.join(" | ")} |`);
  }
}

await zarr.init({ workers: 0 });
console.log(
  `Node ${process.version}, ${cpus()[0]?.model ?? "unknown processor"}, ${ROUNDS} rounds, median\n`,
);
console.log(
  "| data | codec | ratio | numcodecs.js MB/s | zarrita MB/s | ours MB/s | ours : numcodecs.js | ours : zarrita |",
);
console.log("|---|---|---|---|---|---|---|---|");
await measure("picture", picture(), "<u2");
await measure("labels", labels(), "<u4");
