/**
 * Tests the persistent cache over a storage that fails, has damaged entries, or has older ones than
 * the caller wants. The storage is a copy of Cache Storage in memory. What the server has at the
 * time of a read is always right.
 */
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import type { CacheDefinition } from "../../port/definitions.ts";
import { TIMEOUTS } from "../../port/timeouts.ts";
import type { PageLink } from "../page.ts";
import { EngineState } from "../state.ts";
import { PersistentCache } from "./persistent_cache.ts";

const ENGINE = { state: new EngineState(), page: { warn: () => {} } as unknown as PageLink };

const newCache = (definition?: CacheDefinition) => new PersistentCache(ENGINE, definition);

interface Stored {
  body: Uint8Array;
  headers: [string, string][];
}

/**
 * Cache Storage with one cache. Call number `failsAt` fails, and all later ones if it `stays`. A
 * call that fails rejects, or never answers if the storage `hangs`.
 */
class Storage {
  readonly stored = new Map<string, Stored>();
  calls = 0;
  failsAt = 0;
  stays = false;
  hangs = false;

  async #call<T>(act: () => T | Promise<T>): Promise<T> {
    this.calls += 1;
    const fails = this.stays ? this.calls >= this.failsAt : this.calls === this.failsAt;
    if (this.failsAt > 0 && fails && this.hangs) return new Promise(() => {});
    if (this.failsAt > 0 && fails) throw new DOMException("no space left", "QuotaExceededError");
    return act();
  }

  #answer({ body, headers }: Stored): Response {
    return new Response(body.slice(), { headers });
  }

  readonly cache = {
    match: (url: string) =>
      this.#call(() => {
        const found = this.stored.get(url);
        return found && this.#answer(found);
      }),
    matchAll: () => this.#call(() => [...this.stored.values()].map((each) => this.#answer(each))),
    keys: () => this.#call(() => [...this.stored.keys()].map((url) => ({ url }))),
    delete: (url: string) => this.#call(() => this.stored.delete(url)),
    put: (url: string, response: Response) =>
      this.#call(async () => {
        const body = new Uint8Array(await response.arrayBuffer());
        this.stored.set(url, { body, headers: [...response.headers] });
      }),
  };

  install(): this {
    const caches = {
      has: async () => true,
      open: () => this.#call(() => this.cache),
      delete: async () => this.stored.clear(),
    };
    Object.defineProperty(globalThis, "caches", { value: caches, configurable: true });
    return this;
  }
}

const { storageMs } = TIMEOUTS;
before(() => {
  TIMEOUTS.storageMs = 20;
});
after(() => {
  TIMEOUTS.storageMs = storageMs;
});
afterEach(() => Reflect.deleteProperty(globalThis, "caches"));

const URL_OF_IT = "https://data.example/shard";

/** A server with one object. */
function server(text: string, { tagged = false } = {}) {
  const state = { text, sent: 0, loses: false };
  const send = async (request: Request): Promise<Response> => {
    state.sent += 1;
    if (request.method === "PUT") {
      state.text = await request.text();
      if (state.loses) throw new TypeError("fetch failed");
      return new Response(null, { status: 204 });
    }
    if (state.text === "") return new Response("", { status: 404 });
    const [, start = "", end = ""] = /bytes=(\d+)-(\d+)/.exec(request.headers.get("range") ?? "") ?? [];
    const headers = new Headers(tagged ? { etag: `"${state.text}"` } : {});
    if (start === "") return new Response(state.text, { headers });
    headers.set("content-range", `bytes ${start}-${end}/${state.text.length}`);
    return new Response(state.text.slice(Number(start), Number(end) + 1), { status: 206, headers });
  };
  return Object.assign(state, { send });
}

type Server = ReturnType<typeof server>;

async function read(cache: PersistentCache, from: Server, range?: string, init: RequestInit = {}, since = 0) {
  const headers = new Headers(range ? { range: `bytes=${range}` } : undefined);
  const request = new Request(URL_OF_IT, { headers, ...init });
  const response = await cache.answer(request, from.send, since);
  const text = await response.text();
  await cache.usage().catch(() => {});
  return text;
}

const put = (cache: PersistentCache, to: Server, body: string) =>
  cache.answer(new Request(URL_OF_IT, { method: "PUT", body }), to.send);

test("each call of the storage may fail or hang: reads and writes succeed, and are right", async () => {
  let cases = 0;
  for (const [stays, hangs] of [
    [false, false],
    [true, false],
    [false, true],
    [true, true],
  ] as const) {
    for (let at = 1; ; at += 1) {
      const storage = new Storage().install();
      Object.assign(storage, { failsAt: at, stays, hangs });
      const from = server("abcdef");
      const cache = newCache({ maxBytes: 40 });
      for (const text of ["abcdef", "ghijkl"]) {
        if (from.text !== text) assert.equal((await put(cache, from, text)).status, 204);
        for (const [start, end] of [
          [0, 2],
          [3, 5],
          [0, 2],
        ] as const) {
          const label = `call ${at}, stays ${stays}, hangs ${hangs}`;
          assert.equal(await read(cache, from, `${start}-${end}`), text.slice(start, end + 1), label);
        }
        assert.equal(await read(cache, from), text);
        assert.equal(await read(cache, from, "1-3"), text.slice(1, 4));
      }
      if (storage.calls < at) break;
      cases += 1;
    }
  }
  assert.ok(cases > 40, `${cases} cases`);
});

/** A storage with the entries "0-2", "3-5" of a server that has changed since. */
async function filled(options?: { tagged?: boolean }) {
  const storage = new Storage().install();
  const from = server("abcdef", options);
  const cache = newCache();
  for (const range of ["0-2", "3-5"]) await read(cache, from, range);
  assert.equal(storage.stored.size, 2);
  return { storage, from, cache };
}

/** The number of the damage that takes an entry's age. */
const AGELESS = 4;

test("a damaged or missing entry is requested again", async () => {
  const damages: ((entry: Stored) => Partial<Stored>)[] = [
    ({ body }) => ({ body: body.slice(0, 1) }),
    ({ body }) => ({ body: new Uint8Array([...body, 0]) }),
    ({ headers }) => ({ headers: headers.filter(([name]) => name !== "x-zarr-status") }),
    ({ headers }) => ({ headers: headers.filter(([name]) => name !== "content-length") }),
    ({ headers }) => ({ headers: headers.filter(([name]) => name !== "x-zarr-stored") }),
    ({ headers }) => ({
      headers: headers.map(([name, value]) => [name, name === "x-zarr-status" ? "7" : value]),
    }),
  ];
  for (const isOpen of [true, false]) {
    for (const [number, damage] of [...damages, undefined].entries()) {
      // An open page knows the ages of its entries.
      if (isOpen && number === AGELESS) continue;
      const { storage, from, cache } = await filled();
      for (const [url, entry] of storage.stored) {
        if (damage) storage.stored.set(url, { ...entry, ...damage(entry) });
        else storage.stored.delete(url);
      }
      // Under an open page, and in the next one.
      const reader = isOpen ? cache : newCache();
      assert.equal(await read(reader, from, "0-2"), "abc", `damage ${number}`);
      assert.equal(from.sent, 3, `damage ${number}`);
      assert.equal(await read(reader, from, "0-2"), "abc");
      assert.equal(from.sent, 3, "the entry was replaced");
    }
  }
});

test("a reload passes the cache, and no older part of the object stays", async () => {
  for (const tagged of [false, true]) {
    const { from, cache } = await filled({ tagged });
    from.text = "ghijkl";
    await new Promise((resolve) => setTimeout(resolve, 3));
    const reload = { cache: "reload" } as const;
    assert.equal(await read(cache, from, "0-2", reload), "ghi");
    assert.equal(await read(cache, from, "3-5"), "jkl", "a part that was not reloaded");
    assert.equal(await read(newCache(), from, "3-5"), "jkl", "the next page");
  }
});

test("what came before a refresh is passed, for each part of the object", async () => {
  for (const tagged of [false, true]) {
    const { from, cache } = await filled({ tagged });
    from.text = "ghijkl";
    const since = Date.now();
    await new Promise((resolve) => setTimeout(resolve, 3));
    assert.equal(await read(cache, from, "0-2", {}, since), "ghi");
    assert.equal(await read(newCache(), from, "3-5"), "jkl", "the next page");
    assert.equal(await read(cache, from, "3-5", {}, since), "jkl");
    const { sent } = from;
    assert.equal(await read(cache, from, "0-2", {}, since), "ghi");
    assert.equal(from.sent, sent, "what came since is used");
  }
});

test("what a reload replaces is not used while its response is being stored", async () => {
  for (const tagged of [false, true]) {
    const { from, cache } = await filled({ tagged });
    from.text = "ghijkl";
    await new Promise((resolve) => setTimeout(resolve, 3));
    const request = new Request(URL_OF_IT, { headers: { range: "bytes=0-2" }, cache: "reload" });
    await cache.answer(request, from.send);
    // Another store with the same cache, at once.
    const again = new Request(URL_OF_IT, { headers: { range: "bytes=0-2" } });
    assert.equal(await (await cache.answer(again, from.send)).text(), "ghi");
  }
});

test("a response that is stored late does not replace one that passed the cache", async () => {
  for (const tagged of [false, true]) {
    const storage = new Storage().install();
    const from = server("abcdef", { tagged });
    const cache = newCache();
    let store = () => {};
    const { put: putNow } = storage.cache;
    const isStoring = new Promise<void>((begins) => {
      storage.cache.put = async (url, response) => {
        await new Promise<void>((resolve) => {
          store = resolve;
          begins();
        });
        return putNow(url, response);
      };
    });
    const request = (init: RequestInit) => new Request(URL_OF_IT, init);
    await cache.answer(request({}), from.send);
    await isStoring;
    await new Promise((resolve) => setTimeout(resolve, 5)); // so that the next response is younger
    storage.cache.put = putNow;
    from.text = "ghijkl";
    await cache.answer(request({ cache: "reload" }), from.send);
    store();
    await cache.usage();
    assert.equal(await read(cache, from), "ghijkl");
    assert.equal(await read(newCache(), from), "ghijkl", "the next page");
  }
});

test("an object that is gone leaves no entries", async () => {
  const { storage, from, cache } = await filled();
  from.text = "";
  assert.equal(await read(cache, from, "1-2"), "");
  assert.equal(storage.stored.size, 0);
});

test("a write drops the entries, also if it fails, and if the page ends before its answer", async () => {
  const { storage, from, cache } = await filled();
  from.loses = true;
  let left = -1;
  const send = (request: Request) => {
    left = storage.stored.size;
    return from.send(request);
  };
  const request = new Request(URL_OF_IT, { method: "PUT", body: "ghijkl" });
  await assert.rejects(cache.answer(request, send), TypeError);
  assert.equal(left, 0, "entries during the write");
  assert.equal(await read(cache, from, "0-2"), "ghi");
});

test("a response from before a write is not kept", async () => {
  const storage = new Storage().install();
  const from = server("abcdef");
  const cache = newCache();
  let answer = () => {};
  const slow = async (request: Request) => {
    const response = await from.send(request);
    await new Promise<void>((resolve) => {
      answer = resolve;
    });
    return response;
  };
  const reading = cache.answer(new Request(URL_OF_IT), slow);
  await new Promise((resolve) => setTimeout(resolve, 5));
  await put(cache, from, "ghijkl");
  answer();
  assert.equal(await (await reading).text(), "abcdef");
  await cache.usage();
  assert.equal(storage.stored.size, 0);
  assert.equal(await read(cache, from), "ghijkl");
});

/** Reads a URL through a cache, from a server that answers with `text` and these headers. */
async function get(cache: PersistentCache, url: string, text: string, init: ResponseInit = {}) {
  let isSent = false;
  const send = async () => {
    isSent = true;
    return new Response(text, init);
  };
  const body = await (await cache.answer(new Request(url), send)).text();
  await cache.usage();
  return { body, isSent };
}

test("a partition is not answered from another one", async () => {
  new Storage().install();
  const names = [undefined, "anna", "berta", "null"];
  const caches = names.map((partition) => newCache(partition === undefined ? {} : { partition }));
  for (const [at, cache] of caches.entries()) {
    const expected = { body: `for ${names[at]}`, isSent: true };
    assert.deepEqual(await get(cache, URL_OF_IT, `for ${names[at]}`), expected);
  }
  for (const [at, cache] of caches.entries()) {
    const expected = { body: `for ${names[at]}`, isSent: false };
    assert.deepEqual(await get(cache, URL_OF_IT, "from the server"), expected);
  }
});

test("the storage has no URL, and another signature is another object", async () => {
  const storage = new Storage().install();
  const cache = newCache();
  const signed = (signature: string) => `https://data.example/private/path?sig=${signature}`;
  await get(cache, signed("s3cr3t"), "first");
  assert.deepEqual(await get(cache, signed("revoked"), "second"), { body: "second", isSent: true });
  assert.deepEqual(await get(cache, signed("s3cr3t"), "third"), { body: "first", isSent: false });
  const written = JSON.stringify([...storage.stored].map(([url, { headers }]) => [url, headers]));
  assert.equal(storage.stored.size, 2);
  assert.doesNotMatch(written, /s3cr3t|revoked|data\.example|private/);
});

test("the URL of an object is never taken for a range of another one", async () => {
  new Storage().install();
  const from = server("abcdef");
  const cache = newCache();
  assert.equal(await read(cache, from, "0-2"), "abc");
  for (const url of [
    `${URL_OF_IT}?zarr-wasm-range=bytes%3D0-2`,
    `${URL_OF_IT}/bytes%3D0-2`,
    `${URL_OF_IT}#bytes=0-2`,
  ]) {
    const { isSent } = await get(cache, url, "another object");
    assert.ok(isSent, url);
  }
});

test("no-store is never kept, and private only for one user", async () => {
  for (const [directives, partition, isKept] of [
    ["no-store", undefined, false],
    ["no-store", "anna", false],
    ["max-age=60, No-Store", "anna", false],
    ["private", undefined, false],
    ['private="set-cookie", max-age=60', undefined, false],
    ["private", "anna", true],
    ["no-storefront, x-private", undefined, true],
    ["public, max-age=60", undefined, true],
  ] as const) {
    new Storage().install();
    const cache = newCache(partition === undefined ? {} : { partition });
    await get(cache, URL_OF_IT, "a", { headers: { "cache-control": directives } });
    const { isSent } = await get(cache, URL_OF_IT, "b");
    assert.equal(!isSent, isKept, directives);
  }
});

test("entries under the URL of a server are not used, and are removed", async () => {
  const storage = new Storage().install();
  const headers: [string, string][] = [
    ["x-zarr-address", URL_OF_IT],
    ["x-zarr-url", URL_OF_IT],
    ["x-zarr-stored", String(Date.now())],
    ["x-zarr-status", "200"],
    ["content-length", "3"],
  ];
  for (const definition of [{}, { partition: "anna" }]) {
    storage.stored.set(URL_OF_IT, { body: new TextEncoder().encode("old"), headers });
    const cache = newCache(definition);
    assert.deepEqual(await get(cache, URL_OF_IT, "new"), { body: "new", isSent: true });
    assert.ok(!storage.stored.has(URL_OF_IT));
  }
});
