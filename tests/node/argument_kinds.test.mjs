/**
 * Arguments that reached wasm or ended the process: the kind of a node, names of codecs,
 * priorities, and ranges of a `BlobReader`. The legal ones beside them stay legal.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as zarr from "../../dist/index.js";
import { BlobReader } from "../../dist/zip.js";

after(() => zarr.dispose());

test("the kind of a node is one of two, and the error tells which", async () => {
  const store = new Map();
  await zarr.create(store, { shape: [1], dtype: "int8" });
  for (const kind of [5, null, Number.NaN, true, {}, ["array"], "volume"]) {
    await assert.rejects(zarr.open(store, { kind }), {
      code: "Argument",
      field: "kind",
      expected: '"array" or "group"',
    });
  }
  for (const kind of ["array", undefined]) assert.equal((await zarr.open(store, { kind })).kind, "array");
  await assert.rejects(zarr.open(store, { kind: "group" }), { code: "NotFound" });
});

test("attributes that have no JSON are refused, also beside a shape", async () => {
  const store = new Map();
  const group = await zarr.create(store);
  const shape = { path: "a", shape: [1], dtype: "int8" };
  for (const attributes of [() => {}, Symbol("s")]) {
    for (const options of [{ path: "g" }, shape])
      await assert.rejects(zarr.create(store, { ...options, attributes }), {
        code: "Argument",
        field: "attributes",
      });
    await assert.rejects(group.updateAttributes(attributes), { code: "Argument", field: "attributes" });
  }
  const attributes = { big: 2n ** 63n, none: null, inner: [{ a: 1 }] };
  await zarr.create(store, { ...shape, attributes });
  const { attrs } = await zarr.open(store, { path: "a" });
  assert.deepEqual(attrs, { big: 2 ** 63, none: null, inner: [{ a: 1 }] });
});

test("a codec's name that is no text is refused, and nodes open afterwards", async () => {
  for (const name of [5, "\ud800", null])
    assert.throws(() => zarr.registry.set(name, () => ({})), { code: "Argument", field: "name" });
  const array = await zarr.create(new Map(), { shape: [1], dtype: "int8" });
  assert.deepEqual([...(await array.get()).data], [0]);
});

test("null stands for no signal and no listener, and a priority may be a text for fetch", async () => {
  const array = await zarr.create(new Map(), { shape: [2], dtype: "int8" });
  await array.set(null, [1, 2], { signal: null, onProgress: null, priority: 1 });
  const { data } = await array.get(null, { signal: null, onProgress: null, priority: "high" });
  assert.deepEqual([...data], [1, 2]);
});

test("a BlobReader reads what is inside, and refuses what is no range", async () => {
  const reader = new BlobReader(new Blob(["abcd"]));
  const text = async (offset, length) => new TextDecoder().decode(await reader.read(offset, length));
  assert.deepEqual(
    [await text(1, 2), await text(0, 0), await text(2, 9), await text(2 ** 40, 1)],
    ["bc", "", "cd", ""],
  );
  for (const range of [[undefined, 1], [0], [-1, 1], [0, Number.NaN], [1.5, 1], [0n, 1], [0, "1"]])
    await assert.rejects(reader.read(...range), { code: "Argument", field: /offset|length/ });
  for (const blob of [undefined, null, "", {}, 5])
    assert.throws(() => new BlobReader(blob), { code: "Argument", field: "blob" });
});
