/**
 * `FetchStore`: a Zarr hierarchy below a URL.
 *
 * It requests a node's metadata documents while the engine starts, so that the engine finds them
 * answered. If the format is not known, v3's document is requested first, and v2's if it is absent
 * or takes long. Requests that the engine does not use are cancelled. This is only for stores whose
 * requests do not depend on the engine.
 */

import { needUrl } from "../../engine/ts/model/argument.ts";
import type { BodyLimits } from "../../engine/ts/model/body.ts";
import { HEAD_START_MS, METADATA_BYTES } from "../../engine/ts/model/limits.ts";
import { isNode } from "../../engine/ts/model/node.ts";
import { addressesBelow } from "../../engine/ts/model/plain_address.ts";
import { fetchHere, requestFor } from "../../engine/ts/model/platform_fetch.ts";
import { worksBehindProxies } from "../../engine/ts/model/proxies.ts";
import type { AbsolutePath } from "../../engine/ts/model/types.ts";
import { absoluteUrl } from "../../engine/ts/port/configuration.ts";
import type { Callback } from "../../engine/ts/port/definitions.ts";
import { Transferring } from "../../engine/ts/port/objects.ts";
import { warningsOfStore } from "../../engine/ts/port/warnings.ts";
import {
  answerParts,
  checkHttpOptions,
  type FetchStoreOptions,
  HttpCallbacks,
  isAnonymous,
  isSameOrigin,
  pairsOf,
} from "./http_options.ts";
import { isOurs, isUntouched, NativeStore, REQUESTING } from "./native_store.ts";

/** The key of the store method that sends early requests. */
export const EARLY: unique symbol = Symbol("zarr-wasm.early");

/** The possible metadata documents of a node. The engine decides which of them it reads. */
const DOCUMENTS = { 2: [".zarray", ".zgroup", ".zattrs"], 3: ["zarr.json"] };

/** An address of a metadata document, of which people mean the node. */
const OF_DOCUMENT = /^([^?#]*)\/(?:zarr\.json|\.z(?:array|group|attrs|metadata))(?=[?#]|$)/;

/** The address of a node instead of that of its document. Others are returned as they are. */
export function addressOfNode(url: string | URL): string | URL {
  const text = String(url).trim();
  return OF_DOCUMENT.test(text) ? text.replace(OF_DOCUMENT, "$1") : url;
}

const LIMITS: BodyLimits = [METADATA_BYTES, METADATA_BYTES];

/** The node to open. */
export interface EarlyNode {
  path: string;
  format: 0 | 2 | 3;
  /** Whether to request v2's attributes too. */
  attrs: boolean;
}

/** Requests in flight. */
export interface EarlyStart {
  urls: string[];
  /** Returns a response. The light build may take it first, and then the engine. */
  callback: Callback;
  /** Cancels the requests that the engine did not use. */
  giveUp(): void;
}

/** Requests the documents of a node. Returns undefined if its URLs are not certain. */
export type BeginEarly = (root: string, node: EarlyNode) => EarlyStart | undefined;

/**
 * For a store whose requests depend on its options only. Undefined if a cache, a function or
 * headers are involved: the engine keeps headers from other servers.
 */
export function earlyDocuments(options: FetchStoreOptions): BeginEarly | undefined {
  const { headers, persistentCache, overrides, credentials } = options;
  const { fetch = fetchHere } = options;
  if (headers !== undefined || overrides?.headers !== undefined || persistentCache) return undefined;
  // The engine follows redirects where the platform shows them, and judges where they lead.
  const redirect = isNode() ? { redirect: "manual" as const } : {};
  const init = { ...redirect, ...overrides, ...(credentials !== undefined && { credentials }) };
  return (root, { path, format, attrs }) => {
    const addressOf = addressesBelow(root, path);
    if (!addressOf) return undefined;
    const requestsFor = (names: readonly string[]) =>
      names.filter((name) => attrs || name !== ".zattrs").map((name) => unsent(addressOf(name), init, fetch));
    try {
      const requests = requestsFor(DOCUMENTS[format === 2 ? 2 : 3]);
      return started(requests, format === 0 ? requestsFor(DOCUMENTS[2]) : []);
    } catch {
      // The engine sends the same request, and its error names the cause.
      return undefined;
    }
  };
}

/** A request that may be sent. */
interface Unsent {
  url: string;
  /** Sends it, once. */
  send(): Promise<Response>;
  /** The response, for the engine. The signal of the first caller aborts the request. */
  answer(left: AbortSignal): Promise<Transferring>;
  /** Cancels it, unless the response was taken. */
  giveUp(): void;
}

function unsent(address: string, init: RequestInit, fetch: (request: Request) => Promise<Response>): Unsent {
  const controller = new AbortController();
  const request = requestFor(address, { ...init, signal: controller.signal });
  let response: Promise<Response> | undefined;
  let answer: Promise<Transferring> | undefined;
  const abort = () => controller.abort();
  const send = () => {
    // A `fetch` of the user may throw at once.
    response ??= (async () => fetch(request))();
    response.catch(() => {}); // the engine hears of it when it takes the answer
    return response;
  };
  const take = async () => {
    const parts = await answerParts(await send(), LIMITS);
    return new Transferring(parts, [parts.body]);
  };
  return {
    url: request.url,
    send,
    answer(left) {
      if (!answer) left.addEventListener("abort", abort, { once: true });
      answer ??= take();
      return answer;
    },
    giveUp: () => answer ?? abort(),
  };
}

function started(first: Unsent[], later: Unsent[]): EarlyStart {
  const requests = new Map([...first, ...later].map((request) => [request.url, request]));
  const sendLater = () => {
    for (const request of later) if (requests.has(request.url)) request.send();
  };
  const timer = later.length > 0 ? setTimeout(sendLater, HEAD_START_MS) : undefined;
  // A user's `fetch` may return anything.
  const settle = (response: Response | undefined) => {
    // A redirect does not yet tell whether the document is there.
    if (response && response.status >= 300 && response.status < 400) return;
    clearTimeout(timer);
    if (!response?.ok) sendLater();
  };
  for (const request of first) request.send().then(settle, () => {});
  return {
    urls: [...requests.keys()],
    callback: (url: string, left: AbortSignal) => requests.get(url)?.answer(left),
    giveUp() {
      clearTimeout(timer);
      for (const request of requests.values()) request.giveUp();
      requests.clear();
    },
  };
}

/**
 * A store over HTTP: the hierarchy below a URL. The address of a node's own document, such as
 * `…/zarr.json`, stands for the node. A query string, such as a signature, is sent with every
 * request. It writes with PUT and DELETE if the server accepts them. It lists buckets of
 * S3 and Azure, and servers with HTML directory listings.
 */
export class FetchStore extends NativeStore {
  /** The address of the hierarchy, as it was given. */
  readonly url: string | URL;
  readonly #options: FetchStoreOptions;
  readonly #early: BeginEarly | undefined;

  /**
   * Nothing is requested yet.
   *
   * @param place The address of the root of the hierarchy. A relative one is resolved against the
   *   page.
   * @throws an `Argument` error for what is not a URL, and for unknown or invalid options.
   */
  constructor(place: string | URL, options: FetchStoreOptions = {}) {
    needUrl(place, "url");
    const url = addressOfNode(place);
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

  /**
   * Stores a value with `PUT`, and replaces an existing one.
   *
   * @param key The key, which begins with `/`.
   * @param value The bytes.
   * @throws a `Store` error if the server refuses.
   */
  set(key: AbsolutePath, value: Uint8Array): Promise<void> {
    return this.put(key, value);
  }

  /**
   * Removes a value with `DELETE`. An absent one is not an error.
   *
   * @param key The key, which begins with `/`.
   * @throws a `Store` error if the server refuses.
   */
  delete(key: AbsolutePath): Promise<void> {
    return this.remove(key);
  }
}
worksBehindProxies(FetchStore);
isOurs(FetchStore);
