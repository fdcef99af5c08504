/**
 * The source of a data set: an address, or a chosen or dropped item of this computer. It makes the
 * store and reads nothing.
 */

import * as zarr from "zarr-wasm";
import { addressKind, parseAddress } from "./address.js";
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
export class LostSourceError extends Error {
  override name = "LostSourceError";
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
  return { key, name: nameOf(url), url, store: await storeOf(url, options) };
}

/** Makes a source of this computer. The page keeps it, so that Back finds it. */
export function localSource(name: string, store: zarr.Readable): Source {
  const source = { key: `${LOCAL}${name}`, name, url: null, store };
  locals.set(source.key, source);
  return source;
}

function storeOf(url: URL, options: SourceOptions): zarr.Readable | Promise<zarr.Readable> {
  switch (addressKind(url)) {
    case "zip":
      return zarr.ZipFileStore.fromUrl(url);
    case "references":
      return referencesAt(url, options);
    default:
      return new zarr.FetchStore(url);
  }
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
  const last = url.pathname.split("/").filter(Boolean).at(-1) ?? url.host;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
