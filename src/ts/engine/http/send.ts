/**
 * Sends the requests of an HTTP store, with this thread's `fetch` or the user's on the page, with
 * the user's headers, and after a lookup in the persistent cache. Rust interprets the responses
 * (`src/store/http`).
 */
import { type BodyLimits, limitsOf } from "../../model/body.ts";
import type { HttpDefinition } from "../../port/definitions.ts";
import { page } from "../page.ts";
import { cacheOf } from "./caches.ts";
import { EarlyRequests } from "./early.ts";
import { PageResponse, type ResponseParts } from "./page_response.ts";
import { sendWithinOrigin } from "./redirects.ts";
import { type HeadersSource, type Send, sendWithHeaders } from "./request_headers.ts";

/** A request as it crosses the port. */
export interface RequestParts {
  url: string;
  method: string;
  headers: [string, string][];
  body: ArrayBuffer | undefined;
  init: RequestInit;
  limits: BodyLimits | undefined;
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
function sendOnPage(callback: number): Send {
  return async (request) => {
    const link = page();
    const { signal } = request;
    if (link.isLocal) return (await link.ask(callback, "fetch", [request])) as Response;
    const parts = (await link.ask(callback, "fetch", [await partsOf(request)], { signal })) as ResponseParts;
    return new PageResponse(parts) as unknown as Response;
  };
}

const sendHere: Send = (request) => fetch(request);

function headersOf(headers: NonNullable<HttpDefinition["headers"]>): HeadersSource {
  if (Array.isArray(headers)) return headers;
  return (reason) => page().ask(headers.callback, "headers", [reason]) as Promise<[string, string][]>;
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

/**
 * The chain that sends a store's requests: early requests, persistent cache, headers, redirects,
 * `fetch`. `tell` issues a warning.
 */
export function sender(definition: HttpDefinition, tell: (message: string) => void): HttpSender {
  const { fetch: own, headers, cache, headerOrigins, init } = definition;
  const plain = own === undefined ? sendHere : sendOnPage(own);
  const isMeantFor = meantFor(headerOrigins);
  const carriesHeaders = headers !== undefined || init.headers !== undefined;
  const within = carriesHeaders ? sendWithinOrigin(plain, isMeantFor, tell) : plain;
  const headed = headers ? sendWithHeaders(within, headersOf(headers), isMeantFor) : within;
  const kept = cache === undefined ? undefined : cacheOf(cache);
  let since = 0;
  const early = new EarlyRequests(kept ? (request) => kept.answer(request, headed, since) : headed);
  return {
    send: early.send,
    expect: (requests) => early.expect(requests),
    refresh() {
      since = Date.now();
    },
  };
}
