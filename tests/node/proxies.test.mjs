/**
 * Objects of every public class behind proxies, as Vue makes them of what a page keeps: they work
 * as they do without. With the engine on the caller's thread, and in a worker, to which no proxy
 * can be sent.
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, describe, test } from "node:test";
import * as zarr from "zarr-wasm";
import { PyramidProtocol } from "zarr-wasm/maplibre";
import * as numcodecs from "zarr-wasm/numcodecs";
import { pixelSources } from "zarr-wasm/viv";
import { BlobReader, HTTPRangeReader } from "zarr-wasm/zip";
import { reactive, toRaw } from "../support/vue_like.mjs";

const SHAPE = [8, 8];
const places = Array.from({ length: 64 }, (_, at) => at);
const map = new Map();
let server;
let root;
let archive;

before(async () => {
  await zarr.create(map, { kind: "group", attributes: { title: "all" } });
  const options = { path: "a", shape: SHAPE, chunkShape: [4, 4], shardShape: [8, 8], dtype: "uint8" };
  const array = await zarr.create(map, { ...options, dimensionNames: ["y", "x"] });
  await array.set(null, { data: Uint8Array.from(places), shape: SHAPE, stride: [8, 1] });
  const attributes = { units: "days since 2000-01-01" };
  const time = { path: "y", shape: [8], dtype: "float64", dimensionNames: ["y"], attributes };
  await (await zarr.create(map, time)).set(
    null,
    Float64Array.from({ length: 8 }, (_, at) => at),
  );
  await zarr.createPyramid(new zarr.Location(map, "/p"), array, { axes: ["y", "x"], levels: 2 });
  const writer = new zarr.ZipWriter();
  for (const [key, bytes] of map) await writer.set(key, bytes);
  archive = await writer.toBlob();
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://host");
    const bytes = pathname === "/all.zip" ? zipped : map.get(pathname);
    response.writeHead(bytes ? 200 : 404, { "Content-Length": bytes?.length ?? 0 });
    response.end(request.method === "HEAD" ? undefined : bytes);
  });
  const zipped = new Uint8Array(await archive.arrayBuffer());
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  root = `http://127.0.0.1:${server.address().port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
  zarr.dispose();
});

const open = (path, kind) => zarr.open(map, { path, kind });
const refs = () => ({
  version: 1,
  refs: Object.fromEntries([...map].map(([key, value]) => [key.slice(1), value])),
});
const inText = ({ version, refs }) => ({
  version,
  refs: Object.fromEntries(
    Object.entries(refs).map(([key, value]) => [key, `base64:${Buffer.from(value).toString("base64")}`]),
  ),
});

/** Reads through a store. */
async function reads(store) {
  const array = await zarr.open(store, { path: "a", kind: "array" });
  assert.deepEqual(Array.from((await array.get()).data), places);
  assert.equal(await store.get("/none"), undefined);
  assert.ok((await store.get("/a/zarr.json")).length > 0);
}

/** Writes through a store, and reads again. */
async function writes(store) {
  const made = await zarr.create(store, { path: "new", shape: [4], dtype: "int32" });
  await made.set([1], 7);
  assert.deepEqual(Array.from((await made.get()).data), [0, 7, 0, 0]);
  await made.updateAttributes({ a: 1 });
  assert.deepEqual((await zarr.open(store, { path: "new" })).attrs, { a: 1 });
}

const files = () =>
  [...map].map(([key, bytes]) =>
    Object.assign(new File([bytes], key), { webkitRelativePath: `folder${key}` }),
  );

/** A file system's entry, as a dropped folder gives it. Its files have one time of change. */
const entry = {
  getFile(path, _options, found, failed) {
    const bytes = map.get(`/${path}`);
    if (bytes) found({ file: (given) => given(new File([bytes], path, { lastModified: 0 })) });
    else failed(Object.assign(new Error(path), { name: "NotFoundError" }));
  },
};

/** What makes an object of each class, and what is done with it behind a proxy. */
const CLASSES = {
  Location: [
    () => new zarr.Location(map, "/"),
    async (place) => {
      assert.equal(place.resolve("a").path, "/a");
      assert.equal(await zarr.exists(place.resolve("a")), "array");
      assert.equal((await zarr.open(place)).kind, "group");
    },
  ],
  Group: [
    () => open("", "group"),
    async (group) => {
      assert.deepEqual(group.attrs, { title: "all" });
      assert.equal(group.attributes().title, "all");
      const names = [];
      for await (const child of group.children()) names.push(child.path);
      assert.deepEqual(names, ["/a", "/p", "/y"]);
      assert.equal((await group.tree()).kind, "group");
      await group.refresh();
      assert.ok(Object.keys(group.rawMetadata).length > 0);
      assert.deepEqual([...group.warnings], []);
    },
  ],
  Array: [
    () => open("a", "array"),
    async (array) => {
      assert.deepEqual([...array.shape], SHAPE);
      assert.deepEqual(Array.from((await array.get()).data), places);
      assert.deepEqual(Array.from((await zarr.get(array, [0, null])).data), places.slice(0, 8));
      assert.equal((await zarr.statistics(array)).max, 63);
      const positions = await zarr.coords(array, "y");
      assert.equal(positions.length, 8);
      for await (const part of array.stream()) assert.ok(part.data.length > 0);
      assert.equal((await array.plan()).chunkCount, 4);
      assert.ok((await zarr.histogram(array)).counts.length > 0);
      await array.refresh();
      const copied = await zarr.copy(array, new Map());
      assert.deepEqual(Array.from((await copied.get()).data), places);
    },
  ],
  ReadPlan: [
    async () => (await open("a", "array")).plan(),
    async (plan) => {
      assert.equal(plan.chunkCount, 4);
      const keys = [];
      for await (const { key } of plan.objects()) keys.push(key);
      assert.equal(keys.length, 1);
    },
  ],
  Pyramid: [
    async () => zarr.pyramid(await open("p", "group")),
    async (image) => {
      assert.equal(image.levels.length, 2);
      assert.equal(image.extent().length, 4);
      const { level } = image.pick({ unitsPerPixel: 1 });
      assert.deepEqual([...level.array.shape], SHAPE);
      assert.deepEqual(Array.from((await level.array.get()).data), places);
      assert.ok((await zarr.histogram(image)).counts.length > 0);
    },
  ],
  Coordinates: [
    async () => zarr.coords(await open("a", "array"), "y"),
    async (axis) => {
      assert.equal(axis.length, 8);
      assert.equal(axis.value(3), 3);
      assert.equal(axis.values[7], 7);
      assert.equal(await axis.nearest(2.2), 2);
      assert.equal((await axis.date(1)).toISOString(), "2000-01-02T00:00:00.000Z");
    },
  ],
  TimeUnits: [
    () => zarr.timeUnits("days since 2000-01-01"),
    async (units) => {
      assert.equal((await units.date(1)).toISOString(), "2000-01-02T00:00:00.000Z");
      assert.equal(Number(await units.count("2000-01-03")), 2);
    },
  ],
  Histogram: [
    async () => zarr.histogram(await open("a", "array")),
    (counts) => {
      assert.equal(counts.counts.length > 0, true);
      assert.equal(typeof counts.quantile(0.5), "number");
    },
  ],
  FetchStore: [
    () => new zarr.FetchStore(root),
    async (store) => {
      await reads(store);
      assert.equal((await store.getRange("/a/zarr.json", { offset: 0, length: 3 })).length, 3);
    },
  ],
  ZipFileStore: [
    () => zarr.ZipFileStore.fromBlob(archive),
    async (store) => {
      await reads(store);
      assert.equal((await store.list()).length, map.size);
    },
  ],
  ReferenceStore: [() => new zarr.ReferenceStore(inText(refs())), reads],
  OverlayStore: [() => new zarr.OverlayStore(new Map(), map), reads],
  IcechunkStore: [
    () => new zarr.IcechunkStore(new Map()),
    async (store) => {
      await assert.rejects(store.get("/zarr.json"), (error) => error instanceof zarr.ZarrError);
    },
  ],
  ZipWriter: [
    () => new zarr.ZipWriter(),
    async (store) => {
      await writes(store);
      assert.ok((await store.toBlob()).size > 0);
    },
  ],
  FileListStore: [() => new zarr.FileListStore(files()), reads],
  EntryStore: [() => new zarr.EntryStore(entry), reads],
  DirectoryStore: [
    () => new zarr.DirectoryStore(async () => Promise.reject(new Error("no folder"))),
    async (store) => {
      await assert.rejects(store.get("/a"), { code: "Store" });
    },
  ],
  OpfsStore: [
    () => new zarr.OpfsStore("a"),
    async (store) => {
      assert.equal(store.lockName, "opfs:/a");
      await assert.rejects(store.get("/a"), { code: "Unsupported" });
    },
  ],
  FileSystemStore: [
    () => new zarr.FileSystemStore(`/tmp/zarr-wasm-proxies-${process.pid}-${Math.random()}`),
    async (store) => {
      await writes(store);
      const keys = [];
      for await (const key of store.list()) keys.push(key);
      assert.ok(keys.includes("/new/zarr.json"), String(keys));
      await store.deletePrefix("/");
    },
  ],
  PersistentCache: [
    () => new zarr.PersistentCache(),
    async (cache) => {
      await Promise.allSettled([cache.usage(), cache.clear()]);
    },
  ],
  BoolArray: [
    () => new zarr.BoolArray([true, false, true]),
    (list) => {
      assert.deepEqual([...list], [true, false, true]);
      assert.equal(list.get(0) && list[2] && list.length === 3, true);
      list.set(1, true);
      assert.equal(list.get(1), true);
    },
  ],
  ByteStringArray: [
    () => new zarr.ByteStringArray(2, ["ab", "c"]),
    (list) => assert.deepEqual([[...list], list.get(1), list[0]], [["ab", "c"], "c", "ab"]),
  ],
  UnicodeStringArray: [
    () => new zarr.UnicodeStringArray(2, ["äb", "c"]),
    (list) => assert.deepEqual([[...list], list.get(1), list[0]], [["äb", "c"], "c", "äb"]),
  ],
  AtValue: [
    () => zarr.at(3),
    async (value) => {
      assert.equal((await (await open("a", "array")).get({ y: value, x: 1 })).data !== undefined, true);
    },
  ],
  BetweenValues: [
    () => zarr.between(1, 3),
    async (value) => {
      assert.equal((await (await open("a", "array")).get({ y: value, x: 1 })).data !== undefined, true);
    },
  ],
  UnreadableNode: [
    async () => {
      const broken = new Map(map).set("/bad/zarr.json", new TextEncoder().encode("{"));
      for await (const child of (await zarr.open(broken, { kind: "group" })).children())
        if (child.error) return child;
      return assert.fail("nothing is unreadable");
    },
    (node) => assert.ok(node.error instanceof zarr.ZarrError && node.path === "/bad"),
  ],
};

const OTHERS = {
  Zstd: [() => new numcodecs.Zstd(), roundTrip],
  Blosc: [() => new numcodecs.Blosc(), roundTrip],
  BlobReader: [
    () => new BlobReader(archive),
    async (reader) => assert.equal((await reader.read(0, 4)).length, 4),
  ],
  HTTPRangeReader: [
    () => new HTTPRangeReader(`${root}/all.zip`),
    async (reader) => {
      assert.equal(await reader.getLength(), archive.size);
      assert.equal((await reader.read(0, 4)).length, 4);
    },
  ],
  PyramidProtocol: [
    async () => new PyramidProtocol("p", await zarr.pyramid(await open("p", "group"))),
    (protocol) => assert.ok(protocol.source().tiles.length > 0),
  ],
  VivSource: [
    async () => pixelSources(await zarr.pyramid(await open("p", "group")))[0],
    async (source) => {
      const { data } = await source.getRaster({ selection: {} });
      assert.deepEqual(Array.from(data), places);
    },
  ],
};

async function roundTrip(codec) {
  const bytes = Uint8Array.from(places);
  assert.deepEqual(await codec.decode(await codec.encode(bytes)), bytes);
}

const isClass = (value) =>
  typeof value === "function" && /^class\b/.test(Function.prototype.toString.call(value));

test("every public class is tested", () => {
  const classes = Object.entries(zarr).filter(
    ([, value]) => isClass(value) && !(value.prototype instanceof Error),
  );
  assert.deepEqual(
    classes.map(([name]) => name).filter((name) => !(name in CLASSES)),
    [],
  );
});

for (const engine of ["caller", "worker"]) {
  describe(`the engine with ${engine === "caller" ? "the caller" : "a worker"}`, () => {
    test("it starts", async () => {
      zarr.dispose();
      await zarr.init({ engine });
    });

    for (const [name, [make, use]] of Object.entries({ ...CLASSES, ...OTHERS }))
      test(`${name} behind a proxy`, async () => {
        const proxy = reactive({ kept: await make() }).kept;
        assert.notEqual(proxy, toRaw(proxy), "there is no proxy");
        await use(proxy);
      });

    test("a node that was opened from a store behind a proxy, and its store behind one", async () => {
      const state = reactive({ store: new zarr.FetchStore(root) });
      state.array = await zarr.open(state.store, { path: "a", kind: "array" });
      assert.deepEqual(Array.from((await state.array.get()).data), places);
      assert.deepEqual(
        Array.from((await zarr.open(state.array.store, { path: "a" }).then((a) => a.get())).data),
        places,
      );
    });

    test("objects of one node behind proxies see each other's changes", async () => {
      const store = new Map();
      const made = await zarr.create(store, { shape: [4], dtype: "uint8" });
      const { first, second } = reactive({ first: made, second: await zarr.open(store, { kind: "array" }) });
      await first.resize([6]);
      assert.deepEqual([...second.shape], [6]);
    });
  });
}
