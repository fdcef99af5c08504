/**
 * `FetchStore`: a hierarchy below a URL.
 */
import type { AbsolutePath } from "../model/types.ts";
import { absoluteUrl } from "../port/configuration.ts";
import { warningsOfStore } from "../port/warnings.ts";
import { EARLY, EarlyDocuments, type EarlyNode, type EarlyStart } from "./early.ts";
import {
  checkHttpOptions,
  type FetchStoreOptions,
  HttpCallbacks,
  isAnonymous,
  isSameOrigin,
} from "./http_options.ts";
import { isOurs, isUntouched, NativeStore } from "./native_store.ts";

/**
 * A hierarchy below a URL. A query string, such as a signature, stays on every request. Writes by
 * PUT and DELETE where the server takes them; lists S3's and Azure's buckets, and servers that make
 * pages of their folders.
 */
export class FetchStore extends NativeStore {
  readonly url: string | URL;
  readonly #early: EarlyDocuments | undefined;

  constructor(url: string | URL, options: FetchStoreOptions = {}) {
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
    this.#early = EarlyDocuments.of(options);
  }

  /** What was odd about the server's answers. The warnings of nodes have these too. */
  get warnings(): readonly string[] {
    return [...warningsOfStore(this)];
  }

  /** @internal */
  [EARLY](node: EarlyNode): EarlyStart | undefined {
    return isUntouched(this) ? this.#early?.begin(absoluteUrl(this.url), node) : undefined;
  }

  /** Puts a value under a key, in place of what is there. */
  set(key: AbsolutePath, value: Uint8Array): Promise<void> {
    return this.put(key, value);
  }

  /** Removes a key; of an absent one too without an error. */
  delete(key: AbsolutePath): Promise<void> {
    return this.remove(key);
  }
}
isOurs(FetchStore);
