/** Errors: their classes and the fields that callers use. */
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

test("there is no node", async () => {
  const error = await failure(zarr.open(zarr.root(new Map()).resolve("a/b")));
  assert.ok(error instanceof zarr.NotFoundError);
  assert.equal(error._tag, "NotFoundError");
  assert.equal(error.code, "NotFound");
  assert.equal(error.path, "/a/b");
  assert.equal(error.found, undefined);
});

test("a node of the other kind", async () => {
  const error = await failure(zarr.open(addGroup(new Map()), { kind: "array" }));
  assert.equal(error.code, "NotFound");
  assert.equal(error.found, "group");
});

test("a node of the other format", async () => {
  const store = madeStore(description, () => 0);
  assert.equal((await failure(zarr.open.v2(store))).code, "NotFound");
  assert.equal((await zarr.open.v3(store, { kind: "array" })).kind, "array");
});

test("metadata that is not JSON", async () => {
  const error = await failure(zarr.open(new Map([["/zarr.json", encode("{")]])));
  assert.ok(error instanceof zarr.InvalidMetadataError);
  assert.equal(error.code, "Format");
  assert.equal(error.key, "zarr.json");
});

test("an array with an unknown codec can be opened but not read", async () => {
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

test("an invalid configuration of a codec is reported by the read", async () => {
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

/** What a call rejects with. */
const rejection = (promise) =>
  promise.then(
    () => assert.fail("it did not reject"),
    (error) => error,
  );

test("the error of a store comes out as it is", async () => {
  const inner = madeStore(description, () => 0);
  const thrown = Object.assign(new RangeError("the disk is on fire"), { status: 451 });
  const throwing = () => {
    throw thrown;
  };
  for (const fail of [throwing, () => Promise.reject(thrown)]) {
    const store = { get: (key) => (key.startsWith("/c/") ? fail() : inner.get(key)) };
    const array = await zarr.open(store, { kind: "array" });
    assert.equal(await rejection(array.get()), thrown);
    assert.equal(await rejection(array.getChunk([0])), thrown);
    assert.equal(await rejection(zarr.get(array)), thrown);
    assert.equal(await rejection(zarr.open({ get: fail })), thrown);
  }
  const text = { get: () => Promise.reject("no error object") };
  assert.equal(await rejection(zarr.open(text)), "no error object");
});

test("this package's own errors keep their class when a store passes them on", async () => {
  const thrown = new zarr.NotFoundError("a volume", { key: "/v" });
  const error = await rejection(zarr.open({ get: () => Promise.reject(thrown) }));
  assert.ok(error instanceof zarr.NotFoundError);
});

test("a store that returns another type", async () => {
  const error = await failure(zarr.open({ get: () => "text" }));
  assert.equal(error.code, "Store");
  assert.match(error.message, /Uint8Array/);
});

test("a store without `get`", async () => {
  assert.equal((await failure(zarr.open({}))).code, "Argument");
  assert.equal((await failure(zarr.open(5))).code, "Argument");
});

test("isZarritaError narrows by tag", async () => {
  const error = await failure(zarr.open(new Map()));
  assert.equal(zarr.isZarritaError(error), true);
  assert.equal(zarr.isZarritaError(error, "InvalidMetadataError", "NotFoundError"), true);
  assert.equal(zarr.isZarritaError(error, "UnknownCodecError"), false);
  assert.equal(zarr.isZarritaError(new Error("other")), false);
});

test("the classes have zarrita's constructors", () => {
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

test("an HTTP error status", async () => {
  const store = new zarr.FetchStore("https://example.invalid/data.zarr", {
    fetch: async () => new Response("no", { status: 401 }),
  });
  const error = await failure(zarr.open(store));
  assert.equal(error.code, "Store");
  assert.match(error.message, /401/);
});

test("the error of a `fetch` comes out as it is", async () => {
  const thrown = new Error("no token");
  const fetch = async () => {
    throw thrown;
  };
  const store = new zarr.FetchStore("https://example.invalid/", { fetch });
  assert.equal(await rejection(zarr.open(store)), thrown);
  assert.equal(await rejection(store.get("/zarr.json")), thrown);
});

test("a `fetch` that reaches no server is explained", async () => {
  const fetch = async () => {
    throw new TypeError("fetch failed");
  };
  const error = await failure(zarr.open(new zarr.FetchStore("https://example.invalid/", { fetch })));
  assert.equal(error.code, "Store");
  assert.match(error.message, /network or CORS/);
});
