/**
 * Credentials and redirects, with two real servers: what the user gives for one server does not
 * reach the other.
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, beforeEach, test } from "node:test";
import * as zarr from "zarr-wasm";
import { madeStore } from "./made_stores.mjs";

const files = madeStore({ shape: [40, 40], chunks: [10, 10], dtype: "int32" }, ([i, j]) => 100 * i + j);

/** Names of headers that hold secrets in these tests. */
const SECRETS = ["authorization", "cookie", "x-token", "proxy-authorization"];

let own;
let other;

/** A server of the files below `/data`. Below `/away` and `/near` it redirects. */
async function start() {
  const requests = [];
  const state = { requests, away: "", status: 302 };
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url, "http://host");
    const seen = SECRETS.filter((name) => request.headers[name] !== undefined);
    requests.push({ method: request.method, pathname, search, seen, range: request.headers.range });
    const [, folder, rest] = /^\/(away|near|data|loop|odd|there-and-back)(\/.*)$/.exec(pathname) ?? [];
    const to = (Location) => response.writeHead(state.status, { Location }).end();
    if (folder === "away") return to(`${state.away}/data${rest}`);
    if (folder === "near") return to(`/data${rest}`);
    if (folder === "there-and-back") return to(`${state.away}/away${rest}`);
    if (folder === "loop") return to(`/loop${rest}`);
    if (folder === "odd") return to(`data:application/json,${encodeURIComponent("{}")}`);
    const bytes = files.get(decodeURIComponent(rest ?? ""));
    response.writeHead(bytes ? 200 : 404).end(bytes && Buffer.from(bytes));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  state.url = `http://127.0.0.1:${server.address().port}`;
  state.close = () => {
    server.closeAllConnections();
    server.close();
  };
  return state;
}

before(async () => {
  [own, other] = [await start(), await start()];
  own.away = other.url;
  other.away = own.url;
});
after(() => {
  own.close();
  other.close();
});
beforeEach(() => {
  own.requests.length = 0;
  other.requests.length = 0;
  own.status = 302;
});

async function read(place, options) {
  const array = await zarr.open(new zarr.FetchStore(place, options), { kind: "array" });
  const { data } = await array.get([zarr.slice(0, 20), null]);
  assert.equal(data[41], 101);
}

const ALL = { Authorization: "Bearer secret", Cookie: "session=1", "X-Token": "secret" };
const FORMS = {
  "headers as an object": { headers: ALL },
  "headers of a function": { headers: async () => ALL },
  "headers of overrides": { overrides: { headers: ALL } },
  "headers, with a fetch of the user's": { headers: ALL, fetch: (request) => fetch(request) },
};

for (const [form, options] of Object.entries(FORMS)) {
  test(`${form}: they stay at the server that they are given for`, async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      own.status = status;
      await read(`${own.url}/away`, options);
    }
    const sent = own.requests.map(({ seen }) => seen.join());
    assert.deepEqual([...new Set(sent)], ["authorization,cookie,x-token"]);
    assert.ok(other.requests.length >= 5 * 9);
    assert.deepEqual([...new Set(other.requests.map(({ seen }) => seen.join()))], [""]);
  });

  test(`${form}: they follow a redirect on the same server`, async () => {
    await read(`${own.url}/near`, options);
    const below = own.requests.filter(({ pathname }) => pathname.startsWith("/data/"));
    assert.ok(below.length >= 9);
    for (const { seen } of below) assert.deepEqual(seen, ["authorization", "cookie", "x-token"]);
  });
}

test("headers that left once do not come back with a redirect to the first server", async () => {
  const store = new zarr.FetchStore(`${own.url}/there-and-back`, { headers: ALL });
  assert.ok(await store.get("/zarr.json"));
  const path = ({ pathname, seen }) => [pathname, seen.length];
  assert.deepEqual(own.requests.map(path), [
    ["/there-and-back/zarr.json", 3],
    ["/data/zarr.json", 0],
  ]);
  assert.deepEqual(other.requests.map(path), [["/away/zarr.json", 0]]);
});

test("the query of the root URL is not added to the address of a redirect", async () => {
  const query = "?signature=secret";
  await read(`${own.url}/away${query}`, {});
  await read(`${own.url}/away${query}`, { headers: ALL });
  assert.ok(own.requests.every(({ search }) => search === query));
  assert.ok(other.requests.length >= 18);
  assert.ok(other.requests.every(({ search }) => search === ""));
});

test("ranges follow a redirect", async () => {
  const store = new zarr.FetchStore(`${own.url}/away`, { headers: ALL });
  await store.getRange("/c/0/0", { offset: 4, length: 8 });
  assert.equal(other.requests[0].range, "bytes=4-11");
});

test("a redirect that does not end, and one that leaves HTTP, are Store errors", async () => {
  for (const folder of ["loop", "odd"]) {
    const store = new zarr.FetchStore(`${own.url}/${folder}`, { headers: ALL });
    await assert.rejects(zarr.open(store), { code: "Store" });
  }
  assert.ok(own.requests.length < 100, `${own.requests.length} requests`);
});

test("a write that is redirected is a Store error, and no other server hears of it", async () => {
  const store = new zarr.FetchStore(`${own.url}/away`, { headers: ALL });
  await assert.rejects(store.set("/a", new Uint8Array([1])), { code: "Store" });
  assert.deepEqual(other.requests, []);
});

test("headers of overrides are not sent to the other servers of a reference document", async () => {
  const metadata = new TextDecoder().decode(files.get("/zarr.json"));
  const spec = {
    "zarr.json": metadata,
    "c/0/0": [`${other.url}/data/c/0/0?own=1`],
    "c/0/1": [`${own.url}/data/c/0/1`],
  };
  for (const options of [{ overrides: { headers: ALL } }, { headers: ALL }]) {
    own.requests.length = 0;
    other.requests.length = 0;
    const target = `${own.url}/data?signature=secret`;
    const store = zarr.ReferenceStore.fromSpec(spec, { target, allowHosts: ["*"], ...options });
    const array = await zarr.open(store, { kind: "array" });
    const { data } = await array.get([0, zarr.slice(0, 20)]);
    assert.equal(data[19], 19);
    assert.deepEqual(
      other.requests.map(({ seen, search }) => [seen, search]),
      [[[], "?own=1"]],
    );
    assert.deepEqual(own.requests[0].seen, ["authorization", "cookie", "x-token"]);
  }
});
