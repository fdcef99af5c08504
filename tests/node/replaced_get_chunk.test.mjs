/** Arrays with a replaced `getChunk`, and callers' queues. They are called as in zarrita. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as zarr from "zarr-wasm";
import * as zarrita from "zarrita";
import { madeStore } from "./made_stores.mjs";

const valueAt = ([i, j]) => 100 * i + j;
const description = { shape: [7, 9], chunks: [3, 4], dtype: "int32" };
const store = madeStore(description, valueAt);

const SELECTIONS = [
  null,
  [null, null],
  [zarr.slice(2, 5), null],
  [3, zarr.slice(1, 9, 3)],
  [zarr.slice(1, 7, 2), 8],
  [-1, null],
  [zarr.slice(0, 0), null],
];

/** The elements of `zarr.get` in C order. */
function plain({ data, shape, stride }) {
  const walk = (axis, at) =>
    axis === shape.length
      ? data[at]
      : Array.from({ length: shape[axis] }, (_, index) => walk(axis + 1, at + index * stride[axis]));
  return walk(0, 0);
}

const recorded = (array, calls) =>
  new Proxy(array, {
    get(target, name) {
      if (name !== "getChunk") return Reflect.get(target, name, target);
      return (...args) => {
        calls.push(args);
        return target.getChunk(...args);
      };
    },
  });

test("results through a proxy equal those without one, and zarrita's", async () => {
  const array = await zarr.open(store, { kind: "array" });
  const theirs = await zarrita.open(store, { kind: "array" });
  for (const selection of SELECTIONS) {
    const expected = await zarr.get(array, selection);
    assert.deepEqual(await zarr.get(recorded(array, []), selection), expected);
    if (selection?.[0]?.stop !== 0)
      assert.deepEqual(plain(expected), plain(await zarrita.get(theirs, selection)));
  }
  assert.equal(await zarr.get(recorded(array, []), [6, 8]), 608);
});

test("a replaced getChunk is called with zarrita's arguments", async () => {
  const { signal } = new AbortController();
  const options = { signal, useSharedArrayBuffer: false };
  const selection = [zarr.slice(2, 4), zarr.slice(0, 5)];
  const ours = [];
  await zarr.get(recorded(await zarr.open(store, { kind: "array" }), ours), selection, options);
  const theirs = [];
  await zarrita.get(recorded(await zarrita.open(store, { kind: "array" }), theirs), selection, options);
  assert.deepEqual(ours, theirs);
  for (const [, { signal: passed }] of ours) assert.equal(passed, signal);
});

test("its results are used: other values, subclasses, further members", async () => {
  const doubled = async (chunk) => ({ ...chunk, data: chunk.data.map((value) => 2 * value) });
  class Doubled extends zarr.Array {
    async getChunk(...args) {
      return doubled(await super.getChunk(...args));
    }
  }
  const array = await zarr.open(store, { kind: "array" });
  const metadata = JSON.parse(new TextDecoder().decode(store.get("/zarr.json")));
  const own = Object.create(array, {
    getChunk: { value: async (...args) => doubled(await array.getChunk(...args)) },
  });
  for (const replaced of [new Doubled(store, "/", metadata), own]) {
    const { data } = await zarr.get(replaced, [zarr.slice(1, 3), zarr.slice(3, 6)]);
    assert.deepEqual([...data], [206, 208, 210, 406, 408, 410]);
  }
});

test("arrays in zarrita's extensions", async () => {
  const seen = [];
  const counted = zarrita.defineArrayExtension((inner) => ({
    async getChunk(coords, options) {
      seen.push(coords);
      return inner.getChunk(coords, options);
    },
  }));
  const array = counted(await zarr.open(store, { kind: "array" }));
  assert.deepEqual(
    [...(await zarr.get(array, [6, null])).data],
    Array.from({ length: 9 }, (_, j) => 600 + j),
  );
  assert.deepEqual(seen, [
    [2, 0],
    [2, 1],
    [2, 2],
  ]);
});

test("a queue gets one call per chunk", async () => {
  const array = await zarr.open(store, { kind: "array" });
  let [added, running, most] = [0, 0, 0];
  const createQueue = () => {
    let last = Promise.resolve();
    return {
      add(read) {
        added += 1;
        last = last.then(async () => {
          most = Math.max(most, ++running);
          await read();
          running -= 1;
        });
      },
      onIdle: () => last,
    };
  };
  const result = await zarr.get(array, null, { createQueue });
  assert.deepEqual(result, await zarr.get(array));
  assert.deepEqual([added, most], [9, 1]);
});

test("an abort and an error end such a read", async () => {
  const array = await zarr.open(store, { kind: "array" });
  const signal = AbortSignal.abort(new Error("enough"));
  await assert.rejects(zarr.get(recorded(array, []), null, { signal }), /enough/);
  const failing = Object.create(array, {
    getChunk: { value: async () => Promise.reject(new RangeError("no")) },
  });
  await assert.rejects(zarr.get(failing), /no/);
  await assert.rejects(zarr.get(recorded(array, []), [7, null]), (error) =>
    zarr.isZarritaError(error, "InvalidSelectionError"),
  );
});

test("booleans and strings keep their classes", async () => {
  const bools = madeStore({ shape: [5], chunks: [2], dtype: "bool", fill: false }, ([i]) => i % 2);
  const array = await zarr.open(bools, { kind: "array" });
  const { data } = await zarr.get(recorded(array, []));
  assert.ok(data instanceof zarr.BoolArray);
  assert.deepEqual([...data], [false, true, false, true, false]);
});
