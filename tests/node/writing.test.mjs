/** Writing: data types, selections, both formats, shards and refused values. Compares bytes. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import * as zarr from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/fs";
import { elementsOf, FAMILIES, listOf, OTHER_FAMILIES, packedBytes } from "./elements_by_hand.mjs";

const LAYOUTS = [
  { name: "v3", zarrFormat: 3, type: "v3", options: {} },
  {
    name: "v3 in shards",
    zarrFormat: 3,
    type: "v3",
    options: { shardShape: [6, 4], indexLocation: "start" },
  },
  { name: "v2", zarrFormat: 2, type: "v2", options: { order: "F", dimensionSeparator: "/" } },
];

const flat = (array) => Array.from(array);

async function readBack(family, array) {
  if (family.json) return (await array.get()).data.map(family.json);
  return Buffer.from((await array.get(null, { as: "bytes" })).data);
}

const expected = (family, elements) =>
  family.json ? elements.map(family.json) : packedBytes(family, elements);

for (const family of [...FAMILIES, ...OTHER_FAMILIES]) {
  describe(`elements of ${family.name}`, () => {
    for (const { name, zarrFormat, type, options } of LAYOUTS) {
      if (!family[type]) continue;
      test(name, async () => {
        const store = new Map();
        const array = await zarr.create(store, {
          zarrFormat,
          shape: [7, 5],
          chunkShape: [3, 2],
          dtype: family[type],
          // v2's default is null, with which all chunks are stored.
          ...(zarrFormat === 2 ? { fillValue: family.values[0] } : {}),
          ...options,
        });
        const elements = elementsOf(family, 35);
        await array.set(null, listOf(family, elements));
        assert.deepEqual(await readBack(family, array), expected(family, elements));

        // Rows 1, 3, 5 of columns 4, 2, 0: parts of chunks, in another order.
        const part = elementsOf(family, 9, 1);
        await array.set([zarr.slice(1, null, 2), [4, 2, 0]], listOf(family, part));
        part.forEach((element, at) => {
          elements[(1 + 2 * Math.floor(at / 3)) * 5 + (4 - 2 * (at % 3))] = element;
        });
        const one = family.values.at(-1);
        await array.set([6, 1], one);
        elements[31] = one;
        await array.set(zarr.points([0, 2], [1, 3]), listOf(family, elementsOf(family, 2, 1)));
        [elements[1], elements[13]] = elementsOf(family, 2, 1);
        const again = await zarr.open(store, { kind: "array" });
        assert.deepEqual(await readBack(family, again), expected(family, elements));

        await array.set(null, family.values[0]);
        assert.deepEqual(
          [...store.keys()].filter((key) => !/zarr\.json|\.z/.test(key)),
          [],
        );
      });
    }
  });
}

const made = (options) =>
  zarr.create(new Map(), { shape: [4, 6], chunkShape: [2, 4], dtype: "int32", ...options });

test("values are broadcast as in NumPy, with any strides", async () => {
  const array = await made({});
  await array.set(null, [1, 2, 3, 4, 5, 6]);
  await array.set([zarr.slice(1, 3)], { data: Int16Array.of(10, 20), shape: [2, 1] });
  await array.set([3, zarr.slice(0, 3)], {
    data: Float64Array.of(9, 8, 7),
    shape: [3],
    stride: [-1].map(Math.abs),
  });
  await array.set(
    [zarr.slice(0, 2), zarr.slice(4, 6)],
    [
      [-1, -2],
      [-3, -4],
    ],
  );
  const columns = {
    data: Int32Array.from({ length: 8 }, (_, at) => 100 + at),
    shape: [2, 2],
    stride: [1, 4],
  };
  await array.set([zarr.slice(2, 4), zarr.slice(null, 4, 2)], columns);
  const rows = [
    [1, 2, 3, 4, -1, -2],
    [10, 10, 10, 10, -3, -4],
    [100, 20, 104, 20, 20, 20],
    [101, 8, 105, 4, 5, 6],
  ];
  assert.deepEqual(flat((await array.get()).data), rows.flat());
  const bad = [
    [1, 2, 3],
    { data: [1], shape: [4, 6] },
    [[1, 2], [3]],
    { data: [1, 2], shape: [2], stride: [-1] },
  ];
  for (const value of bad) {
    await assert.rejects(array.set(null, value), { code: "Argument" }, JSON.stringify(value));
  }
  assert.deepEqual(flat((await array.get()).data), rows.flat());
});

test("values of every kind are broadcast, and those that do not fit store nothing", async () => {
  const wide = (dtype, more) => made({ shape: [2, 3], chunkShape: [1, 2], dtype, ...more });
  const elements = async (array) => flat((await array.get()).data);
  const bigints = await wide("int64");
  await bigints.set(null, BigInt64Array.of(1n, 2n, 3n));
  await bigints.set([zarr.slice(1, 2)], [[[5n]]]);
  assert.deepEqual(await elements(bigints), [1n, 2n, 3n, 5n, 5n, 5n]);
  const words = await wide("string");
  await words.set(null, [["one"], ["other"]]);
  await words.set([null, 1], ["only"]);
  assert.deepEqual(await elements(words), ["one", "only", "one", "other", "only", "other"]);
  const complex = await wide("complex64");
  await complex.set(null, [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(await elements(complex), [1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6]);
  await complex.set(null, {
    data: [
      [1, 2],
      [3, 4],
    ].flat(),
    shape: [2, 1],
  });
  assert.deepEqual(await elements(complex), [1, 2, 1, 2, 1, 2, 3, 4, 3, 4, 3, 4]);
  const points = zarr.points([0, 1], [0, 2]);
  const bytes = await wide("uint8");
  await bytes.set(points, [7]);
  await bytes.set([1, zarr.slice(0, 2)], Uint8Array.of(8, 9), { as: "bytes" });
  assert.deepEqual(await elements(bytes), [7, 0, 0, 8, 9, 7]);
  const message = /cannot be broadcast.*: expected shape \[2, 3\], or .*, found shape \[2\]/;
  await assert.rejects(bytes.set(null, [1, 2]), { code: "Argument", message });
  await assert.rejects(complex.set(null, [1, 2, 3]), { code: "Argument", message: /cannot be broadcast/ });
  await assert.rejects(bytes.set(null, Uint8Array.of(1), { as: "bytes" }), { code: "Argument" });
  await assert.rejects(bytes.set([2], [300]), { name: "InvalidSelectionError" });
  await assert.rejects(bytes.append([[1, 2]]), { code: "Argument", message: /cannot be broadcast/ });
  assert.deepEqual(bytes.shape, [2, 3]);
  assert.deepEqual(await elements(bytes), [7, 0, 0, 8, 9, 7]);
});

test("a value that the type cannot hold is refused with its index, or converted on request", async () => {
  const cases = [
    ["uint8", 300, 44],
    ["uint8", -1, 255],
    ["int32", 1.5, 1],
    ["int32", Number.NaN, 0],
    ["int32", 5n, 5],
    ["int64", 5, 5n],
    ["int64", 2n ** 63n, -(2n ** 63n)],
    ["float32", 1e300, Number.POSITIVE_INFINITY],
    ["float64", 1n, 1],
    ["float16", 70000, Number.POSITIVE_INFINITY],
    ["bool", 2, 1],
    ["uint2", 4, 0],
    ["float8_e4m3", 1e6, Number.POSITIVE_INFINITY],
  ];
  for (const [dtype, value, cast] of cases) {
    const array = await zarr.create(new Map(), { shape: [2, 2], dtype });
    const list = [0, 0, 0, value].map((entry) =>
      dtype.endsWith("64") && dtype.includes("int") && entry === 0 ? 0n : entry,
    );
    const refused = await assert.rejects(array.set(null, list), (error) => {
      assert.equal(error.code, "Argument");
      assert.match(error.message, new RegExp(`${dtype} cannot hold .* at \\[1, 1\\]`));
      return true;
    });
    assert.equal(refused, undefined);
    await array.set([1, 1], value, { cast: true });
    assert.deepEqual((await array.get([1, 1])).data[0], cast, dtype);
  }
});

test("dates, columns of structs, JSON objects and optional elements", async () => {
  const days = await zarr.create(new Map(), { shape: [3], dtype: "<M8[D]" });
  await days.set(null, [new Date("2024-02-29"), "NaT", 1n]);
  assert.deepEqual(flat((await days.get()).data), [19782n, -(2n ** 63n), 1n]);
  await assert.rejects(days.set([0], new Date("2024-02-29T01:00")), { code: "Argument" });

  const structs = await zarr.create(new Map(), {
    shape: [2],
    dtype: FAMILIES.find(({ name }) => name === "struct").v3,
  });
  const { data } = await structs.get();
  data.a.data.set([5, 6]);
  await structs.set(null, { data, shape: [2], stride: [1] });
  assert.deepEqual(flat((await structs.get()).data.a.data), [5, 6]);

  const objects = await zarr.create(new Map(), { zarrFormat: 2, shape: [3], dtype: "v2:object" });
  await objects.set(null, { data: [{ a: [1, null] }, "x", [1, 2]], shape: [3] });
  assert.deepEqual((await objects.get()).data, [{ a: [1, null] }, "x", [1, 2]]);
});

test("fill values of every kind are exact", async () => {
  for (const family of [...FAMILIES, ...OTHER_FAMILIES]) {
    for (const { zarrFormat, type } of LAYOUTS) {
      if (!family[type] || (family.name === "raw" && zarrFormat === 2)) continue;
      const fillValue = family.values.at(-1);
      const options = { zarrFormat, shape: [2], dtype: family[type], fillValue };
      const store = new Map();
      await zarr.create(store, options);
      const array = await zarr.open(store, { kind: "array" });
      assert.deepEqual(
        await readBack(family, array),
        expected(family, [fillValue, fillValue]),
        `${family.name} ${type}`,
      );
    }
  }
});

test("zarrita's create and set, and a scalar", async () => {
  const root = zarr.root(new Map());
  const group = await zarr.create(root, { attributes: { hello: "world" } });
  assert.deepEqual(group.attrs, { hello: "world" });
  assert.deepEqual((await zarr.create(root)).attrs, { hello: "world" });
  const array = await zarr.create(root.resolve("deep/array"), {
    shape: [2, 3],
    chunkShape: [1, 3],
    dtype: "uint64",
    fillValue: 2n ** 64n - 1n,
    chunkSeparator: ".",
    dimensionNames: ["y", "x"],
    codecs: [],
  });
  await zarr.set(array, [0, null], { data: BigUint64Array.of(1n, 2n, 3n), shape: [3], stride: [1] });
  await zarr.set(array, [1, 2], 7n);
  assert.equal(await zarr.get(array, [1, 2]), 7n);
  assert.deepEqual(flat((await zarr.get(array)).data), [1n, 2n, 3n, 2n ** 64n - 1n, 2n ** 64n - 1n, 7n]);
  assert.deepEqual([...root.store.keys()].sort(), [
    "/deep/array/c.0.0",
    "/deep/array/c.1.0",
    "/deep/array/zarr.json",
    "/deep/zarr.json",
    "/zarr.json",
  ]);
  await assert.rejects(zarr.create(root.resolve("deep/array"), { shape: [1], dtype: "int8" }), {
    code: "Argument",
  });
  await assert.rejects(zarr.create(root.resolve("x"), { shape: [1], dtype: "int8", colour: 1 }), {
    code: "Argument",
  });
});

test("resize, append and attributes change the node, and nodes that are opened later", async () => {
  const store = new Map();
  const array = await zarr.create(store, {
    shape: [2, 3],
    chunkShape: [2, 2],
    dtype: "int16",
    fillValue: -1,
  });
  await array.set(null, 5);
  await array.append([[1, 2, 3]]);
  assert.deepEqual(array.shape, [3, 3]);
  await array.append({ data: Int16Array.of(7, 8, 9), shape: [3, 1] }, 1);
  assert.deepEqual(flat((await array.get()).data), [5, 5, 5, 7, 5, 5, 5, 8, 1, 2, 3, 9]);
  await array.resize([1, 2]);
  await array.resize([2, 3]);
  const again = await zarr.open(store, { kind: "array" });
  assert.deepEqual(flat((await again.get()).data), [5, 5, -1, -1, -1, -1]);
  await array.updateAttributes({ a: 1, b: 2 });
  await array.updateAttributes({ b: 3 });
  assert.deepEqual((await zarr.open(store)).attrs, { a: 1, b: 3 });
  await array.updateAttributes({ c: 4 }, { replace: true });
  assert.deepEqual(array.attrs, { c: 4 });
  await assert.rejects(array.resize([2.5, 1]), { code: "Argument" });
  await assert.rejects(array.resize([1]), { code: "Argument" });
});

test("the children of a group, and consolidated metadata after changes", async () => {
  const store = new Map();
  const root = await zarr.create(store);
  for (const path of ["b", "a/x", "a/y"])
    await zarr.create(root.resolve(path), { shape: [1], dtype: "int8" });
  assert.equal(await zarr.consolidate(root), 4);
  await zarr.create(root.resolve("c"), { attributes: { new: true } });
  const wrapped = await zarr.withConsolidatedMetadata(store);
  assert.deepEqual(
    wrapped
      .contents()
      .map(({ path }) => path)
      .sort(),
    ["/", "/a", "/a/x", "/a/y", "/b", "/c"],
  );
  const names = [];
  for await (const child of root.children()) names.push(`${child.path} ${child.kind}`);
  assert.deepEqual(names, ["/a group", "/b array", "/c group"]);
  assert.equal(
    String(await root.tree()),
    "/\n├── a\n│   ├── x [1] int8\n│   └── y [1] int8\n├── b [1] int8\n└── c",
  );
  assert.equal(await zarr.exists(root.resolve("a/x")), "array");
  assert.equal(await zarr.exists(root.resolve("nothing")), null);
  assert.equal(await zarr.erase(root.resolve("a")), true);
  assert.equal(await zarr.erase(root.resolve("a")), false);
  assert.deepEqual([...store.keys()].sort(), ["/b/zarr.json", "/c/zarr.json", "/zarr.json"]);

  // A wrapper with older metadata sees the changes through either store.
  const group = await zarr.open(wrapped, { path: "c", kind: "group" });
  await (await zarr.open(store, { path: "c", kind: "group" })).updateAttributes({ more: 1 });
  assert.deepEqual((await zarr.open(wrapped, { path: "c" })).attrs, { new: true, more: 1 });
  await group.updateAttributes({ more: 2 });
  assert.deepEqual((await zarr.open(store, { path: "c" })).attrs, { new: true, more: 2 });
});

test("concurrent writes to parts of one chunk are all stored", async () => {
  const waits = (value) => new Promise((resolve) => setTimeout(resolve, 2, value));
  const values = new Map();
  const slow = {
    lockName: "writing.test.mjs",
    get: (key) => waits(values.get(key)),
    set: (key, value) => waits().then(() => values.set(key, value)),
    delete: (key) => waits().then(() => values.delete(key)),
  };
  await zarr.create(slow, { shape: [16], chunkShape: [16], dtype: "int32" });
  // A second object of the same array has the same lock.
  const other = { ...slow };
  const arrays = await Promise.all([zarr.open(slow, { kind: "array" }), zarr.open(other, { kind: "array" })]);
  await Promise.all(Array.from({ length: 16 }, (_, at) => arrays[at % 2].set([at], at + 1)));
  assert.deepEqual(
    flat((await arrays[0].get()).data),
    Array.from({ length: 16 }, (_, at) => at + 1),
  );
});

test("the error of a failed write says what was written; an abort ends writing", async () => {
  const store = new Map();
  const array = await zarr.create(store, { shape: [64], chunkShape: [1], dtype: "uint8" });
  let sets = 0;
  const failing = {
    get: (key) => store.get(key),
    set: async (key, value) => {
      sets += 1;
      if (sets > 20) throw new Error("disk full");
      store.set(key, value);
    },
  };
  const broken = await zarr.open(failing, { kind: "array" });
  await assert.rejects(broken.set(null, 1), (error) => {
    assert.equal(error.code, "Store");
    assert.match(
      error.message,
      /disk full; 20 of 64 chunks were written, \d+ failed \(c\/\d+.*\), \d+ were not begun/,
    );
    assert.equal(error.cause.message, "disk full");
    return true;
  });
  const controller = new AbortController();
  const reason = new Error("enough");
  const onProgress = ({ chunks }) => chunks === 5 && controller.abort(reason);
  await assert.rejects(array.set(null, 2, { signal: controller.signal, onProgress }), reason);
  await new Promise((resolve) => setTimeout(resolve, 50));
  const { data } = await array.get();
  const done = data.filter((value) => value === 2).length;
  assert.ok(done >= 5 && done < 40, `${done} chunks`);
  await array.set(null, 3);
  assert.ok((await array.get()).data.every((value) => value === 3));
});

test("copies between formats and layouts, arrays and whole groups", async () => {
  const root = await zarr.create(new Map(), { attributes: { top: 1 } });
  for (const family of FAMILIES) {
    const options = {
      shape: [7, 5],
      chunkShape: [2, 2],
      shardShape: [4, 4],
      dtype: family.v3,
      attributes: { unit: "K" },
    };
    const array = await zarr.create(root.resolve(`all/${family.name}`), {
      ...options,
      fillValue: family.values[1],
    });
    await array.set([zarr.slice(1, 6)], listOf(family, elementsOf(family, 25)));
  }
  const heard = [];
  const there = await zarr.copy(root, new Map(), {
    zarrFormat: 2,
    onProgress: (progress) => heard.push(progress),
  });
  const back = await zarr.copy(there, new Map(), {
    zarrFormat: 3,
    array: { chunkShape: [3, 5], codecs: ["gzip"] },
  });
  assert.deepEqual(back.attrs, { top: 1 });
  assert.equal(
    heard.filter(({ elements, totalElements }) => elements === totalElements).length,
    FAMILIES.length,
  );
  for (const family of FAMILIES) {
    const path = `all/${family.name}`;
    const [from, to] = [await zarr.open(root.resolve(path)), await zarr.open(back.resolve(path))];
    assert.deepEqual(await readBack(family, to), await readBack(family, from), path);
    assert.deepEqual([to.chunks, to.codecs.at(-1).name, to.attrs], [[3, 5], "gzip", { unit: "K" }]);
    assert.deepEqual(to.fillValue, from.fillValue);
  }
  // A copy in the same format changes nothing but the path.
  const source = await zarr.open(root.resolve("all/int16"));
  const same = await zarr.copy(source, root.resolve("again"));
  assert.equal(same.rawMetadata["zarr.json"], source.rawMetadata["zarr.json"]);
  await assert.rejects(zarr.copy(source, root.resolve("again")), { code: "Argument" });
  const wide = await zarr.copy(source, new Map(), { array: { dtype: "float64" } });
  assert.deepEqual(flat((await wide.get()).data), flat((await source.get()).data));
});

test("a large array in a folder, with workers", async () => {
  const folder = mkdtempSync(join(tmpdir(), "zarr-wasm-writing-"));
  try {
    const array = await zarr.create(new FileSystemStore(folder), {
      path: "a/b",
      shape: [1000, 1000],
      dtype: "float32",
    });
    const data = Float32Array.from({ length: 1e6 }, (_, at) => Math.sin(at / 1000));
    const before = zarr.info().encoded.workers;
    const heard = [];
    await array.set(null, data, { onProgress: (progress) => heard.push(progress) });
    assert.ok(zarr.info().encoded.workers > before);
    assert.equal(heard.at(-1).chunks, heard.at(-1).totalChunks);
    const { codecs } = JSON.parse(readFileSync(join(folder, "a/b/zarr.json"), "utf8"));
    assert.deepEqual(
      codecs.map(({ name }) => name),
      ["bytes", "zstd"],
    );
    assert.deepEqual((await array.get()).data, data);
    assert.equal(JSON.parse(readFileSync(join(folder, "zarr.json"), "utf8")).node_type, "group");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
