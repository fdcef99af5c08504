/**
 * Shards, shapes, chunk grids, results and matches beyond 2^32. The shard is a sparse file on a
 * server.
 */
import assert from "node:assert/strict";
import {
  closeSync,
  createReadStream,
  ftruncateSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import * as zarr from "zarr-wasm";
import { parseRange } from "../../scripts/serve.mjs";

const GIB = 2 ** 30;
const encoded = (value) => new TextEncoder().encode(JSON.stringify(value));
const bytesCodec = { name: "bytes", configuration: { endian: "little" } };

const description = (shape, chunkShape, codecs, dtype = "uint32") => ({
  zarr_format: 3,
  node_type: "array",
  shape,
  data_type: dtype,
  chunk_grid: { name: "regular", configuration: { chunk_shape: chunkShape } },
  chunk_key_encoding: { name: "default" },
  fill_value: 9,
  codecs,
});

/** Number of elements in an inner chunk, and of inner chunks in a shard. */
const INNER = 2 ** 18;
const COUNT = 2 ** 11;

/**
 * A sparse shard of 6 GiB. Three inner chunks of 1 MiB are present: at its start, across 4 GiB, and
 * near its end.
 */
function writeShard(folder, location) {
  const index = new DataView(new ArrayBuffer(COUNT * 16));
  for (let at = 0; at < 2 * COUNT; at++) index.setBigUint64(at * 8, 2n ** 64n - 1n, true);
  const indexAt = location === "start" ? 0 : 6 * GIB;
  const offsets = new Map([
    [0, 65_536],
    [1000, 4 * GIB - 512 * 1024],
    [2047, 6 * GIB - 3 * 1024 * 1024],
  ]);
  const file = openSync(join(folder, "shard"), "w");
  for (const [chunk, offset] of offsets) {
    index.setBigUint64(chunk * 16, BigInt(offset), true);
    index.setBigUint64(chunk * 16 + 8, BigInt(INNER * 4), true);
    writeSync(
      file,
      Uint32Array.from({ length: INNER }, (_, at) => chunk * INNER + at),
      0,
      INNER * 4,
      offset,
    );
  }
  writeSync(file, index, 0, index.byteLength, indexAt);
  if (location === "start") ftruncateSync(file, 6 * GIB);
  closeSync(file);
}

async function serveShard(folder, document) {
  const file = join(folder, "shard");
  const { size } = statSync(file);
  const asked = [];
  const server = createServer((request, response) => {
    if (request.url === "/zarr.json") return response.end(document);
    if (request.url !== "/c/0") return response.writeHead(404).end();
    const { first, last } = parseRange(request.headers.range, size) ?? { first: 0, last: size - 1 };
    asked.push({ method: request.method, first, last });
    const partial = request.headers.range ? { "Content-Range": `bytes ${first}-${last}/${size}` } : {};
    response.writeHead(request.headers.range ? 206 : 200, { "Content-Length": last - first + 1, ...partial });
    if (request.method === "HEAD") return response.end();
    return createReadStream(file, { start: first, end: last }).pipe(response);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const close = () => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  };
  return { url: `http://127.0.0.1:${server.address().port}`, asked, size, close };
}

for (const location of ["start", "end"]) {
  test(`a shard of 6 GiB, its index at the ${location}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), "zarr-wasm-huge-"));
    const sharding = {
      name: "sharding_indexed",
      configuration: {
        chunk_shape: [INNER],
        codecs: [bytesCodec],
        index_codecs: [bytesCodec],
        index_location: location,
      },
    };
    writeShard(folder, location);
    const server = await serveShard(
      folder,
      encoded(description([INNER * COUNT], [INNER * COUNT], [sharding])),
    );
    try {
      const array = await zarr.open(server.url, { kind: "array" });
      for (const chunk of [0, 1000, 2047]) {
        const start = chunk * INNER;
        // A whole chunk; its last elements and those of the next, absent chunk; a slice with steps.
        const whole = await array.get([zarr.slice(start, start + INNER)]);
        assert.equal(
          whole.data.findIndex((value, at) => value !== start + at),
          -1,
        );
        const steps = await array.get([zarr.slice(start + 5, start + INNER, 100_000)]);
        assert.deepEqual([...steps.data], [start + 5, start + 100_005, start + 200_005]);
      }
      const border = await array.get([zarr.slice(1000 * INNER - 2, 1000 * INNER + 2)], { cache: "reload" });
      assert.deepEqual([...border.data], [9, 9, 1000 * INNER, 1000 * INNER + 1]);
      const read = server.asked.filter(({ method }) => method === "GET");
      assert.ok(read.some(({ first, last }) => first < 4 * GIB && last > 4 * GIB));
      assert.ok(read.some(({ first }) => first > 5 * GIB));
      const bytes = read.reduce((sum, { first, last }) => sum + last - first + 1, 0);
      assert.ok(bytes < 8 * 2 ** 20, `${bytes} bytes of ${server.size}`);
    } finally {
      await server.close();
      rmSync(folder, { recursive: true });
    }
  });
}

const arrayOf = (document) => zarr.open(new Map([["/zarr.json", encoded(document)]]), { kind: "array" });

test("a shape of 2^63 − 1 along two dimensions", async () => {
  const text = JSON.stringify(description([1, 1], [2 ** 20, 2 ** 20], [bytesCodec], "uint8"));
  const most = "9223372036854775807";
  const document = text.replace('"shape":[1,1]', `"shape":[${most},${most}]`);
  const store = new Map([["/zarr.json", new TextEncoder().encode(document)]]);
  const last = 2n ** 63n - 2n;
  // The last chunk of the grid. Its elements have the number of their column.
  const chunk = `/c/${last / 2n ** 20n}/${last / 2n ** 20n}`;
  store.set(
    chunk,
    Uint8Array.from({ length: 2 ** 40 / 2 ** 20 }, (_, at) => at),
  );
  const array = await zarr.open(store, { kind: "array" });
  assert.deepEqual(array.shape64, [2n ** 63n - 1n, 2n ** 63n - 1n]);
  const empty = await array.get([{ start: 2n ** 62n, stop: 2n ** 62n + 2n }, 7]);
  assert.deepEqual([...empty.data], [9, 9]);
  // The value is too short. The error has the key with exact numbers.
  await assert.rejects(
    array.get([
      { start: last, stop: last + 1n },
      { start: last, stop: last + 1n },
    ]),
    {
      code: "Format",
      key: chunk.slice(1),
    },
  );
  await assert.rejects(array.get(), { code: "Limit" });
  await assert.rejects(array.get([{ start: 0, stop: 2n ** 63n - 1n }, 0]), { code: "Limit" });
});

test("millions of chunks: planned lazily, streamed in bounded memory, refused as one result", async () => {
  const side = 2 ** 20;
  const array = await arrayOf(description([side, side], [16, 16], [bytesCodec]));
  const begun = performance.now();
  const plan = await array.plan(null);
  assert.deepEqual([plan.chunkCount, plan.resultBytes], [2 ** 32, 2 ** 42]);
  const before = process.memoryUsage();
  let places = 0;
  let parts = 0;
  for await (const part of array.stream(null)) {
    places += part.data.length;
    if (++parts === 20) break;
  }
  const after = process.memoryUsage();
  assert.ok(places >= 20 * 256);
  const grown = after.rss - before.rss;
  assert.ok(grown < 400 * 2 ** 20, `${grown} bytes more`);
  assert.ok(performance.now() - begun < 60_000);
  const refused = array.get();
  await assert.rejects(refused, { code: "Limit", actual: `${2 ** 42} bytes`, message: /stream/ });
});

/** A blosc frame of a block that blosclz decodes to `x`: a literal, and matches of some lengths. */
function repeatedByBlosclz(decodedLength, lengths) {
  // A match at distance 1. Its first byte stands for a length of 9.
  const matches = lengths.map((length) => [
    Uint8Array.of(0xe0),
    new Uint8Array(Math.floor((length - 9) / 255)).fill(255),
    Uint8Array.of((length - 9) % 255, 0),
  ]);
  const stream = Buffer.concat([Uint8Array.of(0, 0x78), ...matches.flat()]);
  const header = Buffer.alloc(24);
  // Version, version of blosclz, a flag for blocks of one stream, bytes of an element.
  header.set([2, 1, 0x10, 1]);
  const sizes = [decodedLength, decodedLength, header.length + stream.length, 20, stream.length];
  for (const [at, size] of sizes.entries()) header.writeUInt32LE(size, 4 + 4 * at);
  return Uint8Array.from(Buffer.concat([header, stream]));
}

test("a match of 2^32 bytes and some in a blosclz stream is refused, and does not wrap", async () => {
  const length = 10_000_000;
  const blosc = { cname: "blosclz", clevel: 5, shuffle: "noshuffle", typesize: 1, blocksize: 0 };
  const codecs = [bytesCodec, { name: "blosc", configuration: blosc }];
  const store = new Map([["/zarr.json", encoded(description([length], [length], codecs, "uint8"))]]);
  const array = await zarr.open(store, { kind: "array" });
  store.set("/c/0", repeatedByBlosclz(length, [100, length - 101]));
  const { data } = await array.get();
  assert.ok(data.every((byte) => byte === 0x78));
  store.set("/c/0", repeatedByBlosclz(length, [2 ** 32 + 100, length - 101]));
  const changed = await zarr.open(store, { kind: "array" });
  await assert.rejects(changed.get(), { code: "Format", key: "c/0" });
});
