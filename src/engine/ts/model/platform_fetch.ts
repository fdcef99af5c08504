/**
 * Requests, and the global `fetch`, also where a test imitates a page: jsdom has neither `Request`
 * nor `fetch`. There a request is a plain object with the members that `RequestInit` has, and its
 * address.
 */
import { ZarrError } from "./errors.ts";

const hasRequests = () => typeof Request === "function";

/** A request to an address, or like another one, with these options. */
export function requestFor(asked: string | Request, init: RequestInit): Request {
  if (hasRequests()) return new Request(asked, init);
  const like = typeof asked === "string" ? { url: asked, method: "GET" } : asked;
  const headers = new Headers(init.headers ?? (like as Request).headers);
  return { ...like, ...init, headers } as Request;
}

/** A second request like this one, which has not been sent. */
export const copyOf = (request: Request): Request =>
  hasRequests() ? request.clone() : requestFor(request, {});

/** Sends with the global `fetch`. Without requests, it gets an address and options. */
export async function fetchHere(request: Request, init?: RequestInit): Promise<Response> {
  if (typeof fetch !== "function")
    throw new ZarrError("Unsupported", "there is no fetch: pass the option `fetch`");
  return hasRequests() ? fetch(request, init) : fetch(request.url, { ...request, ...init });
}
