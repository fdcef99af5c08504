/**
 * `ZipFileStore`: a ZIP archive that the engine reads lazily, from a URL, a `Blob` or a reader of
 * byte ranges. Names and meanings are those of `@zarrita/storage`. In addition it has `list` and
 * `size`, and rejects hostile archives.
 */
import { boundsIn, object, parsedUrl } from "../../engine/ts/model/argument.ts";
import { worksBehindProxies } from "../../engine/ts/model/proxies.ts";
import type { AbsolutePath, AsyncReadable, RangeQuery } from "../../engine/ts/model/types.ts";
import { absoluteUrl } from "../../engine/ts/port/configuration.ts";
import type { ObjectIds, StoreDefinition } from "../../engine/ts/port/definitions.ts";
import { checkHttpOptions, type FetchStoreOptions, HttpCallbacks, isSameOrigin } from "./http_options.ts";
import { isOurs, NativeStore } from "./native_store.ts";

/** Paths of ZIP archives. */
export const ARCHIVE = /\.(zip|ozx)$/i;

/**
 * A reader of byte ranges of an archive, with `unzipit`'s interface. Offsets and lengths are in
 * bytes.
 */
export interface ZipReader {
  /** Resolves to the size of the archive, in bytes. */
  getLength(): Promise<number>;
  /** Reads `length` bytes from `offset` on. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** An entry, as `transformEntries` sees it. */
export interface ZipEntryInfo {
  /** Its name in the archive. */
  readonly name: string;
}

/** Options of `ZipFileStore`, besides those of requests. */
export interface ZipFileStoreOptions {
  /**
   * Renames or omits entries. Takes and returns a record from names to entries. The names are those
   * in the archive. Default: a single folder around all entries is left out.
   */
  transformEntries?: ((entries: Record<string, ZipEntryInfo>) => Record<string, ZipEntryInfo>) | undefined;
}

/** Wraps a reader as a store with a single value, the archive. */
class ReaderStore implements AsyncReadable {
  readonly #reader: ZipReader;
  #length: Promise<number> | undefined;

  constructor(reader: ZipReader) {
    this.#reader = reader;
  }

  size(): Promise<number> {
    this.#length ??= this.#reader.getLength();
    return this.#length;
  }

  async get(): Promise<Uint8Array> {
    return this.#reader.read(0, await this.size());
  }

  async getRange(_key: AbsolutePath, range: RangeQuery): Promise<Uint8Array> {
    const size = await this.size();
    const [start, end] = boundsIn(size, range);
    return this.#reader.read(start, end - start);
  }
}

/**
 * A read-only store of a ZIP archive, which is read lazily: its directory first, then the entries
 * that are needed. It reads archives at URLs by ranges.
 *
 *     const store = ZipFileStore.fromUrl("https://host/data.zip");
 *     const group = await open(store);
 */
export class ZipFileStore extends NativeStore {
  /** The address of the archive, if it has one. */
  readonly url: URL | undefined;
  readonly #transform: ZipFileStoreOptions["transformEntries"];
  #names: Promise<Map<string, string>> | undefined;

  /**
   * Nothing is read yet.
   *
   * @param reader The archive: a `Blob` or `File`, a URL, or an object that reads ranges of it.
   * @throws an `Argument` error for unknown or invalid options.
   */
  constructor(reader: ZipReader | Blob | URL, options: ZipFileStoreOptions & FetchStoreOptions = {}) {
    // The definition keeps the reader alive, because the engine holds users' stores weakly.
    super(definitionOf(reader, options));
    if (reader instanceof URL) this.url = reader;
    this.#transform = options.transformEntries;
    if (this.#transform) renamed(this);
  }

  /**
   * Makes a store of the archive at a URL.
   *
   * @param href The address. A relative one is resolved against the page.
   */
  static fromUrl(href: string | URL, options: ZipFileStoreOptions & FetchStoreOptions = {}): ZipFileStore {
    return new ZipFileStore(parsedUrl(absoluteUrl(href)), options);
  }

  /**
   * Makes a store of the archive in a `Blob` or `File`.
   *
   * @param blob The archive.
   */
  static fromBlob(blob: Blob, options: ZipFileStoreOptions = {}): ZipFileStore {
    return new ZipFileStore(blob, options);
  }

  /**
   * Tells what `transformEntries` has made of the entries.
   *
   * @returns the names in the archive, by the names from `transformEntries`.
   */
  renamedEntries(): Promise<Map<string, string>> {
    this.#names ??= super.list("/").then((keys) => {
      const names = keys.map((key) => key.slice(1));
      const entries: Record<string, ZipEntryInfo> = Object.fromEntries(names.map((name) => [name, { name }]));
      const transformed = this.#transform?.(entries) ?? entries;
      return new Map(Object.entries(transformed).map(([name, entry]) => [name, entry.name]));
    });
    return this.#names;
  }
}
worksBehindProxies(ZipFileStore);
isOurs(ZipFileStore);

function definitionOf(
  reader: ZipReader | Blob | URL,
  options: ZipFileStoreOptions & FetchStoreOptions,
): (objects: ObjectIds) => StoreDefinition {
  object(reader, "reader");
  checkHttpOptions(options, { transformEntries: "a function" });
  const rawNames = options.transformEntries !== undefined;
  if (reader instanceof URL) {
    const callbacks = new HttpCallbacks(options);
    const suffixIsFree = isSameOrigin(reader);
    return (objects) => ({
      kind: "zip-url",
      url: reader.href,
      http: callbacks.define(objects, reader, { suffixIsFree }),
      rawNames,
    });
  }
  if (reader instanceof Blob) return () => ({ kind: "zip-blob", blob: reader, rawNames });
  const store = new ReaderStore(reader);
  return (objects) => ({ kind: "zip-store", store: objects.store(store), rawNames });
}

/**
 * Replaces the methods of a store by ones that use the new names. The engine then treats it as a
 * user's store.
 */
function renamed(store: ZipFileStore): void {
  const { get, getRange, size } = store;
  const nameOf = async (key: AbsolutePath): Promise<AbsolutePath | undefined> => {
    const name = (await store.renamedEntries()).get(key.slice(1));
    return name === undefined ? undefined : `/${name}`;
  };
  type Method<Rest extends unknown[], T> = (key: AbsolutePath, ...rest: Rest) => Promise<T>;
  const named =
    <Rest extends unknown[], T>(method: Method<Rest, T>): Method<Rest, T | undefined> =>
    async (key, ...rest) => {
      const name = await nameOf(key);
      return name && method.call(store, name, ...rest);
    };
  const methods = {
    get: named(get),
    getRange: named(getRange),
    size: named(size),
    async list(prefix: AbsolutePath = "/") {
      const keys = [...(await store.renamedEntries()).keys()].map((name): AbsolutePath => `/${name}`);
      return keys.filter((key) => key.startsWith(prefix)).sort();
    },
    listDir: undefined,
  };
  for (const [name, value] of Object.entries(methods)) Object.defineProperty(store, name, { value });
}

export default ZipFileStore;
