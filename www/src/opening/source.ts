/**
 * Where a data set comes from: an address, or something of this computer that a person chose or
 * dropped. A source makes the store; it reads nothing itself.
 */

import * as zarr from "zarr-wasm";
import { addressKind, parseAddress } from "./address.js";

export interface Source {
  /**
   * What the page's address and the list of recent ones say; `local:` sources exist only while the
   * page is open.
   */
  readonly key: string;
  /** For titles: the last part of an address, or the name of a folder or file. */
  readonly name: string;
  /** Null for what is on this computer. */
  readonly url: URL | null;
  readonly store: zarr.Readable;
}

const LOCAL = "local:";

/**
 * Sources of this computer by key: the page's address can name them only as long as the page lives.
 */
const locals = new Map<string, Source>();

/** A source on this computer that is not at hand any more. */
export class LostSourceError extends Error {
  override name = "LostSourceError";
}

export function isLocal(key: string): boolean {
  return key.startsWith(LOCAL);
}

/** The source of an address, or of the key of a local one. */
export function sourceOf(key: string, base: string): Source {
  if (isLocal(key)) {
    const known = locals.get(key);
    if (known) return known;
    throw new LostSourceError(`“${key.slice(LOCAL.length)}” is on your computer.`);
  }
  const url = parseAddress(key, base);
  return { key, name: nameOf(url), url, store: storeOf(url) };
}

/** A source of this computer; the page keeps it, so that Back finds it. */
export function localSource(name: string, store: zarr.Readable): Source {
  const source = { key: `${LOCAL}${name}`, name, url: null, store };
  locals.set(source.key, source);
  return source;
}

function storeOf(url: URL): zarr.Readable {
  switch (addressKind(url)) {
    case "zip":
      return zarr.ZipFileStore.fromUrl(url);
    case "references":
      return new zarr.ReferenceStore(url);
    default:
      return new zarr.FetchStore(url);
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
