/**
 * Requests and answers of a `fetch` that runs on the page for an engine in a worker.
 */
import { ZarrError } from "../model/errors.ts";

/** A request, as the engine sends it. */
interface RequestParts {
  url: string;
  method: string;
  headers: [string, string][];
  body: ArrayBuffer | undefined;
  init: RequestInit;
}

/** An answer, as the engine takes it. */
export interface AnswerParts {
  status: number;
  url: string;
  redirected: boolean;
  headers: [string, string][];
  body: ArrayBuffer;
}

/** Headers that the engine looks at, for an answer that cannot list its own. */
const LOOKED_AT = [
  ...["cache-control", "content-length", "content-range", "content-encoding"],
  ...["content-type", "etag", "last-modified", "retry-after"],
];

/** The same request on this side; it ends when the engine gives it up. */
export const requestOf = ({ url, method, headers, body, init }: RequestParts, signal: AbortSignal): Request =>
  new Request(url, { ...init, method, headers, signal, ...(body && { body }) });

interface AnyResponse {
  status?: unknown;
  url?: unknown;
  redirected?: unknown;
  headers?: { get?(name: string): string | null } & Partial<Iterable<[string, string]>>;
  arrayBuffer?(): Promise<ArrayBuffer | ArrayBufferView>;
}

function headersOf({ headers }: AnyResponse): [string, string][] {
  if (headers && Symbol.iterator in headers) return [...(headers as Iterable<[string, string]>)];
  return LOOKED_AT.flatMap((name) => {
    const value = headers?.get?.(name);
    return typeof value === "string" ? [[name, value] as [string, string]] : [];
  });
}

/** What crosses of an answer: whatever the user's `fetch` returned, as far as it looks like one. */
export async function answerParts(answer: unknown): Promise<AnswerParts> {
  const response = (answer ?? {}) as AnyResponse;
  const { status, url, redirected } = response;
  if (typeof status !== "number" || typeof response.arrayBuffer !== "function") {
    throw new ZarrError("Store", "`fetch` returned something that is no Response", { actual: typeof answer });
  }
  const body = await response.arrayBuffer();
  return {
    status,
    url: typeof url === "string" ? url : "",
    redirected: redirected === true,
    headers: headersOf(response),
    body: body instanceof ArrayBuffer ? body : copyOf(body),
  };
}

function copyOf({ buffer, byteOffset, byteLength }: ArrayBufferView): ArrayBuffer {
  const copy = new Uint8Array(byteLength);
  copy.set(new Uint8Array(buffer, byteOffset, byteLength));
  return copy.buffer;
}
