/**
 * Conditional requests where the host has no HTTP cache, as in Node: an answer to a request of mode
 * `no-cache` is kept, and asked for again by its `ETag`. A server without news answers 304, without
 * a body. In browsers, the HTTP cache does this, and may without a preflight.
 */
import { isNode } from "../../model/node.ts";
import type { Send } from "./redirects.ts";

/** Answers that are longer are not kept. */
const MOST_BYTES = 1 << 20;

/** The most answers that are kept. The oldest ones go first. */
const MOST_ANSWERS = 64;

interface Kept {
  tag: string;
  headers: Headers;
  body: ArrayBuffer;
}

export class Revalidation {
  readonly #send: Send;
  readonly #kept = new Map<string, Kept>();

  constructor(send: Send) {
    this.#send = send;
  }

  readonly send: Send = async (request) => {
    const isConditional = request.cache === "no-cache" && request.method === "GET" && isNode();
    if (!isConditional) return this.#send(request);
    const { url } = request;
    const kept = this.#kept.get(url);
    if (kept) request.headers.set("if-none-match", kept.tag);
    const response = await this.#send(request);
    if (response.status === 304 && kept) return new Response(kept.body, { headers: kept.headers });
    return this.#keep(url, response);
  };

  async #keep(url: string, response: Response): Promise<Response> {
    this.#kept.delete(url);
    const tag = response.headers.get("etag");
    const length = Number(response.headers.get("content-length") ?? Number.NaN);
    if (response.status !== 200 || !tag || !(length <= MOST_BYTES)) return response;
    const { headers } = response;
    const body = await response.clone().arrayBuffer();
    this.#kept.set(url, { tag, headers, body });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_ANSWERS) this.#kept.delete(oldest as string);
    return response;
  }
}
