/**
 * The historic drafts: creating, writing, reading, listing and erasing nodes. The expected
 * documents and keys are those of the drafts' texts.
 */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import * as zarr from "zarr-wasm";
import { elementsOf, FAMILIES, listOf, packedBytes } from "./elements_by_hand.mjs";

const json = (store, key) => JSON.parse(new TextDecoder().decode(store.get(key)));
const put = (store, key, value) => store.set(key, new TextEncoder().encode(JSON.stringify(value)));
const keysOf = (store) => [...store.keys()].sort();

const SHARDING = "https://purl.org/zarr/spec/extensions/storage-transformers/sharding/1.0";

const DRAFTS = [
  { zarrFormat: "v3-draft-2020-10", meta: "/meta/root", data: "/data/root", root: "/meta/root." },
  { zarrFormat: "v3-draft-2022-05", meta: "/meta", data: "/data", root: "/meta/" },
];

/** The families of types in the drafts. Strings and times have NumPy's names. */
const DRAFTED = FAMILIES.filter(({ json, v2 }) => !json && v2);

for (const { zarrFormat, meta, data, root } of DRAFTS) {
  const is2022 = zarrFormat === "v3-draft-2022-05";
  describe(zarrFormat, () => {
    test("an array has the document and the keys of the draft's text", async () => {
      const store = new Map();
      const array = await zarr.create(store, {
        path: "foo/bar",
        zarrFormat,
        shape: [4, 3],
        chunkShape: [2, 2],
        dtype: ">i2",
        order: "F",
        dimensionSeparator: ".",
        codecs: [{ id: "gzip", level: 1 }],
        fillValue: -7,
        attributes: { a: 1 },
        extensions: [{ extension: "http://example.org/x", must_understand: false }],
        metadataKeySuffix: ".doc",
        hierarchyExtensions: [{ extension: "http://example.org/h", must_understand: false }],
      });
      assert.equal(array.dialect, zarrFormat);
      assert.equal(array.zarrFormat, 3);
      const entry = json(store, "/zarr.json");
      const protocol = `https://purl.org/zarr/spec/${is2022 ? "" : "protocol/"}core/3.0`;
      assert.deepEqual(entry, {
        zarr_format: protocol,
        ...(is2022
          ? { metadata_encoding: { type: "json", metadata_key_suffix: ".doc" } }
          : { metadata_encoding: protocol, metadata_key_suffix: ".doc" }),
        extensions: [{ extension: "http://example.org/h", must_understand: false }],
      });
      const gzip = { configuration: { level: 1 } };
      assert.deepEqual(json(store, `${meta}/foo/bar.array.doc`), {
        shape: [4, 3],
        data_type: is2022 ? "int16" : ">i2",
        chunk_grid: { type: "regular", chunk_shape: [2, 2], separator: "." },
        chunk_memory_layout: "F",
        ...(is2022
          ? {
              codecs: [
                { type: "https://purl.org/zarr/spec/codecs/endian/1.0", configuration: { endian: "big" } },
                { type: "https://purl.org/zarr/spec/codecs/gzip/1.0", ...gzip },
              ],
            }
          : { compressor: { codec: "https://purl.org/zarr/spec/codec/gzip/1.0", ...gzip } }),
        fill_value: -7,
        extensions: [{ extension: "http://example.org/x", must_understand: false }],
        attributes: { a: 1 },
      });

      await array.set(
        [zarr.slice(0, 3), zarr.slice(1, 3)],
        [
          [1, 2],
          [3, 4],
          [5, 6],
        ],
      );
      assert.deepEqual(
        keysOf(store).filter((key) => key.startsWith("/data")),
        ["c0.0", "c0.1", "c1.0", "c1.1"].map((name) => `${data}/foo/bar/${name}`),
      );
      // Column-major and big-endian. Elements beyond the edge have the fill value.
      const chunk = gunzipSync(store.get(`${data}/foo/bar/c0.1`));
      assert.deepEqual([...chunk], [0, 2, 0, 4, 0xff, 0xf9, 0xff, 0xf9]);
      const again = await zarr.open(store, { path: "foo/bar", kind: "array" });
      assert.deepEqual([...(await again.get()).data], [-7, 1, 2, -7, 3, 4, -7, 5, 6, -7, -7, -7]);
      assert.deepEqual(again.attrs, { a: 1 });
    });

    for (const family of DRAFTED) {
      test(`elements of ${family.name}`, async () => {
        const store = new Map();
        const layouts = [
          {},
          { order: "F", dimensionSeparator: "." },
          ...(is2022 ? [{ shardShape: [6, 4] }] : []),
        ];
        for (const [at, options] of layouts.entries()) {
          const path = `a${at}`;
          const create = {
            path,
            zarrFormat,
            shape: [7, 5],
            chunkShape: [3, 2],
            dtype: family.v2,
            ...options,
          };
          const array = await zarr.create(store, create);
          const elements = elementsOf(family, 35);
          await array.set(null, listOf(family, elements));
          const again = await zarr.open(store, { path, kind: "array" });
          const bytes = async () => Buffer.from((await again.get(null, { as: "bytes" })).data);
          assert.deepEqual(await bytes(), packedBytes(family, elements));
          const [one] = family.values.slice(-1);
          await again.set([6, 1], one);
          elements[31] = one;
          assert.deepEqual(await bytes(), packedBytes(family, elements));
        }
      });
    }

    test("nodes are found, listed and erased, also groups without documents", async () => {
      const store = new Map();
      const array = { zarrFormat, shape: [4], chunkShape: [2], dtype: "int32" };
      await zarr.create(store, { ...array, path: "a/b/c" });
      await zarr.create(store, { zarrFormat, path: "g", attributes: { title: "G" } });
      await zarr.create(store, { ...array, path: "g/x" });
      assert.deepEqual(
        keysOf(store),
        [`${meta}/a/b/c.array.json`, `${meta}/g.group.json`, `${meta}/g/x.array.json`, "/zarr.json"].sort(),
      );
      const at = (path) => zarr.root(store).resolve(path);
      const kinds = {
        "a/b/c": "array",
        a: "implicit-group",
        "a/b": "implicit-group",
        g: "group",
        none: null,
      };
      for (const [path, kind] of Object.entries(kinds)) assert.equal(await zarr.exists(at(path)), kind, path);
      assert.equal(await zarr.exists(store), "implicit-group");

      const top = await zarr.open(store);
      assert.equal(top.kind, "group");
      const names = [];
      for await (const child of top.children()) names.push(`${child.path} ${child.kind}`);
      assert.deepEqual(names, ["/a group", "/g group"]);
      const tree = await top.tree();
      assert.match(JSON.stringify(tree), /"\/?g\/x"|"x"/);

      // Two nodes cannot have one name, and an array has no children.
      await assert.rejects(zarr.create(store, { ...array, path: "g" }), { code: "Argument" });
      await assert.rejects(zarr.create(store, { ...array, path: "a/b/c/d" }), { code: "Argument" });
      await zarr.create(store, { ...array, path: "g", overwrite: true });
      assert.equal(await zarr.exists(at("g/x")), null);

      const written = await zarr.open(at("a/b/c"), { kind: "array" });
      await written.set(null, 5);
      assert.ok(store.has(`${data}/a/b/c/c0`));
      assert.equal(await zarr.erase(at("a/b/c"), { reify: true }), true);
      assert.equal(await zarr.exists(at("a/b")), "group");
      assert.deepEqual(
        keysOf(store),
        [`${meta}/a/b.group.json`, `${meta}/g.array.json`, "/zarr.json"].sort(),
      );
      assert.equal(await zarr.erase(at("a/b/c")), false);
      assert.equal(await zarr.erase(at("a")), true);
      assert.equal(await zarr.erase(store), true);
      assert.deepEqual(keysOf(store), ["/zarr.json"]);
    });

    test("the root may be an array", async () => {
      const store = new Map();
      const array = await zarr.create(store, { zarrFormat, shape: [], dtype: "float64" });
      await array.set(null, 2.5);
      assert.deepEqual(keysOf(store), [`${data}/c`, `${root}array.json`, "/zarr.json"].sort());
      assert.equal((await (await zarr.open(store)).get()).data[0], 2.5);
    });

    test("resize, append and attributes", async () => {
      const store = new Map();
      const array = await zarr.create(store, {
        path: "a",
        zarrFormat,
        shape: [4],
        chunkShape: [2],
        dtype: "int32",
        ...(is2022 && { shardShape: [4] }),
      });
      await array.set(null, [1, 2, 3, 4]);
      await array.resize([3]);
      await array.append([9, 10, 11]);
      await array.updateAttributes({ seen: true });
      const again = await zarr.open(store, { path: "a", kind: "array" });
      assert.deepEqual([...(await again.get()).data], [1, 2, 3, 9, 10, 11]);
      assert.deepEqual(again.attrs, { seen: true });
      assert.equal(again.dialect, zarrFormat);
    });

    test("an unknown data type is read as its fallback, or refused", async () => {
      const store = new Map();
      await zarr.create(store, {
        path: "a",
        zarrFormat,
        shape: [4],
        chunkShape: [4],
        dtype: "<i2",
        codecs: [],
      });
      const key = `${meta}/a.array.json`;
      const unknown = { extension: "https://example.org/types/1.0", type: "fixed-point", fallback: "<i2" };
      put(store, key, { ...json(store, key), data_type: unknown, fill_value: { any: 1 } });
      store.set(`${data}/a/c0`, new Uint8Array([1, 0, 2, 0, 3, 0, 4, 0]));
      const array = await zarr.open(store, { path: "a", kind: "array" });
      assert.deepEqual(array.fallback, {
        extension: "https://example.org/types/1.0",
        dataType: "fixed-point",
        used: "<i2",
      });
      assert.ok(array.warnings.some((warning) => warning.includes("https://example.org/types/1.0")));
      assert.deepEqual([...(await array.get()).data], [1, 2, 3, 4]);
      const allowed = await zarr.open(store, { path: "a", kind: "array", dataTypeFallback: "allow" });
      assert.ok(!allowed.warnings.some((warning) => warning.includes("example.org")));
      assert.ok(allowed.fallback);
      const refused = zarr.open(store, { path: "a", dataTypeFallback: "refuse" });
      await assert.rejects(refused, { code: "Unsupported", message: /https:\/\/example\.org\/types\/1\.0/ });
    });
  });
}

test("shards of the draft of 2022 are a storage transformer", async () => {
  const store = new Map();
  const array = await zarr.create(store, {
    path: "a",
    zarrFormat: "v3-draft-2022-05",
    shape: [4, 4],
    chunkShape: [1, 2],
    shardShape: [2, 4],
    dtype: "uint8",
    codecs: [],
  });
  const sharding = { extension: SHARDING, type: "indexed", configuration: { chunks_per_shard: [2, 2] } };
  assert.deepEqual(json(store, "/meta/a.array.json").storage_transformers, [sharding]);
  assert.deepEqual(array.storageTransformers, [sharding]);
  assert.deepEqual(
    [array.chunks, array.shards],
    [
      [1, 2],
      [2, 4],
    ],
  );
  assert.deepEqual(
    array.codecs.map(({ name }) => name),
    ["bytes"],
  );
  await array.set([0], [1, 2, 3, 4]);
  const none = [0xffffffffffffffffn, 0xffffffffffffffffn];
  const index = new BigUint64Array([0n, 2n, 2n, 2n, ...none, ...none]);
  const shard = Buffer.concat([Buffer.from([1, 2, 3, 4]), Buffer.from(index.buffer)]);
  assert.deepEqual(Buffer.from(store.get("/data/a/c0/0")), shard);
  assert.equal(store.size, 3);
  await array.set([0], 0);
  assert.ok(!store.has("/data/a/c0/0"));
});

/** A transformer that changes the keys of chunks: `c0/1` becomes `n1-0`. */
const renamed = (key, { prefix, separator }) => {
  const name = key.startsWith(prefix) ? key.slice(prefix.length) : "";
  const match = /^c\d+(?:.\d+)*$/.test(name);
  return match ? `${prefix}n${name.slice(1).split(separator).reverse().join("-")}` : key;
};

const RENAMING = "https://example.org/renaming/1.0";

describe("users' storage transformers", () => {
  const options = {
    path: "g/a",
    zarrFormat: "v3-draft-2022-05",
    shape: [4, 6],
    chunkShape: [2, 3],
    dtype: "int16",
    storageTransformers: [{ extension: RENAMING, type: "backwards", configuration: { depth: 2 } }],
  };
  const infos = [];
  const register = () =>
    zarr.storageTransformers.set(RENAMING, (store, info) => {
      infos.push(info);
      return {
        get: (key, opts) => store.get(renamed(key, info), opts),
        getRange: (key, range, opts) => store.getRange(renamed(key, info), range, opts),
        set: (key, value) => store.set(renamed(key, info), value),
        delete: (key) => store.delete(renamed(key, info)),
      };
    });

  test("an unknown one is refused with its URI, and nothing is created", async () => {
    zarr.storageTransformers.clear();
    const store = new Map();
    await assert.rejects(zarr.create(store, options), {
      code: "Unsupported",
      field: "storage_transformers[0].extension",
      message: /https:\/\/example\.org\/renaming\/1\.0/,
    });
    assert.equal(store.size, 0);
  });

  test("chunks are written and read through the transformer", async () => {
    register();
    const store = new Map();
    const array = await zarr.create(store, options);
    const numbers = Array.from({ length: 24 }, (_, at) => at + 1);
    await array.set(null, numbers);
    const chunks = keysOf(store).filter((key) => key.startsWith("/data"));
    assert.deepEqual(
      chunks,
      ["n0-0", "n0-1", "n1-0", "n1-1"].map((name) => `/data/g/a/${name}`),
    );
    assert.deepEqual(infos.at(-1), {
      extension: RENAMING,
      type: "backwards",
      configuration: { depth: 2 },
      prefix: "/data/g/a/",
      gridShape: [2, 2],
      separator: "/",
    });
    const again = await zarr.open(store, { path: "g/a", kind: "array" });
    assert.deepEqual([...(await again.get()).data], numbers);
    assert.deepEqual([...(await zarr.get(again, [1, null])).data], numbers.slice(6, 12));
    await again.set([zarr.slice(0, 2), zarr.slice(0, 3)], 0);
    assert.ok(!store.has("/data/g/a/n0-0"), "a chunk of fill value goes");
    await again.resize([2, 6]);
    assert.deepEqual(
      keysOf(store).filter((key) => key.startsWith("/data")),
      ["/data/g/a/n1-0"],
    );

    // The transformer is not registered any more: the array has a description but cannot be read.
    zarr.storageTransformers.delete(RENAMING);
    const unknown = await zarr.open(store, { path: "g/a", kind: "array" });
    assert.equal(unknown.storageTransformers[0].extension, RENAMING);
    await assert.rejects(unknown.get(), { code: "Unsupported", message: /renaming\/1\.0/, path: /g\/a/ });
    register();
    assert.equal((await unknown.get()).data[3], 4);
  });

  test("shards pass through one or several transformers", async () => {
    register();
    const sharding = { extension: SHARDING, type: "indexed", configuration: { chunks_per_shard: [2, 1] } };
    const [renaming] = options.storageTransformers;
    for (const [storageTransformers, keys] of [
      [
        [sharding, renaming],
        ["n0-0", "n1-0"],
      ],
      [
        [sharding, renaming, renaming],
        ["n0-0", "n1-0"],
      ],
    ]) {
      const store = new Map();
      const array = await zarr.create(store, { ...options, storageTransformers });
      await array.set(
        null,
        Array.from({ length: 24 }, (_, at) => at),
      );
      assert.deepEqual(
        keysOf(store).filter((key) => key.startsWith("/data")),
        keys.map((name) => `/data/g/a/${name}`),
      );
      assert.equal((await array.get([3, 5])).data[0], 23);
    }
  });

  test("one that returns the store below, and one that fails", async () => {
    zarr.storageTransformers.set(RENAMING, (store) => store);
    const store = new Map();
    const array = await zarr.create(store, options);
    await array.set(null, 3);
    assert.ok(store.has("/data/g/a/c0/0"));
    assert.equal((await array.get([0, [1]])).data[0], 3);
    const failed = new Error("no key for it");
    zarr.storageTransformers.set(RENAMING, () => {
      throw failed;
    });
    const other = await zarr.open(store, { path: "g/a", kind: "array" });
    const error = await other.get().catch((thrown) => thrown);
    assert.equal(error.code, "Store");
    assert.equal(error.cause, failed);
    assert.match(error.field ?? "", /storage_transformers\[0\]/);
    zarr.storageTransformers.set(RENAMING, () => 7);
    await assert.rejects((await zarr.open(store, { path: "g/a" })).get(), { code: "Argument" });
    zarr.storageTransformers.clear();
  });
});
