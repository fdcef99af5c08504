/**
 * What users register: codecs, and storage transformers of the drafts of v3.
 *
 * The first is zarrita's `registry`: a map from a codec's name to a function that loads it. A codec
 * that the user registered replaces this package's codec of the same name. For v2, `numcodecs.<id>`
 * is looked up first, as in zarrita, then the id. An array uses the codecs that are registered at
 * its first read. An entry of this package gives a codec that the engine runs, for code that needs
 * one alone and for other libraries. Reads and writes of arrays do not use these entries.
 *
 * Storage transformers are between an array's chunks and the store (section "Storage transformers"
 * of the drafts). Sharding is implemented by the engine and needs no entry. An array uses the
 * transformers that are registered at its first read or write.
 */

import { lazy } from "#lazy";
import { CODEC_KINDS, NUMCODECS, OTHER_CODECS, type TransformerInfo } from "../contract/contract.ts";
import { type CodecEntry, type CodecKind, entryOf, type UserCodec } from "../engine/ts/codec/site.ts";
import { need, needReadable, object, parsedUrl, refuse } from "../engine/ts/model/argument.ts";
import { parseJsonText } from "../engine/ts/model/json.ts";
import type { AbsolutePath, AsyncReadable, AsyncStore, AsyncWritable } from "../engine/ts/model/types.ts";
import { type Callback, definerOf, type ObjectIds } from "../engine/ts/port/definitions.ts";
import { call } from "../engine/ts/port/engine.ts";
import type { StorageTransformerMetadata } from "./node_facts.ts";
import { isOurs, NativeStore } from "./store/native_store.ts";

export type { CodecEntry, CodecKind, UserCodec };

/** A function that returns the entry of a codec, when an array first needs it. */
export type CodecLoader = () => CodecEntry | Promise<CodecEntry>;

/**
 * A module that is a `CodecEntry`, or exports one as default. It is imported and run in the decode
 * workers.
 */
export interface CodecModule {
  /** The address of the module. A relative one is resolved against the page. */
  url: string | URL;
}

/** A `Map` from the name of a codec to its loader. It also takes the URL of a module. */
export interface CodecRegistry extends Map<string, CodecLoader> {
  /** Registers a codec by its name in the metadata: a loader, which runs on the calling thread, or
   * a module, which runs in the decode workers. */
  set(name: string, codec: CodecLoader | CodecModule | URL): this;
}

const urls = new WeakMap<CodecLoader, string>();

/** The URL of a codec's module, if the loader was made from one. */
export const urlOf = (loader: CodecLoader): string | undefined => urls.get(loader);

function loaderOf(codec: CodecLoader | CodecModule | URL): CodecLoader {
  needReadable(codec, "codec");
  if (typeof codec === "function") return codec;
  const given = codec instanceof URL ? codec : object(codec, "codec").url;
  const url = parsedUrl(given, "codec").href;
  const loader = async () => entryOf(await import(/* webpackIgnore: true */ /* @vite-ignore */ url));
  urls.set(loader, url);
  return loader;
}

class LoaderMap extends Map<string, CodecLoader> {
  override set(name: string, codec: CodecLoader | CodecModule | URL): this {
    // The engine gets the names as JSON, which has no half of a character.
    need(typeof name === "string" && !/\p{Cs}/u.test(name), "name", "a text");
    return super.set(name, loaderOf(codec));
  }
}

const registered: CodecRegistry = new LoaderMap();

/** The loaders of this package's own codecs, and their names. */
const ownLoaders = new WeakMap<CodecLoader, string>();

/** The codecs that the user registered. Under another name, a codec of this package is one too. */
export const userLoaders = (): Map<string, CodecLoader> =>
  new Map([...registered].filter(([name, loader]) => ownLoaders.get(loader) !== name));

/** For each registered name, whether it is also a codec of this package. */
export const ownCodecs = new Map<string, boolean>();

/** Asks the engine which names are those of this package's codecs, unless it is known. */
export async function learnOwn(all: readonly string[]): Promise<void> {
  const names = all.filter((name) => !ownCodecs.has(name));
  if (names.length === 0) return;
  const ours = await call("ownCodecs", () => ({ names }));
  for (const name of names) ownCodecs.set(name, ours.includes(name));
}

function ownLoaderOf(name: string, kind: CodecKind): CodecLoader {
  const loader = async () => {
    const { engineCodecEntry } = await lazy();
    return engineCodecEntry(name, kind);
  };
  ownLoaders.set(loader, name);
  return loader;
}

function withOwnCodecs(): CodecRegistry {
  for (const kind of CODEC_KINDS) {
    const ids = NUMCODECS[kind].split(" ");
    const names = [...ids, ...ids.map((id) => `numcodecs.${id}`), ...OTHER_CODECS[kind].split(" ")];
    for (const name of names) {
      // A codec that the user registered before stays.
      if (!registered.has(name)) registered.set(name, ownLoaderOf(name, kind));
    }
  }
  return registered;
}

/**
 * The registered codecs, by their names in the metadata. A codec that you register replaces this
 * package's codec of the same name, for arrays that are first read after that. For v2,
 * `numcodecs.<id>` is looked up before the id. The entries of this package give its own codecs, for
 * programs that need one without an array.
 *
 *     registry.set("mine", new URL("./mine.js", import.meta.url));
 *     const { fromConfig } = await registry.get("zstd")();
 */
export const registry: CodecRegistry = /* @__PURE__ */ withOwnCodecs();

export type { StorageTransformerMetadata };

/** Describes the array for which a storage transformer is made. */
export interface StorageTransformerInfo extends StorageTransformerMetadata {
  /**
   * Prefix of the keys of the array's chunks, such as `/data/foo/bar/`. Additional keys should be
   * below it, so that they are erased with the array.
   */
  prefix: string;
  /** Number of chunks along each dimension, as this transformer receives them. */
  gridShape: number[];
  /** Separator of the indices in a key, such as "/" in `c0/1`. */
  separator: string;
}

/** The store below a transformer: the hierarchy's store or the next transformer. */
export type StoreBelow = NativeStore & AsyncReadable & AsyncWritable & Required<Pick<AsyncStore, "delete">>;

/**
 * Returns the store for the array's chunks, on top of the store below. It is called once for each
 * bound array, and again after its shape has changed.
 */
export type StorageTransformer = (store: StoreBelow, info: StorageTransformerInfo) => AsyncStore;

/**
 * The registered storage transformers, by the URI in the metadata's `extension`. Only the draft of
 * 2022 has such transformers. Sharding needs no entry.
 */
export const storageTransformers: Map<string, StorageTransformer> = new Map();

export const transformerNames = (): string[] => [...storageTransformers.keys()];

/** A store that already exists in the engine. */
class EngineStore extends NativeStore {
  constructor(below: number) {
    super(() => ({ kind: "below", below }));
  }

  set(key: AbsolutePath, value: Uint8Array): Promise<void> {
    return this.put(key, value);
  }

  delete(key: AbsolutePath): Promise<void> {
    return this.remove(key);
  }
}
isOurs(EngineStore);

function transformed({ type, configuration, ...context }: TransformerInfo, below: number): object {
  const transformer = storageTransformers.get(context.extension);
  const info = {
    ...context,
    type: parseJsonText(type),
    ...(configuration !== undefined && {
      configuration: parseJsonText(configuration) as Record<string, unknown>,
    }),
  };
  const made: unknown = transformer?.(new EngineStore(below) as StoreBelow, info);
  if (typeof made === "object" && made !== null) return made;
  const what = `the storage transformer ${JSON.stringify(context.extension)} did not return a store`;
  refuse(what, "a store", made);
}

const callbacks = new WeakMap<ObjectIds, Callback>();

/** The callback that makes a transformer's store. The engine then calls the store by `id`. */
export function transformerCallback(objects: ObjectIds): Callback {
  const known = callbacks.get(objects);
  if (known) return known;
  const callback: Callback = (info: TransformerInfo, below: number, id: number) => {
    const made = transformed(info, below);
    objects.keepAs(id, made);
    if (!objects.isLocal) return undefined;
    const own = definerOf(made)?.(objects);
    return own === undefined ? made : objects.store(made);
  };
  callbacks.set(objects, callback);
  return callback;
}
