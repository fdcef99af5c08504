/**
 * The answer of a `fetch` that ran on the page, as the engine reads answers: status, some headers,
 * and the whole body.
 */

/** An answer as it crosses. */
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
  /** There is nothing to be cancelled: the body is here. */
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

  /** Another answer with a body of its own. */
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
