/** The persistent cache in the browser's Cache Storage. */
import * as zarr from "zarr-wasm";
import { equal, fixture, ok, rejects, test } from "./harness.mjs";

let caches_ = 0;
/** A new, empty cache. */
const newName = () => {
  caches_ += 1;
  return `test-${Date.now()}-${caches_}`;
};

/** A `fetch` that counts requests and can be offline. */
function countedFetch() {
  const counted = async (request) => {
    counted.sent.push([request.url, request.headers.get("range")]);
    if (counted.isOffline) throw new TypeError("Failed to fetch");
    const response = await fetch(request);
    return counted.change ? counted.change(request, response) : response;
  };
  return Object.assign(counted, { sent: [], isOffline: false });
}

const WHOLE = fixture("zarr-python-3/root-array-v3/store");
const SHARDED = fixture("zarr-python-3/sharding-v3/store");

async function read(url, path, persistentCache, fetch) {
  const store = new zarr.FetchStore(url, { persistentCache, fetch });
  const array = await zarr.open(store, { kind: "array", path });
  return (await array.get()).data;
}

/** The first array of a group; the root if it is an array. */
async function firstArray(url) {
  const node = await zarr.open(url);
  return node.kind === "array" ? undefined : "raw-checked-end";
}

test("a second read needs no request, also through another store object", async () => {
  for (const url of [WHOLE, SHARDED]) {
    const path = await firstArray(url);
    const name = newName();
    const fetch = countedFetch();
    const first = await read(url, path, { name }, fetch);
    const { sent } = fetch;
    const usage = await new zarr.PersistentCache({ name }).usage();
    ok(usage.entries > 1 && usage.bytes > 100);
    const before = sent.length;
    const again = await read(url, path, new zarr.PersistentCache({ name }), fetch);
    equal([...again], [...first]);
    // Absent documents and the sizes of shards are not cached.
    const repeated = sent.slice(before).filter(([, range]) => range !== null);
    equal(repeated, []);
    await new zarr.PersistentCache({ name }).clear();
    equal(await new zarr.PersistentCache({ name }).usage(), { entries: 0, bytes: 0 });
  }
});

test("a cached value serves its ranges, and a cached range serves the same range", async () => {
  const fetch = countedFetch();
  const persistentCache = new zarr.PersistentCache({ name: newName() });
  const store = new zarr.FetchStore(WHOLE, { persistentCache, fetch });
  const range = await store.getRange("/zarr.json", { offset: 2, length: 7 });
  await persistentCache.usage();
  equal([...(await store.getRange("/zarr.json", { offset: 2, length: 7 }))], [...range]);
  equal(fetch.sent.length, 1);
  const whole = await store.get("/zarr.json");
  equal([...whole.slice(2, 9)], [...range]);
  await persistentCache.usage();
  equal(fetch.sent.length, 2);
  equal([...(await store.getRange("/zarr.json", { offset: 5, length: 3 }))], [...whole.slice(5, 8)]);
  equal([...(await store.getRange("/zarr.json", { offset: 5, length: 1e6 }))], [...whole.slice(5)]);
  equal(fetch.sent.length, 2);
  const { hits, misses } = zarr.info().persistentCache;
  ok(hits >= 3 && misses >= 2);
});

test("a new version of an object replaces the cached one", async () => {
  const fetch = countedFetch();
  const persistentCache = new zarr.PersistentCache({ name: newName() });
  const store = new zarr.FetchStore(WHOLE, { persistentCache, fetch });
  await store.getRange("/zarr.json", { offset: 0, length: 4 });
  await persistentCache.usage();
  fetch.change = async (_request, response) => {
    const headers = new Headers(response.headers);
    headers.set("etag", '"another"');
    return new Response(await response.arrayBuffer(), { status: response.status, headers });
  };
  await store.getRange("/zarr.json", { offset: 4, length: 4 });
  equal((await persistentCache.usage()).entries, 1);
  await store.getRange("/zarr.json", { offset: 0, length: 4 });
  equal(fetch.sent.length, 3);
});

test("the least recently used entry is evicted, and too large values are not cached", async () => {
  const name = newName();
  const persistentCache = new zarr.PersistentCache({ name, maxBytes: 1000 });
  const fetch = countedFetch();
  const store = new zarr.FetchStore(`${SHARDED}/raw-checked-end`, { persistentCache, fetch });
  await store.getRange("/zarr.json", { offset: 0, length: 300 });
  equal((await persistentCache.usage()).entries, 0);
  for (const offset of [0, 1, 2, 3, 4, 5]) {
    await store.getRange("/zarr.json", { offset, length: 200 });
    await persistentCache.usage();
    // The most recently used entry.
    await store.getRange("/zarr.json", { offset: 0, length: 200 });
  }
  const { entries, bytes } = await persistentCache.usage();
  ok(bytes <= 1000, `${bytes} bytes`);
  ok(entries >= 2, `${entries} entries`);
  const before = fetch.sent.length;
  await store.getRange("/zarr.json", { offset: 0, length: 200 });
  equal(fetch.sent.length, before);
  // Another page finds the same entries.
  equal((await new zarr.PersistentCache({ name, maxBytes: 1000 }).usage()).entries, entries);
});

test("an expired entry is revalidated, and is used without a network", async () => {
  const name = newName();
  const fetch = countedFetch();
  const persistentCache = new zarr.PersistentCache({ name, maxAgeSeconds: 0 });
  const store = new zarr.FetchStore(WHOLE, { persistentCache, fetch });
  const first = await store.get("/zarr.json");
  await persistentCache.usage();
  await new Promise((resolve) => setTimeout(resolve, 5));
  await store.get("/zarr.json");
  equal(fetch.sent.length, 2);
  await persistentCache.usage();
  fetch.isOffline = true;
  equal([...(await store.get("/zarr.json"))], [...first]);
  await rejects(store.get("/nothing.json"), ({ code }) => code === "Store");
});

test("errors, aborted reads and overwritten values are not cached", async () => {
  const persistentCache = new zarr.PersistentCache({ name: newName() });
  let status = 200;
  const fetch = async (request) => {
    if (request.method === "PUT") return new Response("", { status: 201 });
    return new Response("12345", { status });
  };
  const store = new zarr.FetchStore("https://nowhere.example/x", { persistentCache, fetch });
  for (status of [404, 403]) await store.get("/a").catch(() => {});
  equal((await persistentCache.usage()).entries, 0);
  status = 200;
  await store.get("/a");
  equal((await persistentCache.usage()).entries, 1);
  await store.set("/a", new Uint8Array([1]));
  equal((await persistentCache.usage()).entries, 0);
});
