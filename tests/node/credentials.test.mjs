/** Headers, tokens, signatures and cookies, on a server that checks them. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, beforeEach, test } from "node:test";
import * as zarr from "zarr-wasm";
import { pause, until } from "../support/waiting.mjs";
import { madeStore } from "./made_stores.mjs";

const files = madeStore({ shape: [40, 40], chunks: [10, 10], dtype: "int32" }, ([i, j]) => 100 * i + j);

let server;
let url;
let requests = [];
/** The headers that a request must have. */
let isAllowed = () => true;

before(async () => {
  server = createServer((request, response) => {
    requests.push(request);
    const { pathname } = new URL(request.url, "http://host");
    if (!isAllowed(request)) return response.writeHead(401).end("who are you?");
    const bytes = files.get(decodeURIComponent(pathname).replace("/data", ""));
    // Long enough that the requests of one read are concurrent.
    setTimeout(() => response.writeHead(bytes ? 200 : 404).end(bytes), 5);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  url = `http://127.0.0.1:${server.address().port}/data`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  requests = [];
  isAllowed = () => true;
});

const read = async (options, place = url) => {
  const array = await zarr.open(new zarr.FetchStore(place, options), { kind: "array" });
  const { data } = await array.get();
  assert.equal(data.length, 1600);
  assert.equal(data[41], 101);
};

test("headers as an object, as a function, as a promise", async () => {
  const forms = [
    { "X-Token": "1" },
    [["X-Token", "1"]],
    new Headers({ "X-Token": "1" }),
    () => ({ "X-Token": "1" }),
    async () => new Headers([["X-Token", "1"]]),
  ];
  for (const headers of forms) {
    requests = [];
    await read({ headers, overrides: { headers: { "X-Other": "2" } } });
    assert.equal(requests.filter(({ url }) => url.includes("/c/")).length, 16);
    for (const { headers: sent } of requests) {
      assert.deepEqual([sent["x-token"], sent["x-other"]], ["1", "2"]);
    }
  }
});

test("after a 401 the headers are made again, once for all refused requests", async () => {
  let valid = "first";
  isAllowed = ({ headers }) => headers.authorization === `Bearer ${valid}`;
  const reasons = [];
  const headers = async (reason) => {
    reasons.push(reason.isRefresh);
    await pause(20);
    return { Authorization: `Bearer ${valid}` };
  };
  const array = await zarr.open(new zarr.FetchStore(url, { headers }), { kind: "array" });
  valid = "second";
  requests = [];
  await array.get();
  assert.deepEqual(reasons, [false, true]);
  assert.equal(requests.length, 32);
  valid = "third";
  await zarr.init({ caches: { encodedBytes: 0, decodedBytes: 0 } });
  await array.get([zarr.slice(0, 10), null]);
  assert.deepEqual(reasons, [false, true, true]);
});

test("a repeated 401 is an error and not a missing chunk", async () => {
  const array = await zarr.open(new zarr.FetchStore(url), { kind: "array" });
  isAllowed = () => false;
  let made = 0;
  const refused = new zarr.FetchStore(url, { headers: () => ({ "X-Token": String(made++) }) });
  await assert.rejects(zarr.open(refused), { code: "Store", message: /401/ });
  await assert.rejects(array.get(), { code: "Store", message: /401.*credentials/s });
  await assert.rejects(read({ headers: { "X-Token": "fixed" } }), { code: "Store", message: /401/ });
  assert.ok(made >= 2);
});

test("an error of a header function is the cause, and the next request calls it again", async () => {
  let isBroken = true;
  const headers = async () => {
    if (isBroken) throw new Error("the login server is down");
    return { "X-Token": "1" };
  };
  const store = new zarr.FetchStore(url, { headers });
  await assert.rejects(zarr.open(store), (error) => {
    assert.equal(error.code, "Store");
    assert.match(error.message + error.cause?.message, /login server is down/);
    return true;
  });
  isBroken = false;
  await zarr.open(store, { kind: "array" });
  assert.equal(requests.at(-1).headers["x-token"], "1");
});

test("after an abort while headers are made there is no request", async () => {
  let finish;
  const headers = () => new Promise((resolve) => (finish = () => resolve({ "X-Token": "1" })));
  const store = new zarr.FetchStore(`${url}/unasked`, { headers });
  const controller = new AbortController();
  const opening = zarr.open(store, { signal: controller.signal });
  await until(() => finish !== undefined);
  controller.abort(new Error("enough"));
  await assert.rejects(opening, { message: "enough" });
  finish();
  await pause(20);
  // Requests of earlier tests may still arrive.
  assert.equal(requests.filter(({ url: asked }) => asked.includes("unasked")).length, 0);
});

test("the root URL's query is unchanged on every request, and in no error message", async () => {
  const query = "?sig=a%2Fb%3D%3D&se=2026-11-21T10%3A00%3A00Z&sp=r";
  await read({}, `${url}${query}`);
  for (const { url: asked } of requests) assert.ok(asked.endsWith(query), asked);
  isAllowed = () => false;
  await assert.rejects(
    read({}, `${url}${query}`),
    ({ message, key }) => !`${message}${key}`.includes("sig="),
  );
});

test("writes have the headers, and are repeated with new ones", async () => {
  const stored = new Map();
  let valid = "first";
  const bucket = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    if (request.headers.authorization !== valid) return response.writeHead(401).end();
    if (request.method === "PUT") stored.set(request.url, Buffer.concat(parts).toString());
    response.writeHead(request.method === "PUT" ? 201 : 404).end();
  });
  await new Promise((done) => bucket.listen(0, "127.0.0.1", done));
  try {
    const place = `http://127.0.0.1:${bucket.address().port}`;
    const store = new zarr.FetchStore(place, { headers: () => ({ Authorization: valid }) });
    await store.set("/a", new TextEncoder().encode("one"));
    valid = "second";
    await store.set("/a", new TextEncoder().encode("two"));
    assert.deepEqual([...stored], [["/a", "two"]]);
  } finally {
    bucket.closeAllConnections();
    bucket.close();
  }
});

test("headers are sent only to the server of the reference document", async () => {
  const others = [];
  const other = createServer((request, response) => {
    others.push(request.headers["x-token"]);
    response.end(Buffer.from(files.get("/c/0/0")));
  });
  await new Promise((done) => other.listen(0, "127.0.0.1", done));
  try {
    const elsewhere = `http://127.0.0.1:${other.address().port}`;
    const metadata = new TextDecoder().decode(files.get("/zarr.json"));
    const spec = { "zarr.json": metadata, "c/0/0": [`${elsewhere}/x`], "c/0/1": [`${url}/c/0/1`] };
    const store = zarr.ReferenceStore.fromSpec(spec, {
      target: `${url}/`,
      allowHosts: ["*"],
      headers: { "X-Token": "secret" },
    });
    const array = await zarr.open(store, { kind: "array" });
    const { data } = await array.get([0, zarr.slice(0, 20)]);
    assert.equal(data[19], 19);
    assert.deepEqual(others, [undefined]);
    assert.deepEqual([...new Set(requests.map(({ headers }) => headers["x-token"]))], ["secret"]);
  } finally {
    other.closeAllConnections();
    other.close();
  }
});
