/** Reads without caches: changed nodes, and chunks. */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import * as zarr from "zarr-wasm";
import { addGroup, madeStore } from "./made_stores.mjs";
import { scriptedServer } from "./scripted_server.mjs";

const description = { shape: [4], chunks: [2], dtype: "int32" };
const old = addGroup(
  madeStore(description, ([i]) => i, { path: "a" }),
  { title: "old" },
);
const young = addGroup(
  madeStore({ ...description, shape: [6] }, ([i]) => 10 * i, { path: "a" }),
  { title: "young" },
);

let server;
before(async () => {
  server = await scriptedServer(old);
});
after(() => server.close());
beforeEach(() => {
  server.files = old;
});

test("refresh over HTTP ignores all caches", async () => {
  const group = await zarr.open(server.url, { kind: "group" });
  const array = await zarr.open(group.resolve("a"), { kind: "array" });
  assert.deepEqual([...(await array.get()).data], [0, 1, 2, 3]);
  server.files = young;
  await Promise.all([group.refresh(), array.refresh()]);
  assert.equal(group.attrs.title, "young");
  assert.deepEqual(array.shape, [6]);
  assert.deepEqual([...(await array.get()).data], [0, 10, 20, 30, 40, 50]);
});

test("refresh ignores consolidated metadata, because it may be older", async () => {
  const store = new Map(old);
  const root = await zarr.open(store, { kind: "group" });
  await zarr.consolidate(root);
  const consolidated = await zarr.withConsolidatedMetadata(store);
  const array = await zarr.open(consolidated, { path: "a", kind: "array" });
  for (const [key, bytes] of young) if (key.startsWith("/a/")) store.set(key, bytes);
  assert.deepEqual((await zarr.open(consolidated, { path: "a", kind: "array" })).shape, [4]);
  await array.refresh();
  assert.deepEqual(array.shape, [6]);
  const reopened = await zarr.open(consolidated, { path: "a", kind: "array", cache: "reload" });
  assert.deepEqual(reopened.shape, [6]);
});

test('a read with `cache: "reload"` fetches again, also shard indexes', async () => {
  // Shards of 128 KiB, because smaller ones are fetched completely.
  const LENGTH = 1 << 16;
  const made = async (first) => {
    const files = new Map();
    const options = { shape: [LENGTH], chunkShape: [LENGTH / 64], shardShape: [LENGTH / 2], dtype: "uint32" };
    const array = await zarr.create(files, { ...options, codecs: [] });
    await array.set(
      null,
      Uint32Array.from({ length: LENGTH }, (_, at) => at + first),
    );
    return files;
  };
  server.files = await made(0);
  const array = await zarr.open(server.url, { kind: "array" });
  assert.equal((await array.get([3])).data[0], 3);
  const modes = [];
  server.act = (request) => {
    modes.push(request.headers["cache-control"] ?? "");
    return false;
  };
  server.files = await made(100);
  server.requests.length = 0;
  const { data } = await array.get([3], { cache: "reload" });
  assert.equal(data[0], 103);
  assert.ok(server.requests.length >= 2);
  assert.ok(modes.every((mode) => mode.includes("no-cache")));
  const parts = [];
  for await (const part of array.stream(null, { cache: "reload" })) parts.push(...part.data);
  assert.deepEqual(
    parts.sort((a, b) => a - b),
    Array.from({ length: LENGTH }, (_, at) => at + 100),
  );
});
