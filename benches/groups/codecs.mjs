/**
 * Decoding one chunk on one thread. numcodecs.js and native decoding get the chunk alone; zarrita and we read an array of that one
 * chunk from memory, planning and placing included. In Node and in Chromium.
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
const BYTES_PER_ELEMENT = { uint16: 2, uint32: 4, float32: 4 };

/** The array cut down to its first chunk. */
function firstChunk(store) {
  const document = JSON.parse(new TextDecoder().decode(store.get("/zarr.json")));
  const shape = document.chunk_grid.configuration.chunk_shape;
  const json = new TextEncoder().encode(JSON.stringify({ ...document, shape }));
  const decodedBytes = shape.reduce((total, extent) => total * extent, BYTES_PER_ELEMENT[document.data_type]);
  const codec = document.codecs.find(({ name }) => name !== "bytes");
  const encoded = store.get(KEY);
  const cut = new Map([
    ["/zarr.json", json],
    [KEY, encoded],
  ]);
  return { cut, codec, encoded, decodedBytes };
}

function contestantsFor(name, { cut, codec, encoded, decodedBytes }, env) {
  const decoded = new Uint8Array(decodedBytes);
  const theirs = numcodecsOf(codec);
  const piece = { key: KEY, offset: 0, length: encoded.length };
  const isBrowserGzip = codec.name === "gzip" && env.where === "chromium";
  return {
    memcpy: { run: () => decoded.slice().length },
    native: { run: async () => new Timed(await env.native(name, codec, [piece])) },
    numcodecs: { run: async () => (await theirs.decode(encoded)).length },
    ...(isBrowserGzip ? { browser: { run: () => inflateByBrowser(encoded) } } : {}),
    ...readOf(MEMORY_ENGINES, cut, null),
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
