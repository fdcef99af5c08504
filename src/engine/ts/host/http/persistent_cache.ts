/**
 * Keeps HTTP responses in Cache Storage, which outlives the page. Cache Storage rejects partial
 * responses (status 206), so a range is stored as a full response. Entries have made-up addresses,
 * on a host that cannot exist: a hash of the partition and of the object's URL, and the range. So
 * no signature is written to the disk, no two users share an entry, and no URL of a server can be
 * the address of a range. A range of an object that is stored whole is cut from it.
 *
 * The storage may fail at any time: it is full, the user has cleared it, a file of it is damaged.
 * Then the object is requested from the server. Only a request to the server may fail a read.
 */

import { ZarrError } from "../../model/errors.ts";
import { newEncoder } from "../../model/utf8.ts";
import type { CacheDefinition } from "../../port/definitions.ts";
import type { PageLink } from "../page.ts";
import type { EngineState } from "../state.ts";
import { AnsweringCache } from "./answering_cache.ts";
import type { Send } from "./redirects.ts";

/** A cache entry, as its headers describe it. */
interface Entry {
  /** Made-up address of the object, without the range. */
  object: string;
  bytes: number;
  /** Time at which it was stored, in ms since 1970. */
  stored: number;
  /** Sequence number of its last use. */
  used: number;
}

/** When a request began, and until when older responses are passed. */
interface Begun {
  /** In ms since 1970. */
  time: number;
  /** The number of writes. */
  writes: number;
  since: number;
}

/** A response to be stored. */
interface Received {
  object: string;
  response: Response;
  begun: Begun;
}

/** An object of which at least one entry is stored. */
interface Kept {
  /** ETag, or else Last-Modified, or else the size; "" if none is visible. */
  version: string;
  addresses: Set<string>;
}

/** Headers that this cache adds to its entries. */
const OWN = {
  address: "x-zarr-address",
  stored: "x-zarr-stored",
  status: "x-zarr-status",
};

/**
 * Response headers that the engine reads. Content-Encoding is not stored, because the body is
 * decoded already.
 */
const KEPT = ["content-type", "content-range", "etag", "last-modified"];

const RELOAD = Symbol.for("zarr-wasm.reload");

/** Of all addresses of entries. RFC 2606 reserves names below `.invalid`. */
const MADE_UP = "https://zarr-wasm.invalid/";

/** The address of an object: a hash, because the query of a URL may be a signature. */
async function objectOf(partition: string | undefined, url: string): Promise<string> {
  const text = newEncoder().encode(JSON.stringify([partition ?? null, url]));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", text));
  return MADE_UP + Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The address of a range of an object, or of the whole. */
const addressOf = (object: string, range: string | null): string =>
  range === null ? object : `${object}/${encodeURIComponent(range)}`;

/** The directives of Cache-Control, in lower case, without their values. */
const directivesOf = (headers: Headers): string[] =>
  (headers.get("cache-control") ?? "")
    .split(",")
    .map((each) => each.trim().toLowerCase().split("=")[0] ?? "");

const strongVersionOf = (headers: Headers) => headers.get("etag") ?? headers.get("last-modified");

/** The version of an entry's object: without a tag from the server, its size. */
const versionOf = (headers: Headers) =>
  strongVersionOf(headers) ??
  /\/(\d+)$/.exec(headers.get("content-range") ?? "")?.[1] ??
  (headers.has("content-range") ? "" : (headers.get("content-length") ?? ""));

const entryOf = (address: string, headers: Headers, used: number): Entry => ({
  object: address.split("/", 4).join("/"),
  bytes: Number(headers.get("content-length")),
  stored: Number(headers.get(OWN.stored)),
  used,
});

/** Whether this is an entry. Others have no size or no age, or the URL of a server as address. */
const isEntry = (address: string, headers: Headers) =>
  address.startsWith(MADE_UP) &&
  [OWN.stored, OWN.status, "content-length"].every((name) => Number(headers.get(name) ?? Number.NaN) >= 0);

/** Those headers of a response that are stored. */
const keptOf = (headers: Headers, more: readonly string[] = []): Headers =>
  new Headers([...headers].filter(([name]) => KEPT.includes(name) || more.includes(name)));

/** Restores a response as the server sent it. Rejects if the entry is damaged. */
async function revived(kept: Response): Promise<Response> {
  const headers = keptOf(kept.headers, ["content-length"]);
  const body = await kept.arrayBuffer();
  if (body.byteLength !== Number(headers.get("content-length"))) throw new RangeError("a truncated entry");
  return new Response(body, { status: Number(kept.headers.get(OWN.status)), headers });
}

/**
 * Makes the response to a range from the whole object; undefined if the object has no such bytes.
 */
async function cut(whole: Response, range: string): Promise<Response | undefined> {
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? [];
  const size = Number(whole.headers.get("content-length"));
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size : Math.min(size, Number(last) + 1);
  if ((first === "" && last === "") || start >= end) return undefined;
  const answer = await revived(whole);
  const headers = new Headers(answer.headers);
  headers.set("content-range", `bytes ${start}-${end - 1}/${size}`);
  headers.set("content-length", String(end - start));
  return new Response((await answer.blob()).slice(start, end), { status: 206, headers });
}

/** Whether a body has the announced length, as far as this can be checked. */
function isWhole(response: Response, bytes: ArrayBuffer): boolean {
  const encoding = response.headers.get("content-encoding") ?? "identity";
  const announced = response.headers.get("content-length");
  return encoding !== "identity" || announced === null || Number(announced) === bytes.byteLength;
}

/**
 * Whether only the server may answer. `src/engine/rust/js/fetch.rs` sets the symbol, because it
 * sets the mode of the browser's own cache for other reasons too.
 */
const isReload = (request: Request) =>
  request.cache === "reload" || (request as unknown as Record<symbol, unknown>)[RELOAD] === true;

const isPage = (response: Response) => (response.headers.get("content-type") ?? "").startsWith("text/html");

/** What a cache uses of its engine. */
export interface CacheEngine {
  readonly state: EngineState;
  readonly page: PageLink;
}

/** A persistent cache, for one store or several. */
export class PersistentCache {
  readonly #engine: CacheEngine;
  /** Its Cache Storage. */
  readonly #name: string;
  /** The name of the Cache Storage that older versions of this package used. */
  readonly #formerName: string;
  readonly #partition: string | undefined;
  readonly #maxBytes: number;
  readonly #maxAge: number;
  readonly #entries = new Map<string, Entry>();
  readonly #objects = new Map<string, Kept>();
  readonly #storing = new Set<Promise<void>>();
  #opening: Promise<AnsweringCache | undefined> | undefined;
  #bytes = 0;
  #uses = 0;
  /** Counts the beginnings and ends of writes. */
  #writes = 0;
  /** The count at the last write of each object; infinite while the write is under way. */
  readonly #written = new Map<string, number>();
  /** The last response for which a caller passed the cache, by object. */
  readonly #passed = new Map<string, { since: number; version: string | null }>();

  constructor(engine: CacheEngine, definition: CacheDefinition = {}) {
    this.#engine = engine;
    const { name = "zarr-wasm", partition, maxBytes = 256 << 20, maxAgeSeconds = 86_400 } = definition;
    // A Cache Storage of its own: each partition has its own size, and is cleared alone.
    this.#name = partition === undefined ? name : `${name}#${encodeURIComponent(partition)}`;
    this.#formerName = name;
    this.#partition = partition;
    this.#maxBytes = maxBytes;
    this.#maxAge = maxAgeSeconds * 1000;
  }

  /** Number of entries, and their size in bytes. */
  async usage(): Promise<{ entries: number; bytes: number }> {
    await this.#open();
    await Promise.all(this.#storing);
    return { entries: this.#entries.size, bytes: this.#bytes };
  }

  /** Deletes all entries. */
  async clear(): Promise<void> {
    await this.usage();
    this.#entries.clear();
    this.#objects.clear();
    this.#bytes = 0;
    this.#opening = undefined;
    const caches = storage();
    if (caches) await AnsweringCache.remove(caches, this.#name);
  }

  /**
   * Answers a request from the cache, or sends it and stores the response. Responses to requests
   * that were sent before `since` (ms since 1970) are not used.
   */
  async answer(request: Request, send: Send, since = 0): Promise<Response> {
    const cache = await this.#open();
    if (!cache || cache.isSilent) return send(request);
    if (request.method === "PUT" || request.method === "DELETE") return this.#write(cache, request, send);
    return request.method === "GET" ? this.#read(cache, request, send, since) : send(request);
  }

  /**
   * Removes the cache entries of an object and then sends a write to it. The order matters, because
   * the page may close before the answer arrives, and a failed write may have changed the object.
   */
  async #write(cache: AnsweringCache, request: Request, send: Send): Promise<Response> {
    const object = await objectOf(this.#partition, request.url);
    this.#written.set(object, Number.POSITIVE_INFINITY);
    await this.#forgetObject(cache, object);
    try {
      return await send(request);
    } finally {
      this.#writes += 1;
      this.#written.set(object, this.#writes);
      await this.#forgetObject(cache, object);
    }
  }

  async #read(cache: AnsweringCache, request: Request, send: Send, since: number): Promise<Response> {
    const range = request.headers.get("range");
    const begun = { time: Date.now(), writes: this.#writes };
    const object = await objectOf(this.#partition, request.url);
    const isPassed = isReload(request);
    const known = isPassed ? undefined : await this.#find(cache, object, range, since);
    const { persistentCache: counts } = this.#engine.state.counters;
    if (known?.isFresh) {
      counts.hits += 1;
      return known.answer;
    }
    counts.misses += 1;
    try {
      const response = await send(request);
      const wanted = { ...begun, since: isPassed ? begun.time : since };
      // Before the caller has the response: no later read may get what it replaces.
      if (response.status === 404 || response.status === 410) await this.#forgetObject(cache, object);
      if (response.ok && wanted.since > 0) this.#pass(object, response.headers, wanted);
      if (response.ok) await this.#forgetOthers(cache, object, response.headers, wanted);
      this.#keep(cache, range, { object, response, begun: wanted });
      return response;
    } catch (error) {
      // Without a network, an expired response is better than none.
      if (known && error instanceof TypeError && !request.signal.aborted) return known.answer;
      throw error;
    }
  }

  async #find(cache: AnsweringCache, object: string, range: string | null, since: number) {
    const exact = addressOf(object, range);
    const address = this.#entries.has(exact) ? exact : object;
    const entry = this.#entries.get(address);
    if (!entry || entry.stored <= since) return undefined;
    let answer: Response | undefined;
    try {
      const kept = await cache.match(address);
      answer = kept && (await (address === exact ? revived(kept) : cut(kept, range ?? "")));
      // Another tab has cleared the cache.
      if (!kept) this.#drop(address);
    } catch {
      await this.#delete(cache, address);
    }
    this.#uses += 1;
    entry.used = this.#uses;
    return answer && { answer, isFresh: Date.now() - entry.stored <= this.#maxAge };
  }

  /** Whether a response may be stored, by what the server says of it (RFC 9111, 5.2.2). */
  #mayKeep(headers: Headers): boolean {
    const directives = directivesOf(headers);
    if (directives.includes("no-store")) return false;
    // What is meant for one user alone is stored only where users are told apart.
    return !directives.includes("private") || this.#partition !== undefined;
  }

  /** Stores a copy of a response in the background. */
  #keep(cache: AnsweringCache, range: string | null, { object, response, begun }: Received): void {
    const isKept = response.status === 200 || (response.status === 206 && range !== null);
    if (!isKept || isPage(response) || response.redirected || !this.#mayKeep(response.headers)) return;
    const address = addressOf(object, response.status === 200 ? null : range);
    // If the request was aborted or the storage is full, the object is requested again next time.
    this.#inBackground(this.#store(cache, address, { object, response: response.clone(), begun }));
  }

  /** Lets work end that may fail. `usage` and `clear` wait for it. */
  #inBackground(work: Promise<void>): void {
    const settled = work.catch(() => {});
    this.#storing.add(settled);
    settled.then(() => this.#storing.delete(settled));
  }

  async #store(cache: AnsweringCache, address: string, { object, response, begun }: Received): Promise<void> {
    const bytes = await response.arrayBuffer();
    if (bytes.byteLength > this.#maxBytes / 4 || !isWhole(response, bytes)) return;
    const headers = keptOf(response.headers);
    headers.set(OWN.address, address);
    headers.set(OWN.stored, String(begun.time));
    headers.set(OWN.status, String(response.status));
    headers.set("content-length", String(bytes.byteLength));
    await this.#forgetOthers(cache, object, headers, begun);
    if (this.#isOutdated(object, headers, begun)) return;
    await cache.put(address, new Response(bytes, { headers }));
    if (this.#isOutdated(object, headers, begun)) return this.#delete(cache, address);
    this.#add(address, headers);
    await this.#makeRoom(cache);
  }

  /** Records that a caller got a newer response than those of requests from before `since`. */
  #pass(object: string, headers: Headers, { since }: Begun): void {
    if ((this.#passed.get(object)?.since ?? 0) > since) return;
    this.#passed.set(object, { since, version: strongVersionOf(headers) });
  }

  /**
   * Whether a response may be of what has been replaced since: its request was sent before the end
   * of a write, or before a request that passed the cache.
   */
  #isOutdated(object: string, headers: Headers, begun: Begun): boolean {
    if ((this.#written.get(object) ?? 0) > begun.writes) return true;
    const passed = this.#passed.get(object);
    if (!passed || begun.time >= passed.since) return false;
    return passed.version === null || passed.version !== strongVersionOf(headers);
  }

  #add(address: string, headers: Headers): void {
    this.#drop(address);
    this.#uses += 1;
    const entry = entryOf(address, headers, this.#uses);
    const object = this.#objects.get(entry.object) ?? { version: versionOf(headers), addresses: new Set() };
    this.#entries.set(address, entry);
    this.#objects.set(entry.object, object);
    object.addresses.add(address);
    this.#bytes += entry.bytes;
  }

  #drop(address: string): void {
    const entry = this.#entries.get(address);
    if (!entry) return;
    this.#bytes -= entry.bytes;
    this.#entries.delete(address);
    const object = this.#objects.get(entry.object);
    object?.addresses.delete(address);
    if (object?.addresses.size === 0) this.#objects.delete(entry.object);
  }

  async #makeRoom(cache: AnsweringCache): Promise<void> {
    if (this.#bytes <= this.#maxBytes) return;
    const oldest = [...this.#entries].sort(([, a], [, b]) => a.used - b.used);
    for (const [address] of oldest) {
      // Frees some more than necessary, so that not every later store has to free room.
      if (this.#bytes <= this.#maxBytes * 0.9) return;
      await this.#delete(cache, address);
    }
  }

  /** Deletes all entries of an object, because the object has changed. */
  async #forgetObject(cache: AnsweringCache, object: string): Promise<void> {
    // The whole object may be there from another tab.
    const addresses = new Set([object, ...(this.#objects.get(object)?.addresses ?? [])]);
    await Promise.all([...addresses].map((address) => this.#delete(cache, address)));
  }

  /** Deletes the entries of an object that are not of the version that has arrived. */
  async #forgetOthers(
    cache: AnsweringCache,
    object: string,
    headers: Headers,
    { since }: Begun,
  ): Promise<void> {
    const known = this.#objects.get(object);
    if (!known) return;
    if (known.version !== versionOf(headers)) return this.#forgetObject(cache, object);
    if (strongVersionOf(headers) !== null) return;
    // Nothing tells whether the object has changed since the caller asked to pass the cache.
    const isOld = (address: string) => (this.#entries.get(address)?.stored ?? 0) <= since;
    await Promise.all([...known.addresses].filter(isOld).map((address) => this.#delete(cache, address)));
  }

  /** Deletes an entry. A storage that fails keeps it, but this page does not use it. */
  async #delete(cache: AnsweringCache, address: string): Promise<void> {
    this.#drop(address);
    await cache.delete(address).catch(() => false);
  }

  #open(): Promise<AnsweringCache | undefined> {
    this.#opening ??= this.#openStorage();
    return this.#opening;
  }

  async #openStorage(): Promise<AnsweringCache | undefined> {
    try {
      const caches = storage();
      if (!caches || !globalThis.crypto?.subtle)
        throw new Error("there is no Cache Storage here; it requires https or localhost");
      const cache = await AnsweringCache.open(caches, this.#name);
      const [addresses, answers] = await cache.contents();
      const byAddress = new Map(answers.map(({ headers }) => [headers.get(OWN.address), headers]));
      for (const { url } of addresses) {
        const headers = byAddress.get(url);
        if (headers && isEntry(url, headers)) this.#add(url, headers);
        else await cache.delete(url);
      }
      if (this.#name !== this.#formerName) this.#inBackground(removeFormer(caches, this.#formerName));
      return cache;
    } catch (error) {
      this.#engine.page.warn(
        `the persistent cache is not available, so nothing is kept beyond this page: ${error}`,
        this.#name,
      );
      return undefined;
    }
  }
}

/** Removes what older versions of this package stored for all users, under the URLs of servers. */
async function removeFormer(caches: CacheStorage, name: string): Promise<void> {
  const cache = await AnsweringCache.find(caches, name);
  const [addresses = [], answers = []] = (await cache?.contents()) ?? [];
  const ours = new Set(answers.map(({ headers }) => headers.get(OWN.address)));
  const former = addresses.filter(({ url }) => ours.has(url) && !url.startsWith(MADE_UP));
  await Promise.all(former.map(({ url }) => cache?.delete(url)));
}

const storage = () => (globalThis as { caches?: CacheStorage }).caches;

/**
 * The persistent caches of an engine, by the page's ids. Stores that define the same cache
 * share it. Other engines use the same Cache Storage, as other tabs do.
 */
export class PersistentCaches {
  readonly #engine: CacheEngine;
  readonly #caches = new Map<number, PersistentCache>();
  readonly #shared = new Map<string, PersistentCache>();

  constructor(engine: CacheEngine) {
    this.#engine = engine;
  }

  /** The cache with this definition. */
  shared(definition: CacheDefinition): PersistentCache {
    const key = JSON.stringify(definition, Object.keys(definition).sort());
    const cache = this.#shared.get(key) ?? new PersistentCache(this.#engine, definition);
    this.#shared.set(key, cache);
    return cache;
  }

  define(id: number, definition: CacheDefinition): void {
    this.#caches.set(id, this.shared(definition));
  }

  release(id: number): void {
    this.#caches.delete(id);
  }

  of(id: number): PersistentCache {
    const cache = this.#caches.get(id);
    if (!cache) throw new ZarrError("Argument", `the engine has no persistent cache with the number ${id}`);
    return cache;
  }
}
