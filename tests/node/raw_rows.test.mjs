/** Parts of large chunks without compression on a real server, also if a chunk changes. */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import * as zarr from "zarr-wasm";
import { metadata } from "./made_stores.mjs";
import { scriptedServer, sendFile } from "./scripted_server.mjs";

/** One chunk of 4 MiB: 256 planes of 64 × 64 floats. */
const SHAPE = [256, 64, 64];
const PLANE = 64 * 64;
const numbers = (first) => Float32Array.from({ length: 256 * PLANE }, (_, at) => at + first);
const bytesOf = (array) => new Uint8Array(array.buffer);
const document = new TextEncoder().encode(
  JSON.stringify(metadata({ shape: SHAPE, chunks: SHAPE, dtype: "float32" })),
);

let server;
before(async () => {
  server = await scriptedServer(new Map());
});
after(() => server.close());
beforeEach(() => {
  const files = new Map([
    ["/zarr.json", document],
    ["/c/0/0/0", bytesOf(numbers(0))],
  ]);
  Object.assign(server, { files, act: undefined, requests: [] });
});

const plane = (first, at) => Array.from(numbers(first).subarray(at * PLANE, (at + 1) * PLANE));

test("planes cost their bytes, neighbours one request, and nothing is requested twice", async () => {
  const array = await zarr.open(server.url, { kind: "array" });
  const { data } = await array.get([7, null, null]);
  assert.deepEqual(Array.from(data), plane(0, 7));
  const at = (index, count = 1) => `GET bytes=${index * PLANE * 4}-${(index + count) * PLANE * 4 - 1}`;
  assert.deepEqual(server.of("/c/0/0/0"), [at(7)]);
  await array.get([zarr.slice(6, 10), null, null]);
  // Plane 7 is cached and smaller than the gap, so a merged request may include it.
  const later = server.of("/c/0/0/0").slice(1);
  assert.deepEqual(later, [at(6, 4)].length === later.length ? [at(6, 4)] : [at(6), at(8, 2)]);
  const converted = await array.get([200, null, zarr.slice(0, 3)], { as: "int32" });
  assert.deepEqual(Array.from(converted.data).slice(0, 3), plane(0, 200).slice(0, 3));
  const total = server.requests.length;
  await array.get([200, 4, null]);
  assert.equal(server.requests.length, total, "the plane is kept");
});

test("half of a chunk or more is one request for the whole chunk", async () => {
  const array = await zarr.open(server.url, { kind: "array" });
  await array.get([zarr.slice(0, 200), null, null]);
  assert.deepEqual(server.of("/c/0/0/0"), ["GET"]);
});

test("planes of two versions of a chunk are never combined", async () => {
  const array = await zarr.open(server.url, { kind: "array" });
  let answered = 0;
  server.act = (request, response, _, key) => {
    if (key !== "/c/0/0/0") return false;
    // The chunk is replaced after the first answer.
    const state = answered++ === 0 ? 0 : 1000;
    sendFile(request, response, bytesOf(numbers(state)), { ETag: `"${state}"` });
    return true;
  };
  const { data } = await array.get([zarr.slice(0, 256, 250), 0, 0]);
  assert.deepEqual(Array.from(data), [1000, 1000 + 250 * PLANE]);
  assert.ok(answered >= 3, `${answered} requests`);
});

test("an absent chunk has the fill value, also if it is read by rows", async () => {
  server.files.delete("/c/0/0/0");
  const array = await zarr.open(server.url, { kind: "array" });
  assert.deepEqual(Array.from((await array.get([7, 0, zarr.slice(0, 2)])).data), [0, 0]);
});

test("whole chunks are requested from a user's store", async () => {
  const asked = [];
  const store = {
    get: async (key) => {
      asked.push(key);
      return server.files.get(key);
    },
    getRange: async () => assert.fail("a range was asked for"),
  };
  const array = await zarr.open(store, { kind: "array" });
  const { data } = await array.get([7, null, null]);
  assert.deepEqual(Array.from(data), plane(0, 7));
  assert.equal(asked.filter((key) => key === "/c/0/0/0").length, 1);
});
