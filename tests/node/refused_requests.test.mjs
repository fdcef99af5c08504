/**
 * Requests that cannot be made: options that `fetch` refuses, addresses that cannot be parsed, a
 * custom `fetch` that throws at once; and memory for results that does not fit.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as zarr from "../../dist/index.js";
import { madeStore } from "./made_stores.mjs";
import { scriptedServer } from "./scripted_server.mjs";

const ARRAY = { shape: [4, 6], chunks: [2, 3], dtype: "float32" };
const files = () => madeStore(ARRAY, ([row, column]) => 10 * row + column);

/** Options that no request can have, with the code of the error. */
const REFUSED = {
  "a header's name": [{ headers: { "bad name": "x" } }, "Argument"],
  "a header's value": [{ headers: { a: "x\ny" } }, "Argument"],
  "headers that are none": [{ headers: 7 }, "Argument"],
  "a header's name in overrides": [{ overrides: { headers: { "bad name": "x" } } }, "Argument"],
  "overrides that are none": [{ overrides: 7 }, "Argument"],
  "a fetch that is none": [{ fetch: 7 }, "Argument"],
  "a mode": [{ overrides: { mode: "navigate" } }, "Store"],
  "a cache mode": [{ overrides: { cache: "nonsense" } }, "Store"],
  credentials: [{ credentials: "nonsense" }, "Argument"],
  "a header's name of a function": [{ headers: () => ({ "bad name": "x" }) }, "Store"],
};

test("options that requests cannot have are errors of code Argument or Store, with the cause", async () => {
  const server = await scriptedServer(files());
  for (const isFirstCall of [true, false]) {
    for (const [name, [options, code]] of Object.entries(REFUSED)) {
      if (isFirstCall) zarr.dispose();
      const error = await (async () => zarr.open(new zarr.FetchStore(server.url, options)))().catch(
        (thrown) => thrown,
      );
      assert.ok(error instanceof zarr.ZarrError, `${name}: ${error}`);
      assert.equal(error.code, code, `${name}: ${error}`);
      // This package knows the choices. The platform's error about a header repeats its value,
      // which may be a secret.
      const hasCause = !/that (are|is) none$|^a header's|^credentials$/.test(name);
      if (hasCause) assert.ok(error.cause instanceof Error, name);
    }
  }
  const array = await zarr.open(new zarr.FetchStore(server.url));
  await assert.rejects(zarr.get(array, null, { headers: { "bad name": "x" } }), { code: "Argument" });
  await server.close();
});

test("what a custom fetch throws at once is what the caller gets", async () => {
  zarr.dispose();
  const thrown = new RangeError("mine");
  const fetch = () => {
    throw thrown;
  };
  for (let time = 0; time < 2; time += 1) {
    const error = await zarr
      .open(new zarr.FetchStore("https://a.example/", { fetch }))
      .catch((reason) => reason);
    assert.equal(error, thrown);
  }
});

test("a custom fetch that returns no promise and no response is a typed error", async () => {
  zarr.dispose();
  for (const answer of [undefined, null, 7, {}]) {
    const store = new zarr.FetchStore("https://a.example/", { fetch: () => answer });
    await assert.rejects(zarr.open(store), { code: "Store" });
  }
});

test("addresses that cannot be parsed are typed errors", async () => {
  const texts = ["http://[", "http://", "https://a b/", "http://a:99999/x", "//", "x", "", "http://%zz/"];
  const opened = texts.flatMap((text) => [
    async () => zarr.open(text),
    async () => zarr.open(new zarr.FetchStore(text)),
    async () => zarr.open(zarr.ZipFileStore.fromUrl(text)),
    async () => zarr.ReferenceStore.fromUrl(text),
  ]);
  for (const open of opened) {
    const error = await open().catch((thrown) => thrown);
    assert.ok(error instanceof zarr.ZarrError, String(error));
    // What has no scheme is a path in Node.
    assert.match(error.code, /^(Argument|Store|NotFound)$/);
  }
});

test("out of another length or class is an Argument error", async () => {
  const array = await zarr.open(files(), { kind: "array" });
  const wrong = [new Float32Array(3), new Float32Array(99), new Int32Array(24), new Float64Array(24)];
  for (const out of [...wrong, new Uint8Array(96), new DataView(new ArrayBuffer(96)), 7, {}, "x", [1]]) {
    await assert.rejects(array.get(null, { out }), { code: "Argument" });
    await assert.rejects(zarr.get(array, null, { out }), { code: "Argument" });
  }
  await assert.rejects(array.get(null, { as: "bytes", out: new Uint8Array(3) }), { code: "Argument" });
  await assert.rejects(array.get(null, { as: "bytes", out: new Int8Array(96) }), { code: "Argument" });
  await assert.rejects(array.get(null, { as: "float64", out: new Float32Array(48) }), { code: "Argument" });
  const out = new Float32Array(24);
  assert.equal((await array.get(null, { out })).data, out);
  assert.equal(out[23], 35);
  zarr.dispose();
});
