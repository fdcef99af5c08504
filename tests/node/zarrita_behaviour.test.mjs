/**
 * Behaviour that programs written for zarrita rely on, each beside zarrita itself where it has the
 * same call. What differs on purpose is the table of docs/instead-of/zarrita.md.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import * as zarr from "zarr-wasm";
import * as zarrita from "zarrita";
import { madeStore } from "./made_stores.mjs";

const json = (value) => new TextEncoder().encode(JSON.stringify(value));
const textOf = (bytes) => new TextDecoder().decode(bytes);
const closing = [];
after(() => Promise.all(closing.map((close) => close())));

/** A server that records requests; `answer` gives the body of a path, or undefined. */
async function server(answer) {
  const requests = [];
  const made = createServer((request, response) => {
    requests.push({ path: request.url, headers: request.headers });
    const body = answer(request.url);
    response.writeHead(body === undefined ? 404 : 200).end(body);
  });
  await new Promise((resolve) => made.listen(0, "127.0.0.1", resolve));
  closing.push(() => new Promise((resolve) => made.close(resolve)));
  return { url: `http://127.0.0.1:${made.address().port}`, requests };
}

/** A store of two chunks that records the options of each call of `get`. */
function recording(calls) {
  const inner = madeStore({ shape: [4], chunks: [2], dtype: "uint8" }, ([i]) => i);
  return {
    get(key, options) {
      if (key.startsWith("/c/")) calls.push(options);
      return inner.get(key);
    },
  };
}

test("options of getChunk reach the store, as in zarrita", async () => {
  const given = { headers: { "x-token": "1" }, priority: "low", cache: "no-store" };
  const seen = {};
  for (const [name, library] of Object.entries({ zarr, zarrita })) {
    const calls = [];
    const array = await library.open(recording(calls), { kind: "array" });
    await array.getChunk([0], { ...given });
    seen[name] = calls.map(({ signal, ...rest }) => rest);
  }
  assert.deepEqual(seen.zarr, seen.zarrita);
  assert.deepEqual(seen.zarr, [given]);
});

test("options of get and Array.get reach the store, without this package's own", async () => {
  const calls = [];
  const array = await zarr.open(recording(calls), { kind: "array" });
  const { signal } = new AbortController();
  await zarr.get(array, [zarr.slice(0, 1)], { token: "a", signal, useSharedArrayBuffer: false });
  await array.get([zarr.slice(2, 3)], { token: "b", priority: 3, onProgress() {} });
  await array.get([zarr.slice(0, 2)], { token: "c", out: new Uint8Array(2), cache: "reload" });
  assert.deepEqual(calls, [
    { token: "a", signal },
    { token: "b", signal: undefined },
    { token: "c", signal: undefined },
  ]);
});

test("options pass through the stores around a store", async () => {
  const seen = {};
  for (const [name, library] of Object.entries({ zarr, zarrita })) {
    const calls = [];
    const caching = library.withByteCaching(recording(calls));
    const store = await library.withMaybeConsolidatedMetadata(caching);
    await store.get("/c/0", { token: 1 });
    await (await library.open(store, { kind: "array" })).getChunk([1], { token: 2 });
    seen[name] = calls.map(({ token }) => token);
  }
  assert.deepEqual(seen, { zarr: [1, 2], zarrita: [1, 2] });
});

test("options of FetchStore.get and of getChunk reach the requests", async () => {
  const inner = madeStore({ shape: [4], chunks: [2], dtype: "uint8" }, ([i]) => i);
  const { url, requests } = await server((path) => inner.get(path));
  const store = new zarr.FetchStore(url, { overrides: { headers: { "x-all": "1", "x-one": "1" } } });
  const array = await zarr.open(store, { kind: "array" });
  requests.length = 0;
  await store.get("/zarr.json", { headers: { "x-one": "2" } });
  await store.getRange("/c/0", { offset: 0, length: 1 }, { headers: { "x-one": "3" } });
  await array.getChunk([1], { headers: { "x-one": "4" } });
  await array.getChunk([0]);
  assert.deepEqual(
    requests.map(({ path, headers }) => `${path} ${headers["x-all"]} ${headers["x-one"]}`),
    ["/zarr.json 1 2", "/c/0 1 3", "/c/1 1 4", "/c/0 1 1"],
  );
});

test("arrays that zarrita's create wrote open", async () => {
  const store = new Map();
  const place = zarrita.root(store);
  const options = { shape: [5], chunkShape: [2], dtype: "int32" };
  const zstd = [{ name: "zstd", configuration: { level: 30 } }];
  for (const [path, more] of [
    ["plain", {}],
    ["zstd", { codecs: zstd }],
  ]) {
    const written = await zarrita.create(place.resolve(path), { ...options, ...more });
    const data = Int32Array.of(1, 2, 3, 4, 5);
    await zarrita.set(written, null, { data, shape: [5], stride: [1] });
    const array = await zarr.open(zarr.root(store).resolve(path), { kind: "array" });
    assert.deepEqual((await array.get()).data, data, path);
  }
  assert.match(textOf(store.get("/plain/zarr.json")), /"codecs": \[\]/);
});

test("a v2 group is looked for in v3 once, and not again for each of its arrays", async () => {
  const zarray = { zarr_format: 2, shape: [2], chunks: [2], dtype: "<i4", compressor: null, fill_value: 0 };
  const values = new Map([
    ["/.zgroup", json({ zarr_format: 2 })],
    ["/a/.zarray", json({ ...zarray, order: "C", filters: null })],
    ["/g/.zgroup", json({ zarr_format: 2 })],
    ["/g/b/.zarray", json({ ...zarray, order: "C", filters: null })],
  ]);
  const asked = [];
  const store = {
    get(key) {
      asked.push(key);
      return values.get(key);
    },
  };
  const group = await zarr.open(store, { kind: "group" });
  for (const path of ["a", "g", "g/b"]) await zarr.open(group.resolve(path));
  assert.deepEqual(
    asked.filter((key) => key.endsWith("zarr.json")),
    ["/zarr.json"],
  );
  // A node of v3 below it is still found, and what is absent is absent.
  const empty = { zarr_format: 3, node_type: "group" };
  values.set("/new/zarr.json", json(empty));
  assert.equal((await zarr.open(group.resolve("new"))).zarrFormat ?? 3, 3);
  await assert.rejects(zarr.open(group.resolve("none")), zarr.NotFoundError);
  await assert.rejects(zarr.open(group.resolve("g"), { kind: "array" }), {
    name: "NotFoundError",
    found: "group",
  });
});

/** Packs int16 little-endian. */
const int16 = (...values) => new Uint8Array(Int16Array.from(values).buffer);

test("chunks at the edge keep the padding that is stored, as in zarrita", async () => {
  const v3 = {
    zarr_format: 3,
    node_type: "array",
    shape: [3, 3],
    data_type: "int16",
    chunk_grid: { name: "regular", configuration: { chunk_shape: [2, 2] } },
    chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
    codecs: [{ name: "bytes", configuration: { endian: "little" } }],
    fill_value: 0,
    attributes: { shape: [9, 9], text: '"shape": [1]' },
  };
  const v2 = { zarr_format: 2, shape: [3, 3], chunks: [2, 2], dtype: "<i2", compressor: null, fill_value: 0 };
  const stores = [
    new Map([
      ["/zarr.json", json({ attributes: v3.attributes, ...v3 })],
      ["/c/0/1", int16(1, 71, 2, 72)],
      ["/c/1/1", int16(3, 73, 74, 75)],
    ]),
    new Map([
      ["/.zarray", json({ ...v2, order: "F", filters: null })],
      ["/.zattrs", json({ shape: [8, 8] })],
      ["/0.1", int16(1, 2, 71, 72)],
      ["/1.1", int16(3, 73, 74, 75)],
    ]),
  ];
  for (const store of stores) {
    const [mine, other] = [await zarr.open(store), await zarrita.open(store)];
    for (const index of [
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
    ]) {
      const [chunk, expected] = [await mine.getChunk(index), await other.getChunk(index)];
      assert.deepEqual(
        [chunk.data, chunk.shape, chunk.stride],
        [expected.data, expected.shape, expected.stride],
      );
    }
    assert.deepEqual((await mine.get([null, 2])).data, Int16Array.of(1, 2, 3));
    assert.deepEqual(mine.shape, [3, 3]);
  }
});

test("a chunk at the edge is new after a write", async () => {
  const array = await zarr.create(new Map(), { shape: [3], chunkShape: [2], dtype: "uint8", fillValue: 9 });
  assert.deepEqual((await array.getChunk([1])).data, Uint8Array.of(9, 9));
  await array.set(null, 4);
  assert.deepEqual((await array.getChunk([1])).data, Uint8Array.of(4, 9));
  await array.resize([4]);
  await array.set([3], 5);
  assert.deepEqual((await array.getChunk([1])).data, Uint8Array.of(4, 5));
});

test("strings outside of an array of strings are an error, and undefined by index", () => {
  const arrays = [
    [new zarr.ByteStringArray(3, ["a", "b"]), new zarrita.ByteStringArray(3, ["a", "b"])],
    [new zarr.UnicodeStringArray(3, ["a", "b"]), new zarrita.UnicodeStringArray(3, ["a", "b"])],
  ];
  for (const [mine, other] of arrays) {
    assert.equal(mine.get(1), other.get(1));
    for (const index of [2, 100]) {
      assert.throws(() => other.get(index));
      assert.throws(() => mine.get(index), RangeError);
    }
    assert.throws(() => mine.get(-1), RangeError);
    assert.equal(mine[2], undefined);
    assert.deepEqual([...mine], ["a", "b"]);
  }
});

test("names of classes survive a minifier", async () => {
  const folder = mkdtempSync(join(tmpdir(), "zarr-wasm-names-"));
  try {
    const outfile = join(folder, "bundle.mjs");
    const names = ["Array", "BoolArray", "ByteStringArray", "Group", "Location", "UnicodeStringArray"];
    const contents = `import * as zarr from "zarr-wasm"; export default [${names.map((name) => `zarr.${name}.name`)}];`;
    const stdin = { contents, resolveDir: import.meta.dirname };
    await build({
      stdin,
      bundle: true,
      minify: true,
      format: "esm",
      platform: "node",
      outfile,
      logLevel: "error",
    });
    assert.deepEqual((await import(pathToFileURL(outfile))).default, names);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("get takes the options of Array.get", async () => {
  const store = madeStore({ shape: [3, 4], chunks: [2, 2], dtype: "uint8" }, ([i, j]) => 10 * i + j);
  const array = await zarr.open(store, { kind: "array" });
  const selection = [zarr.slice(1, 3), null];
  for (const options of [
    { as: "bytes" },
    { as: "rgba", window: [0, 30] },
    { as: "rgba", window: [0, 30], colors: "viridis", gamma: 2 },
    { as: "float32", mask: true },
    { as: "float64" },
  ]) {
    assert.deepEqual(await zarr.get(array, selection, options), await array.get(selection, options));
  }
  const turned = await zarr.get(array, selection, { memoryOrder: [1, 0] });
  assert.deepEqual(turned, await array.get(selection, { memoryOrder: [1, 0] }));
  assert.deepEqual(turned.stride, [1, 2]);
  const out = new Uint8Array(8);
  assert.equal((await zarr.get(array, selection, { out })).data, out);
  assert.deepEqual([...out], [10, 11, 12, 13, 20, 21, 22, 23]);
});

test("transformEntries sees the names in the archive", async () => {
  const inner = madeStore({ shape: [4], chunks: [2], dtype: "uint8" }, ([i]) => i);
  const writer = new zarr.ZipWriter();
  for (const [key, value] of inner) await writer.set(`/data.zarr${key}`, value);
  const archive = await writer.toBlob();
  let seen;
  const store = zarr.ZipFileStore.fromBlob(archive, {
    transformEntries(entries) {
      seen = Object.keys(entries).sort();
      const renamed = Object.entries(entries).map(([name, entry]) => [
        name.replace("data.zarr/", "other/"),
        entry,
      ]);
      return Object.fromEntries(renamed);
    },
  });
  const array = await zarr.open(zarr.root(store).resolve("other"), { kind: "array" });
  assert.deepEqual([...(await array.get()).data], [0, 1, 2, 3]);
  assert.deepEqual(seen, [...inner.keys()].map((key) => `data.zarr${key}`).sort());
  const plain = await zarr.open(zarr.ZipFileStore.fromBlob(archive), { kind: "array" });
  assert.deepEqual(plain.shape, [4]);
});

test("a document of the page's own server may name any server", async () => {
  const data = await server(() => "0123456789");
  const spec = JSON.stringify({ "a/0": [`${data.url}/data`, 2, 3] });
  const documents = await server(() => spec);
  const foreign = await zarr.ReferenceStore.fromUrl(`${documents.url}/refs.json`);
  await assert.rejects(foreign.get("/a/0"), {
    code: "Argument",
    message: /allowHosts: \["127\.0\.0\.1:\d+"\]/,
  });
  globalThis.location = new URL(`${documents.url}/page/index.html`);
  try {
    const own = await zarr.ReferenceStore.fromUrl("/refs.json");
    assert.equal(textOf(await own.get("/a/0")), "234");
  } finally {
    delete globalThis.location;
  }
});
