/** Direct calls of `FetchStore`, as in zarrita, and its requests. */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import * as zarr from "zarr-wasm";
import { serve } from "../../scripts/serve.mjs";
import { FIXTURES } from "./fixture_files.mjs";
import { madeStore } from "./made_stores.mjs";

const BIG = { shape: [600, 500], chunks: [200, 250], dtype: "float64", gzip: true };
const files = madeStore(BIG, ([i, j]) => i * 1000 + j);

/** A server for the fixtures, and for the files above under /made. */
let server;
let requests = [];

function sendMade(request, response) {
  requests.push({ method: request.method, url: request.url, headers: request.headers });
  const path = request.url.replace(/\?.*/, "");
  if (!path.startsWith("/made")) return false;
  const bytes = files.get(path.slice("/made".length));
  response.writeHead(bytes ? 200 : 404);
  setTimeout(() => response.end(bytes), 20);
  return true;
}

before(async () => {
  server = await serve({ "/": FIXTURES }, { data: ["/"], intercept: sendMade });
});
after(() => server.close());
beforeEach(() => {
  requests = [];
});

const STORE = "zarr-python-3/root-array-v3/store";

test("get, also of an absent key", async () => {
  const store = new zarr.FetchStore(new URL(`${server.url}/${STORE}`));
  const bytes = await store.get("/zarr.json");
  assert.ok(bytes instanceof Uint8Array);
  assert.equal(JSON.parse(new TextDecoder().decode(bytes)).node_type, "array");
  assert.equal(await store.get("/nothing"), undefined);
});

test("getRange from the start and from the end", async () => {
  const store = new zarr.FetchStore(`${server.url}/${STORE}/`);
  const whole = await store.get("/zarr.json");
  assert.deepEqual(await store.getRange("/zarr.json", { offset: 3, length: 5 }), whole.slice(3, 8));
  assert.deepEqual(await store.getRange("/zarr.json", { suffixLength: 4 }), whole.slice(-4));
  assert.equal(await store.getRange("/nothing", { offset: 0, length: 1 }), undefined);
  await assert.rejects(store.getRange("/zarr.json", { offset: 0.5, length: 1 }), { code: "Argument" });
});

test("an abort rejects with the reason", async () => {
  const store = new zarr.FetchStore(`${server.url}/${STORE}`);
  const reason = new Error("enough");
  await assert.rejects(
    store.get("/zarr.json", { signal: AbortSignal.abort(reason) }),
    (error) => error === reason,
  );
});

test("a custom fetch gets one Request with the overrides and the query", async () => {
  const seen = [];
  const store = new zarr.FetchStore(`${server.url}/${STORE}?signature=a%2Fb`, {
    overrides: { headers: { Authorization: "Bearer x" }, credentials: "include" },
    fetch(...args) {
      seen.push(args);
      return fetch(args[0]);
    },
  });
  const array = await zarr.open(store, { kind: "array" });
  await array.get();
  assert.ok(seen.length > 0);
  for (const [request, ...rest] of seen) {
    assert.ok(request instanceof Request);
    assert.equal(rest.length, 0);
    assert.equal(request.headers.get("Authorization"), "Bearer x");
    assert.equal(request.credentials, "include");
    assert.equal(new URL(request.url).search, "?signature=a%2Fb");
  }
});

test("headers may be a Headers, or pairs", async () => {
  for (const headers of [new Headers({ "X-Test": "1" }), [["X-Test", "1"]]]) {
    const store = new zarr.FetchStore(`${server.url}/${STORE}`, { overrides: { headers } });
    requests = [];
    await store.get("/zarr.json");
    assert.equal(requests[0].headers["x-test"], "1");
  }
});

test("methods of a subclass are called", async () => {
  const keys = [];
  class Logged extends zarr.FetchStore {
    get(key, options) {
      keys.push(key);
      return super.get(key, options);
    }
  }
  await zarr.open(new Logged(`${server.url}/${STORE}`), { kind: "array" });
  assert.ok(keys.includes("/zarr.json"));
});

test("concurrent equal calls send one request each, and both results are complete", async () => {
  const array = await zarr.open(`${server.url}/made`, { kind: "array" });
  requests = [];
  const results = await Promise.all([
    array.get(),
    array.get([zarr.slice(0, 600)]),
    array.get([0, 0]),
    array.get(),
  ]);
  const asked = requests.map(({ url }) => url).sort();
  assert.deepEqual(asked, [...new Set(asked)]);
  assert.equal(asked.length, 6);
  for (const { data } of [results[0], results[1], results[3]]) {
    assert.equal(data.length, 300_000);
    const wrong = data.findIndex((value, place) => value !== Math.floor(place / 500) * 1000 + (place % 500));
    assert.equal(wrong, -1);
  }
  assert.deepEqual([...results[2].data], [0]);
});

test("a text that is no URL is a path in Node, and an address of a FetchStore", async () => {
  await assert.rejects(zarr.open("data.zarr"), { code: "NotFound" });
  assert.equal(String(new zarr.FetchStore("data.zarr").url), "data.zarr");
});
