/** The full build replaces the engine on the caller's thread if something needs it. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { ROOT } from "../../scripts/run_command.mjs";
import { importSource } from "./bundled.mjs";
import { madeStore } from "./made_stores.mjs";
import { scriptedServer } from "./scripted_server.mjs";

const wasm = (name) => readFileSync(join(ROOT, "dist", name));
const description = { shape: [64, 4], chunks: [1, 4], dtype: "uint16", attributes: {} };
const element = ([row, column]) => 4 * row + column;

/** A separate bundle, so that no other test has loaded the full build. */
const fresh = () => importSource("package/entry/index.ts", { source: "inline" });

test("reading needs only the engine", async () => {
  const zarr = await fresh();
  const array = await zarr.open(madeStore(description, element), { kind: "array" });
  assert.deepEqual([...(await array.get([3])).data], [12, 13, 14, 15]);
  await array.plan(null);
  assert.equal(zarr.info().build, "engine");
});

test("reads in progress end in the engine that began them, and fetch nothing twice", async () => {
  const zarr = await fresh();
  const server = await scriptedServer(madeStore(description, element));
  try {
    const array = await zarr.open(server.url, { kind: "array" });
    server.latency = 30;
    const rows = Array.from({ length: 64 }, (_, row) => row);
    const reads = rows.map((row) => array.get([row]));
    const created = zarr.create(new Map(), { shape: [2], dtype: "uint8" });
    // Some reads start while it loads. They go to either instance.
    await new Promise((resolve) => setTimeout(resolve, 5));
    const during = rows.slice(0, 8).map((row) => array.get([row]));
    await created;
    assert.equal(zarr.info().build, "full");
    const after = rows.slice(0, 8).map((row) => array.get([row]));
    for (const [row, { data }] of (await Promise.all(reads)).entries()) {
      assert.deepEqual(
        [...data],
        [0, 1, 2, 3].map((column) => 4 * row + column),
      );
    }
    for (const [idx, { data }] of (await Promise.all([...during, ...after])).entries()) {
      assert.equal(data[0], 4 * (idx % 8));
    }
    // Each of the two instances may fetch a value once.
    const counts = rows.map((row) => server.of(`/c/${row}/0`).length);
    assert.ok(
      counts.slice(8).every((count) => count === 1),
      `${counts}`,
    );
    assert.ok(
      counts.slice(0, 8).every((count) => count <= 2),
      `${counts}`,
    );
    assert.equal(zarr.info().panics, 0);
  } finally {
    await server.close();
  }
});

test("an abort while the full build loads rejects at once", async () => {
  const zarr = await fresh();
  const controller = new AbortController();
  const created = zarr.create(new Map(), { shape: [2], dtype: "uint8", signal: controller.signal });
  controller.abort();
  await assert.rejects(created, { name: "AbortError" });
});

test("a draft's hierarchy can be opened if only the engine has been started", async () => {
  const zarr = await fresh();
  const store = new Map();
  const writer = await fresh();
  await writer.create(store, { path: "a", zarrFormat: "v3-draft-2022-05", shape: [2], dtype: "uint8" });
  const other = madeStore(description, element);
  await zarr.open(other);
  assert.equal(zarr.info().build, "engine");
  const array = await zarr.open(new zarr.Location(store, "/a"), { kind: "array" });
  assert.equal(array.dialect, "v3-draft-2022-05");
  assert.deepEqual([...(await array.get()).data], [0, 0]);
  assert.equal((await zarr.open(store)).kind, "group");
  assert.equal(zarr.info().build, "full");
});

test("a call that needs a larger build, which another call has loaded meanwhile, is repeated", async () => {
  const draft = new Map();
  const writer = await fresh();
  await writer.create(draft, { zarrFormat: "v3-draft-2022-05", shape: [2], dtype: "uint8" });
  const zarr = await fresh();
  await zarr.open(madeStore(description, element));
  let answer;
  const answering = new Promise((resolve) => {
    answer = resolve;
  });
  let isAsked;
  const asked = new Promise((resolve) => {
    isAsked = resolve;
  });
  const slow = {
    async get(key) {
      isAsked();
      await answering;
      return draft.get(key);
    },
  };
  const opening = zarr.open(slow, { kind: "array" });
  await asked;
  assert.equal(zarr.info().build, "engine");
  await zarr.create(new Map(), { shape: [2], dtype: "uint8" });
  assert.equal(zarr.info().build, "full");
  answer();
  assert.equal((await opening).dialect, "v3-draft-2022-05");
});

test("storage transformers and users' codecs load the full build too", async () => {
  const registered = await fresh();
  registered.registry.set("test.same", () => ({
    fromConfig: () => ({ kind: "bytes_to_bytes", encode: (bytes) => bytes, decode: (bytes) => bytes }),
  }));
  const store = madeStore({ ...description, codecs: undefined }, element);
  const metadata = JSON.parse(new TextDecoder().decode(store.get("/zarr.json")));
  metadata.codecs.push({ name: "test.same" });
  store.set("/zarr.json", new TextEncoder().encode(JSON.stringify(metadata)));
  const array = await registered.open(store, { kind: "array" });
  assert.deepEqual([...(await array.get([1])).data], [4, 5, 6, 7]);
  assert.equal(registered.info().build, "full");
});

test("archives, references and lists load the build `reading`, and writing the full build", async () => {
  const zipped = await fresh();
  const writer = new zipped.ZipWriter();
  for (const [key, value] of madeStore(description, element)) await writer.set(key, value);
  const reader = await fresh();
  const found = await reader.open(await writer.toBlob(), { kind: "array" });
  assert.deepEqual([...(await found.get([63])).data], [252, 253, 254, 255]);
  assert.equal(reader.info().build, "reading");

  const referring = await fresh();
  const values = [...madeStore(description, element)];
  const inline = ([key, value]) => [key.slice(1), `base64:${Buffer.from(value).toString("base64")}`];
  const references = referring.ReferenceStore.fromSpec(Object.fromEntries(values.map(inline)));
  const referred = await referring.open(references, { kind: "array" });
  assert.deepEqual([...(await referred.get([63])).data], [252, 253, 254, 255]);
  assert.equal(referring.info().build, "reading");
  // Reads that have begun end in the build that began them.
  const reads = [1, 2, 3].map((row) => referred.get([row]));
  await referring.create(new Map(), { shape: [2], dtype: "uint8" });
  assert.equal(referring.info().build, "full");
  for (const [at, { data }] of (await Promise.all(reads)).entries()) assert.equal(data[0], 4 * (at + 1));
  assert.deepEqual([...(await referred.get([63])).data], [252, 253, 254, 255]);

  const listing = await fresh();
  const keys = await listing.ZipFileStore.fromBlob(await writer.toBlob()).list("/");
  assert.equal(keys.length, 65);
  assert.equal(listing.info().build, "reading");
});

test("if the full build cannot be loaded, there is an error and the engine continues", async () => {
  const zarr = await importSource("package/entry/slim.ts", { source: "none" });
  await zarr.init({ wasm: wasm("zarr_wasm.wasm"), workers: 0 });
  const array = await zarr.open(madeStore(description, element), { kind: "array" });
  const creating = () => zarr.create(new Map(), { shape: [2], dtype: "uint8" });
  await assert.rejects(creating(), (error) => error.code === "Argument" && /wasmFull/.test(error.message));
  assert.deepEqual([...(await array.get([3])).data], [12, 13, 14, 15]);
  await zarr.init({ wasmFull: new Uint8Array(8) });
  await assert.rejects(creating(), { code: "Argument", message: /wasmFull/ });
  assert.equal(zarr.info().build, "engine");
  await zarr.init({ wasmFull: wasm("zarr_wasm_full.wasm") });
  assert.equal((await creating()).kind, "array");
  assert.deepEqual([...(await array.get([3])).data], [12, 13, 14, 15]);
  assert.equal(zarr.info().build, "full");
});

test("where only the file of the full build is given, it reads archives", async () => {
  const zarr = await importSource("package/entry/slim.ts", { source: "none" });
  const writer = new (await fresh()).ZipWriter();
  for (const [key, value] of madeStore(description, element)) await writer.set(key, value);
  const archive = await writer.toBlob();
  await zarr.init({ wasm: wasm("zarr_wasm.wasm"), workers: 0 });
  const isTold = (error) => error.code === "Argument" && /wasmReading/.test(error.message);
  await assert.rejects(zarr.open(archive, { kind: "array" }), isTold);
  await zarr.init({ wasmFull: wasm("zarr_wasm_full.wasm") });
  const array = await zarr.open(archive, { kind: "array" });
  assert.deepEqual([...(await array.get([63])).data], [252, 253, 254, 255]);
  assert.equal(zarr.info().build, "full");
});

test("a build unpacks with the engine of its package alone; else the error says so", async () => {
  const { unpacked } = await importSource("engine/ts/host/wasm_builds.ts");
  const { default: zstandard } = await import("../../dist/modules/full-wasm.js");
  const engine = wasm("zarr_wasm.wasm");
  const module = await WebAssembly.compile(engine);
  const unpack = (frame, prefix) =>
    unpacked({ zstandard: frame, engine: { deflated: deflateRawSync(prefix).toString("base64") } }, module);
  const full = wasm("zarr_wasm_full.wasm");
  assert.ok(full.equals(await unpack(zstandard, engine)));
  assert.ok(full.equals(await unpacked({ zstandard, engine: { bytes: engine } }, module)));

  const frame = Buffer.from(zstandard, "base64");
  const changed = Buffer.from(frame);
  changed[changed.length >> 1] ^= 1;
  const cases = {
    "another engine": [zstandard, Buffer.from(engine).reverse()],
    "no engine": [zstandard, Buffer.alloc(0)],
    "a changed frame": [changed.toString("base64"), engine],
    "half a frame": [frame.subarray(0, frame.length >> 1).toString("base64"), engine],
  };
  for (const [what, [text, prefix]] of Object.entries(cases)) {
    const isTold = (error) => error.code === "Store" && /are of one version/.test(error.message);
    await assert.rejects(unpack(text, prefix), isTold, what);
  }
});

test("the full build comes from the package also if init gave the engine", async () => {
  const zarr = await fresh();
  await zarr.init({ wasm: wasm("zarr_wasm.wasm"), workers: 0 });
  assert.equal((await zarr.create(new Map(), { shape: [2], dtype: "uint8" })).kind, "array");
  assert.equal(zarr.info().build, "full");
});
