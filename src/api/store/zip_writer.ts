/**
 * `ZipWriter`: a readable and writable store that becomes a ZIP archive. Values are stored without
 * compression, with ZIP64 where needed, and metadata documents come first (as OME-NGFF's RFC-9
 * requires of `.ozx`). Values are kept as `Blob`s, which browsers may move to disk. Keys can be
 * replaced and removed until the archive is made.
 */

import {
  boundsIn,
  needBytes,
  needFunction,
  needRange,
  needReadable,
  needText,
  optionsOf,
} from "../../engine/ts/model/argument.ts";
import { ZarrError } from "../../engine/ts/model/errors.ts";
import { findable, worksBehindProxies } from "../../engine/ts/model/proxies.ts";
import type { AbsolutePath, AsyncStore, RangeQuery } from "../../engine/ts/model/types.ts";
import { call } from "../../engine/ts/port/engine.ts";

interface Value {
  blob: Blob;
  crc: number;
}

/** Options of `ZipWriter`. */
export interface ZipWriterOptions {
  /** Marks the archive as an OME-Zarr of this version (`.ozx`), such as `0.5`. Default: no mark. */
  omeVersion?: string | undefined;
}

const TYPE = { type: "application/zip" };

/**
 * A store in memory that becomes a ZIP archive. Values are stored without compression, because
 * chunks are compressed, and metadata documents come first. Keys can be replaced and removed until
 * the archive is made.
 *
 *     const writer = new ZipWriter();
 *     await create(writer, { shape: [100], dtype: "float32" });
 *     const archive = await writer.toBlob();
 */
export class ZipWriter implements AsyncStore {
  readonly #values = new Map<AbsolutePath, Value>();
  readonly #omeVersion: string | undefined;

  /** Makes an empty store. */
  constructor(options: ZipWriterOptions = {}) {
    findable(this);
    this.#omeVersion = optionsOf(options, { omeVersion: "a text" }).omeVersion;
  }

  /**
   * Reads a value.
   *
   * @param key The key, which begins with `/`.
   * @returns the bytes; undefined if there is no such key.
   */
  async get(key: AbsolutePath): Promise<Uint8Array | undefined> {
    needText(key, "key");
    const value = this.#values.get(key);
    return value && new Uint8Array(await value.blob.arrayBuffer());
  }

  /**
   * Reads a range of a value.
   *
   * @param key The key, which begins with `/`.
   * @param range `offset` and `length`, or `suffixLength`, in bytes.
   * @returns the bytes; undefined if there is no such key.
   */
  async getRange(key: AbsolutePath, range: RangeQuery): Promise<Uint8Array | undefined> {
    needText(key, "key");
    needRange(range);
    const blob = this.#values.get(key)?.blob;
    if (!blob) return undefined;
    return new Uint8Array(await blob.slice(...boundsIn(blob.size, range)).arrayBuffer());
  }

  /**
   * Stores a value, and replaces an existing one.
   *
   * @param key The key, which begins with `/`.
   * @param value The bytes.
   */
  async set(key: AbsolutePath, value: Uint8Array): Promise<void> {
    needText(key, "key");
    needBytes(value, "value");
    const blob = new Blob([value as Uint8Array<ArrayBuffer>]);
    const crc = await call("crc32", () => ({ value }));
    this.#values.set(key, { blob, crc });
  }

  /**
   * Removes a value.
   *
   * @param key The key, which begins with `/`.
   * @returns whether it existed.
   */
  delete(key: AbsolutePath): boolean {
    needText(key, "key");
    return this.#values.delete(key);
  }

  /**
   * Tells the size of a value.
   *
   * @param key The key, which begins with `/`.
   * @returns the size in bytes; undefined if there is no such key.
   */
  size(key: AbsolutePath): number | undefined {
    needText(key, "key");
    return this.#values.get(key)?.blob.size;
  }

  /**
   * Tells whether a key has a value.
   *
   * @param key The key, which begins with `/`.
   */
  has(key: AbsolutePath): boolean {
    needText(key, "key");
    return this.#values.has(key);
  }

  /**
   * Lists all keys below a prefix, in the order in which they were first stored.
   *
   * @param prefix A prefix that begins and ends with `/`. Default: `/`, the root.
   */
  list(prefix: AbsolutePath = "/"): AbsolutePath[] {
    needText(prefix, "prefix");
    return [...this.#values.keys()].filter((key) => key.startsWith(prefix));
  }

  /**
   * Makes the archive of what is stored now.
   *
   * @throws an `Argument` error if `omeVersion` is given and there is no `zarr.json` at the root.
   */
  async toBlob(): Promise<Blob> {
    const parts: BlobPart[] = [];
    for (const part of await this.#parts()) parts.push(part);
    return new Blob(parts, TYPE);
  }

  /**
   * Writes the archive to a stream, one value after the other, and closes the stream.
   *
   * @param stream The stream, such as that of a file handle.
   * @throws an `Argument` error if `omeVersion` is given and there is no `zarr.json` at the root.
   */
  async pipeTo(stream: WritableStream<Uint8Array>): Promise<void> {
    needReadable(stream, "stream");
    needFunction(Object(stream).getWriter, "stream");
    const writer = stream.getWriter();
    try {
      for (const part of await this.#parts()) {
        const bytes = part instanceof Blob ? new Uint8Array(await part.arrayBuffer()) : part;
        await writer.ready;
        await writer.write(bytes);
      }
      await writer.close();
    } catch (error) {
      await writer.abort(error).catch(() => {});
      throw error;
    }
  }

  async #parts(): Promise<(Blob | Uint8Array<ArrayBuffer>)[]> {
    const values = [...this.#values];
    if (this.#omeVersion !== undefined && !this.#values.has("/zarr.json")) {
      throw new ZarrError("Argument", "an OME-Zarr archive needs a zarr.json at its root");
    }
    const entries = values.map(([key, { blob, crc }]) => ({ key, size: blob.size, crc }));
    const { order, headers, end } = await call("layOutArchive", () => ({
      entries,
      omeVersion: this.#omeVersion,
    }));
    const parts = order.flatMap((at, idx) => {
      const value = values[at]?.[1];
      const header = headers[idx];
      return value && header ? [header, value.blob] : [];
    });
    return [...parts, end] as (Blob | Uint8Array<ArrayBuffer>)[];
  }
}
worksBehindProxies(ZipWriter);
