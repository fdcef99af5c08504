/**
 * The response of a `fetch` that ran on the page, in the shape that the engine reads: status, some
 * headers, and the whole body.
 */

/** A response as it crosses the port. */
export interface ResponseParts {
  status: number;
  url: string;
  redirected: boolean;
  headers: [string, string][];
  body: ArrayBuffer;
}

export class PageResponse {
  readonly status: number;
  readonly url: string;
  readonly redirected: boolean;
  readonly headers: Headers;
  /** Null, because the body has arrived: there is no stream to cancel. */
  readonly body = null;
  readonly #body: ArrayBuffer;

  constructor({ status, url, redirected, headers, body }: ResponseParts) {
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
