/**
 * `ZipFileStore`: an archive that the engine reads lazily, from a URL, a `Blob` or anything that
 * reads by ranges. The names and meanings are those of `@zarrita/storage`; `list`, `size` and what
 * hostile archives meet with are more.
 */
import type { AbsolutePath, AsyncReadable, RangeQuery, StoreGetOptions } from "../model/types.ts";
import { absoluteUrl } from "../port/configuration.ts";
import type { StoreDefinition } from "../port/definitions.ts";
import type { ObjectNumbers } from "../port/object_numbers.ts";
import { checkHttpOptions, type FetchStoreOptions, HttpCallbacks, isSameOrigin } from "./http_options.ts";
import { isOurs, NativeStore } from "./native_store.ts";

/** Reads an archive by ranges: `unzipit`'s interface. */
export interface ZipReader {
  getLength(): Promise<number>;
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** What `transformEntries` sees of an entry. */
export interface ZipEntryInfo {
  readonly name: string;
}

export interface ZipFileStoreOptions {
  /** Gives entries other names, or leaves some out: from name to entry, to name to entry. */
  transformEntries?: (entries: Record<string, ZipEntryInfo>) => Record<string, ZipEntryInfo>;
}

/** A reader as the store of one value that the engine reads the archive from. */
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
    const isSuffix = "suffixLength" in range;
    const start = isSuffix ? Math.max(0, size - range.suffixLength) : Math.min(range.offset, size);
    const end = isSuffix ? size : Math.min(size, start + range.length);
    return this.#reader.read(start, end - start);
  }
}

export class ZipFileStore extends NativeStore {
  readonly #transform: ZipFileStoreOptions["transformEntries"];
  #names: Promise<Map<string, string>> | undefined;

  constructor(reader: ZipReader | Blob | URL, options: ZipFileStoreOptions & FetchStoreOptions = {}) {
    // What is called later keeps it alive: the engine itself knows stores of users weakly.
    super(definitionOf(reader, options));
    this.#transform = options.transformEntries;
    if (this.#transform) renamed(this);
  }

  /** The archive at a URL. */
  static fromUrl(href: string | URL, options: ZipFileStoreOptions & FetchStoreOptions = {}): ZipFileStore {
    return new ZipFileStore(new URL(absoluteUrl(href)), options);
  }

  /** The archive in a `Blob` or `File`. */
  static fromBlob(blob: Blob, options: ZipFileStoreOptions = {}): ZipFileStore {
    return new ZipFileStore(blob, options);
  }

  /** The names that `transformEntries` gave, and those that the entries have in the archive. */
  renamedEntries(): Promise<Map<string, string>> {
    this.#names ??= super.list("/").then((keys) => {
      const entries: Record<string, ZipEntryInfo> = {};
      for (const key of keys) entries[key.slice(1)] = { name: key.slice(1) };
      const transformed = this.#transform?.(entries) ?? entries;
      return new Map(Object.entries(transformed).map(([name, entry]) => [name, entry.name]));
    });
    return this.#names;
  }
}
isOurs(ZipFileStore);

function definitionOf(
  reader: ZipReader | Blob | URL,
  options: FetchStoreOptions,
): (objects: ObjectNumbers) => StoreDefinition {
  if (reader instanceof URL) {
    checkHttpOptions(options);
    const callbacks = new HttpCallbacks(options);
    const suffixIsFree = isSameOrigin(reader);
    return (objects) => ({
      kind: "zip-url",
      url: reader.href,
      http: callbacks.define(objects, reader, { suffixIsFree }),
    });
  }
  if (reader instanceof Blob) return () => ({ kind: "zip-blob", blob: reader });
  const store = new ReaderStore(reader);
  return (objects) => ({ kind: "zip-store", store: objects.store(store) });
}

/**
 * Gives a store the names that its user's function made. The engine then asks these methods, as of
 * a user's store.
 */
function renamed(store: ZipFileStore): void {
  const { get, getRange, size } = store;
  const nameOf = async (key: AbsolutePath): Promise<AbsolutePath | undefined> => {
    const name = (await store.renamedEntries()).get(key.slice(1));
    return name === undefined ? undefined : `/${name}`;
  };
  const methods = {
    async get(key: AbsolutePath, options?: StoreGetOptions) {
      const name = await nameOf(key);
      return name && get.call(store, name, options);
    },
    async getRange(key: AbsolutePath, range: RangeQuery, options?: StoreGetOptions) {
      const name = await nameOf(key);
      return name && getRange.call(store, name, range, options);
    },
    async size(key: AbsolutePath, options?: StoreGetOptions) {
      const name = await nameOf(key);
      return name && size.call(store, name, options);
    },
    async list(prefix: AbsolutePath = "/") {
      const keys = [...(await store.renamedEntries()).keys()].map((name): AbsolutePath => `/${name}`);
      return keys.filter((key) => key.startsWith(prefix)).sort();
    },
    listDir: undefined,
  };
  for (const [name, value] of Object.entries(methods)) Object.defineProperty(store, name, { value });
}

export default ZipFileStore;
