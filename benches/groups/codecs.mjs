/**
 * Decoding one chunk on one thread, in Node and in Chromium. numcodecs.js and native decoding only
 * decode the chunk. zarrita and this package read an array of one chunk from memory. Our own call
 * reads into memory that is reused; zarrita has no such option, so its calls make a new array.
 */
import { Timed } from "../measure/compare.mjs";
import { MEMORY_ENGINES, setWorkers } from "../peers/engines.mjs";
import { inflateByBrowser, numcodecsOf } from "../peers/numcodecs.mjs";
import { readOf } from "./reads.mjs";

const CHUNKS = [
  ["volume-blosc-lz4", "blosc-lz4 shuffle, image uint16"],
  ["volume-blosc-lz4-bitshuffle", "blosc-lz4 bitshuffle, image uint16"],
  ["labels-blosc-lz4", "blosc-lz4 shuffle, labels uint32"],
  ["volume-blosc-zstd", "blosc-zstd, image uint16"],
  ["cube-blosc-zstd", "blosc-zstd, field float32"],
  ["volume-zstd", "zstd, image uint16"],
  ["labels-zstd", "zstd, labels uint32"],
  ["volume-lz4", "lz4, image uint16"],
  ["volume-gzip", "gzip, image uint16"],
];

const KEY = "/c/0/0/0";
const ELEMENTS = { uint16: Uint16Array, uint32: Uint32Array, float32: Float32Array };

/** The array, reduced to its first chunk. */
function firstChunk(store) {
  const document = JSON.parse(new TextDecoder().decode(store.get("/zarr.json")));
  const shape = document.chunk_grid.configuration.chunk_shape;
  const json = new TextEncoder().encode(JSON.stringify({ ...document, shape }));
  const { data_type: dataType } = document;
  const decodedBytes = shape.reduce((total, at) => total * at, ELEMENTS[dataType].BYTES_PER_ELEMENT);
  const codec = document.codecs.find(({ name }) => name !== "bytes");
  const encoded = store.get(KEY);
  const cut = new Map([
    ["/zarr.json", json],
    [KEY, encoded],
  ]);
  return { cut, codec, encoded, decodedBytes, dataType };
}

function contestantsFor(name, { cut, codec, encoded, decodedBytes, dataType }, env) {
  const decoded = new Uint8Array(decodedBytes);
  const theirs = numcodecsOf(codec);
  const piece = { key: KEY, offset: 0, length: encoded.length };
  const Elements = ELEMENTS[dataType];
  const out = new Elements(decodedBytes / Elements.BYTES_PER_ELEMENT);
  const reads = readOf(MEMORY_ENGINES, cut, null);
  const intoOut = (array) => MEMORY_ENGINES.ours.read(array, null, { out });
  const isBrowserGzip = codec.name === "gzip" && env.where === "chromium";
  return {
    memcpy: { run: () => decoded.slice().length },
    native: { run: async () => new Timed(await env.native(name, codec, [piece])) },
    numcodecs: { run: async () => (await theirs.decode(encoded)).length },
    ...(isBrowserGzip ? { browser: { run: () => inflateByBrowser(encoded) } } : {}),
    ...reads,
    ours: { ...reads.ours, run: intoOut },
  };
}

export async function* measure(env) {
  await setWorkers(0);
  for (const [name, row] of CHUNKS) {
    const chunk = firstChunk(await env.load(name));
    const { ms } = await env.compare(contestantsFor(name, chunk, env));
    yield { row, bytes: chunk.decodedBytes, figures: ms };
  }
}
