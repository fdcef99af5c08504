/**
 * Converts requests and responses for a `fetch` that runs on the page for an engine in a worker.
 */
import { type AnyBody, type BodyLimits, bodyOf, type Exceeded, exceededBy } from "../model/body.ts";
import { ZarrError } from "../model/errors.ts";
import type { RequestParts, ResponseParts } from "../port/callbacks.ts";

/** The headers that the engine reads, for a response whose headers cannot be iterated. */
const LOOKED_AT = [
  ...["cache-control", "content-length", "content-range", "content-encoding"],
  ...["content-type", "etag", "last-modified", "retry-after"],
];

/** Remakes a request. It is aborted when the engine cancels it. */
export const requestOf = ({ url, method, headers, body, init }: RequestParts, signal: AbortSignal): Request =>
  new Request(url, { ...init, method, headers, signal, body });

interface AnyResponse extends AnyBody {
  url?: unknown;
  redirected?: unknown;
  headers?: { get?(name: string): string | null } & Partial<Iterable<[string, string]>>;
}

function headersOf({ headers }: AnyResponse): [string, string][] {
  if (headers && Symbol.iterator in headers) return [...(headers as Iterable<[string, string]>)];
  return LOOKED_AT.flatMap((name) => {
    const value = headers?.get?.(name);
    return typeof value === "string" ? [[name, value] as [string, string]] : [];
  });
}

/**
 * Converts a response for the port, and reads its body up to its limit. Accepts whatever the user's
 * `fetch` returned if it resembles a `Response`.
 */
export async function answerParts(answer: unknown, limits: BodyLimits | undefined): Promise<ResponseParts> {
  const response = (answer ?? {}) as AnyResponse;
  const { status, url, redirected } = response;
  if (typeof status !== "number" || typeof response.arrayBuffer !== "function") {
    throw new ZarrError("Store", "the custom `fetch` did not return a Response", { actual: typeof answer });
  }
  let body = new ArrayBuffer(0);
  let exceeded: Exceeded | undefined;
  try {
    body = await bodyOf(response, limits);
  } catch (error) {
    exceeded = exceededBy(error);
    if (!exceeded) throw error;
  }
  return {
    status,
    url: typeof url === "string" ? url : "",
    redirected: redirected === true,
    headers: headersOf(response),
    body,
    exceeded,
  };
}
