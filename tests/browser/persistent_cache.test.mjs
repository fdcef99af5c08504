/** The persistent cache in the browser's Cache Storage. */
import * as zarr from "zarr-wasm";
import { equal, fixture, ok, rejects, test } from "./harness.mjs";

let caches_ = 0;
/** A new, empty cache. */
const newName = () => {
  caches_ += 1;
  return `test-${Date.now()}-${caches_}`;
};

/** The options of a cache for stores with a `fetch` of their own. */
const kept = (name, options = {}) => ({ name, partition: "tester", ...options });

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
    const first = await read(url, path, kept(name), fetch);
    const { sent } = fetch;
    const usage = await new zarr.PersistentCache(kept(name)).usage();
    ok(usage.entries > 1 && usage.bytes > 100);
    const before = sent.length;
    const again = await read(url, path, new zarr.PersistentCache(kept(name)), fetch);
    equal([...again], [...first]);
    // Absent documents and the sizes of shards are not cached.
    const repeated = sent.slice(before).filter(([, range]) => range !== null);
    equal(repeated, []);
    await new zarr.PersistentCache(kept(name)).clear();
    equal(await new zarr.PersistentCache(kept(name)).usage(), { entries: 0, bytes: 0 });
  }
});

test("a cached value serves its ranges, and a cached range serves the same range", async () => {
  const fetch = countedFetch();
  const persistentCache = new zarr.PersistentCache(kept(newName()));
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
  const persistentCache = new zarr.PersistentCache(kept(newName()));
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
  const persistentCache = new zarr.PersistentCache(kept(name, { maxBytes: 1000 }));
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
  equal((await new zarr.PersistentCache(kept(name, { maxBytes: 1000 })).usage()).entries, entries);
});

test("an expired entry is revalidated, and is used without a network", async () => {
  const name = newName();
  const fetch = countedFetch();
  const persistentCache = new zarr.PersistentCache(kept(name, { maxAgeSeconds: 0 }));
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
  const persistentCache = new zarr.PersistentCache(kept(newName()));
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

/** A server of a `Map`, with ranges, and with tags that tell one version from the next. */
function serverOf(values, { isTagged }) {
  const serve = async (request) => {
    serve.sent.push(request.cache);
    const { pathname } = new URL(request.url);
    if (request.method === "PUT") {
      values.set(pathname, new Uint8Array(await request.arrayBuffer()));
      if (serve.loses) throw new TypeError("Failed to fetch");
      return new Response(null, { status: 204 });
    }
    const value = values.get(pathname);
    if (!value) return new Response(null, { status: 404 });
    const headers = { "content-length": value.length, ...(isTagged && { etag: `"${value.join()}"` }) };
    if (request.method === "HEAD") return new Response(null, { headers });
    const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.get("range") ?? "") ?? [];
    if (first === "" && last === "") return new Response(value, { headers });
    const start = first === "" ? Math.max(0, value.length - Number(last)) : Number(first);
    const end = first === "" || last === "" ? value.length : Math.min(value.length, Number(last) + 1);
    headers["content-length"] = end - start;
    headers["content-range"] = `bytes ${start}-${end - 1}/${value.length}`;
    return new Response(value.slice(start, end), { status: 206, headers });
  };
  return Object.assign(serve, { sent: [], loses: false });
}

const LAYOUTS = { chunks: {}, shards: { shardShape: [512] } };
const OPTIONS = { path: "a", shape: [1024], chunkShape: [128], dtype: "int32", codecs: [] };
const numbersFrom = (first) => Int32Array.from({ length: 1024 }, (_, at) => first + at);

/** An array of a server, read once through a persistent cache. `write` changes it on the server. */
async function cachedArray(layout, isTagged) {
  const values = new Map();
  const theirs = await zarr.create(values, { ...OPTIONS, ...layout });
  await theirs.set(null, numbersFrom(1));
  const fetch = serverOf(values, { isTagged });
  const name = newName();
  const open = () => {
    const store = new zarr.FetchStore("https://nowhere.example", { persistentCache: kept(name), fetch });
    return zarr.open(store, { path: "a", kind: "array" });
  };
  const array = await open();
  equal((await array.get()).data, numbersFrom(1));
  await new zarr.PersistentCache(kept(name)).usage();
  // Later than all entries.
  await new Promise((resolve) => setTimeout(resolve, 5));
  return { array, fetch, open, write: (first) => theirs.set(null, numbersFrom(first)) };
}

for (const [what, layout] of Object.entries(LAYOUTS)) {
  test(`refresh and cache: "reload" pass the persistent cache: ${what}`, async () => {
    for (const isTagged of [true, false]) {
      const { array, open, write } = await cachedArray(layout, isTagged);
      await write(5000);
      const other = await open();
      await other.refresh();
      equal((await other.get()).data, numbersFrom(5000), "after refresh");
      await array.refresh();
      equal((await array.get([zarr.slice(0, 3)])).data, new Int32Array([5000, 5001, 5002]), "a part");
      equal((await array.get()).data, numbersFrom(5000), "all");
      await write(9000);
      equal((await array.get(null, { cache: "reload" })).data, numbersFrom(9000), "reload");
      equal((await (await open()).get()).data, numbersFrom(9000), "another store");
    }
  });

  test(`a part that was reloaded leaves no older parts in the persistent cache: ${what}`, async () => {
    for (const isTagged of [true, false]) {
      const { array, open, write } = await cachedArray(layout, isTagged);
      await write(7000);
      await array.get([zarr.slice(0, 2)], { cache: "reload" });
      const { data } = await (await open()).get([zarr.slice(0, 512)]);
      // Other chunks are of an age that the cache allows. Parts of one object are of one version.
      const reloaded = what === "shards" ? 512 : 128;
      equal(data.slice(0, reloaded), numbersFrom(7000).slice(0, reloaded));
    }
  });

  test(`a failed write is not followed by a read from the persistent cache: ${what}`, async () => {
    const { array, fetch, open } = await cachedArray(layout, false);
    fetch.loses = true;
    await rejects(array.set([zarr.slice(0, 128)], 3), ({ code }) => code === "Store");
    fetch.loses = false;
    const expected = numbersFrom(1).fill(3, 0, 128);
    fetch.sent.length = 0;
    equal((await array.get()).data, expected);
    ok(fetch.sent.includes("reload"), `the browser's cache is passed too: ${fetch.sent}`);
    equal((await (await open()).get()).data, expected, "another store");
  });
}

test("entries of the persistent cache that are damaged or gone are requested again", async () => {
  for (const damage of ["truncated", "gone", "cleared"]) {
    const name = newName();
    const fetch = countedFetch();
    const expected = await read(WHOLE, undefined, kept(name), fetch);
    await new zarr.PersistentCache(kept(name)).usage();
    const cache = await caches.open(`${name}#tester`);
    for (const request of await cache.keys()) {
      const entry = await cache.match(request);
      const body = (await entry.arrayBuffer()).slice(0, -1);
      if (damage === "truncated") await cache.put(request, new Response(body, { headers: entry.headers }));
      if (damage === "gone") await cache.delete(request);
    }
    if (damage === "cleared") await caches.delete(`${name}#tester`);
    // The open cache, and the next page's.
    for (const persistentCache of [kept(name), kept(name, { maxBytes: 1e6 })]) {
      equal([...(await read(WHOLE, undefined, persistentCache, fetch))], [...expected], damage);
    }
  }
});

test("users of one browser do not read what another one's login has read", async () => {
  const name = newName();
  const passwords = new Map([
    ["anna", "Bearer a"],
    ["berta", "Bearer b"],
  ]);
  const sent = [];
  const fetch = async (request) => {
    const login = request.headers.get("authorization");
    sent.push(login);
    if (login === "Bearer revoked") return new Response("", { status: 403 });
    return new Response(`for ${login}`);
  };
  const get = async (partition, login = passwords.get(partition)) => {
    const persistentCache = new zarr.PersistentCache({ name, partition });
    const options = { persistentCache, fetch, headers: { authorization: login } };
    const store = new zarr.FetchStore("https://nowhere.example/x?sig=s3cr3t", options);
    const bytes = await store.get("/a");
    await persistentCache.usage();
    return new TextDecoder().decode(bytes);
  };
  equal(await get("anna"), "for Bearer a");
  equal(await get("berta"), "for Bearer b");
  equal([await get("anna"), await get("berta")], ["for Bearer a", "for Bearer b"], "from the cache");
  equal(sent.length, 2);
  await rejects(get("carla", "Bearer revoked"), ({ code }) => code === "Store");
  await new zarr.PersistentCache({ name, partition: "anna" }).clear();
  equal((await new zarr.PersistentCache({ name, partition: "berta" }).usage()).entries, 1);
  // What lies on the disk.
  const cache = await caches.open(`${name}#berta`);
  for (const request of await cache.keys()) {
    const { headers } = await cache.match(request);
    const written = [request.url, ...[...headers].flat()].join(" ");
    ok(!/s3cr3t|nowhere|Bearer/.test(written), written);
  }
});
