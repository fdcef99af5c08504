/**
 * Where an asset of a STAC document is: its `href` as an address that `open` takes, and the node's
 * path below the root of its store. It asks no server, and finds no root that the document does
 * not name.
 */
/** An object of a document, whose members may be anything. */
export type Json = Record<string, unknown>;

/** A value as an object. Empty for any other value. */
export const objectOf = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Longer addresses are refused. */
const MAX_URL_CHARACTERS = 4096;

/** The longest address of a bucket's server, and the longest name in it. */
const MAX_PLATFORM_CHARACTERS = 512;
const MAX_NAME_CHARACTERS = 64;

/** The most levels that a node is below the root of its store, where a link names that. */
const MAX_LEVELS = 64;

/** Why an asset has no address that `open` takes. It is no error yet: a document may have many. */
export interface Fault {
  message: string;
  expected: string;
  actual: string;
}

const fault = (message: string, expected: string, actual: unknown): Fault => ({
  message,
  expected,
  actual: String(actual).slice(0, 200),
});

const tooLong = (address: string) =>
  fault("an address is too long", `at most ${MAX_URL_CHARACTERS} characters`, address);

/** A text of a document, if it is no longer than it may be: many assets may share one. */
const shortText = (value: unknown, most = MAX_URL_CHARACTERS): string => {
  const text = textOf(value);
  return text.length <= most ? text : "";
};

/** Schemes of addresses that `open` reads, or that tell where a bucket is. */
const READABLE = /^(https?|s3a?|gs|gcs|abfss?|az|azure|adl):\/\//i;

/** The address of an asset or a link as `open` takes it, or why there is none. */
export function addressOf(asset: Json, document: Json, base: string | undefined): string | Fault {
  const href = typeof asset.href === "string" ? asset.href.trim() : "";
  if (href === "") return fault("an asset has no address", "a text that is not empty", asset.href);
  if (href.length > MAX_URL_CHARACTERS) return tooLong(href);
  const whole = absolute(href, base);
  if (typeof whole !== "string") return whole;
  const address = openable(whole, storageOf(asset, document));
  return address.length > MAX_URL_CHARACTERS ? tooLong(address) : address;
}

/**
 * An absolute address of a scheme that is read: a document must not name a file of the machine, or
 * a script. Beside a document that is a file of the caller's own, relative addresses are files.
 */
function absolute(href: string, base: string | undefined): string | Fault {
  const isAbsolute = /^[a-z][a-z\d+.-]*:/i.test(href);
  // `URL` would take the bucket for a host, and change its letters.
  if (READABLE.test(href) && !/^https?:/i.test(href)) return href;
  let url: URL;
  try {
    url = new URL(href, base);
  } catch {
    const expected = base === undefined ? "an absolute address, or the option base" : "an address";
    return fault("an address cannot be resolved", expected, href);
  }
  const isNear = !isAbsolute && url.protocol === "file:" && url.host === "";
  if (isNear || READABLE.test(url.href)) return url.href;
  return fault("an address has a scheme that is not read", "http, https, s3, gs or az", href);
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

/** A member of the first of these objects that has it. Assets share them, so none is copied. */
const memberOf = (objects: Json[], name: string): unknown =>
  objects.find((each) => Object.hasOwn(each, name))?.[name];

/** Reads the options of xarray-assets, and the scheme of the storage extension. */
function storageOf(asset: Json, document: Json): Storage {
  const kwargs = ["xarray:open_dataset_kwargs", "xarray:open_kwargs"].map((name) => objectOf(asset[name]));
  const options = [...kwargs.map((each) => each.storage_options), asset["xarray:storage_options"]];
  const option = (name: string) => memberOf(options.map(objectOf), name);
  const schemes = [document, objectOf(document.properties)].map((each) => objectOf(each["storage:schemes"]));
  const scheme = objectOf(memberOf(schemes, textOf(listOf(asset["storage:refs"])[0])));
  return {
    account: shortText(option("account_name")) || shortText(scheme.account),
    signature: (shortText(option("credential")) || shortText(option("sas_token"))).replace(/^\?/, ""),
    endpoint: shortText(option("endpoint_url")) || shortText(objectOf(option("client_kwargs")).endpoint_url),
    platform: shortText(scheme.platform, MAX_PLATFORM_CHARACTERS),
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
  if (!/^[a-z\d]{3,24}$/i.test(name)) return href;
  const signed = query || (signature && `?${signature}`);
  return `https://${name}.blob.core.windows.net/${container ?? plain}${path}${signed}`;
}

/** An address in a bucket, at the server that the document names. Unchanged if it names none. */
function bucketUrl(href: string, { endpoint, platform, scheme }: Storage): string {
  const [, bucket = "", path = "", query = ""] = BUCKET.exec(href) ?? [];
  if (isSecure(endpoint)) return `${endpoint.replace(/\/$/, "")}/${bucket}${path}${query}`;
  if (!platform.includes("{bucket}")) return href;
  const server = platform.replace(/\{(\w+)\}/g, (_, name) =>
    name === "bucket" ? bucket : shortText(scheme[name], MAX_NAME_CHARACTERS),
  );
  return isSecure(server) && !/\.\.|\/\/\./.test(server)
    ? `${server.replace(/\/$/, "")}${path}${query}`
    : href;
}

/** An address as `open` takes it, where the document tells enough. */
function openable(href: string, storage: Storage): string {
  if (AZURE.test(href)) return azureUrl(href, storage);
  return BUCKET.test(href) ? bucketUrl(href, storage) : href;
}

/** An address before its query, without slashes at the end, and the query. */
function partsOf(address: string): [bare: string, query: string] {
  const [, bare = "", query = ""] = /^([^?#]*)(\?[^#]*)?/.exec(address) ?? [];
  return [withoutSlashes(bare), query];
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
function namedRoot(address: string, roots: ReadonlySet<string>): number {
  let end = address.length;
  for (let level = 0; level < MAX_LEVELS && end > 0 && roots.size > 0; level += 1) {
    if (roots.has(address.slice(0, end))) return end;
    end = address.lastIndexOf("/", end - 1);
  }
  return -1;
}

/** Names of folders and files that are stores. */
const STORE = /\.(zarr|icechunk|parq|parquet|zip|ozx)$/i;

/** The length of an address up to the last name that says that it is a store; else the whole. */
function rootByName(address: string): number {
  let end = address.length;
  while (end > 0) {
    const start = address.lastIndexOf("/", end - 1);
    if (STORE.test(address.slice(start + 1, end))) return end;
    end = start;
  }
  return address.length;
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
export function storeOf(address: string, roots: ReadonlySet<string>): { url: string; path: string } {
  const [whole, query] = partsOf(address);
  const node = whole.replace(DOCUMENT, "");
  const named = namedRoot(node, roots);
  const end = named >= 0 ? named : rootByName(node);
  const names = node.slice(end).split("/").filter(Boolean);
  const path = names.map(/^https?:/i.test(node) ? decoded : String).join("/");
  return { url: node.slice(0, end) + query, path };
}
