/**
 * Definitions of stores, arrays and caches as plain values. The page sends a definition once, under
 * an id, before the first call that uses the id. The engine makes its own object from it
 * (`host/stores.ts`, `host/bound_arrays.ts`). `objects.ts` assigns the ids.
 *
 * Of the page's store objects, the engine is told the stores that it makes of them, and the methods
 * of users' stores, which it calls.
 */

import type { ConsolidatedSource, DecodeBuild } from "../../../contract/contract.ts";
import type { TypeDescription } from "../model/data_type.ts";
import { unproxied } from "../model/proxies.ts";

/** The reason for which the function that makes headers is called. */
export interface HeadersReason {
  /** A server answered 401 to the previous headers, because a token has expired. */
  isRefresh: boolean;
}

/** HTTP headers as pairs of name and value. */
export type HeaderPairs = [name: string, value: string][];

/**
 * Where the requests of a store may lead whose addresses come from a document. The page writes the
 * hosts as the platform's `URL` does.
 */
export interface Reach {
  /**
   * `host` with a usual port, `host:port`, `.domain` or `.domain:port` for all hosts below it, or
   * `*` for all.
   */
  hosts: string[];
  /** Protocols that are allowed besides http and https: those of the user's own addresses. */
  protocols: string[];
  /**
   * If the document came by https: the origins that may be asked by http, because the user named
   * them so. Otherwise undefined: http is allowed.
   */
  secureBut?: string[];
}

/** How an HTTP store sends requests. Callbacks and caches are given by id. */
export interface HttpDefinition {
  /** Callback id of a custom `fetch`. */
  fetch?: number;
  /** Headers of every request, or the callback that makes them. */
  headers?: HeaderPairs | { callback: number };
  /** Origins that receive the headers. Undefined means all. */
  headerOrigins?: string[];
  /** Where requests may lead whose addresses come from a document. Undefined means anywhere. */
  reach?: Reach;
  /** The `RequestInit` that every request starts from. It must be cloneable. */
  init: RequestInit;
  /** The id of a persistent cache. */
  cache?: number;
  useSuffixRequest: boolean;
  missingOn403: boolean;
  /**
   * Requests carry no credentials and no user headers. Then a 403 for a chunk may mean that the
   * chunk does not exist, as some object stores answer so.
   */
  isAnonymous: boolean;
  /** All reads pass the caches between the store and the server. Default: false. */
  passesCaches?: boolean;
  /** The URL of a metadata document that the server has sent to the page. */
  knownDocument?: string;
  /** The address that warnings show. */
  shown: string;
}

/** A store, as the engine makes it. A store inside another is given by id. */
export type StoreDefinition =
  | { kind: "http"; url: string; http: HttpDefinition }
  /**
   * A store object of the user: the engine asks the page. `methods` are those that it has now. The
   * values of one that `isFresh` are kept by no store, so they are not copied.
   */
  | { kind: "user"; methods: string[]; lockName?: string; isFresh?: boolean }
  | { kind: "overlay"; first: number; second: number }
  /** With `rawNames`, a single folder in the archive stays in the keys. */
  | { kind: "zip-url"; url: string; http: HttpDefinition; rawNames: boolean }
  | { kind: "zip-blob"; blob: Blob; rawNames: boolean }
  | { kind: "zip-store"; store: number; rawNames: boolean }
  | {
      kind: "reference";
      url: string | undefined;
      text: string | undefined;
      pageUrl: string | undefined;
      target: string | undefined;
      http: HttpDefinition;
    }
  /**
   * The Icechunk repository in a store. `allowHosts` may have beginnings of locations whose servers
   * are allowed, whichever the repository names. `http` is for virtual chunks.
   */
  | {
      kind: "icechunk";
      store: number;
      version: { kind: "branch" | "tag" | "snapshot"; name: string };
      allowHosts: string[];
      verify: boolean;
      http: HttpDefinition;
    }
  /** References in the tables of another store. */
  | { kind: "reference-tables"; store: number; base: string | undefined; http: HttpDefinition }
  | { kind: "directory"; root: FileSystemDirectoryHandle; lockName?: string }
  | { kind: "opfs"; path: string; lockName: string }
  /**
   * Consolidated metadata around a store. `loaded` is the id that an earlier call of this engine
   * gave it. An instance of the wasm that does not have it loads it again.
   */
  | { kind: "consolidated"; source: Omit<ConsolidatedSource, "loaded">; loaded: number | undefined }
  /** The store below a storage transformer. The engine has it already, under the id `below`. */
  | { kind: "below"; below: number };

/** An array, as decoders know it. */
export interface CodedArray {
  /** The metadata documents as one JSON text, in the form that the engine takes. */
  readonly document: string;
  readonly build: DecodeBuild;
  /** The names of its codecs, with those inside of shards, for the counters. */
  readonly chain?: string;
  /** The user's codecs that the array uses. */
  readonly codecs?: CodecsDefinition;
}

/** An array, as the engine knows it. */
export interface ArrayDefinition extends CodedArray {
  store: number;
  path: string;
  /** The data type. Undefined if the engine must determine it. */
  type: TypeDescription | undefined;
  /** Shape of a chunk in elements; of an inner chunk where the array is sharded. */
  chunks: number[];
  /** Shape in elements of what is stored under one key: a chunk or a shard. */
  stored: number[];
  /**
   * What decoding costs: nothing if chunks are stored as they are (at most the byte order is
   * swapped), about as much as copying, or more.
   */
  decoding: "none" | "fast" | "slow";
  /** URIs of the storage transformers that users registered, and the callback that makes them. */
  transformers: { names: string[]; callback: number } | undefined;
}

export interface CodecsDefinition {
  /** The codecs as JSON text, as the engine reads them. */
  text: string;
  /** URLs of the modules of codecs, by codec name. */
  modules: ReadonlyMap<string, string>;
  /** Callback id that runs the codecs that are functions of the page. */
  runner: number;
}

/** A persistent cache. `maxAgeSeconds` is in seconds, `maxBytes` in bytes. */
export interface CacheDefinition {
  name?: string;
  partition?: string;
  maxBytes?: number;
  maxAgeSeconds?: number;
}

// biome-ignore lint/suspicious/noExplicitAny: callbacks differ in type; `objects.ts` knows each one
export type Callback = (...args: any[]) => unknown;

/** The object that identifies an array. It receives warnings about the array's chunks. */
export interface ArrayKey {
  warn(message: string): void;
}

export interface ObjectIds {
  /** The engine runs on this thread, so objects can be passed by reference. */
  readonly isLocal: boolean;
  /**
   * The id of a store. A store of this package is sent by its definition, any other object by
   * the methods that it has now. Throws an `Argument` error for what is not an object.
   */
  store(store: unknown): number;
  /** The id of a store of this package. `make` returns the definition and is called once. */
  native(store: object, make: () => StoreDefinition): number;
  /**
   * The id of the array that `key` identifies. `define` makes the definition, given the id
   * of its store.
   */
  array(key: ArrayKey, store: unknown, define: (ids: ObjectIds, store: number) => ArrayDefinition): number;
  /** The id of a persistent cache. */
  cache(cache: object, definition: CacheDefinition): number;
  /** The id of a callback. It is held weakly, so its owner must keep it. */
  callback(callback: Callback): number;
  /**
   * Registers an object, held strongly, under an id that the engine chose. It is a store that a
   * storage transformer made, or the page itself.
   */
  keepAs(id: number, object: object): void;
}

/**
 * Stores of which a write failed. The engine that wrote knows what to drop from caches. If it was
 * lost, the next one knows nothing, so its requests for such a store pass all caches.
 */
export const staleStores = new WeakSet<object>();

/**
 * Of stores over HTTP, the URL of a metadata document that the light build has read. The engine
 * then knows that the server answers, as if it had read it.
 */
export const knownDocuments = new WeakMap<object, string>();

/**
 * Returns a function that makes the store's definition, or the id of another store that is
 * equivalent. Returns undefined if the object has been changed and must be treated as a user's.
 */
type Definer = (ids: ObjectIds) => (() => StoreDefinition) | number | undefined;

const definers = new WeakMap<object, Definer>();

/** Registers how the engine makes its own store for this object. */
export function setDefiner(store: object, definer: Definer): void {
  definers.set(store, definer);
}

export const definerOf = (store: object): Definer | undefined => definers.get(store);

/**
 * `reads` and `lists` get the signal of the call; `reads` also get the caller's options for the
 * store. The page collects what `lists` return.
 */
type Use = "reads" | "lists" | "writes";

export const STORE_METHODS: Record<string, Use> = {
  get: "reads",
  getRange: "reads",
  set: "writes",
  delete: "writes",
  deletePrefix: "writes",
  lockFor: "writes",
  list: "lists",
  listDir: "lists",
  keys: "lists",
  size: "reads",
};

/** The methods that an object has now. */
export const methodsOf = (store: object): string[] =>
  Object.keys(STORE_METHODS).filter((name) => typeof Reflect.get(store, name) === "function");

/** The store behind a proxy that has the same methods; any other store itself. */
export function storeBehind<S>(store: S): S {
  const own = unproxied(store);
  const isSame = (name: string) => Reflect.get(own as object, name) === Reflect.get(store as object, name);
  return own === store || !Object.keys(STORE_METHODS).every(isSame) ? store : own;
}

/** The name of the lock that writers of a store share, if it has one. */
export function lockNameOf(store: unknown): string | undefined {
  const { lockName } = store as { lockName?: unknown };
  return typeof lockName === "string" ? lockName : undefined;
}
