/**
 * Reads the bodies of HTTP responses, up to a bound. A server may announce any length, send more
 * than it announces, never stop, or compress what is enormous. It does not decide what an answer
 * means.
 */
import { viewBytes } from "./memory.ts";

/**
 * Of a request: its limits, as `[of a whole value, of a part]`. Of an error: what was exceeded.
 * `src/engine/rust/js/exchange.js` has the same symbol.
 */
const LIMITS = Symbol.for("zarr-wasm.limits");

/** The maximum length in bytes of a body with status 200, and of one with status 206. */
export type BodyLimits = readonly [whole: number, part: number];

/** Of the body of an error, this many bytes are read. They may explain it. */
const ERROR_BYTES = 8192;

/** First size of a buffer for a body whose length is not known. */
const FIRST_BYTES = 2 ** 16;

/** The part of a response that is read here. A user's `fetch` may return no more than this. */
export interface AnyBody {
  status?: unknown;
  headers?: { get?(name: string): string | null };
  body?: unknown;
  arrayBuffer?(): Promise<ArrayBuffer | ArrayBufferView>;
}

/**
 * What a `fetch` answered, as a response: what it lacks is empty. Tests answer with no more than
 * `{ ok, status, arrayBuffer }`, and with `{ ok: false, status: 404 }`. What has no status, or no
 * body where one is promised, stays as it is, and is refused later.
 */
export function asResponse<T>(answer: T): T {
  const { status, headers, arrayBuffer } = Object(answer) as AnyBody;
  const [hasHeaders, hasBody] = [headers?.get, arrayBuffer].map((each) => typeof each === "function");
  const isError = typeof status === "number" && (status < 200 || status > 299);
  if (typeof status !== "number" || (hasHeaders && hasBody) || !(hasBody || isError)) return answer;
  const { url, redirected, body, ok } = answer as unknown as Response;
  return {
    ...{ status, url, redirected, body, ok },
    headers: hasHeaders ? headers : new Headers((headers ?? {}) as HeadersInit),
    arrayBuffer: async () => (answer as AnyBody).arrayBuffer?.() ?? new ArrayBuffer(0),
  } as unknown as T;
}

/** The limits of a request that the engine made. */
export const limitsOf = (request: Request): BodyLimits | undefined =>
  (request as { [LIMITS]?: BodyLimits })[LIMITS];

/** Carries the limits to another request for the same value. */
export function withLimits(request: Request, limits: BodyLimits | undefined): Request {
  return limits ? Object.assign(request, { [LIMITS]: limits }) : request;
}

/**
 * Why a body was not read to its end: its limit in bytes, or the number of bytes that came before
 * it broke off; and the announced length if there was one.
 */
export interface Unread {
  limit?: number;
  received?: number;
  announced?: number;
}

/** The error for a body that is too long, which `exchange.js` recognises. */
export class BodyTooLarge extends Error {
  readonly [LIMITS]: Unread;

  constructor(unread: Unread) {
    super(`the body has more than ${unread.limit} bytes`);
    this[LIMITS] = unread;
  }
}

/** The error for a body that broke off, which `exchange.js` recognises. */
const cutOff = (unread: Unread, cause?: unknown): TypeError =>
  Object.assign(new TypeError(`the body was cut off after ${unread.received} bytes`, { cause }), {
    [LIMITS]: unread,
  });

/** Why a body was not read to its end, by the error; undefined for other errors. */
export const unreadBy = (error: unknown): Unread | undefined =>
  (error as { [LIMITS]?: Unread } | undefined)?.[LIMITS];

/** The error for a body that was not read to its end. */
export const unreadError = (unread: Unread): Error =>
  unread.received === undefined ? new BodyTooLarge(unread) : cutOff(unread);

/** Collects pieces in one buffer. */
class Collected {
  #bytes: Uint8Array<ArrayBuffer>;
  length = 0;

  constructor(expected: number) {
    this.#bytes = new Uint8Array(expected);
  }

  add(piece: Uint8Array): void {
    const length = this.length + piece.length;
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(length, 2 * this.#bytes.length));
      larger.set(this.#bytes.subarray(0, this.length));
      this.#bytes = larger;
    }
    this.#bytes.set(piece, this.length);
    this.length = length;
  }

  take(): ArrayBuffer {
    const { buffer } = this.#bytes;
    return this.length === buffer.byteLength ? buffer : buffer.slice(0, this.length);
  }
}

async function readStream(stream: ReadableStream<Uint8Array>, limit: number, announced: number | undefined) {
  const reader = stream.getReader();
  const collected = new Collected(Math.min(limit, announced || FIRST_BYTES));
  for (;;) {
    const { done, value } = await reader.read().catch((error) => {
      // Other errors come from the user's stream, or from an abort.
      if (!(error instanceof TypeError)) throw error;
      throw cutOff({ received: collected.length, announced }, error);
    });
    if (done) return { bytes: collected.take(), isWhole: true };
    if (collected.length + value.length > limit) {
      collected.add(value.subarray(0, limit - collected.length));
      // A stream whose other half is still read does not settle.
      reader.cancel().catch(() => {});
      return { bytes: collected.take(), isWhole: false };
    }
    collected.add(value);
  }
}

/** A copy of a body that a user's `fetch` gave, which may give the same memory again. */
function whole(body: ArrayBuffer | ArrayBufferView): ArrayBuffer {
  if (!ArrayBuffer.isView(body)) return body.slice(0);
  const copy = new Uint8Array(body.byteLength);
  copy.set(viewBytes(body));
  return copy.buffer;
}

const isStream = (body: unknown): body is ReadableStream<Uint8Array> =>
  typeof (body as ReadableStream | null)?.getReader === "function";

/** The announced length of a body. That of a compressed one says nothing of what is read. */
function announcedBy({ headers }: AnyBody): number | undefined {
  const header = (name: string) => headers?.get?.(name) ?? "";
  const length = Number(header("content-length") || Number.NaN);
  const isEncoded = !/^(identity)?$/i.test(header("content-encoding"));
  return Number.isNaN(length) || isEncoded ? undefined : length;
}

/**
 * Reads a body. Of the body of an error only the beginning is read. Throws `BodyTooLarge` if the
 * body of another answer is longer than its limit. The rest of the stream is cancelled.
 */
export async function bodyOf(response: AnyBody, limits: BodyLimits | undefined): Promise<ArrayBuffer> {
  const { status, body } = response;
  const isAnswer = status === 200 || status === 206;
  const limit = isAnswer ? (limits?.[status === 206 ? 1 : 0] ?? Number.POSITIVE_INFINITY) : ERROR_BYTES;
  if (!isStream(body)) {
    const bytes = whole((await response.arrayBuffer?.()) ?? new ArrayBuffer(0));
    if (isAnswer && bytes.byteLength > limit) throw new BodyTooLarge({ limit, announced: bytes.byteLength });
    return bytes;
  }
  const announced = announcedBy(response);
  if (isAnswer && announced !== undefined && announced > limit) {
    body.cancel().catch(() => {});
    throw new BodyTooLarge({ limit, announced });
  }
  const { bytes, isWhole } = await readStream(body, limit, announced);
  if (isAnswer && !isWhole) throw new BodyTooLarge({ limit });
  return bytes;
}
