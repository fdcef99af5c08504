/**
 * Locations of nodes, and calls on the node at a location. `Location` is a store and an absolute
 * path in it; it needs no wasm. Stores are made from what `open` accepts instead of one: URLs,
 * archive files, folders. The calls are `exists`, `erase` and `consolidate`.
 */

import type { NodeKind } from "../contract/contract.ts";
import {
  isA,
  needReadable,
  needText,
  optionsOf,
  pageUrl,
  parsedUrl,
  SIGNAL,
} from "../engine/ts/model/argument.ts";
import { isNode } from "../engine/ts/model/node.ts";
import { findable, worksBehindProxies } from "../engine/ts/model/proxies.ts";
import type { AbsolutePath, Readable } from "../engine/ts/model/types.ts";
import { absoluteUrl } from "../engine/ts/port/configuration.ts";
import { call, write } from "../engine/ts/port/engine.ts";
import { DirectoryStore, EntryStore, FileListStore } from "./store/browser_folders.ts";
import { addressOfNode, FetchStore } from "./store/fetch_store.ts";
import { FileSystemStore, readerOfFile } from "./store/file_system.ts";
import { accessOf, type IcechunkAccess, IcechunkStore, isOfRepository } from "./store/icechunk.ts";
import { ReferenceStore, TABLES } from "./store/reference.ts";
import { ARCHIVE, ZipFileStore } from "./store/zip.ts";

/** An archive (`Blob`, `File`), or a folder in a form that browsers provide. */
export type Files = Blob | FileSystemDirectoryHandle | FileList | FileSystemDirectoryEntry;

/** Paths of kerchunk's JSON: of all JSON but the document of a node. */
const REFERENCES = /\.json$/i;

/**
 * Whether a text is a path on this machine, or the address of a file. Pages read neither, and take
 * texts without a scheme for relative URLs. One letter before a colon is a drive.
 */
const isOfMachine = (text: string) =>
  text !== "" && isNode() && (/^file:/i.test(text) || !(pageUrl() || /^[a-z][a-z\d+.-]+:/i.test(text)));

/** The store of a path: an archive, references in tables, or else a folder. */
function storeOfPath(path: string, access?: IcechunkAccess): FileSystemStore | ZipFileStore | ReferenceStore {
  if (ARCHIVE.test(path)) return new ZipFileStore(readerOfFile(path));
  const store = new FileSystemStore(path);
  return TABLES.test(path) ? ReferenceStore.fromStore(store, { allowHosts: access?.allowHosts }) : store;
}

/**
 * The store of a URL: an archive, references, or an Icechunk repository, if the URL says so; or
 * else a hierarchy. The address of a document is that of its node.
 */
function storeOfUrl(
  place: string | URL,
  access?: IcechunkAccess,
): FetchStore | ZipFileStore | ReferenceStore | IcechunkStore {
  const url = addressOfNode(place);
  if (isOfRepository(url)) return new IcechunkStore(url, accessOf(access));
  const path = String(url).replace(/[?#].*$/s, "");
  if (ARCHIVE.test(path)) return ZipFileStore.fromUrl(url);
  const options = { allowHosts: access?.allowHosts };
  if (REFERENCES.test(path)) return new ReferenceStore(parsedUrl(absoluteUrl(url)), options);
  return TABLES.test(path) ? ReferenceStore.fromStore(new FetchStore(url), options) : new FetchStore(url);
}

/**
 * The store for an argument that names one. Any other value is returned, as it must be a store
 * itself.
 */
function storeOf(given: unknown, access?: IcechunkAccess): unknown {
  if (typeof given === "string" || given instanceof URL) return storeOfUrl(given, access);
  if (typeof given !== "object" || given === null) return given;
  if (isA(given, "Blob")) return ZipFileStore.fromBlob(given as Blob);
  if (isA(given, "FileSystemDirectoryHandle")) return new DirectoryStore(given as FileSystemDirectoryHandle);
  if (isA(given, "FileList")) return new FileListStore(given as FileList);
  if (isA(given, "FileSystemDirectoryEntry")) return new EntryStore(given as FileSystemDirectoryEntry);
  return given;
}

/** Percent-decodes one segment of a path. A "%" without two hex digits is kept. */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Resolves `path` against `base`, including "." and "..". ".." stops at the root. */
function resolvePath(base: string, path: string): AbsolutePath {
  const kept = path.startsWith("/") ? [] : base.split("/");
  for (const segment of path.split("/")) {
    if (segment === "..") kept.pop();
    else if (segment !== "." && segment !== "") kept.push(decodeSegment(segment));
  }
  return `/${kept.filter((segment) => segment !== "").join("/")}`;
}

/** The key of the method by which Node shows an object. */
const INSPECT: unique symbol = Symbol.for("nodejs.util.inspect.custom") as never;

/** A place in a store: a store and an absolute path in it. Nothing need be there. */
export class Location<Store> {
  /** The name of the class, `"Location"`, also in minified code. */
  static readonly name: string = "Location";
  /** The store. */
  readonly store: Store;
  /** The path in the store, which begins with `/`. The root is `/`. */
  readonly path: AbsolutePath;

  /**
   * @param store The store.
   * @param path The path in the store. Default: the root, `/`.
   */
  constructor(store: Store, path: AbsolutePath = "/") {
    findable(this);
    this.store = store;
    this.path = path;
  }

  /**
   * The location at a path. `..` goes up, percent escapes are decoded, `#` and `?` have no special
   * meaning.
   *
   * @param path A path relative to this location, or an absolute one, which begins with `/`.
   */
  resolve(path: string): Location<Store> {
    needText(path, "path");
    return new Location(this.store, resolvePath(this.path, path));
  }

  /** What it is and where, such as `Array /air float32 [4, 6]`. */
  toString(): string {
    return `${this.constructor.name} ${this.path}`;
  }

  /** @internal */
  [INSPECT](): string {
    return this.toString();
  }
}
worksBehindProxies(Location);

/**
 * The location at the root of a store.
 *
 * @param store The store. Default: a new `Map`, which holds its values in memory.
 */
export function root<Store>(store: Store): Location<Store>;
export function root(): Location<Map<string, Uint8Array>>;
export function root(store: unknown = new Map<string, Uint8Array>()): Location<unknown> {
  return new Location(store);
}

export const isLocation = (given: unknown): boolean =>
  typeof given === "object" && given !== null && "store" in given && "path" in given;

/**
 * The location for a URL, a store, files or a location. `access` is for a URL that says that there
 * is a repository, or references.
 */
export function locationOf(given: unknown, access?: IcechunkAccess): Location<unknown> {
  needReadable(given, "place");
  if (!isLocation(given)) return new Location(storeOf(given, access));
  needText((given as Location<unknown>).path, "path");
  return given as Location<unknown>;
}

/**
 * As `locationOf`, for calls that only read. In Node a text may be a path, too. Nothing is written
 * or erased at a text that is hardly an address: `FileSystemStore` names a folder for that.
 */
export function readableLocation(given: unknown, access?: IcechunkAccess): Location<unknown> {
  needReadable(given, "place");
  const isText = typeof given === "string" || given instanceof URL;
  const text = isText ? String(addressOfNode(given)) : "";
  return isOfMachine(text) ? new Location(storeOfPath(text, access)) : locationOf(given, access);
}

/** Options of calls that take nothing but a signal. */
export interface NodeOptions {
  /** Aborts the call, which rejects at once with the signal's reason. */
  signal?: AbortSignal | undefined;
}

type AnyLocation = Location<Readable> | Readable | string | URL;

/**
 * What is at a location: an `"array"`, a `"group"`, or an `"implicit-group"`: one without metadata,
 * which exists because there are nodes below it.
 */
export type ExistingKind = NodeKind;

/**
 * Tells the kind of node at a location. A group without metadata is only found in stores that can
 * list.
 *
 * @param place A location, a store or a URL. In Node, a path too.
 * @returns the kind of node; null if there is none.
 * @throws a `Store` error if the store or its server fails.
 */
export async function exists(place: AnyLocation, options: NodeOptions = {}): Promise<ExistingKind | null> {
  const { signal } = optionsOf(options, SIGNAL);
  const { store, path } = readableLocation(place);
  const kind = await call("exists", (objects) => ({ store: objects.store(store), path }), { signal });
  return kind ?? null;
}

/** Options of `erase`. */
export interface EraseOptions extends NodeOptions {
  /**
   * Whether to create metadata for a draft's parent group that would otherwise disappear, because
   * it was only implied by the erased node. Default: false.
   */
  reify?: boolean | undefined;
}

/**
 * Erases a node and all its descendants.
 *
 * @param place A location, a store or a URL.
 * @returns whether there was anything.
 * @throws an `UnsupportedError` if the store cannot erase.
 * @throws a `Store` error if the store or its server fails.
 */
export async function erase(place: AnyLocation, options: EraseOptions = {}): Promise<boolean> {
  const { signal, reify } = optionsOf(options, { ...SIGNAL, reify: "a boolean" });
  const { store, path } = locationOf(place);
  return write("erase", (objects) => ({ store: objects.store(store), path, reify: !!reify }), { signal });
}

/**
 * Writes the consolidated metadata of a group, in its own format. The store must be able to list.
 *
 * @param place The group: a location, a store or a URL.
 * @returns the number of nodes in the metadata.
 * @throws a `NotFoundError` if there is no node, and an `Argument` error if it is an array.
 * @throws an `UnsupportedError` if the store cannot list, or cannot write.
 */
export async function consolidate(place: AnyLocation, options: NodeOptions = {}): Promise<number> {
  const { signal } = optionsOf(options, SIGNAL);
  const { store, path } = locationOf(place);
  return write("consolidate", (objects) => ({ store: objects.store(store), path }), { signal });
}
