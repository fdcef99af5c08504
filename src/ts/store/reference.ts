/**
 * `ReferenceStore`: keys that lead to parts of files elsewhere, as kerchunk's JSON describes them.
 * The names and meanings are those of `@zarrita/storage`, but for one: it reaches only its
 * document's own server, unless `allowHosts` names more.
 */

import { absoluteUrl } from "../port/configuration.ts";
import type { StoreDefinition } from "../port/definitions.ts";
import type { ObjectNumbers } from "../port/object_numbers.ts";
import { checkHttpOptions, type FetchStoreOptions, HttpCallbacks } from "./http_options.ts";
import { isOurs, NativeStore } from "./native_store.ts";

export interface ReferenceStoreOptions extends FetchStoreOptions {
  /** The file of references that name none. */
  target?: string | URL;
  /**
   * Servers that may be asked beside the document's own: `host`, `host:port`, `*.domain`,
   * `s3://bucket`, or `*` for all.
   */
  allowHosts?: string[];
}

/** A document of references: its JSON, parsed or not. */
export type ReferenceSpec = Record<string, unknown> | string;

/** A document in memory is where the page is. */
const pageUrl = () => {
  const { location } = globalThis as { location?: { href: string } };
  return location && /^https?:/.test(location.href) ? new URL("references", location.href).href : undefined;
};

export class ReferenceStore extends NativeStore {
  /** `place`: the document's URL, or the document. */
  constructor(place: URL | ReferenceSpec, options: ReferenceStoreOptions = {}) {
    super(definitionOf(place, options));
  }

  static fromSpec(spec: ReferenceSpec, options?: ReferenceStoreOptions): ReferenceStore;
  static fromSpec(spec: Promise<ReferenceSpec>, options?: ReferenceStoreOptions): Promise<ReferenceStore>;
  /** The references of a document at hand. Relative ones are seen from the page. */
  static fromSpec(
    spec: ReferenceSpec | Promise<ReferenceSpec>,
    options?: ReferenceStoreOptions,
  ): ReferenceStore | Promise<ReferenceStore> {
    if (spec instanceof Promise) return spec.then((document) => new ReferenceStore(document, options));
    return new ReferenceStore(spec, options);
  }

  /** The references of the document at a URL, which is read before this resolves. */
  static async fromUrl(url: string | URL, options?: ReferenceStoreOptions): Promise<ReferenceStore> {
    const store = new ReferenceStore(new URL(absoluteUrl(url)), options);
    // Any key will do: the document is read to find it.
    await store.has("/zarr.json");
    return store;
  }

  /** The https URL of an object in a public bucket; any other URL as it is. */
  static resolveUri(url: string | URL): string {
    const [, protocol, bucket, key] = /^(s3|gs|gcs):\/\/([^/]+)\/?(.*)$/i.exec(String(url)) ?? [];
    if (protocol === undefined || bucket === undefined) return String(url);
    if (protocol.toLowerCase() !== "s3") return `https://storage.googleapis.com/${bucket}/${key}`;
    return bucket.includes(".")
      ? `https://s3.amazonaws.com/${bucket}/${key}`
      : `https://${bucket}.s3.amazonaws.com/${key}`;
  }
}
isOurs(ReferenceStore);

/** The server of a URL; of what is no URL none. */
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
  checkHttpOptions(options);
  const url = place instanceof URL ? place.href : undefined;
  // The text is kept: the engine may have to be told again.
  const text = place instanceof URL ? undefined : typeof place === "string" ? place : JSON.stringify(place);
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
    allowHosts: options.allowHosts ?? [],
    http: callbacks.define(objects, url ?? "references", { headerOrigins }),
  });
}

export default ReferenceStore;
