/**
 * The options of stores over HTTP: as users write them, and as they are sent to the engine. A
 * user's `fetch` runs on the page; requests and responses are converted for it.
 */
import { need, optionsOf, pageUrl, type Rules } from "../../engine/ts/model/argument.ts";
import {
  type AnyBody,
  asResponse,
  type BodyLimits,
  bodyOf,
  type Unread,
  unreadBy,
} from "../../engine/ts/model/body.ts";
import { ZarrError } from "../../engine/ts/model/errors.ts";
import { isNode } from "../../engine/ts/model/node.ts";
import { fetchHere, requestFor } from "../../engine/ts/model/platform_fetch.ts";
import { findable, worksBehindProxies } from "../../engine/ts/model/proxies.ts";
import { withoutSecrets } from "../../engine/ts/model/secrets.ts";
import type {
  CacheDefinition,
  Callback,
  HeaderPairs,
  HeadersReason,
  HttpDefinition,
  ObjectIds,
  Reach,
} from "../../engine/ts/port/definitions.ts";
import { call } from "../../engine/ts/port/engine.ts";
import { Transferring } from "../../engine/ts/port/objects.ts";
import type { RequestParts, ResponseParts } from "../../engine/ts/port/protocol.ts";

/** Options of `PersistentCache`, and of the option `persistentCache` of stores over HTTP. */
export interface PersistentCacheOptions {
  /** Name of the cache in Cache Storage. Default: `"zarr-wasm"`. */
  name?: string | undefined;
  /**
   * Whose responses these are, for example the identity of the user. A partition is not answered
   * from another one, and has its own size. Required where requests have headers, a custom `fetch`
   * or `credentials: "include"`, because the responses may then depend on the user. Name one, too,
   * if cookies of the page's own server decide who may read. Default: one for all that need none.
   *
   * @throws an `Argument` error if it is required and absent, or empty.
   */
  partition?: string | undefined;
  /**
   * Maximum size. The least recently used entries are deleted first. Default: 256 MiB.
   *
   * @unit bytes
   */
  maxBytes?: number | undefined;
  /**
   * Age up to which a response is used without a request. Older ones are used if there is no
   * network. Default: 86 400, which is one day.
   *
   * @unit seconds
   */
  maxAgeSeconds?: number | undefined;
}

const CACHE_RULES: Rules<PersistentCacheOptions> = {
  name: "a text",
  partition: "a text",
  maxBytes: "a number",
  maxAgeSeconds: "a number",
};

/**
 * A persistent cache, for one store or several. It keeps HTTP responses in Cache Storage, beyond
 * the page.
 *
 *     const persistentCache = new PersistentCache({ maxBytes: 1e9 });
 *     const store = new FetchStore("https://host/data.zarr", { persistentCache });
 */
export class PersistentCache {
  /** @internal */
  readonly definition: CacheDefinition;

  /** Nothing is read or written yet. */
  constructor(options: PersistentCacheOptions = {}) {
    const { name, partition, maxBytes, maxAgeSeconds } = optionsOf(options, CACHE_RULES);
    const isName = typeof partition === "string" && partition !== "" && !/\p{Surrogate}/u.test(partition);
    need(partition === undefined || isName, "persistentCache.partition", "a text that is not empty");
    findable(this);
    this.definition = { name, partition, maxBytes, maxAgeSeconds };
  }

  /**
   * Tells how much the partition holds.
   *
   * @returns the number of entries, and their size in bytes.
   */
  usage(): Promise<{ entries: number; bytes: number }> {
    return call("persistentUsage", () => ({ cache: this.definition }));
  }

  /** Deletes all entries of the partition. */
  async clear(): Promise<void> {
    await call("persistentClear", () => ({ cache: this.definition }));
  }
}
worksBehindProxies(PersistentCache);

/** The cache for the value of the option `persistentCache`. */
export const persistentCacheOf = (
  option: true | PersistentCacheOptions | PersistentCache,
): PersistentCache =>
  option instanceof PersistentCache ? option : new PersistentCache(option === true ? {} : option);

/** Headers in any form that `fetch` accepts. */
export type HeaderList = Record<string, string> | readonly (readonly [string, string])[] | Headers;

export type { HeadersReason };

/**
 * The headers of requests, or a function that makes them. The function is called once, and again
 * after status 401.
 */
export type HeadersSource = HeaderList | ((reason: HeadersReason) => HeaderList | Promise<HeaderList>);

/** Options of `FetchStore`, and of the other stores that send requests. */
export interface FetchStoreOptions {
  /**
   * Headers of every request, or a function that makes them. The function is called once, and again
   * when a server answers 401; then the refused requests are sent again. Requests that were in
   * flight together share that call. A `ReferenceStore` sends the headers only to the servers of
   * its document and its target.
   */
  headers?: HeadersSource | undefined;
  /**
   * Which servers get cookies, as in `fetch`: none (`"omit"`), the page's own server
   * (`"same-origin"`), or every server (`"include"`). Default: `"same-origin"`.
   */
  credentials?: "omit" | "same-origin" | "include" | undefined;
  /**
   * Keeps responses in Cache Storage, beyond this page: `true`, options for size and age, or a
   * shared cache. Requests with headers, a custom `fetch` or `credentials: "include"` need the name
   * of a `partition`. Requires a secure context (https or localhost); elsewhere it warns and keeps
   * nothing. Default: false.
   */
  persistentCache?: boolean | PersistentCacheOptions | PersistentCache | undefined;
  /**
   * Replaces the global `fetch`, for example to sign requests. It runs on the page. An engine in a
   * worker does not call a global `fetch` that you replaced: pass it here, or use `init({ engine:
   * "caller" })`. Default: the platform's `fetch`.
   */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
  /**
   * The `RequestInit` that every request starts from: headers, credentials, cache mode. Default:
   * that of the platform.
   */
  overrides?: RequestInit | undefined;
  /**
   * Whether to read the ends of files with `Range: bytes=-N`, which avoids a request for the size.
   * A server that does not support it is asked in another way. Default: true where it costs no
   * preflight, that is on the page's own server and outside of browsers.
   */
  useSuffixRequest?: boolean | undefined;
  /**
   * Whether status 403 for a chunk means that the chunk does not exist, as in a bucket that may not
   * be listed. Expired credentials then look like missing chunks. Default: only if requests carry
   * no credentials, that is no headers, no cookies, no custom `fetch` and no query in the URL. A
   * warning tells it then.
   */
  missingOn403?: boolean | undefined;
}

/** Settings that the store determines, not the user. */
interface HttpContext {
  /** Origins that receive the user's headers. Default: all. */
  headerOrigins?: string[];
  /** Where requests may lead. Default: anywhere. */
  reach?: Reach;
  /** A suffix range needs no preflight. */
  suffixIsFree?: boolean;
  /** Requests carry no credentials besides the URL. */
  isAnonymous?: boolean;
}

/**
 * Headers as pairs. Throws an `Argument` error for headers that `fetch` would reject. It leaves out
 * the value, which the browser's own error has, because it may be a secret.
 */
export function pairsOf(headers: unknown): HeaderPairs {
  try {
    return [...new Headers(headers as ConstructorParameters<typeof Headers>[0])];
  } catch {
    throw new ZarrError("Argument", "a request header is not valid", {
      field: "headers",
      expected: "names and values with the characters that HTTP allows",
    });
  }
}

const hasHeaders = ({ headers, overrides }: FetchStoreOptions): boolean =>
  headers !== undefined || pairsOf(overrides?.headers).length > 0;

/** The referrer of the page's requests. Requests of a blob worker would have none. */
function referrer(): { referrer?: string } {
  const page = pageUrl();
  return "document" in globalThis && page?.startsWith("http") ? { referrer: page } : {};
}

/**
 * The cloneable part of every request's `RequestInit`. A signal or a stream cannot be cloned, so it
 * stays on the page.
 */
function cloneableInit(options: FetchStoreOptions): RequestInit {
  const { overrides = {}, credentials } = options;
  const { signal, body, window, headers, ...plain } = overrides as RequestInit & { window?: unknown };
  return {
    ...referrer(),
    // The engine follows, and keeps the headers from other servers. Where the platform tells where
    // a redirect leads, the engine judges that before it follows.
    ...((hasHeaders(options) || isNode()) && { redirect: "manual" }),
    ...plain,
    ...(headers !== undefined && { headers: Object.fromEntries(pairsOf(headers)) }),
    ...(credentials !== undefined && { credentials }),
  };
}

/** The user's functions as callbacks for the engine. The store keeps them alive. */
export class HttpCallbacks {
  readonly #options: FetchStoreOptions;
  readonly #fetch: Callback | undefined;
  readonly #headers: Callback | undefined;

  constructor(options: FetchStoreOptions) {
    const { fetch = fetchWithSignal(options.overrides), headers } = options;
    this.#options = options;
    this.#fetch = fetch && fetchCallback(fetch);
    this.#headers = typeof headers === "function" ? headersCallback(headers) : undefined;
  }

  /** The definition of the store's requests, for the engine. */
  define(
    objects: ObjectIds,
    url: string | URL,
    { headerOrigins, reach, suffixIsFree = false, isAnonymous = false }: HttpContext = {},
  ): HttpDefinition {
    const { headers, persistentCache, useSuffixRequest, missingOn403 = false } = this.#options;
    const cache = persistentCache ? persistentCacheOf(persistentCache) : undefined;
    return {
      fetch: this.#fetch && objects.callback(this.#fetch),
      headers: this.#headers ? { callback: objects.callback(this.#headers) } : headers && pairsOf(headers),
      headerOrigins,
      reach,
      init: cloneableInit(this.#options),
      cache: cache && objects.cache(cache, cache.definition),
      useSuffixRequest: useSuffixRequest ?? suffixIsFree,
      missingOn403,
      isAnonymous,
      shown: withoutSecrets(String(url).replace(/[?#].*$/s, "")),
    };
  }
}

/**
 * Whether the browser may send cookies. By default `fetch` sends them to the page's own server.
 * Outside of pages there are none.
 */
function maySendCookies(url: string | URL, { credentials }: RequestInit): boolean {
  if (credentials === "omit" || credentials === "include") return credentials === "include";
  return "location" in globalThis && isSameOrigin(url);
}

/** Whether requests carry no credentials besides the URL. */
export function isAnonymous(url: string | URL, options: FetchStoreOptions): boolean {
  const { overrides = {}, credentials = overrides.credentials } = options;
  return !options.fetch && !hasHeaders(options) && !maySendCookies(url, { credentials });
}

/** A signal in `overrides` stays on the page, and so must the `fetch` that it aborts. */
function fetchWithSignal(overrides: RequestInit | undefined): FetchStoreOptions["fetch"] {
  const signal = overrides?.signal;
  if (!signal) return undefined;
  return (request) => fetchHere(request, { signal: AbortSignal.any([request.signal, signal]) });
}

/**
 * Calls the user's `fetch` with the engine's request if both are on this thread, else with a
 * request made from its parts.
 */
const fetchCallback =
  (fetch: NonNullable<FetchStoreOptions["fetch"]>): Callback =>
  async (request, left: AbortSignal) => {
    if (!("init" in request)) return fetch(request);
    const parts = await answerParts(await fetch(requestOf(request, left)), request.limits);
    return new Transferring(parts, [parts.body]);
  };

const headersCallback =
  (headers: (reason: HeadersReason) => HeaderList | Promise<HeaderList>): Callback =>
  async (reason: HeadersReason) =>
    pairsOf(await headers({ isRefresh: reason.isRefresh }));

/**
 * Whether a URL is of the page's own origin, so that requests need no preflight. True outside of
 * pages.
 */
export function isSameOrigin(url: string | URL): boolean {
  const page = pageUrl();
  if (page === undefined) return true;
  try {
    return new URL(url, page).origin === new URL(page).origin;
  } catch {
    return false;
  }
}

const HTTP_RULES: Rules<FetchStoreOptions> = {
  headers: "anything",
  credentials: ["omit", "same-origin", "include"],
  persistentCache: "a boolean or an object",
  fetch: "a function",
  overrides: "an object",
  useSuffixRequest: "a boolean",
  missingOn403: "a boolean",
};

/**
 * Throws an `Argument` error for options that no request could have. `more`: the options that a
 * store has beside them.
 */
export function checkHttpOptions(options: FetchStoreOptions, more?: Rules<object>): void {
  const { headers, overrides } = optionsOf(options, { ...HTTP_RULES, ...more });
  if (typeof headers !== "function") pairsOf(headers);
  pairsOf(overrides?.headers);
  needPartition(options);
}

/** The members of options that are for requests. */
export const httpOptionsOf = (options: FetchStoreOptions): FetchStoreOptions =>
  Object.fromEntries(Object.entries(options).filter(([name]) => name in HTTP_RULES));

/** Responses that may depend on the user are kept for one user, whom only the caller can name. */
function needPartition(options: FetchStoreOptions): void {
  const { persistentCache, overrides, credentials = overrides?.credentials } = options;
  if (!persistentCache || persistentCacheOf(persistentCache).definition.partition !== undefined) return;
  const isPersonal = options.fetch !== undefined || hasHeaders(options) || credentials === "include";
  need(
    !isPersonal,
    "persistentCache.partition",
    "the name of the user, where requests have headers, a custom fetch or credentials",
  );
}

/** The headers that the engine reads, for a response whose headers cannot be iterated. */
const LOOKED_AT = [
  ...["cache-control", "content-length", "content-range", "content-encoding"],
  ...["content-type", "etag", "last-modified", "retry-after"],
];

/** Remakes a request. It is aborted when the engine cancels it. */
const requestOf = ({ url, method, headers, body, init }: RequestParts, signal: AbortSignal): Request =>
  requestFor(url, { ...init, method, headers, signal, body });

interface AnyResponse extends AnyBody {
  url?: unknown;
  redirected?: unknown;
  headers?: { get?(name: string): string | null } & Partial<Iterable<[string, string]>>;
}

function headersOf({ headers }: AnyResponse): [string, string][] {
  if (headers && Symbol.iterator in headers) return [...(headers as Iterable<[string, string]>)];
  return LOOKED_AT.flatMap((name) => {
    const value = headers?.get?.(name);
    return typeof value === "string" ? [[name, value] as [string, string]] : [];
  });
}

/**
 * Converts a response for the port, and reads its body up to its limit. Accepts whatever the user's
 * `fetch` returned if it resembles a `Response`.
 */
export async function answerParts(answer: unknown, limits: BodyLimits | undefined): Promise<ResponseParts> {
  const response = asResponse((answer ?? {}) as AnyResponse);
  const { status, url, redirected } = response;
  if (typeof status !== "number" || typeof response.arrayBuffer !== "function") {
    throw new ZarrError("Store", "the custom `fetch` did not return a Response", { actual: typeof answer });
  }
  let body = new ArrayBuffer(0);
  let unread: Unread | undefined;
  try {
    body = await bodyOf(response, limits);
  } catch (error) {
    unread = unreadBy(error);
    if (!unread) throw error;
  }
  return {
    status,
    url: typeof url === "string" ? url : "",
    redirected: redirected === true,
    headers: headersOf(response),
    body,
    unread,
  };
}
