/**
 * `BlobReader` and `HTTPRangeReader`: readers of archives with the names and meanings of
 * `@zarrita/storage/zip`, for code that makes or extends them. They are not what `ZipFileStore`
 * uses for a `Blob` or a URL: the engine reads these itself, and merges and caches their ranges.
 */

import type { ZipReader } from "../../api/store/zip.ts";
import { boundsIn, isReadable, need, needRange, needUrl, optionsOf } from "../../engine/ts/model/argument.ts";
import { bodyOf } from "../../engine/ts/model/body.ts";
import { namesOfThrown, ZarrError } from "../../engine/ts/model/errors.ts";
import type { OwnBytes } from "../../engine/ts/model/own_memory.ts";
import { findable, worksBehindProxies } from "../../engine/ts/model/proxies.ts";
import { shownAddress, withoutSecrets } from "../../engine/ts/model/secrets.ts";

/** Reads ranges of a `Blob` or `File`. Offsets and lengths are in bytes. */
export class BlobReader implements ZipReader {
  /**
   * @param blob The archive.
   * @throws an `Argument` error for what is not a `Blob`.
   */
  constructor(public blob: Blob) {
    need(isReadable(blob) && typeof Object(blob).size === "number", "blob", "a Blob", blob);
  }

  /** Resolves to the size in bytes. */
  async getLength(): Promise<number> {
    return this.blob.size;
  }

  /**
   * Reads a range.
   *
   * @param offset Where it begins, in bytes.
   * @param length Its length in bytes.
   */
  async read(offset: number, length: number): Promise<OwnBytes> {
    const bounds = boundsIn(this.blob.size, { offset, length });
    return new Uint8Array(await this.blob.slice(...bounds).arrayBuffer());
  }
}

/** Reads ranges of a URL with `fetch`. Offsets and lengths are in bytes. */
export class HTTPRangeReader implements ZipReader {
  readonly #overrides: RequestInit;
  #length: Promise<number> | undefined;

  /**
   * Nothing is requested yet.
   *
   * @param url The address of the archive.
   * @throws an `Argument` error for what is not a URL.
   */
  constructor(
    public url: string | URL,
    options: {
      /** The `RequestInit` that every request starts from. Default: that of the platform. */
      overrides?: RequestInit | undefined;
    } = {},
  ) {
    needUrl(url);
    const { overrides = {} } = optionsOf(options, { overrides: "an object" });
    findable(this);
    this.#overrides = overrides;
  }

  /**
   * Resolves to the size of the file in bytes, from one `HEAD` request. A later call repeats a
   * request that failed.
   *
   * @throws a `Store` error if the request fails, and for a status that is an error.
   */
  getLength(): Promise<number> {
    if (!this.#length) {
      this.#length = this.#requestLength();
      this.#length.catch(() => {
        this.#length = undefined;
      });
    }
    return this.#length;
  }

  async #requestLength(): Promise<number> {
    const { headers } = await this.#request({ method: "HEAD" });
    const length = headers.get("content-length") ?? "";
    if (!/^\d+$/.test(length)) throw this.#error("no length", "a header Content-Length", length || "none");
    return Number(length);
  }

  /**
   * Reads a range.
   *
   * @param offset Where it begins, in bytes.
   * @param length Its length in bytes.
   * @throws a `Store` error if the request fails, for a status that is an error, and for an answer
   *   that is too short.
   */
  async read(offset: number, length: number): Promise<OwnBytes> {
    needRange({ offset, length });
    if (length === 0) return new Uint8Array(0);
    const headers = new Headers(this.#overrides.headers);
    headers.set("Range", `bytes=${offset}-${offset + length - 1}`);
    const response = await this.#request({ headers });
    const body = new Uint8Array(await this.#body(response));
    // A server may ignore the range: status 200 with the whole file.
    const bytes = response.status === 206 ? body : body.slice(offset, offset + length);
    if (bytes.length === length) return bytes;
    throw this.#error("another number of bytes", `${length} from ${offset}`, String(bytes.length));
  }

  async #request(init: RequestInit): Promise<Response> {
    const response = await fetch(this.url, { ...this.#overrides, ...init }).catch((cause) => {
      if (this.#overrides.signal?.aborted) throw cause;
      throw new ZarrError("Store", `${this.#shown()} cannot be requested`, { cause });
    });
    if (/^https:/i.test(String(this.url)) && response.url.startsWith("http:"))
      throw this.#error("a redirect to http", "an address of https", "http");
    if (response.ok) return response;
    throw this.#error("an error", "status 200 or 206", `${response.status} ${response.statusText}`);
  }

  async #body(response: Response): Promise<ArrayBuffer> {
    try {
      return await bodyOf(response, undefined);
    } catch (cause) {
      if (this.#overrides.signal?.aborted) throw cause;
      const { message } = namesOfThrown(cause);
      throw new ZarrError("Store", `${this.#shown()} could not be read: ${message}`, { cause });
    }
  }

  #shown(): string {
    const url = String(this.url);
    // A relative address of the page is none by itself.
    return URL.canParse(url) ? withoutSecrets(new URL(url).href) : shownAddress(url);
  }

  #error(what: string, expected: string, actual: string): ZarrError {
    return new ZarrError("Store", `${this.#shown()} answered with ${what}`, { expected, actual });
  }
}
worksBehindProxies(HTTPRangeReader);
