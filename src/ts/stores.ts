/**
 * Stores, and how the engine comes to know them. A `FetchStore` is the engine's own HTTP store; any other object with
 * zarrita's interface (a `Map` too) is called by the engine just as zarrita would call it.
 */

import { finalizer, Handle, needFull, run } from "./engine/engine.ts";
import { warn } from "./engine/warn.ts";
import { type EarlyNode, EarlyRequests } from "./store/early.ts";
import type { Listed } from "./store/file.ts";
import {
  type PersistentCache,
  type PersistentCacheOptions,
  persistentCacheOf,
} from "./store/persistent_cache.ts";
import { type HeadersSource, type Send, sendWithHeaders } from "./store/request_headers.ts";
import type { AbsolutePath, AsyncReadable, RangeQuery, StoreGetOptions } from "./types.ts";

type Glue = typeof import("#glue");

/** How to make the engine's own store for an object; undefined when the object is no longer what it was made as. */
type Native = (glue: Glue) => number | undefined;

const natives = new WeakMap<object, Native>();
const handles = new WeakMap<object, Handle>();
const storeHandles = finalizer((glue, id) => glue.releaseStore(id));

/** Says that the engine has a store of its own for this object. */
export function setNative(store: object, native: Native): void {
  natives.set(store, native);
}

/** The engine's number of a store that is its own, and whose methods nobody has replaced. */
export const nativeId = (glue: Glue, store: object): number | undefined => natives.get(store)?.(glue);

/** The engine's number of a store; told again when the engine's instance has changed. */
export function storeId(glue: Glue, store: unknown): number {
  if (typeof store !== "object" || store === null)
    throw new TypeError("a store is an object with a method `get`");
  const known = handles.get(store)?.id;
  if (known !== undefined) return known;
  const native = nativeId(glue, store);
  if (native !== undefined) return native;
  const id = glue.userStore(new WeakRef(store));
  const handle = new Handle(id);
  handles.set(store, handle);
  storeHandles.register(store, handle);
  return id;
}

export interface FetchStoreOptions {
  /**
   * Headers of every request: given once, or by a function. That is called once, and again (once for all requests that were under way)
   * when the server answers 401; then the request is sent again. A `ReferenceStore` sends them to its document's and its target's servers only.
   */
  headers?: HeadersSource;
  /** Whether cookies go with requests, as in `fetch`. */
  credentials?: "omit" | "same-origin" | "include";
  /**
   * Keep answers in Cache Storage, beyond this page: `true`, or how much and how long. Only in secure contexts (https, localhost); elsewhere
   * there is a warning and nothing is kept.
   */
  persistentCache?: boolean | PersistentCacheOptions | PersistentCache;
  /** Called instead of the global `fetch`: to sign, to count, to answer from elsewhere. */
  fetch?: (request: Request) => Promise<Response>;
  /** A `RequestInit` that every request begins with: headers, credentials, cache. */
  overrides?: RequestInit;
  /**
   * Read the ends of files by `Range: bytes=-N`, which saves asking for their size. Unless given, where it costs no preflight: on the page's own
   * server, and outside of browsers. A server that does not understand it is asked otherwise.
   */
  useSuffixRequest?: boolean;
  /**
   * Status 403 on a chunk means that it is absent, as on a bucket that may not be listed, and says nothing of credentials that have expired.
   * Otherwise only where requests carry no credentials at all: no headers, no cookies, no `fetch` of the user's, no query in the URL. Then
   * there is a warning on the console.
   */
  missingOn403?: boolean;
}

/** An absolute URL; relative ones are seen from the page. */
export function absoluteUrl(url: string | URL): string {
  const text = String(url);
  const { location } = globalThis as { location?: { href: string } };
  return /^[a-z][a-z\d+.-]*:\/\//i.test(text) || !location ? text : new URL(text, location.href).href;
}

const isRangeOfEnd = (range: RangeQuery): range is { suffixLength: number } => "suffixLength" in range;

/** What the engine calls to read; a subclass that has its own wants them to be called. */
const READING = ["get", "getRange", "size", "list", "listDir"] as const;

/**
 * A store that the engine has itself: each method asks it. `make` is called when the engine does not know the store yet, also
 * after its instance was replaced.
 */
export abstract class NativeStore implements AsyncReadable {
  readonly #make: (glue: Glue) => number;
  #handle: Handle | undefined;

  constructor(make: (glue: Glue) => number) {
    this.#make = make;
    setNative(this, (glue) => (isUntouched(this) ? this.#id(glue) : undefined));
  }

  get(key: AbsolutePath, options: StoreGetOptions = {}): Promise<Uint8Array | undefined> {
    return readKey((glue) => this.#id(glue), key, undefined, options);
  }

  getRange(
    key: AbsolutePath,
    range: RangeQuery,
    options: StoreGetOptions = {},
  ): Promise<Uint8Array | undefined> {
    return readKey((glue) => this.#id(glue), key, range, options);
  }

  /** Bytes of a value; undefined where there is none. */
  size(key: AbsolutePath, { signal }: StoreGetOptions = {}): Promise<number | undefined> {
    return run(signal, (glue, settle) => glue.sizeOfKey(this.#id(glue), key, settle));
  }

  /** Whether there is a value under a key. */
  async has(key: AbsolutePath): Promise<boolean> {
    return (await this.size(key)) !== undefined;
  }

  /** All keys below a prefix, in order. Rejects where the store cannot list. */
  list(prefix: AbsolutePath = "/"): Promise<AbsolutePath[]> {
    return run(undefined, (glue, settle) => needFull(glue).listKeys(this.#id(glue), prefix, settle));
  }

  /** What stands directly below a prefix, in order. Rejects where the store cannot list. */
  listDir(prefix: AbsolutePath = "/"): Promise<Listed> {
    return run(undefined, (glue, settle) => needFull(glue).listDirectory(this.#id(glue), prefix, settle));
  }

  /** The engine's number of it, for stores that are made of others. */
  #id(glue: Glue): number {
    const known = this.#handle?.id;
    if (known !== undefined) return known;
    const handle = new Handle(this.#make(glue));
    this.#handle = handle;
    storeHandles.register(this, handle);
    return handle.id as number;
  }

  /** Calls the engine with its number of this store. */
  protected ask<T>(begin: (glue: Glue, id: number, settle: Settle) => number): Promise<T> {
    return run(undefined, (glue, settle) => begin(glue, this.#id(glue), settle));
  }
}

type Settle = Parameters<Parameters<typeof run>[1]>[1];

const WRITING = ["set", "delete"] as const;

/** Whether the engine may stand for a store's methods: nobody has put others in their place. */
const isUntouched = (store: NativeStore) =>
  [...READING, ...WRITING].every(
    (name) => Reflect.get(store, name) === Reflect.get(nativeMethods(store), name),
  );

/** The prototype of ours that an object has: where its methods are those that the engine stands for. */
function nativeMethods(store: object): object {
  let prototype = Object.getPrototypeOf(store);
  while (!OURS.has(prototype)) prototype = Object.getPrototypeOf(prototype);
  return prototype;
}

/** Prototypes of the classes whose methods are the engine's. */
const OURS = new WeakSet<object>([NativeStore.prototype]);

/** Says that a class adds nothing to the engine's methods but what the engine does too. */
export function isOurs(of: { prototype: NativeStore }): void {
  OURS.add(of.prototype);
}

/** How requests are sent: by whom, with which headers, and after a look into which cache. */
function sender(
  { fetch, headers, persistentCache }: FetchStoreOptions,
  isMeantFor: (url: string) => boolean,
  isWrapped = false,
): Send | undefined {
  if (!headers && !persistentCache && !isWrapped) return fetch;
  const plain: Send = fetch ?? ((request) => globalThis.fetch(request));
  const headed = headers ? sendWithHeaders(plain, headers, isMeantFor) : plain;
  const cache = persistentCache ? persistentCacheOf(persistentCache) : undefined;
  return cache ? (request) => cache.answer(request, headed) : headed;
}

/** What is not for users to say. */
interface HttpContext {
  /** Which addresses the user's headers are for. */
  isMeantFor?: (url: string) => boolean;
  /** Hears of warnings, too. */
  heard?: (message: string) => void;
  /** Sends requests; made of the options unless given. */
  send?: Send;
  /** A range of the end of a file costs no more than any other. */
  suffixIsFree?: boolean;
  /** Nothing that is sent beside the URL says who asks. */
  isAnonymous?: boolean;
}

/** Whether a URL can be asked for anything without a preflight. */
export function isSameOrigin(url: string | URL): boolean {
  const { location } = globalThis as { location?: { origin: string } };
  if (!location) return true;
  try {
    return new URL(absoluteUrl(url)).origin === location.origin;
  } catch {
    return false;
  }
}

/** Whether the browser sends cookies along; `fetch` does so to the page's own server unless told otherwise. Outside of pages there are none. */
function maySendCookies(url: string | URL, { credentials }: RequestInit = {}): boolean {
  if (credentials === "omit" || credentials === "include") return credentials === "include";
  return "location" in globalThis && isSameOrigin(url);
}

/** Whether nothing that is sent beside the URL says who asks. */
function isAnonymous(url: string | URL, options: FetchStoreOptions): boolean {
  const init = requestInit(options);
  const hasHeaders = options.headers !== undefined || [...new Headers(init?.headers)].length > 0;
  return !options.fetch && !hasHeaders && !maySendCookies(url, init);
}

/** What every request begins with. */
const requestInit = ({ overrides, credentials }: FetchStoreOptions): RequestInit | undefined =>
  credentials === undefined ? overrides : { ...overrides, credentials };

/** An address without its query: signatures are nobody else's to see. */
const shown = (url: string | URL) => String(url).replace(/[?#].*$/s, "");

/** What a store over HTTP hears as `HttpStoreOptions` of `src/js/store.rs`. */
export const httpOptions = (
  url: string | URL,
  options: FetchStoreOptions,
  { isMeantFor = () => true, heard, send, suffixIsFree = false, isAnonymous = false }: HttpContext = {},
) => ({
  fetch: send ?? sender(options, isMeantFor),
  overrides: requestInit(options),
  useSuffixRequest: options.useSuffixRequest ?? suffixIsFree,
  missingOn403: options.missingOn403 ?? false,
  isAnonymous,
  onConsole: (message: string) => console.warn(`zarr-wasm: ${message}`),
  onWarning: (message: string) => {
    heard?.(message);
    warn(message, shown(url));
  },
});

/**
 * Asks a store for the documents of a node before the engine has started; what this returns gives up those that the engine has not asked for
 * either.
 */
export function askEarly(store: unknown, node: EarlyNode): () => void {
  const isEarly = store instanceof FetchStore && natives.has(store) && isUntouched(store);
  return isEarly ? store[EARLY](node) : () => {};
}

const EARLY: unique symbol = Symbol("zarr-wasm.early");

/** Warnings that a store keeps. */
const MOST_WARNINGS = 100;

/** What is odd about a store of ours; nothing of a store of the user's. */
export const warningsOfStore = (store: unknown): readonly string[] =>
  store instanceof FetchStore ? store.warnings : [];

/**
 * A hierarchy below a URL. A query string, such as a signature, stays on every request. Writes by PUT and DELETE where the
 * server takes them; lists S3's and Azure's buckets, and servers that make pages of their folders.
 */
export class FetchStore extends NativeStore {
  readonly url: string | URL;
  readonly #warnings: string[];
  readonly #early: (node: EarlyNode) => () => void;

  constructor(url: string | URL, options: FetchStoreOptions = {}) {
    const warnings: string[] = [];
    const heard = (message: string) => {
      if (warnings.length < MOST_WARNINGS && !warnings.includes(message)) warnings.push(message);
    };
    const early = new EarlyRequests(sender(options, () => true, true) as Send);
    const { send } = early;
    super((glue) =>
      glue.httpStore(
        absoluteUrl(url),
        httpOptions(url, options, {
          heard,
          send,
          suffixIsFree: isSameOrigin(url),
          isAnonymous: isAnonymous(url, options),
        }),
      ),
    );
    this.url = url;
    this.#warnings = warnings;
    this.#early = (node) => early.begin(absoluteUrl(url), node, requestInit(options));
  }

  /** What was odd about the server's answers. The warnings of nodes have these too. */
  get warnings(): readonly string[] {
    return [...this.#warnings];
  }

  /** @internal */
  [EARLY](node: EarlyNode): () => void {
    return this.#early(node);
  }

  /** Puts a value under a key, in place of what is there. */
  set(key: AbsolutePath, value: Uint8Array): Promise<void> {
    return this.ask((glue, id, settle) => needFull(glue).setKey(id, key, value, settle));
  }

  /** Removes a key; of an absent one too without an error. */
  delete(key: AbsolutePath): Promise<void> {
    return this.ask((glue, id, settle) => needFull(glue).eraseKey(id, key, settle));
  }
}
isOurs(FetchStore);

/** Reads a key through the engine. */
export function readKey(
  id: (glue: Glue) => number,
  key: string,
  range: RangeQuery | undefined,
  { signal }: StoreGetOptions,
): Promise<Uint8Array | undefined> {
  const offset = range && !isRangeOfEnd(range) ? range.offset : undefined;
  const length = range && (isRangeOfEnd(range) ? range.suffixLength : range.length);
  return run(signal, (glue, settle) => glue.readKey(id(glue), key, offset, length, settle));
}
