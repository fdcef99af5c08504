/**
 * Names that are members of every JavaScript object are names like others: of dimensions,
 * attributes, nodes, codecs, fields, keys of references and entries of archives.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as zarr from "zarr-wasm";
import { storedZip } from "../browser/stored_zip.mjs";
import { madeStore, metadata } from "./made_stores.mjs";

const NAMES = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];
/** Names of nodes. Those that begin with two underscores are reserved. */
const NODES = NAMES.slice(1);
const encode = (text) => new TextEncoder().encode(text);
const decode = (bytes) => new TextDecoder().decode(bytes);

const GROUP = encode('{"zarr_format":3,"node_type":"group"}');

/** An object with these own properties, also `__proto__`. */
const own = (entries) =>
  JSON.parse(
    `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",")}}`,
  );

const attributes = own(NAMES.map((name, at) => [name, { [`n${at}`]: at }]));

const described = (name, more = {}) => ({
  shape: [4, 6],
  chunks: [2, 3],
  dtype: "int32",
  names: [name, "x"],
  attributes,
  ...more,
});
const valueAt = ([i, j]) => i * 6 + j;

function isPlain(object, message) {
  assert.equal(Object.getPrototypeOf(object), Object.prototype, message);
  assert.deepEqual(Object.keys(object), NAMES, message);
  NAMES.forEach((name, at) => {
    const { value } = Object.getOwnPropertyDescriptor(object, name);
    assert.deepEqual({ ...value }, { [`n${at}`]: at }, `${message}: ${name}`);
  });
}

test("attributes are read with all their names", async () => {
  const array = await zarr.open(madeStore(described("y"), valueAt), { kind: "array" });
  isPlain(array.attrs, "v3");
  const v2 = new Map([
    ["/.zgroup", encode('{"zarr_format":2}')],
    ["/.zattrs", encode(JSON.stringify(attributes))],
  ]);
  isPlain((await zarr.open(v2, { kind: "group" })).attrs, "v2");
});

test("numbers that JSON has not keep such names", async () => {
  const text = JSON.stringify({ zarr_format: 3, node_type: "group" });
  const marked = `${text.slice(0, -1)},"attributes":{"__proto__":{"constructor":NaN},"toString":-Infinity}}`;
  const group = await zarr.open(new Map([["/zarr.json", encode(marked)]]), { kind: "group" });
  assert.deepEqual(Object.keys(group.attrs), ["__proto__", "toString"]);
  const { value } = Object.getOwnPropertyDescriptor(group.attrs, "__proto__");
  assert.ok(Number.isNaN(value.constructor));
  assert.equal(group.attrs.toString, Number.NEGATIVE_INFINITY);
});

test("attributes are written, merged and read again", async () => {
  for (const zarrFormat of [2, 3]) {
    const files = new Map();
    const group = await zarr.create(files, { zarrFormat, attributes });
    isPlain(group.attrs, `v${zarrFormat} as created`);
    await group.updateAttributes(own([["added", 1]]));
    const changed = await zarr.open(files, { kind: "group" });
    assert.deepEqual(Object.keys(changed.attrs).sort(), [...NAMES, "added"].sort());
    await changed.updateAttributes(own([["__proto__", "new"]]));
    const { value } = Object.getOwnPropertyDescriptor((await zarr.open(files)).attrs, "__proto__");
    assert.equal(value, "new");
  }
});

test("selections by the name of a dimension, and no name that is not a dimension", async () => {
  for (const name of NAMES) {
    const array = await zarr.open(madeStore(described(name), valueAt), { kind: "array" });
    assert.deepEqual(array.dimensionNames, [name, "x"]);
    const { data } = await array.get(own([[name, 2]]));
    assert.deepEqual([...data], [12, 13, 14, 15, 16, 17], name);
    const other = await array.get({ x: 2 });
    assert.deepEqual([...other.data], [2, 8, 14, 20], `${name} is not selected`);
    const copy = await zarr.open(madeStore(described(name), valueAt), { kind: "array" });
    await copy.set({ x: 2 }, -1);
    assert.deepEqual([...(await copy.get({ x: 2 })).data], [-1, -1, -1, -1], name);
  }
  const plain = await zarr.open(madeStore(described("y"), valueAt), { kind: "array" });
  assert.equal((await plain.get({})).data.length, 24);
  for (const name of NAMES) await assert.rejects(plain.get(own([[name, 0]])), { code: "Argument" }, name);
});

test("children, trees and paths", async () => {
  const store = new Map([["/zarr.json", GROUP]]);
  for (const name of NODES) {
    store.set(`/${name}/zarr.json`, GROUP);
    madeStore(described("y"), valueAt, { path: `${name}/${name}`, store });
  }
  const root = await zarr.open(store, { kind: "group" });
  const found = [];
  for await (const child of root.children()) found.push(child.path);
  assert.deepEqual(found.sort(), NODES.map((name) => `/${name}`).sort());
  const tree = await root.tree();
  assert.deepEqual(tree.children.map(({ name }) => name).sort(), [...NODES].sort());
  assert.equal(await zarr.exists(root.resolve("toString/toString")), "array");
  assert.equal(await zarr.exists(root.resolve("valueOf/nothing")), null);
  const array = await zarr.open(root.resolve("constructor/constructor"), { kind: "array" });
  assert.equal((await array.get([1, 1])).data[0], 7);
});

test("consolidated metadata", async () => {
  for (const zarrFormat of [2, 3]) {
    const files = new Map();
    await zarr.create(files, { zarrFormat });
    for (const name of NODES) {
      await zarr.create(zarr.root(files).resolve(name), {
        shape: [2],
        dtype: "uint8",
        zarrFormat,
        attributes,
      });
    }
    await zarr.consolidate(files);
    const store = await zarr.withConsolidatedMetadata(files);
    const paths = store.contents().map(({ path }) => path);
    for (const name of NODES) {
      assert.ok(paths.includes(`/${name}`), `v${zarrFormat} ${name}`);
      const array = await zarr.open(zarr.root(store).resolve(name), { kind: "array" });
      isPlain(array.attrs, `v${zarrFormat} ${name}`);
    }
    await assert.rejects(zarr.open(zarr.root(store).resolve("isPrototypeOf")), { code: "NotFound" });
  }
});

test("codecs that nobody has registered are unknown", async () => {
  for (const name of NAMES) {
    const base = metadata(described("y"));
    const codecs = [{ name: "bytes" }, { name, configuration: own([["__proto__", 1]]) }];
    const files = madeStore(described("y"), valueAt);
    files.set("/zarr.json", encode(JSON.stringify({ ...base, codecs })));
    const read = async () => (await zarr.open(files, { kind: "array" })).get();
    await assert.rejects(
      read(),
      (error) => zarr.isZarritaError(error, "UnknownCodecError") && error.codec === name,
    );
    const v2 = new Map([
      [
        "/.zarray",
        encode(
          `{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":"|u1","fill_value":0,"order":"C","filters":null,"compressor":{"id":${JSON.stringify(name)}}}`,
        ),
      ],
      ["/0", Uint8Array.of(1, 2)],
    ]);
    const readV2 = async () => (await zarr.open(v2, { kind: "array" })).get();
    await assert.rejects(
      readV2(),
      (error) => zarr.isZarritaError(error, "UnknownCodecError") && error.codec === name,
    );
  }
});

test("codecs that are registered by such a name are used", async () => {
  for (const name of NAMES) {
    zarr.registry.set(name, async () => ({
      kind: "bytes_to_bytes",
      fromConfig: (configuration) => {
        assert.ok(Object.hasOwn(configuration, "__proto__"));
        return { kind: "bytes_to_bytes", encode: (bytes) => bytes, decode: (bytes) => bytes };
      },
    }));
    const files = madeStore(described("y"), valueAt);
    const codecs = [
      { name: "bytes", configuration: { endian: "little" } },
      { name, configuration: own([["__proto__", 1]]) },
    ];
    files.set("/zarr.json", encode(JSON.stringify({ ...metadata(described("y")), codecs })));
    const array = await zarr.open(files, { kind: "array" });
    assert.equal((await array.get([1, 1])).data[0], 7, name);
    zarr.registry.delete(name);
  }
});

test("fields of structured elements", async () => {
  const text = `{"zarr_format":2,"shape":[1],"chunks":[1],"dtype":[${NAMES.map((name) => `["${name}","|u1"]`)}],"fill_value":null,"order":"C","filters":null,"compressor":null}`;
  const files = new Map([
    ["/.zarray", encode(text)],
    ["/0", Uint8Array.of(1, 2, 3, 4, 5)],
  ]);
  const array = await zarr.open(files, { kind: "array" });
  const { data } = await array.get();
  assert.deepEqual(Object.keys(data), NAMES);
  NAMES.forEach((name, at) => {
    const { value } = Object.getOwnPropertyDescriptor(data, name);
    assert.equal(value.data[0], at + 1, name);
  });
});

test("keys of references and entries of archives", async () => {
  const files = new Map([["/zarr.json", GROUP]]);
  for (const name of NODES) madeStore(described("y"), valueAt, { path: name, store: files });
  const entries = [...files].map(([key, bytes]) => [key.slice(1), bytes]);
  const references = own(
    entries.map(([key, bytes]) => [key, `base64:${Buffer.from(bytes).toString("base64")}`]),
  );
  const stores = {
    reference: new zarr.ReferenceStore(references),
    "reference text": new zarr.ReferenceStore(JSON.stringify({ version: 1, refs: references })),
    archive: zarr.ZipFileStore.fromBlob(storedZip(entries)),
    "renamed archive": zarr.ZipFileStore.fromBlob(storedZip(entries), { transformEntries: (all) => all }),
  };
  for (const [kind, store] of Object.entries(stores)) {
    for (const name of NODES) {
      const array = await zarr.open(zarr.root(store).resolve(name), { kind: "array" });
      assert.equal((await array.get([1, 1])).data[0], 7, `${kind}: ${name}`);
      isPlain(array.attrs, `${kind}: ${name}`);
    }
    await assert.rejects(zarr.open(zarr.root(store).resolve("isPrototypeOf")), { code: "NotFound" }, kind);
  }
});

test("coordinates, places and data sets by the name of a dimension", async () => {
  for (const name of NODES) {
    const files = new Map();
    const only = (value) => Object.fromEntries([[name, value]]);
    await zarr.createDataset(files, {
      coords: only({ data: Float64Array.of(10, 20, 30) }),
      variables: { t: { dims: [name], data: Float32Array.of(1, 2, 3) } },
    });
    const array = await zarr.open(zarr.root(files).resolve("t"), { kind: "array" });
    const coordinates = await zarr.coords(array, name);
    assert.deepEqual([...coordinates.values], [10, 20, 30], name);
    const place = await zarr.locate(array, only(zarr.at(20)));
    assert.equal(Object.getOwnPropertyDescriptor(place, name).value, 1, name);
    assert.equal((await array.get(place)).data[0], 2, name);
  }
});

test("nothing was added to the objects of everybody", () => {
  assert.deepEqual(Object.keys(Object.prototype), []);
  assert.equal({}.n0, undefined);
  assert.equal(decode(encode("x")), "x");
});
