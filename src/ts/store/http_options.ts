/**
 * Options of stores over HTTP, as users write them, and as the engine is told of them.
 */
import { ZarrError } from "../model/errors.ts";
import type { HeaderPairs, HttpDefinition } from "../port/definitions.ts";
import type { Callback, ObjectNumbers } from "../port/object_numbers.ts";
import { Transferring } from "../port/perform.ts";
import { answerParts, requestOf } from "./page_fetch.ts";
import { type PersistentCache, type PersistentCacheOptions, persistentCacheOf } from "./persistent_cache.ts";

/** Headers in any form that `fetch` takes. */
export type HeaderList = Record<string, string> | readonly (readonly [string, string])[] | Headers;

/** Why headers are asked for. */
export interface HeadersReason {
  /** A server has answered 401 to the ones before: a token has expired. */
  isRefresh: boolean;
}

/** The headers, or a function that makes them: it is called once, and again after a 401. */
export type HeadersSource = HeaderList | ((reason: HeadersReason) => HeaderList | Promise<HeaderList>);

export interface FetchStoreOptions {
  /**
   * Headers of every request: given once, or by a function. That is called once, and again (once
   * for all requests that were under way) when the server answers 401; then the request is sent
   * again. A `ReferenceStore` sends them to its document's and its target's servers only.
   */
  headers?: HeadersSource;
  /** Whether cookies go with requests, as in `fetch`. */
  credentials?: "omit" | "same-origin" | "include";
  /**
   * Keep answers in Cache Storage, beyond this page: `true`, or how much and how long. Only in
   * secure contexts (https, localhost); elsewhere there is a warning and nothing is kept.
   */
  persistentCache?: boolean | PersistentCacheOptions | PersistentCache;
  /**
   * Called instead of the global `fetch`: to sign, to count, to answer from elsewhere. It runs on
   * the page. A global `fetch` that was replaced is not called by an engine in a worker: pass it
   * here, or use `init({ engine: "caller" })`.
   */
  fetch?: (request: Request) => Promise<Response>;
  /** A `RequestInit` that every request begins with: headers, credentials, cache. */
  overrides?: RequestInit;
  /**
   * Read the ends of files by `Range: bytes=-N`, which saves asking for their size. Unless given,
   * where it costs no preflight: on the page's own server, and outside of browsers. A server that
   * does not understand it is asked otherwise.
   */
  useSuffixRequest?: boolean;
  /**
   * Status 403 on a chunk means that it is absent, as on a bucket that may not be listed, and says
   * nothing of credentials that have expired. Otherwise only where requests carry no credentials at
   * all: no headers, no cookies, no `fetch` of the user's, no query in the URL. Then there is a
   * warning on the console.
   */
  missingOn403?: boolean;
}

/** What is not for users to say. */
interface HttpContext {
  /** Origins that get the user's headers; all unless given. */
  headerOrigins?: string[] | undefined;
  /** A range of the end of a file costs no more than any other. */
  suffixIsFree?: boolean;
  /** Nothing that is sent beside the URL says who asks. */
  isAnonymous?: boolean;
}

/** An address without its query: signatures are nobody else's to see. */
const shown = (url: string | URL) => String(url).replace(/[?#].*$/s, "");

const pairsOf = (headers: HeaderList): HeaderPairs => [
  ...new Headers(headers as ConstructorParameters<typeof Headers>[0]),
];

/** The referrer that requests from the page would have: a blob worker's have none. */
function referrer(): { referrer?: string } {
  const { location, document } = globalThis as { location?: { href: string }; document?: unknown };
  return document !== undefined && location?.href.startsWith("http") ? { referrer: location.href } : {};
}

/**
 * What every request begins with, as it can be cloned. A signal or a stream cannot: those stay on
 * the page.
 */
function clonableInit({ overrides = {}, credentials }: FetchStoreOptions): RequestInit {
  const { signal, body, window, headers, ...plain } = overrides as RequestInit & { window?: unknown };
  return {
    ...referrer(),
    ...plain,
    ...(headers !== undefined && { headers: Object.fromEntries(pairsOf(headers as HeaderList)) }),
    ...(credentials !== undefined && { credentials }),
  };
}

/**
 * The functions of a user's, as callbacks that the engine asks. They live as long as the store that
 * keeps them.
 */
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

  /** What the engine is told of the store's requests. */
  define(
    objects: ObjectNumbers,
    url: string | URL,
    { headerOrigins, suffixIsFree = false, isAnonymous = false }: HttpContext = {},
  ): HttpDefinition {
    const { headers, persistentCache, useSuffixRequest, missingOn403 = false } = this.#options;
    const cache = persistentCache ? persistentCacheOf(persistentCache) : undefined;
    return {
      fetch: this.#fetch && objects.callback(this.#fetch),
      headers: this.#headers
        ? { callback: objects.callback(this.#headers) }
        : headers && pairsOf(headers as HeaderList),
      headerOrigins,
      init: clonableInit(this.#options),
      cache: cache && objects.cache(cache, cache.definition),
      useSuffixRequest: useSuffixRequest ?? suffixIsFree,
      missingOn403,
      isAnonymous,
      shown: shown(url),
    };
  }
}

/**
 * Whether the browser sends cookies along; `fetch` does so to the page's own server unless told
 * otherwise. Outside of pages there are none.
 */
function maySendCookies(url: string | URL, { credentials }: RequestInit): boolean {
  if (credentials === "omit" || credentials === "include") return credentials === "include";
  return "location" in globalThis && isSameOrigin(url);
}

/** Whether nothing that is sent beside the URL says who asks. */
export function isAnonymous(url: string | URL, options: FetchStoreOptions): boolean {
  const { overrides = {}, credentials = overrides.credentials } = options;
  const hasHeaders =
    options.headers !== undefined || pairsOf((overrides.headers ?? {}) as HeaderList).length > 0;
  return !options.fetch && !hasHeaders && !maySendCookies(url, { ...(credentials && { credentials }) });
}

/** A signal among the overrides stays on the page, and so does the `fetch` that it ends. */
function fetchWithSignal(overrides: RequestInit | undefined): FetchStoreOptions["fetch"] {
  const signal = overrides?.signal;
  if (!signal) return undefined;
  return (request) => globalThis.fetch(request, { signal: AbortSignal.any([request.signal, signal]) });
}

/**
 * Calls the user's `fetch`: with the engine's request where that is on this thread, else with one
 * made of its parts.
 */
const fetchCallback =
  (fetch: NonNullable<FetchStoreOptions["fetch"]>): Callback =>
  async (request, left: AbortSignal) => {
    if (request instanceof Request) return fetch(request);
    const parts = await answerParts(await fetch(requestOf(request, left)));
    return new Transferring(parts, [parts.body]);
  };

const headersCallback =
  (headers: (reason: HeadersReason) => HeaderList | Promise<HeaderList>): Callback =>
  async (reason: HeadersReason) =>
    pairsOf(await headers({ isRefresh: reason.isRefresh }));

/** Whether a URL can be asked for anything without a preflight. */
export function isSameOrigin(url: string | URL): boolean {
  const { location } = globalThis as { location?: { origin: string; href: string } };
  if (!location) return true;
  try {
    return new URL(url, location.href).origin === location.origin;
  } catch {
    return false;
  }
}

/** Fails where an option is none that a store over HTTP has a use for. */
export function checkHttpOptions({ headers }: FetchStoreOptions): void {
  if (headers === undefined || typeof headers === "function") return;
  try {
    pairsOf(headers);
  } catch (cause) {
    throw new ZarrError("Argument", `the headers are none that a request takes: ${cause}`, { cause });
  }
}
