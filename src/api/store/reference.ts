/**
 * `ReferenceStore`: keys that refer to byte ranges of other files, as described by kerchunk's JSON
 * or Parquet. Names and meanings are those of `@zarrita/storage`, with one difference: for the
 * document of another server, it only requests from that server, unless `allowHosts` names others.
 */

import { lazy } from "#lazy";
import { need, needReadable, needUrl, object, parsedUrl } from "../../engine/ts/model/argument.ts";
import { exactJson } from "../../engine/ts/model/json.ts";
import { isPromiseLike } from "../../engine/ts/model/realms.ts";
import type { AsyncReadable } from "../../engine/ts/model/types.ts";
import { absoluteUrl } from "../../engine/ts/port/configuration.ts";
import type { ObjectIds, StoreDefinition } from "../../engine/ts/port/definitions.ts";
import { FetchStore } from "./fetch_store.ts";
import { checkHttpOptions, type FetchStoreOptions, HttpCallbacks, httpOptionsOf } from "./http_options.ts";
import { isOurs, NativeStore } from "./native_store.ts";
import { baseUrl, isOwn, reachOf, resolvedUri, urlOf } from "./reach.ts";
import { ARCHIVE, ZipFileStore } from "./zip.ts";

/** Options of `ReferenceStore`. Those of requests are as in `FetchStore`. */
export interface ReferenceStoreOptions extends FetchStoreOptions {
  /** The file of references without a URL, which only JSON has. */
  target?: string | URL | undefined;
  /**
   * Servers to which requests are allowed besides those of the document and of the target: `host`,
   * `host:port`, `[::1]:port`, `*.domain`, a URL, `s3://bucket`, or `*` for all. Without a port it
   * means the usual ports of http and https. Redirects are checked too. Default: all for a document
   * that is given as an object or as text, or that comes from the page's own server; else none. The
   * tables of a store without an address count as another server's.
   */
  allowHosts?: string[] | undefined;
}

/** A reference document: its JSON text, or the parsed object. */
export type ReferenceSpec = Record<string, unknown> | string;

/** Paths of the folders of kerchunk's Parquet. */
export const TABLES = /\.parq(uet)?\/?$/i;

/** A store with kerchunk's Parquet. */
class TableStore {
  constructor(readonly store: AsyncReadable) {
    object(store, "store");
  }
}

/** A document in an archive. Its relative references are beside the archive. */
export class DocumentIn {
  constructor(
    readonly text: string,
    readonly url: URL | undefined,
  ) {}
}

/**
 * A read-only store of kerchunk's references: its keys are byte ranges of other files. The document
 * is JSON, or a folder of Parquet.
 *
 *     const store = await ReferenceStore.fromUrl("https://host/references.json");
 *     const group = await open(store);
 */
export class ReferenceStore extends NativeStore {
  /**
   * Nothing is requested yet.
   *
   * @param place The document, as an object or as text, or its URL. A URL whose path ends in
   *   `.parq` or `.parquet` is a folder of Parquet.
   * @throws an `Argument` error for what is none of these.
   */
  constructor(place: URL | ReferenceSpec, options: ReferenceStoreOptions = {}) {
    super(definitionOf(place, options));
  }

  static fromSpec(spec: ReferenceSpec, options?: ReferenceStoreOptions): ReferenceStore;
  static fromSpec(spec: Promise<ReferenceSpec>, options?: ReferenceStoreOptions): Promise<ReferenceStore>;
  /**
   * Makes a store from a document in memory. Relative URLs are resolved against the page's.
   *
   * @param spec The document, as an object or as text, or a promise of it.
   */
  static fromSpec(
    spec: ReferenceSpec | Promise<ReferenceSpec>,
    options?: ReferenceStoreOptions,
  ): ReferenceStore | Promise<ReferenceStore> {
    needReadable(spec, "spec");
    if (isPromiseLike(spec))
      return Promise.resolve(spec).then((document) => new ReferenceStore(document, options));
    return new ReferenceStore(spec, options);
  }

  /**
   * Makes a store from kerchunk's Parquet in another store, such as an archive. Relative paths are
   * resolved against the address of that store, or else the page's.
   *
   * @param store The store with the folder of Parquet at its root.
   */
  static fromStore(store: AsyncReadable, options?: ReferenceStoreOptions): ReferenceStore {
    return new ReferenceStore(new TableStore(store) as never, options);
  }

  /**
   * Makes a store from the document at a URL, or from the document or the Parquet in an archive
   * there. Resolves when the document has been read.
   *
   * @param url The address of the document, of a folder of Parquet, or of an archive with one.
   * @throws a `Store` error if the document cannot be read.
   * @throws an `InvalidMetadataError` if it is not a document of references.
   */
  static async fromUrl(url: string | URL, options: ReferenceStoreOptions = {}): Promise<ReferenceStore> {
    const address = parsedUrl(absoluteUrl(url));
    const { target, allowHosts, ...http } = object(options, "options");
    if (ARCHIVE.test(address.pathname))
      return (await lazy()).referencesInArchive(ZipFileStore.fromUrl(address, http), options);
    const store = new ReferenceStore(address, options);
    // Looking up any key reads the document.
    await store.has("/zarr.json");
    return store;
  }

  /**
   * Converts the address of an object in a public bucket of S3 or Google Cloud (`s3://`, `gs://`)
   * to an https URL. Other URLs are returned as they are.
   *
   * @param url The address.
   */
  static resolveUri(url: string | URL): string {
    needUrl(url, "url");
    return resolvedUri(String(url));
  }
}
isOurs(ReferenceStore);

function definitionOf(
  spec: URL | ReferenceSpec | TableStore | DocumentIn,
  options: ReferenceStoreOptions,
): (objects: ObjectIds) => StoreDefinition {
  needReadable(spec, "spec");
  need(typeof spec === "string" || Object(spec) === spec, "spec", "a reference document");
  checkHttpOptions(options, { target: "a URL", allowHosts: "a list" });
  if (spec instanceof TableStore) return tablesIn(spec.store, options);
  const url = spec instanceof URL ? spec.href : undefined;
  if (spec instanceof URL && TABLES.test(spec.pathname))
    return tablesIn(new FetchStore(spec, httpOptionsOf(options)), options);
  // Keep the text, because a restarted engine needs it again.
  const text = textOf(spec);
  const target = options.target === undefined ? undefined : absoluteUrl(options.target);
  const archive = spec instanceof DocumentIn ? spec.url?.href : undefined;
  const isGiven = url === undefined && !(spec instanceof DocumentIn);
  const http = requestsOf({ url: url ?? archive, target, isGiven }, options);
  return (objects) => ({
    kind: "reference",
    url,
    text,
    pageUrl: archive ?? baseUrl(),
    target,
    http: http(objects),
  });
}

/** The text of a document; undefined for one at a URL. */
function textOf(spec: URL | ReferenceSpec | DocumentIn): string | undefined {
  if (spec instanceof DocumentIn) return spec.text;
  if (spec instanceof URL) return undefined;
  return typeof spec === "string" ? spec : exactJson(spec, "spec");
}

/** The definition of the references in a store's tables. */
function tablesIn(
  store: AsyncReadable,
  options: ReferenceStoreOptions,
): (objects: ObjectIds) => StoreDefinition {
  const address = (store as { url?: unknown }).url;
  const isAddress = typeof address === "string" || address instanceof URL;
  const url = isAddress ? urlOf(absoluteUrl(address)) : undefined;
  // The folder is a document of its folder, as kerchunk's JSON is.
  if (url?.pathname.endsWith("/")) url.pathname = url.pathname.slice(0, -1);
  const base = url?.href ?? baseUrl();
  const http = requestsOf({ url: url?.href, isGiven: false }, options);
  return (objects) => ({ kind: "reference-tables", store: objects.store(store), base, http: http(objects) });
}

/** Where a document is from: a URL, or the caller, who has given it. */
interface Origin {
  url: string | undefined;
  target?: string | undefined;
  isGiven: boolean;
}

/** The requests to the files of references. */
function requestsOf({ url, target, isGiven }: Origin, options: ReferenceStoreOptions) {
  const own = [url ?? baseUrl(), target].flatMap((each) => (each && urlOf(each)) || []);
  const headerOrigins = own.map(({ origin }) => origin);
  const reach = reachOf(url, own, options.allowHosts ?? (isGiven || isOwn(url) ? ["*"] : []));
  const callbacks = new HttpCallbacks(options);
  return (objects: ObjectIds) => callbacks.define(objects, url ?? "references", { headerOrigins, reach });
}

export default ReferenceStore;
