/**
 * Late code of `open`: the store with consolidated metadata, and what else may be at a place that
 * has no node. That is references of kerchunk, in Parquet or in JSON. A STAC document is an error
 * that tells how it is opened.
 */
import { InvalidMetadataError, ZarrError } from "../model/errors.ts";
import type { AsyncReadable, Readable } from "../model/types.ts";
import { type IcechunkAccess, IcechunkStore } from "../store/icechunk.ts";
import { ReferenceStore } from "../store/reference.ts";
import { withConsolidatedMetadata } from "./consolidated.ts";

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

/**
 * The references in a store that `storeOf` has made of a place, if it has kerchunk's Parquet in
 * place of a hierarchy.
 */
async function referencesIn(
  store: unknown,
  place: unknown,
  access: IcechunkAccess,
): Promise<ReferenceStore | undefined> {
  if (store === place || store instanceof ReferenceStore) return undefined;
  const readable = store as AsyncReadable;
  const text = await readable.get("/.zmetadata").catch(() => undefined);
  const isTables = text && /"record_size"\s*:/.test(new TextDecoder().decode(text));
  return isTables ? ReferenceStore.fromStore(readable, access) : undefined;
}

/** Addresses of documents that do not end in `.json`, as APIs of STAC have them. */
const DOCUMENT = /^https?:[^?#]*(\.geojson|\/(collections|items)(\/[^/?#]+)?\/?)(\?|#|$)/i;

/**
 * The references in the document at an address. Rejects for a STAC document, which names the
 * addresses of data. Undefined if there is no such document.
 */
async function documentAt(place: unknown, options: IcechunkAccess): Promise<ReferenceStore | undefined> {
  const address = String(place);
  const isAddress = typeof place === "string" || place instanceof URL;
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

/** What a store that `open` has made of a place holds instead of a hierarchy. */
export const containerAt = async (
  store: unknown,
  place: unknown,
  options: IcechunkAccess,
): Promise<Readable | undefined> => (await referencesIn(store, place, options)) ?? documentAt(place, options);
