/** Locations, nodes without the engine, attributes, and consolidated metadata. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import * as zarr from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/fs";
import { FIXTURES } from "./fixture_files.mjs";
import { addGroup, madeStore, metadata } from "./made_stores.mjs";

const encode = (text) => new TextEncoder().encode(text);
const description = {
  shape: [4, 6],
  chunks: [2, 3],
  dtype: "int32",
  names: ["y", "x"],
  attributes: { a: 1 },
};
const valueAt = ([i, j]) => i * 6 + j;

test("locations resolve as in zarrita, and keep # and ?", () => {
  const root = zarr.root();
  assert.ok(root.store instanceof Map);
  const paths = {
    a: "/a",
    "a/b/": "/a/b",
    "/a": "/a",
    "a/../b": "/b",
    "../../a": "/a",
    "./a/./b": "/a/b",
    "a%20b": "/a b",
    "100%": "/100%",
    "a#b?c": "/a#b?c",
  };
  for (const [path, expected] of Object.entries(paths)) assert.equal(root.resolve(path).path, expected, path);
  assert.equal(root.resolve("a/b").resolve("../c").path, "/a/c");
  assert.equal(root.resolve("a").resolve("/c").path, "/c");
});

test("an array made from metadata has its properties and can be read", async () => {
  const store = madeStore(description, valueAt);
  const array = new zarr.Array(store, "/", metadata(description));
  assert.deepEqual(array.shape, [4, 6]);
  assert.deepEqual(array.chunks, [2, 3]);
  assert.deepEqual(array.attrs, { a: 1 });
  assert.deepEqual(array.dimensionNames, ["y", "x"]);
  assert.equal(array.fillValue, 0);
  assert.equal(array.dtype, "int32");
  assert.deepEqual(JSON.parse(array.rawMetadata["zarr.json"]), metadata(description));
  assert.equal(await zarr.get(array, [3, 5]), 23);
});

test("a fill value given as a bigint crosses exactly", async () => {
  const given = { ...metadata({ shape: [1], chunks: [1], dtype: "uint64" }), fill_value: 2n ** 64n - 1n };
  const array = new zarr.Array(new Map(), "/", given);
  assert.equal(array.fillValue, 2n ** 64n - 1n);
  assert.equal((await array.get()).data[0], 2n ** 64n - 1n);
});

test("a group made from metadata", () => {
  const group = new zarr.Group(new Map(), "/g", {
    zarr_format: 3,
    node_type: "group",
    attributes: { b: [2] },
  });
  assert.equal(group.kind, "group");
  assert.deepEqual(group.attrs, { b: [2] });
  assert.equal(group.resolve("c").path, "/g/c");
});

test("attributes: NaN, a byte order mark, and bigints on request", async () => {
  const text = `\ufeff{"zarr_format":3,"node_type":"group","attributes":
    {"nan":NaN,"inf":[-Infinity],"big":9007199254740993,"small":1,"null":null,"text":"NaN"}}`;
  const store = new Map([["/zarr.json", encode(text)]]);
  const rounded = (await zarr.open(store)).attrs;
  assert.deepEqual(rounded, {
    nan: Number.NaN,
    inf: [Number.NEGATIVE_INFINITY],
    big: 9007199254740992,
    small: 1,
    null: null,
    text: "NaN",
  });
  const { attrs } = await zarr.open(store, { exactIntegers: true });
  assert.equal(attrs.big, 9007199254740993n);
  assert.equal(attrs.small, 1);
});

test("v3 has precedence if a node has both formats", async () => {
  const store = addGroup(new Map(), { is: 3 });
  store.set("/.zgroup", encode('{"zarr_format":2}'));
  store.set("/.zattrs", encode('{"is":2}'));
  assert.deepEqual((await zarr.open(store)).attrs, { is: 3 });
  assert.deepEqual((await zarr.open.v2(store)).attrs, { is: 2 });
  assert.deepEqual((await zarr.open.v3(store)).attrs, { is: 3 });
  assert.deepEqual((await zarr.open.v2(store)).rawMetadata, {
    ".zgroup": '{"zarr_format":2}',
    ".zattrs": '{"is":2}',
  });
});

test("a path is taken literally", async () => {
  const store = madeStore(description, valueAt, { path: "a%20b/#1" });
  assert.equal((await zarr.open(store, { path: "a%20b/#1" })).path, "/a%20b/#1");
  assert.equal((await zarr.open(store, { path: "/a%20b/#1/" })).path, "/a%20b/#1");
});

test("warnings are in node.warnings and reach onWarning", async () => {
  const heard = [];
  await zarr.init({ onWarning: (message, path) => heard.push([message, path]) });
  const zarray = {
    zarr_format: 2,
    shape: [1],
    chunks: [1],
    dtype: "|u1",
    compressor: null,
    fill_value: "NaN",
    order: "C",
    filters: null,
  };
  const array = await zarr.open(new Map([["/.zarray", encode(JSON.stringify(zarray))]]), { kind: "array" });
  assert.equal(array.warnings.length, 1);
  assert.deepEqual(heard, [[array.warnings[0], "/"]]);
});

/** A store that counts its requests. */
function counting(store) {
  const asked = [];
  const get = (key) => {
    asked.push(key);
    return store.get(key);
  };
  return { store: { get }, asked };
}

test("consolidated metadata serves all of its nodes", async () => {
  const nodes = {
    ".zgroup": { zarr_format: 2 },
    ".zattrs": { root: true },
    "a/.zarray": {
      zarr_format: 2,
      shape: [2],
      chunks: [2],
      dtype: "|u1",
      compressor: null,
      fill_value: 0,
      order: "C",
      filters: null,
    },
  };
  const inner = new Map([
    ["/.zmetadata", encode(JSON.stringify({ zarr_consolidated_format: 1, metadata: nodes }))],
    ["/a/0", Uint8Array.of(4, 5)],
    ["/later/.zgroup", encode('{"zarr_format":2}')],
  ]);
  const { store, asked } = counting(inner);
  const consolidated = await zarr.withConsolidatedMetadata(store);
  assert.deepEqual(consolidated.contents(), [
    { path: "/", kind: "group" },
    { path: "/a", kind: "array" },
  ]);
  asked.length = 0;
  assert.deepEqual((await zarr.open(consolidated, { kind: "group" })).attrs, { root: true });
  const array = await zarr.open(zarr.root(consolidated).resolve("a"), { kind: "array" });
  assert.deepEqual(asked, []);
  assert.equal(array.store, consolidated);
  assert.deepEqual([...(await array.get()).data], [4, 5]);
  assert.deepEqual(asked, ["/a/0"]);
  assert.equal((await zarr.open(zarr.root(consolidated).resolve("later"))).kind, "group");
  const bytes = await consolidated.get("/a/.zarray");
  assert.equal(JSON.parse(new TextDecoder().decode(bytes)).dtype, "|u1");
  assert.equal(await consolidated.get("/nothing"), undefined);
});

/** A store whose nodes are in its consolidated metadata alone, and the array in it. */
async function consolidatedAlone() {
  const array = { ...metadata(description), attributes: { only: "here" } };
  const root = { zarr_format: 3, node_type: "group", attributes: {} };
  const nodes = { a: root, "a/b": array };
  const consolidated = { kind: "inline", must_understand: false, metadata: nodes };
  const text = JSON.stringify({ ...root, consolidated_metadata: consolidated });
  const store = await zarr.withConsolidatedMetadata(new Map([["/zarr.json", encode(text)]]));
  return { store, array: await zarr.open(zarr.root(store).resolve("a/b"), { kind: "array" }) };
}

async function assertNodesAreThere({ store, array }) {
  const root = zarr.root(store);
  assert.deepEqual((await zarr.open(root.resolve("a/b"))).attrs, { only: "here" });
  assert.equal((await zarr.open(root.resolve("a"))).kind, "group");
  assert.ok(await store.get("/a/b/zarr.json"));
  assert.deepEqual([...(await array.get([0, null])).data], [0, 0, 0, 0, 0, 0]);
}

test("nodes in consolidated metadata alone outlive the wasm instance that loaded it", async () => {
  zarr.dispose();
  const opened = await consolidatedAlone();
  assert.equal(zarr.info().build, "engine");
  await zarr.create(new Map(), { shape: [1], chunks: [1], dtype: "uint8" });
  assert.equal(zarr.info().build, "full");
  await assertNodesAreThere(opened);
});

test("nodes in consolidated metadata alone outlive the engine that loaded it", async () => {
  const opened = await consolidatedAlone();
  zarr.dispose();
  await assertNodesAreThere(opened);
});

test("consolidated metadata of v3 by zarr-python", async () => {
  const folder = join(FIXTURES, "zarr-python-3/hierarchy-v3");
  const expected = JSON.parse(readFileSync(join(folder, "expected.json"), "utf8"));
  const store = new FileSystemStore(join(folder, "store"));
  const maybe = await zarr.withMaybeConsolidatedMetadata(store, { format: "v3" });
  if (!("contents" in maybe)) return;
  const kinds = Object.fromEntries(expected.map(({ path, kind }) => [`/${path}`, kind]));
  for (const { path, kind } of maybe.contents()) assert.equal(kinds[path], kind, path);
});

test("without consolidated metadata", async () => {
  const store = addGroup(new Map());
  assert.equal(await zarr.withMaybeConsolidatedMetadata(store), store);
  await assert.rejects(zarr.withConsolidatedMetadata(store, { format: "v2" }), { name: "NotFoundError" });
  await assert.rejects(zarr.withConsolidatedMetadata(store, { format: "v3" }), {
    name: "InvalidMetadataError",
  });
  const offline = new Error("offline");
  const broken = { get: () => Promise.reject(offline) };
  await assert.rejects(zarr.withMaybeConsolidatedMetadata(broken), (error) => error === offline);
});
