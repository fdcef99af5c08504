/**
 * Sends the requests of an HTTP store, with this thread's `fetch` or the user's on the page, and
 * after a lookup in the persistent cache. Requests for metadata that the page sent before the
 * engine had started are used again. No request leaves before its address was judged
 * (`redirects.ts`). Rust interprets the responses (`src/engine/rust/store/http`).
 *
 * The user's headers are added to every request. They are given once, or by a function, which is
 * called again when a server answers 401.
 */
import { asResponse, type BodyLimits, bodyOf, limitsOf, unreadError, withLimits } from "../../model/body.ts";
import { shown, ZarrError } from "../../model/errors.ts";
import { copyOf, fetchHere } from "../../model/platform_fetch.ts";
import type { HeaderPairs, HeadersReason, HttpDefinition } from "../../port/definitions.ts";
import type { RequestParts, ResponseParts } from "../../port/protocol.ts";
import type { PageLink } from "../page.ts";
import type { PersistentCaches } from "./persistent_cache.ts";
import { judgeOf, RedirectFollower, type Send } from "./redirects.ts";
import { Revalidation } from "./revalidation.ts";

/** The headers, or the function that makes them. It is called once, and again after a 401. */
export type HeadersSource = HeaderPairs | ((reason: HeadersReason) => Promise<HeaderPairs>);

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
   * New headers instead of refused ones. The function is called once, even if several requests
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
      throw new ZarrError("Store", `the function that makes request headers failed: ${shown(cause)}`, {
        cause,
      });
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
    const again = headers.canRefresh ? withLimits(copyOf(request), limitsOf(request)) : undefined;
    const used = headers.current();
    const response = await send(headed(request, await used));
    if (response.status !== 401 || !again) return response;
    response.body?.cancel().catch(() => {});
    return send(headed(again, await headers.insteadOf(used)));
  };
}

/** Members of a `Request` that a user's `fetch` may look at. */
const CARRIED = [
  "cache",
  "credentials",
  "integrity",
  "keepalive",
  "mode",
  "redirect",
  "referrerPolicy",
] as const;

async function partsOf(request: Request): Promise<RequestParts> {
  const init: Record<string, unknown> = {};
  for (const name of CARRIED) if (request[name] !== undefined) init[name] = request[name];
  // The page could not make a request of this mode.
  if (init.mode === "navigate") delete init.mode;
  const { url, method } = request;
  const body = method === "GET" || method === "HEAD" ? undefined : await request.arrayBuffer();
  return { url, method, headers: [...request.headers], body, init, limits: limitsOf(request) };
}

/** Sends with the user's `fetch`, which runs on the page. */
function sendOnPage(page: PageLink, callback: number): Send {
  return async (request) => {
    const { signal } = request;
    if (page.isLocal) return asResponse((await page.ask(callback, "fetch", [request])) as Response);
    const parts = (await page.ask(callback, "fetch", [await partsOf(request)], { signal })) as ResponseParts;
    return new PageResponse(parts) as unknown as Response;
  };
}

const sendHere: Send = async (request) => asResponse(await fetchHere(request));

function headersOf(page: PageLink, headers: NonNullable<HttpDefinition["headers"]>): HeadersSource {
  if (Array.isArray(headers)) return headers;
  return (reason) => page.ask(headers.callback, "headers", [reason]) as Promise<HeaderPairs>;
}

/** Whether the user's headers may be sent to a URL. */
const meantFor =
  (origins: string[] | undefined) =>
  (url: string): boolean =>
    origins === undefined || origins.includes(new URL(url).origin);

/** The part of a store over HTTP that lives in JavaScript. */
export interface HttpSender {
  readonly send: Send;
  /**
   * Registers requests that the page has sent already. The returned function cancels the unused
   * ones.
   */
  expect(early: { urls: string[]; callback: number }): () => void;
  /** From now on, the persistent cache answers only with what it received after this call. */
  refresh(): void;
}

/** What the chain uses of its engine. */
interface SenderEngine {
  readonly page: PageLink;
  readonly caches: PersistentCaches;
}

/**
 * The chain that sends a store's requests: the judge of addresses, the persistent cache,
 * conditions, headers, redirects, early requests, `fetch`. `tell` issues a warning.
 */
export function sender(
  { page, caches }: SenderEngine,
  definition: HttpDefinition,
  tell: (message: string) => void,
): HttpSender {
  const { fetch: own, headers, cache, headerOrigins, init, reach } = definition;
  const early = new EarlyRequests(page, own === undefined ? sendHere : sendOnPage(page, own));
  const judge = judgeOf(reach);
  const isMeantFor = meantFor(headerOrigins);
  const carriesHeaders = headers !== undefined || init.headers !== undefined;
  const travel = { judge, isMeantFor, carriesHeaders, isOwnFetch: own !== undefined, tell };
  const follower = new RedirectFollower(early.send, travel);
  const travelled = headers
    ? sendWithHeaders(follower.send, headersOf(page, headers), isMeantFor)
    : follower.send;
  const headed = new Revalidation(travelled).send;
  const kept = cache === undefined ? undefined : caches.of(cache);
  let since = 0;
  return {
    async send(request) {
      judge(request.url);
      const response = await (kept ? kept.answer(request, headed, since) : headed(request));
      // The body is read here, up to the request's limits.
      return request.method === "HEAD" ? response : readResponse(response, limitsOf(request));
    },
    expect: (requests) => early.expect(requests),
    refresh() {
      since = Date.now();
    },
  };
}

class EarlyRequests {
  /** For each URL, the page's callback that returns the response. */
  readonly #sent = new Map<string, number>();
  readonly #page: PageLink;
  readonly #send: Send;

  constructor(page: PageLink, send: Send) {
    this.#page = page;
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
    const answer = await this.#page.ask(callback, "early", [request.url], { signal });
    return new PageResponse(answer as ResponseParts) as unknown as Response;
  };
}

/**
 * Reads a response up to its limits. An object that only resembles a response is returned as it is,
 * and so is one whose body has been read on the page.
 */
async function readResponse(response: Response, limits: BodyLimits | undefined): Promise<Response> {
  if (response instanceof PageResponse || typeof response?.arrayBuffer !== "function") return response;
  const bytes = await bodyOf(response, limits);
  const { status, url, redirected, headers } = response;
  return { status, url, redirected, headers, arrayBuffer: async () => bytes } as Response;
}

class PageResponse {
  readonly status: number;
  readonly url: string;
  readonly redirected: boolean;
  readonly headers: Headers;
  /** Null, because the body has arrived: there is no stream to cancel. */
  readonly body = null;
  readonly #body: ArrayBuffer;

  constructor({ status, url, redirected, headers, body, unread }: ResponseParts) {
    if (unread) throw unreadError(unread);
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
