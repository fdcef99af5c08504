/**
 * `FetchStore`: a Zarr hierarchy below a URL.
 */
import { needUrl } from "../model/argument.ts";
import type { AbsolutePath } from "../model/types.ts";
import { absoluteUrl } from "../port/configuration.ts";
import { warningsOfStore } from "../port/warnings.ts";
import { type BeginEarly, EARLY, type EarlyNode, type EarlyStart, earlyDocuments } from "./early.ts";
import {
  checkHttpOptions,
  type FetchStoreOptions,
  HttpCallbacks,
  isAnonymous,
  isSameOrigin,
  pairsOf,
} from "./http_options.ts";
import { isOurs, isUntouched, NativeStore, REQUESTING } from "./native_store.ts";

/**
 * A store over HTTP for the hierarchy below a URL. A query string, such as a signature, is sent
 * with every request. It writes with PUT and DELETE if the server accepts them. It lists buckets of
 * S3 and Azure, and servers with HTML directory listings.
 */
export class FetchStore extends NativeStore {
  readonly url: string | URL;
  readonly #options: FetchStoreOptions;
  readonly #early: BeginEarly | undefined;

  constructor(url: string | URL, options: FetchStoreOptions = {}) {
    needUrl(url, "url");
    checkHttpOptions(options);
    const callbacks = new HttpCallbacks(options);
    super((objects) => ({
      kind: "http",
      url: absoluteUrl(url),
      http: callbacks.define(objects, url, {
        suffixIsFree: isSameOrigin(url),
        isAnonymous: isAnonymous(url, options),
      }),
    }));
    this.url = url;
    this.#options = options;
    this.#early = earlyDocuments(options);
  }

  /** Warnings about the server's responses. The `warnings` of nodes include them. */
  get warnings(): readonly string[] {
    return [...warningsOfStore(this)];
  }

  /** @internal */
  [REQUESTING](init: RequestInit): FetchStore {
    const overrides = { ...this.#options.overrides, ...init };
    const both = [this.#options.overrides, init].flatMap((each) => pairsOf(each?.headers));
    overrides.headers = Object.fromEntries(both);
    return new FetchStore(this.url, { ...this.#options, overrides });
  }

  /** @internal */
  [EARLY](node: EarlyNode): EarlyStart | undefined {
    return isUntouched(this) ? this.#early?.(absoluteUrl(this.url), node) : undefined;
  }

  /** Stores a value and replaces an existing one. */
  set(key: AbsolutePath, value: Uint8Array): Promise<void> {
    return this.put(key, value);
  }

  /** Removes a key. An absent key is not an error. */
  delete(key: AbsolutePath): Promise<void> {
    return this.remove(key);
  }
}
isOurs(FetchStore);
