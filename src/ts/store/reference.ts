/**
 * `ReferenceStore`: keys that refer to byte ranges of other files, as described by kerchunk's JSON.
 * Names and meanings are those of `@zarrita/storage`, with one difference: for the document of
 * another server, it only requests from that server, unless `allowHosts` names others.
 */

import { need, needReadable, needText, needUrl, optionsOf, parsedUrl } from "../model/argument.ts";
import { exactJson } from "../model/exact_json.ts";
import { absoluteUrl } from "../port/configuration.ts";
import type { StoreDefinition } from "../port/definitions.ts";
import type { ObjectNumbers } from "../port/object_numbers.ts";
import { checkHttpOptions, type FetchStoreOptions, HttpCallbacks } from "./http_options.ts";
import { isOurs, NativeStore } from "./native_store.ts";

export interface ReferenceStoreOptions extends FetchStoreOptions {
  /** The file of references without a URL. */
  target?: string | URL;
  /**
   * Servers to which requests are allowed besides the document's own: `host`, `host:port`,
   * `*.domain`, `s3://bucket`, or `*` for all. Default: all for a document that is given as an
   * object or as text, or that comes from the page's own server; else none.
   */
  allowHosts?: string[];
}

/** A reference document: its JSON text, or the parsed object. */
export type ReferenceSpec = Record<string, unknown> | string;

/** Whether a document is the page's own: given to the constructor, or on the page's server. */
function isOwn(url: string | undefined): boolean {
  const page = pageUrl();
  return url === undefined || (page !== undefined && originOf(page) === originOf(url));
}

/** The base URL of a document in memory: that of the page. */
const pageUrl = () => {
  const { location } = globalThis as { location?: { href: string } };
  return location && /^https?:/.test(location.href) ? new URL("references", location.href).href : undefined;
};

export class ReferenceStore extends NativeStore {
  /** `place` is the document's URL, or the document. */
  constructor(place: URL | ReferenceSpec, options: ReferenceStoreOptions = {}) {
    super(definitionOf(place, options));
  }

  static fromSpec(spec: ReferenceSpec, options?: ReferenceStoreOptions): ReferenceStore;
  static fromSpec(spec: Promise<ReferenceSpec>, options?: ReferenceStoreOptions): Promise<ReferenceStore>;
  /** Makes a store from a document in memory. Relative URLs are resolved against the page's. */
  static fromSpec(
    spec: ReferenceSpec | Promise<ReferenceSpec>,
    options?: ReferenceStoreOptions,
  ): ReferenceStore | Promise<ReferenceStore> {
    needReadable(spec, "spec");
    if (spec instanceof Promise) return spec.then((document) => new ReferenceStore(document, options));
    return new ReferenceStore(spec, options);
  }

  /** Makes a store from the document at a URL. Resolves when the document has been read. */
  static async fromUrl(url: string | URL, options?: ReferenceStoreOptions): Promise<ReferenceStore> {
    const store = new ReferenceStore(parsedUrl(absoluteUrl(url)), options);
    // Looking up any key reads the document.
    await store.has("/zarr.json");
    return store;
  }

  /**
   * The https URL of an object in a public bucket of S3 or Google Cloud. Other URLs are returned as
   * they are.
   */
  static resolveUri(url: string | URL): string {
    needUrl(url, "url");
    const [, protocol, bucket, key] = /^(s3|gs|gcs):\/\/([^/]+)\/?(.*)$/i.exec(String(url)) ?? [];
    if (protocol === undefined || bucket === undefined) return String(url);
    if (protocol.toLowerCase() !== "s3") return `https://storage.googleapis.com/${bucket}/${key}`;
    return bucket.includes(".")
      ? `https://s3.amazonaws.com/${bucket}/${key}`
      : `https://${bucket}.s3.amazonaws.com/${key}`;
  }
}
isOurs(ReferenceStore);

/** The origin of a URL; undefined if it is not a URL. */
function originOf(url: string): string | undefined {
  try {
    return new URL(ReferenceStore.resolveUri(url)).origin;
  } catch {
    return undefined;
  }
}

function definitionOf(
  place: URL | ReferenceSpec,
  options: ReferenceStoreOptions,
): (objects: ObjectNumbers) => StoreDefinition {
  needReadable(place, "spec");
  need(typeof place === "string" || Object(place) === place, "spec", "a reference document");
  checkHttpOptions(options);
  const { allowHosts } = optionsOf(options, { allowHosts: "a list" });
  for (const host of Array.from(allowHosts ?? [])) needText(host, "allowHosts");
  const url = place instanceof URL ? place.href : undefined;
  // Keep the text, because a restarted engine needs it again.
  const text =
    place instanceof URL ? undefined : typeof place === "string" ? place : exactJson(place, "spec");
  const target = options.target === undefined ? undefined : absoluteUrl(options.target);
  const own = [url ?? pageUrl(), target].flatMap((each) => (each === undefined ? [] : [originOf(each)]));
  const headerOrigins = own.filter((origin) => origin !== undefined);
  const callbacks = new HttpCallbacks(options);
  return (objects) => ({
    kind: "reference",
    url,
    text,
    pageUrl: pageUrl(),
    target,
    // What the page's own document names is as trustworthy as the page.
    allowHosts: options.allowHosts ?? (isOwn(url) ? ["*"] : []),
    http: callbacks.define(objects, url ?? "references", { headerOrigins }),
  });
}

export default ReferenceStore;
