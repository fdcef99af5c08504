/**
 * Headers of the user's on every request: given once, or by a function, which is asked again when a
 * server answers 401 to the headers that it gave.
 */
import { ZarrError } from "../../model/errors.ts";
import type { HeaderPairs } from "../../port/definitions.ts";

/** Why headers are asked for. */
interface HeadersReason {
  /** A server has answered 401 to the ones before: a token has expired. */
  isRefresh: boolean;
}

/** The headers, or the function that makes them: it is called once, and again after a 401. */
export type HeadersSource = HeaderPairs | ((reason: HeadersReason) => Promise<HeaderPairs>);

export type Send = (request: Request) => Promise<Response>;

/** The headers that a store sends at the time. */
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
   * Others than these, which were refused: asked for once, however many requests were refused with
   * them.
   */
  insteadOf(refused: Promise<Headers>): Promise<Headers> {
    if (this.#current === undefined || this.#current === refused) this.#current = this.#keep(this.#ask(true));
    return this.#current;
  }

  /** What could not be had is asked for again by the next request. */
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
      throw new ZarrError("Store", `the function that makes request headers has failed: ${cause}`, { cause });
    }
  }
}

function headed(request: Request, headers: Headers): Request {
  for (const [name, value] of headers) request.headers.set(name, value);
  return request;
}

/** Sends with these headers to the servers that they are meant for, and to no others. */
export function sendWithHeaders(
  send: Send,
  source: HeadersSource,
  isMeantFor: (url: string) => boolean,
): Send {
  const headers = new CurrentHeaders(source);
  return async (request) => {
    if (!isMeantFor(request.url)) return send(request);
    // A request can be sent once only.
    const again = headers.canRefresh ? request.clone() : undefined;
    const used = headers.current();
    const response = await send(headed(request, await used));
    if (response.status !== 401 || !again) return response;
    await response.body?.cancel();
    return send(headed(again, await headers.insteadOf(used)));
  };
}
