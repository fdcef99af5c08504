/**
 * Where an asset of a STAC document is: its `href` as an address that `open` takes, and the node's
 * path below the root of its store. It asks no server, and finds no root that the document does
 * not name.
 */
import { InvalidMetadataError } from "../model/errors.ts";

/** An object of a document, whose members may be anything. */
export type Json = Record<string, unknown>;

/** A value as an object. Empty for any other value. */
export const objectOf = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Longer addresses are refused. */
const MOST_CHARACTERS = 4096;

/** The most levels that a node is below the root of its store, where a link names that. */
const MOST_LEVELS = 64;

const invalid = (field: string, message: string, expected: string, actual: unknown) =>
  new InvalidMetadataError(message, { field, expected, actual: String(actual).slice(0, 200) });

/** The `href` of an asset or a link. Throws an error that names it if it is none. */
export function hrefOf({ href }: Json, field: string): string {
  if (typeof href !== "string" || href.trim() === "")
    throw invalid(`${field}.href`, "an asset has no address", "a text that is not empty", href);
  if (href.length > MOST_CHARACTERS)
    throw invalid(`${field}.href`, "an address is too long", `at most ${MOST_CHARACTERS} characters`, href);
  return href.trim();
}

/** An absolute address. Throws if it is relative and the document has no address itself. */
export function absolute(href: string, base: string | undefined, field: string): string {
  // `URL` would take the bucket for a host, and change its letters.
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(href) && !/^https?:/i.test(href)) return href;
  try {
    return new URL(href, base).href;
  } catch {
    const expected = base === undefined ? "an absolute address, or the option base" : "an address";
    throw invalid(`${field}.href`, "an address cannot be resolved", expected, href);
  }
}

/** What a document says of the server of an asset. */
export interface Storage {
  /** The account of Azure. */
  account: string;
  /** A signature for Azure, without the `?`. */
  signature: string;
  /** The server of S3, if it is not that of AWS. */
  endpoint: string;
  /** The address of a bucket's server, with `{bucket}` and the like (storage extension). */
  platform: string;
  scheme: Json;
}

/** Reads the options of xarray-assets, and the scheme of the storage extension. */
export function storageOf(asset: Json, document: Json): Storage {
  const kwargs = ["xarray:open_kwargs", "xarray:open_dataset_kwargs"].map((name) => objectOf(asset[name]));
  const places = [asset["xarray:storage_options"], ...kwargs.map((each) => each.storage_options)];
  const options: Json = Object.assign({}, ...places.map(objectOf));
  const schemes = { ...objectOf(objectOf(document.properties)["storage:schemes"]) };
  Object.assign(schemes, objectOf(document["storage:schemes"]));
  const scheme = objectOf(schemes[textOf(listOf(asset["storage:refs"])[0])]);
  return {
    account: textOf(options.account_name) || textOf(scheme.account),
    signature: (textOf(options.credential) || textOf(options.sas_token)).replace(/^\?/, ""),
    endpoint: textOf(options.endpoint_url) || textOf(objectOf(options.client_kwargs).endpoint_url),
    platform: textOf(scheme.platform),
    scheme,
  };
}

/** `abfs://container@account.dfs…/path`, `abfs://container/path`, and other names of the scheme. */
const AZURE = /^(?:abfss?|az|azure|adl):\/\/(?:([^/@]+)@([^/.]+)\.[^/]+|([^/@]+))(\/[^?#]*)?(\?[^#]*)?/i;

const BUCKET = /^s3a?:\/\/([^/?#]+)(\/[^?#]*)?(\?[^#]*)?/i;

const isSecure = (address: string) => /^https:\/\/[^/?#@\s\\]+/i.test(address);

/** An address in Azure as that of its blob: what is public there is read so. */
function azureUrl(href: string, { account, signature }: Storage): string {
  const [, container, host, plain, path = "", query = ""] = AZURE.exec(href) ?? [];
  const name = host ?? account;
  if (!/^[a-z\d]+$/i.test(name)) return href;
  const signed = query || (signature && `?${signature}`);
  return `https://${name}.blob.core.windows.net/${container ?? plain}${path}${signed}`;
}

/** An address in a bucket, at the server that the document names. Unchanged if it names none. */
function bucketUrl(href: string, { endpoint, platform, scheme }: Storage): string {
  const [, bucket = "", path = "", query = ""] = BUCKET.exec(href) ?? [];
  if (isSecure(endpoint)) return `${endpoint.replace(/\/$/, "")}/${bucket}${path}${query}`;
  if (!platform.includes("{bucket}")) return href;
  const place = platform.replace(/\{(\w+)\}/g, (_, name) =>
    name === "bucket" ? bucket : textOf(scheme[name]),
  );
  return isSecure(place) && !/\.\.|\/\/\./.test(place) ? `${place.replace(/\/$/, "")}${path}${query}` : href;
}

/** An address as `open` takes it, where the document tells enough. */
export function openable(href: string, storage: Storage): string {
  if (AZURE.test(href)) return azureUrl(href, storage);
  return BUCKET.test(href) ? bucketUrl(href, storage) : href;
}

/** An address before its query, without slashes at the end, and the query. */
function partsOf(address: string): [place: string, query: string] {
  const [, place = "", query = ""] = /^([^?#]*)(\?[^#]*)?/.exec(address) ?? [];
  return [withoutSlashes(place), query];
}

function withoutSlashes(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === "/") end -= 1;
  return text.slice(0, end);
}

const DOCUMENT = /\/(zarr\.json|\.zarray|\.zgroup|\.zattrs|\.zmetadata)$/;

/** An address without the name of a metadata document. It is a key of the roots of stores. */
export const rootOf = (address: string): string => partsOf(address)[0].replace(DOCUMENT, "");

/** The length of an address up to the root that is the nearest of the named ones above it. */
function namedRoot(place: string, roots: ReadonlySet<string>): number {
  let end = place.length;
  for (let level = 0; level < MOST_LEVELS && end > 0 && roots.size > 0; level += 1) {
    if (roots.has(place.slice(0, end))) return end;
    end = place.lastIndexOf("/", end - 1);
  }
  return -1;
}

/** Names of folders and files that are stores. */
const STORE = /\.(zarr|icechunk|parq|parquet|zip|ozx)$/i;

/** The length of an address up to the last name that says that it is a store; else the whole. */
function rootByName(place: string): number {
  let end = place.length;
  while (end > 0) {
    const start = place.lastIndexOf("/", end - 1);
    if (STORE.test(place.slice(start + 1, end))) return end;
    end = start;
  }
  return place.length;
}

/** Percent-decodes a name. A "%" without two hex digits is kept. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/**
 * Splits the address of a node in the root of its store and the path below. The root is the one
 * that the document names, or a folder whose name says that it is a store, or else the node.
 */
export function placeOf(address: string, roots: ReadonlySet<string>): { url: string; path: string } {
  const [whole, query] = partsOf(address);
  const place = whole.replace(DOCUMENT, "");
  const named = namedRoot(place, roots);
  const end = named >= 0 ? named : rootByName(place);
  const names = place.slice(end).split("/").filter(Boolean);
  const path = names.map(/^https?:/i.test(place) ? decoded : String).join("/");
  return { url: place.slice(0, end) + query, path };
}
