/**
 * Keeps HTTP responses in Cache Storage, which outlives the page. Cache Storage rejects partial
 * responses (status 206), so a range is stored as a full response under a made-up URL, which is
 * never requested. A range of an object that is stored whole is cut from it.
 *
 * The storage may fail at any time: it is full, the user has cleared it, a file of it is damaged.
 * Then the object is requested from the server. Only a request to the server may fail a read.
 */

import type { CacheDefinition } from "../../port/definitions.ts";
import { counters } from "../counters.ts";
import { warn } from "../warn.ts";
import { AnsweringCache } from "./answering_cache.ts";
import type { Send } from "./request_headers.ts";

/** A cache entry, as its headers describe it. */
interface Entry {
  /** URL of the object, without the range. */
  url: string;
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
  url: string;
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
  url: "x-zarr-url",
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

const RANGE = "zarr-wasm-range";

function addressOf(url: string, range: string | null): string {
  if (range === null) return url;
  return `${url}${url.includes("?") ? "&" : "?"}${RANGE}=${encodeURIComponent(range)}`;
}

const strongVersionOf = (headers: Headers) => headers.get("etag") ?? headers.get("last-modified");

/** The version of an entry's object: without a tag from the server, its size. */
const versionOf = (headers: Headers) =>
  strongVersionOf(headers) ??
  /\/(\d+)$/.exec(headers.get("content-range") ?? "")?.[1] ??
  (headers.has("content-range") ? "" : (headers.get("content-length") ?? ""));

const entryOf = (headers: Headers, used: number): Entry => ({
  url: headers.get(OWN.url) ?? "",
  bytes: Number(headers.get("content-length")),
  stored: Number(headers.get(OWN.stored)),
  used,
});

/** Whether headers are those of an entry. Others have no size or no age. */
const isEntry = (headers: Headers) =>
  [OWN.stored, OWN.status, "content-length"].every((name) => Number(headers.get(name) ?? Number.NaN) >= 0);

/** Restores a response as the server sent it. Rejects if the entry is damaged. */
async function revived(kept: Response): Promise<Response> {
  const headers = new Headers();
  for (const name of [...KEPT, "content-length"]) {
    const value = kept.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
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
 * Whether only the server may answer. `src/js/fetch.rs` sets the symbol, because it sets the mode
 * of the browser's own cache for other reasons too.
 */
const isReload = (request: Request) =>
  request.cache === "reload" || (request as unknown as Record<symbol, unknown>)[RELOAD] === true;

const isPage = (response: Response) => (response.headers.get("content-type") ?? "").startsWith("text/html");

/** A persistent cache, for one store or several. */
export class PersistentCache {
  readonly #name: string;
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
  /** The count at the last write of each URL; infinite while the write is under way. */
  readonly #written = new Map<string, number>();
  /** The last response for which a caller passed the cache, by URL. */
  readonly #passed = new Map<string, { since: number; version: string | null }>();

  constructor({ name = "zarr-wasm", maxBytes = 256 << 20, maxAgeSeconds = 86_400 }: CacheDefinition = {}) {
    this.#name = name;
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
   * Removes the cache entries of a URL and then sends a write to it. The order matters, because
   * the page may close before the answer arrives, and a failed write may have changed the object.
   */
  async #write(cache: AnsweringCache, request: Request, send: Send): Promise<Response> {
    const { url } = request;
    this.#written.set(url, Number.POSITIVE_INFINITY);
    await this.#forgetObject(cache, url);
    try {
      return await send(request);
    } finally {
      this.#writes += 1;
      this.#written.set(url, this.#writes);
      await this.#forgetObject(cache, url);
    }
  }

  async #read(cache: AnsweringCache, request: Request, send: Send, since: number): Promise<Response> {
    const range = request.headers.get("range");
    const begun = { time: Date.now(), writes: this.#writes };
    const isPassed = isReload(request);
    const known = isPassed ? undefined : await this.#find(cache, request.url, range, since);
    if (known?.isFresh) {
      counters.persistentCache.hits += 1;
      return known.answer;
    }
    counters.persistentCache.misses += 1;
    try {
      const response = await send(request);
      const wanted = { ...begun, since: isPassed ? begun.time : since };
      // Before the caller has the response: no later read may get what it replaces.
      if (response.status === 404 || response.status === 410) await this.#forgetObject(cache, request.url);
      if (response.ok && wanted.since > 0) this.#pass(request.url, response.headers, wanted);
      if (response.ok) await this.#forgetOthers(cache, request.url, response.headers, wanted);
      this.#keep(cache, request, response, wanted);
      return response;
    } catch (error) {
      // Without a network, an expired response is better than none.
      if (known && error instanceof TypeError && !request.signal.aborted) return known.answer;
      throw error;
    }
  }

  async #find(cache: AnsweringCache, url: string, range: string | null, since: number) {
    const exact = addressOf(url, range);
    const address = this.#entries.has(exact) ? exact : url;
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

  /** Stores a copy of a response in the background. */
  #keep(cache: AnsweringCache, request: Request, response: Response, begun: Begun): void {
    const range = request.headers.get("range");
    const isKept = response.status === 200 || (response.status === 206 && range !== null);
    if (!isKept || isPage(response) || response.redirected) return;
    const address = addressOf(request.url, response.status === 200 ? null : range);
    const storing = this.#store(cache, address, {
      url: request.url,
      response: response.clone(),
      begun,
    }).catch(() => {
      // The request was aborted or the storage is full. The object is requested again next time.
    });
    this.#storing.add(storing);
    storing.then(() => this.#storing.delete(storing));
  }

  async #store(cache: AnsweringCache, address: string, { url, response, begun }: Received): Promise<void> {
    const bytes = await response.arrayBuffer();
    if (bytes.byteLength > this.#maxBytes / 4 || !isWhole(response, bytes)) return;
    const headers = new Headers({
      [OWN.url]: url,
      [OWN.address]: address,
      [OWN.stored]: String(begun.time),
      [OWN.status]: String(response.status),
      "content-length": String(bytes.byteLength),
    });
    for (const name of KEPT) {
      const value = response.headers.get(name);
      if (value !== null) headers.set(name, value);
    }
    await this.#forgetOthers(cache, url, headers, begun);
    if (this.#isOutdated(url, headers, begun)) return;
    await cache.put(address, new Response(bytes, { headers }));
    if (this.#isOutdated(url, headers, begun)) return this.#delete(cache, address);
    this.#add(address, headers);
    await this.#makeRoom(cache);
  }

  /** Records that a caller got a newer response than those of requests from before `since`. */
  #pass(url: string, headers: Headers, { since }: Begun): void {
    if ((this.#passed.get(url)?.since ?? 0) > since) return;
    this.#passed.set(url, { since, version: strongVersionOf(headers) });
  }

  /**
   * Whether a response may be of what has been replaced since: its request was sent before the end
   * of a write, or before a request that passed the cache.
   */
  #isOutdated(url: string, headers: Headers, begun: Begun): boolean {
    if ((this.#written.get(url) ?? 0) > begun.writes) return true;
    const passed = this.#passed.get(url);
    if (!passed || begun.time >= passed.since) return false;
    return passed.version === null || passed.version !== strongVersionOf(headers);
  }

  #add(address: string, headers: Headers): void {
    this.#drop(address);
    this.#uses += 1;
    const entry = entryOf(headers, this.#uses);
    const object = this.#objects.get(entry.url) ?? { version: versionOf(headers), addresses: new Set() };
    this.#entries.set(address, entry);
    this.#objects.set(entry.url, object);
    object.addresses.add(address);
    this.#bytes += entry.bytes;
  }

  #drop(address: string): void {
    const entry = this.#entries.get(address);
    if (!entry) return;
    this.#bytes -= entry.bytes;
    this.#entries.delete(address);
    const object = this.#objects.get(entry.url);
    object?.addresses.delete(address);
    if (object?.addresses.size === 0) this.#objects.delete(entry.url);
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
  async #forgetObject(cache: AnsweringCache, url: string): Promise<void> {
    // The whole object may be there from another tab.
    const addresses = new Set([url, ...(this.#objects.get(url)?.addresses ?? [])]);
    await Promise.all([...addresses].map((address) => this.#delete(cache, address)));
  }

  /** Deletes the entries of an object that are not of the version that has arrived. */
  async #forgetOthers(cache: AnsweringCache, url: string, headers: Headers, { since }: Begun): Promise<void> {
    const known = this.#objects.get(url);
    if (!known) return;
    if (known.version !== versionOf(headers)) return this.#forgetObject(cache, url);
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
      if (!caches) throw new Error("there is no Cache Storage here; it requires https or localhost");
      const cache = await AnsweringCache.open(caches, this.#name);
      const [addresses, answers] = await cache.contents();
      const byAddress = new Map(answers.map(({ headers }) => [headers.get(OWN.address), headers]));
      for (const { url } of addresses) {
        const headers = byAddress.get(url);
        if (headers && isEntry(headers)) this.#add(url, headers);
        else await cache.delete(url);
      }
      return cache;
    } catch (error) {
      warn(
        `the persistent cache is not available, so nothing is kept beyond this page: ${error}`,
        this.#name,
      );
      return undefined;
    }
  }
}

const storage = () => (globalThis as { caches?: CacheStorage }).caches;
