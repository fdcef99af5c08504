/**
 * Conditional requests where the host has no HTTP cache, as in Node: an answer to a request of mode
 * `no-cache` is kept, and asked for again by its `ETag`. A server without news answers 304, without
 * a body. In browsers, the HTTP cache does this, and may without a preflight; what is too young for
 * that passes the cache.
 */
import { isNode } from "../../model/node.ts";
import { requestFor } from "../../model/platform_fetch.ts";
import type { Send } from "./redirects.ts";

/** Answers that are longer are not kept. */
const MAX_ANSWER_BYTES = 1 << 20;

/** The most answers that are kept. The oldest ones go first. */
const MAX_ANSWERS = 64;

/**
 * How long in ms a file must have been unchanged before a 304 is trusted. The `ETag`s of nginx and
 * others are the second of the last change and the length: two changes in a second may have one.
 */
const SETTLED_MS = 2000;

/** Whether a later change of what was answered will have another `ETag`. */
function isSettled({ headers }: Response): boolean {
  const changed = Date.parse(headers.get("last-modified") ?? "");
  const sent = Date.parse(headers.get("date") ?? "");
  const age = (Number.isNaN(sent) ? Date.now() : sent) - changed;
  return Number.isNaN(age) || age >= SETTLED_MS;
}

interface Kept {
  tag: string;
  headers: Headers;
  body: ArrayBuffer;
}

export class Revalidation {
  readonly #send: Send;
  readonly #kept = new Map<string, Kept>();
  /** The addresses whose last answer in a browser's cache is too young for a 304. */
  readonly #young = new Set<string>();

  constructor(send: Send) {
    this.#send = send;
  }

  readonly send: Send = (request) => {
    const asks = request.cache === "no-cache" && request.method === "GET";
    if (!asks) return this.#send(request);
    return isNode() ? this.#asked(request) : this.#askedByBrowser(request);
  };

  async #askedByBrowser(request: Request): Promise<Response> {
    const { url } = request;
    const isYoung = this.#young.delete(url);
    const response = await this.#send(isYoung ? requestFor(request, { cache: "reload" }) : request);
    if (!isSettled(response)) {
      this.#young.add(url);
      forgetOldest(this.#young);
    }
    return response;
  }

  async #asked(request: Request): Promise<Response> {
    const { url } = request;
    const kept = this.#kept.get(url);
    if (kept) request.headers.set("if-none-match", kept.tag);
    const response = await this.#send(request);
    if (response.status === 304 && kept) return new Response(kept.body, { headers: kept.headers });
    return this.#keep(url, response);
  }

  async #keep(url: string, response: Response): Promise<Response> {
    this.#kept.delete(url);
    const { status, headers } = response;
    const tag = headers.get("etag");
    const length = Number(headers.get("content-length") ?? Number.NaN);
    if (status !== 200 || !tag || !(length <= MAX_ANSWER_BYTES) || !isSettled(response)) return response;
    // A stub of a test may answer with less than a response, and have none.
    if (typeof response.clone !== "function" || typeof Response !== "function") return response;
    const body = await response.clone().arrayBuffer();
    this.#kept.set(url, { tag, headers, body });
    forgetOldest(this.#kept);
    return response;
  }
}

/** Removes the entry that was added first if there are too many. */
function forgetOldest(entries: Map<string, Kept> | Set<string>): void {
  const [oldest] = entries.keys();
  if (entries.size > MAX_ANSWERS) entries.delete(oldest as string);
}
