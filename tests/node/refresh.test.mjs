/** Changes are visible at once through the same store, and after `refresh` through others. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as zarr from "zarr-wasm";

const OPTIONS = { shape: [6], chunkShape: [2], dtype: "int32" };
const numbers = async (array) => [...(await array.get()).data];

/** The same bytes through another store object, as in another tab. */
const another = (store) => ({
  get: (key) => store.get(key),
  set: (key, value) => void store.set(key, value),
  delete: (key) => store.delete(key),
  keys: () => store.keys(),
});

const FORMATS = [
  ["v2", { zarrFormat: 2 }],
  ["v3", {}],
  ["v3 in shards", { shardShape: [4] }],
  ["the draft of 2022 in shards", { zarrFormat: "v3-draft-2022-05", shardShape: [4] }],
];

for (const [name, options] of FORMATS) {
  test(`${name}: arrays of one store see each other's changes`, async () => {
    const store = new Map();
    const one = await zarr.create(store, { path: "a", ...OPTIONS, ...options });
    await one.set(null, [1, 2, 3, 4, 5, 6]);
    const other = await zarr.open(store, { path: "a", kind: "array" });
    assert.deepEqual(await numbers(other), [1, 2, 3, 4, 5, 6]);
    await one.resize([3]);
    assert.deepEqual(other.shape, [3]);
    assert.deepEqual(await numbers(other), [1, 2, 3]);
    await other.append([7, 8]);
    assert.deepEqual(one.shape, [5]);
    assert.deepEqual(await numbers(one), [1, 2, 3, 7, 8]);
    await other.updateAttributes({ unit: "m" });
    assert.deepEqual(one.attrs, { unit: "m" });
    await one.set([0], 9);
    assert.deepEqual(await numbers(other), [9, 2, 3, 7, 8]);
  });

  test(`${name}: changes by another writer are visible after refresh`, async () => {
    const store = new Map();
    const mine = await zarr.create(store, { path: "a", ...OPTIONS, ...options });
    await mine.set(null, [1, 2, 3, 4, 5, 6]);
    assert.deepEqual(await numbers(mine), [1, 2, 3, 4, 5, 6]);
    const theirs = await zarr.open(another(store), { path: "a", kind: "array" });
    await theirs.resize([8]);
    await theirs.set(null, [8, 7, 6, 5, 4, 3, 2, 1]);
    await theirs.updateAttributes({ by: "them" });
    assert.deepEqual(mine.shape, [6]);
    await mine.refresh();
    assert.deepEqual([mine.shape, mine.attrs], [[8], { by: "them" }]);
    assert.deepEqual(await numbers(mine), [8, 7, 6, 5, 4, 3, 2, 1]);
    // A write with old metadata keeps the changes of others.
    await theirs.resize([10]);
    await mine.append([0]);
    assert.deepEqual(mine.shape, [11]);
    await theirs.refresh();
    assert.deepEqual(theirs.shape, [11]);
  });
}

test("groups can be refreshed, and a missing node is an error", async () => {
  const store = new Map();
  const group = await zarr.create(store, { path: "g", attributes: { a: 1 } });
  const theirs = await zarr.open(another(store), { path: "g", kind: "group" });
  await theirs.updateAttributes({ b: 2 });
  await group.refresh();
  assert.deepEqual(group.attrs, { a: 1, b: 2 });
  const beside = await zarr.open(store, { path: "g", kind: "group" });
  await beside.updateAttributes({ c: 3 });
  assert.deepEqual(group.attrs, { a: 1, b: 2, c: 3 });
  store.delete("/g/zarr.json");
  await assert.rejects(group.refresh(), { code: "NotFound" });
  assert.deepEqual(group.attrs, { a: 1, b: 2, c: 3 });
});

test("a node of another kind is an error", async () => {
  const store = new Map();
  const array = await zarr.create(store, { path: "a", ...OPTIONS });
  await zarr.create(store, { path: "a", overwrite: true });
  await assert.rejects(array.refresh(), { code: "NotFound" });
  assert.deepEqual(array.shape, [6]);
});

test("refresh keeps integers exact and can be aborted", async () => {
  const store = new Map();
  await zarr.create(store, { path: "a", ...OPTIONS, attributes: { big: 2n ** 60n + 1n } });
  const array = await zarr.open(store, { path: "a", kind: "array", exactIntegers: true });
  await array.refresh();
  assert.equal(array.attrs.big, 2n ** 60n + 1n);
  const reason = new Error("enough");
  await assert.rejects(array.refresh({ signal: AbortSignal.abort(reason) }), reason);
});
