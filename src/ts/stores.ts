/**
 * Stores, and how the engine comes to know them. A `FetchStore` is the engine's own HTTP store; any other object with
 * zarrita's interface (a `Map` too) is called by the engine just as zarrita would call it.
 */
import { configuration } from "./engine/configuration.ts";
import { finalizer, Handle, run } from "./engine/engine.ts";
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

/** The engine's number of a store; told again when the engine's instance has changed. */
export function storeId(glue: Glue, store: unknown): number {
  if (typeof store !== "object" || store === null)
    throw new TypeError("a store is an object with a method `get`");
  const known = handles.get(store)?.id;
  if (known !== undefined) return known;
  const native = natives.get(store)?.(glue);
  if (native !== undefined) return native;
  const id = glue.userStore(new WeakRef(store));
  const handle = new Handle(id);
  handles.set(store, handle);
  storeHandles.register(store, handle);
  return id;
}

export interface FetchStoreOptions {
  /** Called instead of the global `fetch`: to sign, to count, to answer from elsewhere. */
  fetch?: (request: Request) => Promise<Response>;
  /** A `RequestInit` that every request begins with: headers, credentials, cache. */
  overrides?: RequestInit;
  /** Read the ends of files by `Range: bytes=-N`, which cross-origin costs a preflight. */
  useSuffixRequest?: boolean;
  /** Status 403 on a chunk means that it is absent, as on a bucket that may not be listed. */
  missingOn403?: boolean;
}

/** An absolute URL; relative ones are seen from the page. */
function absoluteUrl(url: string | URL): string {
  const text = String(url);
  const { location } = globalThis as { location?: { href: string } };
  return /^[a-z][a-z\d+.-]*:\/\//i.test(text) || !location ? text : new URL(text, location.href).href;
}

const isRangeOfEnd = (range: RangeQuery): range is { suffixLength: number } => "suffixLength" in range;

/** What each `FetchStore` was made with. */
const made = new WeakMap<object, { url: string | URL; options: FetchStoreOptions }>();

/** A hierarchy below a URL. A query string, such as a signature, stays on every request. */
export class FetchStore implements AsyncReadable {
  readonly url: string | URL;

  constructor(url: string | URL, options: FetchStoreOptions = {}) {
    this.url = url;
    made.set(this, { url, options });
    const { get, getRange } = FetchStore.prototype;
    setNative(this, (glue) => {
      // A subclass, or someone who replaced a method, wants to be called.
      const isUntouched = this.get === get && this.getRange === getRange;
      return isUntouched ? httpStoreId(glue, this) : undefined;
    });
  }

  get(key: AbsolutePath, options: StoreGetOptions = {}): Promise<Uint8Array | undefined> {
    return readKey((glue) => httpStoreId(glue, this), key, undefined, options);
  }

  getRange(
    key: AbsolutePath,
    range: RangeQuery,
    options: StoreGetOptions = {},
  ): Promise<Uint8Array | undefined> {
    return readKey((glue) => httpStoreId(glue, this), key, range, options);
  }
}

const httpHandles = new WeakMap<object, Handle>();

/** The engine's own store behind a `FetchStore`. */
function httpStoreId(glue: Glue, store: FetchStore): number {
  const known = httpHandles.get(store)?.id;
  if (known !== undefined) return known;
  const { url, options } = made.get(store) ?? { url: store.url, options: {} };
  const id = glue.httpStore(absoluteUrl(url), {
    fetch: options.fetch,
    overrides: options.overrides,
    useSuffixRequest: options.useSuffixRequest ?? false,
    missingOn403: options.missingOn403 ?? false,
    onWarning: (message: string) => configuration.onWarning?.(message, String(url)),
  });
  const handle = new Handle(id);
  httpHandles.set(store, handle);
  storeHandles.register(store, handle);
  return id;
}

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
