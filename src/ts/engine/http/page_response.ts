/**
 * Responses in the shape that the engine reads: status, some headers, and a body that has arrived.
 * That of a `fetch` on the page was read there.
 */

import { type BodyLimits, BodyTooLarge, bodyOf } from "../../model/body.ts";
import type { ResponseParts } from "../../port/callbacks.ts";

/**
 * Reads a response up to its limits. An object that only resembles a response is returned as it is,
 * and so is one whose body has been read on the page.
 */
export async function readResponse(response: Response, limits: BodyLimits | undefined): Promise<Response> {
  if (response instanceof PageResponse || typeof response?.arrayBuffer !== "function") return response;
  const bytes = await bodyOf(response, limits);
  const { status, url, redirected, headers } = response;
  return { status, url, redirected, headers, arrayBuffer: async () => bytes } as Response;
}

export class PageResponse {
  readonly status: number;
  readonly url: string;
  readonly redirected: boolean;
  readonly headers: Headers;
  /** Null, because the body has arrived: there is no stream to cancel. */
  readonly body = null;
  readonly #body: ArrayBuffer;

  constructor({ status, url, redirected, headers, body, exceeded }: ResponseParts) {
    if (exceeded) throw new BodyTooLarge(exceeded);
    [this.status, this.url, this.redirected, this.#body] = [status, url, redirected, body];
    this.headers = new Headers(headers);
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return this.#body;
  }

  /** A copy with its own body. */
  clone(): PageResponse {
    const { status, url, redirected } = this;
    return new PageResponse({
      status,
      url,
      redirected,
      headers: [...this.headers],
      body: this.#body.slice(0),
    });
  }
}
