/**
 * Late code of `open`: the store with consolidated metadata, and what else may be at a location
 * that has no node. That is references of kerchunk, in Parquet or in JSON, also in an archive or in
 * a file of this machine. A STAC document is an error that tells how it is opened.
 */
import { InvalidMetadataError, ZarrError } from "../engine/ts/model/errors.ts";
import type { AbsolutePath, AsyncReadable, Readable } from "../engine/ts/model/types.ts";
import { newDecoder } from "../engine/ts/model/utf8.ts";
import { withConsolidatedMetadata } from "./consolidated.ts";
import { FileSystemStore, readerOfFile } from "./store/file_system.ts";
import { type IcechunkAccess, IcechunkStore } from "./store/icechunk.ts";
import { DocumentIn, ReferenceStore, type ReferenceStoreOptions } from "./store/reference.ts";
import { ZipFileStore } from "./store/zip.ts";

/** Settles as a promise does, or rejects at once when the signal aborts. */
function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/**
 * The store with the consolidated metadata of its root. Some stores have all metadata themselves.
 */
export async function consolidatedStore(
  store: unknown,
  format: 0 | 2 | 3,
  signal: AbortSignal | undefined,
): Promise<Readable> {
  signal?.throwIfAborted();
  if (store instanceof IcechunkStore || store instanceof ReferenceStore) return store;
  const options = format === 0 ? {} : ({ format: `v${format}` } as const);
  const loading = withConsolidatedMetadata(store as AsyncReadable, options);
  return signal ? abortable(loading, signal) : loading;
}

/** Keys of documents of references in an archive: JSON that is no node's, in no folder. */
const DOCUMENT_KEY = /^\/(?!zarr\.json$)[^/]+\.json$/i;

/** The references in a store: kerchunk's Parquet, or the only JSON of an archive. */
async function referencesIn(
  store: AsyncReadable,
  options: ReferenceStoreOptions,
): Promise<ReferenceStore | undefined> {
  const text = async (key: AbsolutePath) => newDecoder().decode(await store.get(key));
  if (/"record_size"\s*:/.test(await text("/.zmetadata"))) return ReferenceStore.fromStore(store, options);
  if (!(store instanceof ZipFileStore)) return undefined;
  const [key, other] = (await store.list()).filter((each) => DOCUMENT_KEY.test(each));
  return key && !other
    ? new ReferenceStore(new DocumentIn(await text(key), store.url) as never, options)
    : undefined;
}

/** The references in an archive, which must have some. */
export async function referencesInArchive(
  archive: ZipFileStore,
  options: ReferenceStoreOptions,
): Promise<ReferenceStore> {
  const found = await referencesIn(archive, options);
  if (found) return found;
  throw new InvalidMetadataError(`there are no references in the archive ${archive.url?.pathname ?? ""}`, {
    expected: "one JSON document of kerchunk, or its Parquet",
    actual: `${(await archive.list()).length} files`,
  });
}

/** The references in the file at a path of this machine. */
async function referencesAtPath(path: string, options: IcechunkAccess): Promise<ReferenceStore | undefined> {
  if (!/\.json$/i.test(path)) return undefined;
  const file = readerOfFile(path);
  const bytes = await file.read(0, await file.getLength());
  const { allowHosts } = options;
  return ReferenceStore.fromSpec(newDecoder().decode(bytes), allowHosts && { allowHosts });
}

/**
 * The references in a store that `storeOf` has made of an argument, if it has some instead of a
 * hierarchy. What cannot be read is none.
 */
async function referencesAt(
  store: unknown,
  given: unknown,
  { allowHosts }: IcechunkAccess,
): Promise<ReferenceStore | undefined> {
  if (store === given || store instanceof ReferenceStore) return undefined;
  const options = allowHosts && { allowHosts };
  try {
    const isFile = store instanceof FileSystemStore;
    const atPath = isFile ? await referencesAtPath(store.root, { allowHosts }) : undefined;
    return atPath ?? (await referencesIn(store as AsyncReadable, options ?? {}));
  } catch {
    return undefined;
  }
}

/** Addresses of documents that do not end in `.json`, as APIs of STAC have them. */
const DOCUMENT = /^https?:[^?#]*(\.geojson|\/(collections|items)(\/[^/?#]+)?\/?)(\?|#|$)/i;

/**
 * The references in the document at an address. Rejects for a STAC document, which names the
 * addresses of data. Undefined if there is no such document.
 */
async function documentAt(given: unknown, options: IcechunkAccess): Promise<ReferenceStore | undefined> {
  const address = String(given);
  const isAddress = typeof given === "string" || given instanceof URL;
  if (!isAddress || !DOCUMENT.test(address)) return undefined;
  const { allowHosts } = options;
  try {
    return await ReferenceStore.fromUrl(address, allowHosts && { allowHosts });
  } catch (error) {
    const { message } = error as ZarrError;
    if (error instanceof ZarrError && message.includes("assetsOf"))
      throw new InvalidMetadataError(message, { expected: "a hierarchy", actual: "a STAC document" });
    return undefined;
  }
}

/** What a store that `open` has made of an argument holds instead of a hierarchy. */
export const containerAt = async (
  store: unknown,
  given: unknown,
  options: IcechunkAccess,
): Promise<Readable | undefined> => (await referencesAt(store, given, options)) ?? documentAt(given, options);
