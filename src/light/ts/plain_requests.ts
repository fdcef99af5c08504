/**
 * Requests of the light build for chunks. It takes answers that need no policy: the wanted bytes,
 * or none. Any other answer is refused, and the engine asks again, with its rules for servers.
 */
import type { ValueRequest } from "../../contract/contract.ts";
import { bodyOf } from "../../engine/ts/model/body.ts";
import type { HttpDefinition } from "../../engine/ts/port/definitions.ts";
import { NotPlain } from "./not_plain.ts";

/** The most bytes of a value. What is larger is no small read. */
const MAX_VALUE_BYTES = 2 ** 24;

/** The most bytes of an answer that is kept: the index of a shard, which the next read needs. */
const MAX_KEPT_BYTES = 2 ** 16;

/** The most answers that are kept. */
const MAX_KEPT = 32;

interface Answer {
  /** Undefined where there is no value. */
  bytes: Uint8Array | undefined;
  /** The size of the whole value in bytes; NaN if the server does not show it. */
  size: number;
  /** What tells one state of the value from another, if the server shows it. */
  version: string | null;
}

/** A request in flight, or a kept answer. */
interface Shared {
  answer: Promise<Answer>;
  controller: AbortController;
  /** The number of reads that wait for it. */
  readers: number;
  isSettled: boolean;
  key: string;
}

/** What is requested. */
interface Wanted {
  url: string;
  range: string | undefined;
  /** The number of bytes; undefined for the whole value. */
  length: number | undefined;
  /** Whether it is the index of a shard, which is kept for later reads. */
  isIndex: boolean;
}

const rangeOf = (offset: number, length: number) => `bytes=${offset}-${offset + length - 1}`;

/** Whether an answer is of the kind that was asked for, as far as its headers tell. */
function isPlain({ status, redirected, headers }: Response, { range }: Wanted): boolean {
  if (redirected || status !== (range === undefined ? 200 : 206)) return false;
  return (
    !headers.get("content-type")?.startsWith("text/html") && (range === undefined || isIdentity(headers))
  );
}

/** The size of the value that a part is of; NaN if it is not shown. */
function sizeOfPart({ headers }: Response, { range, length }: Wanted): number {
  const shown = headers.get("content-range");
  if (shown === null) return Number.NaN;
  const [, first, last, size] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(shown) ?? [];
  const start = range?.startsWith("bytes=-") ? Number(size) - Number(length) : undefined;
  const expected = start === undefined ? range : rangeOf(start, Number(length));
  if (expected !== `bytes=${first}-${last}` || !(Number(last) < Number(size))) throw new NotPlain();
  return Number(size);
}

/** Whether the bytes that are sent are those that are stored. */
const isIdentity = (headers: Headers): boolean =>
  /^(identity)?$/i.test(headers.get("content-encoding") ?? "");

const isAbsent = (status: number): boolean => status === 404 || status === 410;

const ABSENT: Answer = { bytes: undefined, size: Number.NaN, version: null };

/** The requests of one read. */
export class Reader {
  /** The bytes of all answers. */
  bytes = 0;
  readonly #ask: (wanted: Wanted, init: RequestInit) => Shared;
  readonly #sizeOf: (url: string, init: RequestInit) => Promise<number | undefined>;
  readonly #store: HttpDefinition;
  readonly #addressOf: (key: string) => string;
  readonly #left: (() => void)[] = [];
  /** What the first answer told of each value. */
  readonly #states = new Map<string, Answer>();

  constructor(requests: PlainRequests, store: HttpDefinition, addressOf: (key: string) => string) {
    this.#ask = (wanted, init) => {
      const shared = requests.join(wanted, init);
      this.#left.push(() => requests.leave(shared));
      return shared;
    };
    this.#sizeOf = (url, init) => requests.sizeOf(url, init);
    this.#store = store;
    this.#addressOf = addressOf;
  }

  /** Aborts the requests for which no other read waits. */
  leave(): void {
    for (const leave of this.#left.splice(0)) leave();
  }

  /** The answer to a request. `isAlone`: no other part of its value is requested beside it. */
  async get({ key, offset, len }: ValueRequest, isAlone: boolean): Promise<Answer> {
    const { init, useSuffixRequest } = this.#store;
    const url = this.#addressOf(key);
    const length = len === undefined ? undefined : Number(len);
    // Chromium would send requests for parts of one URL one after the other.
    const options = isAlone ? init : { ...init, cache: "no-store" as const };
    const ask = async (range: string | undefined, known = Number.NaN): Promise<Answer> => {
      const isIndex = length !== undefined && offset === undefined;
      const answer = await this.#ask({ url, range, length, isIndex }, options).answer;
      return this.#checked(key, { ...answer, size: Number.isNaN(answer.size) ? known : answer.size });
    };
    if (length === undefined) return ask(undefined);
    if (offset !== undefined) return ask(rangeOf(Number(offset), length), this.#states.get(key)?.size);
    if (useSuffixRequest) return ask(`bytes=-${length}`);
    const size = await this.#sizeOf(url, init);
    if (size === undefined) return ABSENT;
    if (size < length) throw new NotPlain();
    return ask(rangeOf(size - length, length), size);
  }

  /** The parts of one value must be of one state of it, and its size must be known. */
  #checked(key: string, answer: Answer): Answer {
    const { bytes, size, version } = answer;
    if (!bytes) return answer;
    const before = this.#states.get(key);
    const isSame = !before || (before.version === version && before.size === size);
    if (!isSame || Number.isNaN(size)) throw new NotPlain();
    this.#states.set(key, answer);
    this.bytes += bytes.byteLength;
    return answer;
  }
}

/** All requests of the light build. */
export class PlainRequests {
  readonly counts = { requests: 0, bytes: 0, failed: 0, aborted: 0 };
  /** Requests in flight and kept answers, by URL and range. */
  readonly #shared = new Map<string, Shared>();

  /** A request, which others may wait for too. */
  join(wanted: Wanted, init: RequestInit): Shared {
    const key = `${wanted.url} ${wanted.range}`;
    const known = this.#shared.get(key);
    if (known) {
      known.readers += 1;
      return known;
    }
    const controller = new AbortController();
    const answer = this.#fetch(wanted, { ...init, signal: controller.signal });
    const shared: Shared = { answer, controller, readers: 1, isSettled: false, key };
    this.#shared.set(key, shared);
    const forget = () => this.#shared.get(key) === shared && this.#shared.delete(key);
    const keep = ({ bytes, version }: Answer) => {
      // Without a version it would not show that the value has changed.
      const isKept = wanted.isIndex && version && bytes && bytes.byteLength <= MAX_KEPT_BYTES;
      if (!isKept || this.#shared.size > MAX_KEPT) forget();
    };
    answer.then(keep, forget).finally(() => {
      shared.isSettled = true;
    });
    return shared;
  }

  /** The last reader that leaves aborts a request. */
  leave(shared: Shared): void {
    shared.readers -= 1;
    if (shared.readers > 0 || shared.isSettled) return;
    shared.controller.abort();
    this.#shared.delete(shared.key);
  }

  async #fetch(wanted: Wanted, init: RequestInit): Promise<Answer> {
    const headers: HeadersInit = wanted.range === undefined ? {} : { Range: wanted.range };
    const response = await this.#send(wanted.url, { ...init, headers });
    const { status } = response;
    if (isAbsent(status)) {
      response.body?.cancel().catch(() => {});
      return ABSENT;
    }
    if (!isPlain(response, wanted)) {
      response.body?.cancel().catch(() => {});
      throw new NotPlain();
    }
    const body = await bodyOf(response, [MAX_VALUE_BYTES, wanted.length ?? MAX_VALUE_BYTES]);
    this.counts.bytes += body.byteLength;
    if (wanted.length !== undefined && body.byteLength !== wanted.length) throw new NotPlain();
    const size = wanted.length === undefined ? body.byteLength : sizeOfPart(response, wanted);
    const version = response.headers.get("etag") ?? response.headers.get("last-modified");
    return { bytes: new Uint8Array(body), size, version };
  }

  async #send(url: string, init: RequestInit): Promise<Response> {
    this.counts.requests += 1;
    try {
      return await fetch(url, init);
    } catch (error) {
      this.counts[init.signal?.aborted ? "aborted" : "failed"] += 1;
      throw error;
    }
  }

  /** The size of a value; undefined if it is absent. */
  async sizeOf(url: string, init: RequestInit): Promise<number | undefined> {
    const { status, redirected, headers } = await this.#send(url, { ...init, method: "HEAD" });
    if (isAbsent(status)) return undefined;
    const size = Number(headers.get("content-length") ?? 0);
    if (status !== 200 || redirected || !isIdentity(headers) || !(size > 0)) throw new NotPlain();
    return size;
  }
}
