/**
 * zarrita's codec registry: a `Map` from a codec's name to a function that loads it. The engine's
 * own codecs are not in it and need no entry; an entry of the same name goes before them. v2's ids
 * are looked up behind `numcodecs.` first, as zarrita does, then as they are. An array takes what
 * is registered when it is first read.
 */

import type { CodecEntry, CodecKind, UserCodec } from "../codec/entry.ts";
import { entryOf } from "../codec/entry.ts";
import { ZarrError } from "../model/errors.ts";

export type { CodecEntry, CodecKind, UserCodec };

export type CodecLoader = () => CodecEntry | Promise<CodecEntry>;

/**
 * A module whose default export, or which itself, is a `CodecEntry`: it is imported and run where
 * chunks are decoded.
 */
export interface CodecModule {
  url: string | URL;
}

/** A `Map` of loaders; one of a module is made of its URL. */
export interface CodecRegistry extends Map<string, CodecLoader> {
  set(name: string, codec: CodecLoader | CodecModule | URL): this;
}

const urls = new WeakMap<CodecLoader, string>();

/** Where a codec's module is, if it was given by its URL. */
export const urlOf = (loader: CodecLoader): string | undefined => urls.get(loader);

function absoluteUrl(url: string | URL): string {
  const { location } = globalThis as { location?: { href: string } };
  try {
    return new URL(url, location?.href).href;
  } catch (cause) {
    throw new ZarrError("Argument", `${url} is no URL of a module`, { expected: "an absolute URL", cause });
  }
}

function loaderOf(codec: CodecLoader | CodecModule | URL): CodecLoader {
  if (typeof codec === "function") return codec;
  const url = absoluteUrl(codec instanceof URL ? codec : codec.url);
  const loader = async () => entryOf(await import(/* webpackIgnore: true */ /* @vite-ignore */ url));
  urls.set(loader, url);
  return loader;
}

class LoaderMap extends Map<string, CodecLoader> {
  override set(name: string, codec: CodecLoader | CodecModule | URL): this {
    return super.set(name, loaderOf(codec));
  }
}

export const registry: CodecRegistry = new LoaderMap();
