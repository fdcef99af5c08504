/**
 * Adds the user's headers to every request. They are given once, or by a function. The function is
 * called again when a server answers 401.
 */
import { limitsOf, withLimits } from "../../model/body.ts";
import { ZarrError } from "../../model/errors.ts";
import type { HeaderPairs } from "../../port/definitions.ts";

/** The reason for which the function is called. */
interface HeadersReason {
  /** A server answered 401 to the previous headers, because a token has expired. */
  isRefresh: boolean;
}

/** The headers, or the function that makes them. It is called once, and again after a 401. */
export type HeadersSource = HeaderPairs | ((reason: HeadersReason) => Promise<HeaderPairs>);

export type Send = (request: Request) => Promise<Response>;

/** The headers that a store sends now. */
class CurrentHeaders {
  readonly #source: HeadersSource;
  #current: Promise<Headers> | undefined;

  constructor(source: HeadersSource) {
    this.#source = source;
  }

  get canRefresh(): boolean {
    return typeof this.#source === "function";
  }

  current(): Promise<Headers> {
    this.#current ??= this.#keep(this.#ask(false));
    return this.#current;
  }

  /**
   * New headers in place of refused ones. The function is called once, even if several requests
   * were refused with them.
   */
  insteadOf(refused: Promise<Headers>): Promise<Headers> {
    if (this.#current === undefined || this.#current === refused) this.#current = this.#keep(this.#ask(true));
    return this.#current;
  }

  /** After a failure, the next request calls the function again. */
  #keep(asked: Promise<Headers>): Promise<Headers> {
    asked.catch(() => {
      if (this.#current === asked) this.#current = undefined;
    });
    return asked;
  }

  async #ask(isRefresh: boolean): Promise<Headers> {
    const source = this.#source;
    if (typeof source !== "function") return new Headers(source);
    try {
      return new Headers(await source({ isRefresh }));
    } catch (cause) {
      throw new ZarrError("Store", `the function that makes request headers failed: ${cause}`, { cause });
    }
  }
}

function headed(request: Request, headers: Headers): Request {
  for (const [name, value] of headers) request.headers.set(name, value);
  return request;
}

/** Adds the headers to requests for the servers that they are meant for, and to no others. */
export function sendWithHeaders(
  send: Send,
  source: HeadersSource,
  isMeantFor: (url: string) => boolean,
): Send {
  const headers = new CurrentHeaders(source);
  return async (request) => {
    if (!isMeantFor(request.url)) return send(request);
    // The copy is for a second attempt, because a request can be sent only once.
    const again = headers.canRefresh ? withLimits(request.clone(), limitsOf(request)) : undefined;
    const used = headers.current();
    const response = await send(headed(request, await used));
    if (response.status !== 401 || !again) return response;
    response.body?.cancel().catch(() => {});
    return send(headed(again, await headers.insteadOf(used)));
  };
}
