/**
 * Reuses requests that the page sent before the engine had started: those for the metadata
 * documents of a node that is being opened. The page cancels those that remain unused.
 */
import type { ResponseParts } from "../../port/callbacks.ts";
import { page } from "../page.ts";
import { PageResponse } from "./page_response.ts";
import type { Send } from "./request_headers.ts";

export class EarlyRequests {
  /** For each URL, the page's callback that returns the response. */
  readonly #sent = new Map<string, number>();
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
  }

  /** Registers URLs that the page has requested. The returned function removes the unused ones. */
  expect({ urls, callback }: { urls: string[]; callback: number }): () => void {
    for (const url of urls) this.#sent.set(url, callback);
    return () => {
      for (const url of urls) if (this.#sent.get(url) === callback) this.#sent.delete(url);
    };
  }

  /** Answers a request from the page's early one if there is one; sends it otherwise. */
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
