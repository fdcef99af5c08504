/**
 * The source of a data set: an address, or a chosen or dropped item of this computer. It makes the
 * store, and does not check whether there are data.
 */

import * as zarr from "zarr-wasm";
import { PageError } from "../text/errors.js";
import { type AskHosts, allowedHosts } from "./reference_hosts.js";

export interface Source {
  /**
   * The key in the page's URL and in the list of recent sources. `local:` sources exist only while
   * the page is open.
   */
  readonly key: string;
  /** The name for titles: the last part of an address, or the name of a folder or file. */
  readonly name: string;
  /** Null for a source of this computer. */
  readonly url: URL | null;
  readonly store: zarr.Readable;
}

const LOCAL = "local:";

/**
 * The sources of this computer, by key. They exist as long as the page.
 */
const locals = new Map<string, Source>();

/** A source of this computer from an earlier page, which is not available. */
class LostSourceError extends PageError {
  readonly title = "Choose this folder or file again";
  readonly cure =
    "Choose it again with Open, or drop it on the page: a page may not open your files by itself.";
}

export function isLocal(key: string): boolean {
  return key.startsWith(LOCAL);
}

/** How to open a source of another document. */
export interface SourceOptions {
  /** The URL of the page. */
  base: string;
  ask: AskHosts;
  signal: AbortSignal;
}

/** The source of an address or of a local key. */
export async function sourceOf(key: string, options: SourceOptions): Promise<Source> {
  if (isLocal(key)) {
    const known = locals.get(key);
    if (known) return known;
    throw new LostSourceError(`“${key.slice(LOCAL.length)}” is on your computer.`);
  }
  const url = parseAddress(key, options.base);
  return { key, name: nameOf(url), url, store: await storeOf(url, versionIn(key), options) };
}

/**
 * The state of an Icechunk repository, which the fragment of an address may name: `#branch=…`,
 * `#tag=…` or `#snapshot=…`.
 */
function versionIn(address: string): zarr.IcechunkVersion | undefined {
  const [, kind, name] = /^[^#]*#(branch|tag|snapshot)=(.+)$/.exec(address.trim()) ?? [];
  return kind && name ? { [kind]: decoded(name) } : undefined;
}

/** Makes a source of this computer. The page keeps it, so that Back finds it. */
export function localSource(name: string, store: zarr.Readable): Source {
  const source = { key: `${LOCAL}${name}`, name, url: null, store };
  locals.set(source.key, source);
  return source;
}

/**
 * The virtual chunks of a repository may be on no other server, wherever the repository is: its
 * documents do not name the servers before all manifests are read.
 */
export const NO_OTHER_SERVER = { allowHosts: [] as string[] };

/**
 * The store by the ending of the name. Addresses of a node's documents are those of the node, so
 * other JSON is a reference document.
 */
function storeOf(
  url: URL,
  version: zarr.IcechunkVersion | undefined,
  options: SourceOptions,
): zarr.Readable | Promise<zarr.Readable> {
  if (version) return new zarr.IcechunkStore(url, { ...version, ...NO_OTHER_SERVER });
  if (/\.(zip|ozx)$/i.test(url.pathname)) return zarr.ZipFileStore.fromUrl(url);
  if (/\.parq(uet)?\/?$/i.test(url.pathname)) return tablesAt(url);
  return /\.json$/i.test(url.pathname) ? referencesAt(url, options) : new zarr.FetchStore(url);
}

/**
 * The store of a document. One of another server may name only that server. One of the page's own
 * server may be a file that a user has put there, so the user is asked.
 */
async function referencesAt(url: URL, { base, ask, signal }: SourceOptions): Promise<zarr.Readable> {
  if (url.origin !== new URL(base).origin) return new zarr.ReferenceStore(url);
  const text = await textAt(url, signal);
  const allowHosts = await allowedHosts({ name: nameOf(url), text, base: url.href }, ask, signal);
  return new zarr.ReferenceStore(url, { allowHosts });
}

/**
 * The store of references in tables. Their hosts are not known before all tables are read, so they
 * may name no other server, wherever they are.
 */
const tablesAt = (url: URL): zarr.Readable => new zarr.ReferenceStore(url, { allowHosts: [] });

/** Empty if it cannot be read. The store reports why. */
async function textAt(url: URL, signal: AbortSignal): Promise<string> {
  try {
    const response = await fetch(url, { signal });
    return response.ok ? await response.text() : "";
  } catch {
    signal.throwIfAborted();
    return "";
  }
}

function nameOf(url: URL): string {
  return decoded(url.pathname.split("/").filter(Boolean).at(-1) ?? url.host);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** An address that the page cannot open, with a message for the user. */
class AddressError extends PageError {
  readonly title = "This is not an address";
  readonly cure = "An address looks like https://host/image.zarr, s3://bucket/image.zarr or ./image.zarr.";
}

/** A text that is no URL, without what may be secret in it: a password and a query. */
const shown = (address: string) => address.replace(/[?#].*$/s, "").replace(/^.*@/s, "");

/**
 * The URL of an address. Relative ones are resolved against `base`. The package knows which address
 * is that of a node's document, and where buckets are.
 */
export function parseAddress(text: string, base: string): URL {
  const address = text.trim().replace(/^<|>$|^"|"$/g, "");
  if (address === "") throw new AddressError("The address is empty.");
  const url = webUrl(zarr.ReferenceStore.resolveUri(address), base);
  url.hash = "";
  return new URL(new zarr.FetchStore(url).url);
}

/**
 * Without a scheme, only a text that looks like a host is one, so that other words are not sent to
 * the network.
 */
const HOST = /^(localhost|[\w-]+(\.[\w-]+)+|\[[\da-f:]+\])(:\d+)?([/?#]|$)/i;

function webUrl(address: string, base: string): URL {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(address)?.[1]?.toLowerCase();
  const isRelative = /^\.{0,2}\//.test(address);
  if (!scheme && !isRelative && !HOST.test(address)) {
    throw new AddressError(`“${shown(address)}” is not an address.`);
  }
  const text = scheme || isRelative ? address : `https://${address}`;
  if (!URL.canParse(text, base)) throw new AddressError(`“${shown(address)}” is not an address.`);
  const url = new URL(text, base);
  if (url.protocol === "http:" || url.protocol === "https:") return url;
  throw new AddressError(
    `“${scheme ?? url.protocol}://” is nothing this page can read: it opens http, https, s3 and gs addresses.`,
  );
}
