/**
 * Requests that the page has sent before the engine could: documents of a node that is being
 * opened. The engine finds them under way; the page gives up those that nobody asks for.
 */
import { page } from "../page.ts";
import { PageResponse, type ResponseParts } from "./page_response.ts";
import type { Send } from "./request_headers.ts";

export class EarlyRequests {
  /** The page's callback that answers, by URL. */
  readonly #sent = new Map<string, number>();
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
  }

  /** Learns which URLs the page has requested; what this returns forgets those that nobody took. */
  expect({ urls, callback }: { urls: string[]; callback: number }): () => void {
    for (const url of urls) this.#sent.set(url, callback);
    return () => {
      for (const url of urls) if (this.#sent.get(url) === callback) this.#sent.delete(url);
    };
  }

  /** Sends a request of the engine's, unless the page has sent it already. */
  readonly send: Send = async (request) => {
    const callback = this.#sent.get(request.url);
    const isPlain = request.method === "GET" && !request.headers.has("range");
    if (callback === undefined || !isPlain) return this.#send(request);
    this.#sent.delete(request.url);
    const { signal } = request;
    const answer = await page().ask(callback, "early", [request.url], { signal });
    return new PageResponse(answer as ResponseParts) as unknown as Response;
  };
}
