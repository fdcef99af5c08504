/** What goes wrong, in the classes and fields that callers branch on. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as zarr from "zarr-wasm";
import { addGroup, madeStore, metadata } from "./made_stores.mjs";

const description = { shape: [4], chunks: [2], dtype: "uint8" };
const encode = (value) => new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));

async function failure(promise) {
  const outcome = await promise.then(
    () => undefined,
    (error) => error,
  );
  assert.ok(outcome instanceof zarr.ZarrError && outcome instanceof Error, `rejected with ${outcome}`);
  return outcome;
}

test("nothing there", async () => {
  const error = await failure(zarr.open(zarr.root(new Map()).resolve("a/b")));
  assert.ok(error instanceof zarr.NotFoundError);
  assert.equal(error._tag, "NotFoundError");
  assert.equal(error.code, "NotFound");
  assert.equal(error.path, "/a/b");
  assert.equal(error.found, undefined);
});

test("the other kind", async () => {
  const error = await failure(zarr.open(addGroup(new Map()), { kind: "array" }));
  assert.equal(error.code, "NotFound");
  assert.equal(error.found, "group");
});

test("the other format", async () => {
  const store = madeStore(description, () => 0);
  assert.equal((await failure(zarr.open.v2(store))).code, "NotFound");
  assert.equal((await zarr.open.v3(store, { kind: "array" })).kind, "array");
});

test("metadata that is no JSON", async () => {
  const error = await failure(zarr.open(new Map([["/zarr.json", encode("{")]])));
  assert.ok(error instanceof zarr.InvalidMetadataError);
  assert.equal(error.code, "Format");
  assert.equal(error.key, "zarr.json");
});

test("a codec that nobody knows: described, but not read", async () => {
  const store = madeStore(description, () => 0);
  const document = metadata(description);
  document.codecs.push({ name: "nobody.knows" });
  store.set("/zarr.json", encode(document));
  const array = await zarr.open(store, { kind: "array" });
  assert.deepEqual(array.chunks, [2]);
  const error = await failure(array.get());
  assert.ok(error instanceof zarr.UnknownCodecError);
  assert.equal(error.codec, "nobody.knows");
  assert.equal(error.code, "Unsupported");
});

test("a codec's configuration that is wrong is found when the array is read", async () => {
  const store = madeStore(description, () => 0);
  const document = metadata(description);
  document.codecs.push({ name: "gzip", configuration: { speed: "high" } });
  store.set("/zarr.json", encode(document));
  const array = await zarr.open(store, { kind: "array" });
  const error = await failure(array.get());
  assert.ok(error instanceof zarr.InvalidMetadataError, error.name);
  assert.match(error.field, /speed/);
  assert.equal(error.codec, "gzip");
});

test("a chunk that cannot be decoded", async () => {
  const store = madeStore({ ...description, gzip: true }, () => 0);
  store.set("/c/1", Uint8Array.of(1, 2, 3));
  const array = await zarr.open(store, { kind: "array" });
  const error = await failure(array.get());
  assert.ok(error instanceof zarr.CodecPipelineError);
  assert.equal(error.direction, "decode");
  assert.equal(error.codec, "gzip");
  assert.equal(error.key, "c/1");
  assert.equal(error.chunkPath, "c/1");
  assert.equal(error.path, "/");
  assert.deepEqual([...(await array.get([zarr.slice(0, 2)])).data], [0, 0]);
});

test("a store that throws is the cause", async () => {
  const inner = madeStore(description, () => 0);
  const thrown = new RangeError("the disk is on fire");
  for (const fail of [
    () => {
      throw thrown;
    },
    () => Promise.reject(thrown),
  ]) {
    const store = { get: (key) => (key.startsWith("/c/") ? fail() : inner.get(key)) };
    const array = await zarr.open(store, { kind: "array" });
    const error = await failure(array.get());
    assert.equal(error.code, "Store");
    assert.equal(error.cause, thrown);
    assert.match(error.message, /the disk is on fire/);
    assert.match(error.key, /^c\/[01]$/);
  }
});

test("a store that answers with something else", async () => {
  const error = await failure(zarr.open({ get: () => "text" }));
  assert.equal(error.code, "Store");
  assert.match(error.message, /Uint8Array/);
});

test("a store without `get`", async () => {
  assert.equal((await failure(zarr.open({}))).code, "Argument");
  await assert.rejects(zarr.open(5), TypeError);
});

test("isZarritaError narrows by tag", async () => {
  const error = await failure(zarr.open(new Map()));
  assert.equal(zarr.isZarritaError(error), true);
  assert.equal(zarr.isZarritaError(error, "InvalidMetadataError", "NotFoundError"), true);
  assert.equal(zarr.isZarritaError(error, "UnknownCodecError"), false);
  assert.equal(zarr.isZarritaError(new Error("other")), false);
});

test("the classes can be made as zarrita makes them", () => {
  const cause = new Error("why");
  const pipeline = new zarr.CodecPipelineError({
    direction: "encode",
    codec: "zstd",
    chunkPath: "/c/0",
    cause,
  });
  assert.equal(pipeline.cause, cause);
  assert.match(pipeline.message, /encode.*zstd.*\/c\/0/);
  assert.equal(new zarr.NotFoundError("v3 array", { path: "/a" }).message, "Not found: v3 array");
  assert.equal(new zarr.UnknownCodecError("x").codec, "x");
  assert.equal(new zarr.UnsupportedError("y").feature, "y");
  assert.equal(new zarr.InvalidSelectionError("z").code, "Argument");
  assert.equal(new zarr.InvalidMetadataError("z", { path: "/b" }).path, "/b");
});

test("an HTTP status that is no answer", async () => {
  const store = new zarr.FetchStore("https://example.invalid/data.zarr", {
    fetch: async () => new Response("no", { status: 401 }),
  });
  const error = await failure(zarr.open(store));
  assert.equal(error.code, "Store");
  assert.match(error.message, /401/);
});

test("a `fetch` that throws is the cause", async () => {
  const thrown = new Error("no token");
  const fetch = async () => {
    throw thrown;
  };
  const error = await failure(zarr.open(new zarr.FetchStore("https://example.invalid/", { fetch })));
  assert.equal(error.code, "Store");
  assert.equal(error.cause, thrown);
});
