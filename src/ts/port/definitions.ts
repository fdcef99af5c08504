/**
 * How the page tells the engine of stores, arrays and caches: as plain values, sent once under a
 * number, before the first call that names the number. The engine makes its own objects of them
 * (`engine/stores.ts`, `engine/arrays.ts`).
 */
import type { TypeDescription } from "../model/data_type.ts";
import type { Home } from "../model/node_summary.ts";

/** Header names and values. */
export type HeaderPairs = [name: string, value: string][];

/** How an HTTP store sends requests. Numbers are of callbacks on the page. */
export interface HttpDefinition {
  /** The user's `fetch`. */
  fetch?: number | undefined;
  /** Headers of every request, or the function that makes them. */
  headers?: HeaderPairs | { callback: number } | undefined;
  /** Origins that get the headers; all unless given. */
  headerOrigins?: string[] | undefined;
  /** A `RequestInit` that can be cloned: every request begins with it. */
  init: RequestInit;
  /** The number of a persistent cache. */
  cache?: number | undefined;
  useSuffixRequest: boolean;
  missingOn403: boolean;
  /**
   * Nothing that is sent beside the URL says who asks: then a 403 on a chunk may mean that it is
   * absent.
   */
  isAnonymous: boolean;
  /** The address that warnings name. */
  shown: string;
}

/** A store, as the engine makes it. Stores within are numbers. */
export type StoreDefinition =
  | { kind: "http"; url: string; http: HttpDefinition }
  /** An object of the user's: the engine asks the page. `methods` are those that it has now. */
  | { kind: "user"; methods: string[]; lockName?: string | undefined }
  | { kind: "overlay"; first: number; second: number }
  | { kind: "zip-url"; url: string; http: HttpDefinition }
  | { kind: "zip-blob"; blob: Blob }
  | { kind: "zip-store"; store: number }
  | {
      kind: "reference";
      url: string | undefined;
      text: string | undefined;
      pageUrl: string | undefined;
      target: string | undefined;
      allowHosts: string[];
      http: HttpDefinition;
    }
  | { kind: "directory"; root: FileSystemDirectoryHandle; lockName?: string | undefined }
  | { kind: "opfs"; path: string; lockName: string }
  /** Consolidated metadata that the engine has loaded under a number of its own, around a store. */
  | { kind: "consolidated"; loaded: number; store: number }
  /** The store below a storage transformer: the engine has it already. */
  | { kind: "below"; below: number };

/** An array, as the engine and its decoders know it. */
export interface ArrayDefinition {
  store: number;
  path: string;
  /** The metadata documents, as the engine takes them. */
  document: string;
  home: Home;
  /** What the elements are, unless the engine has to say. */
  type: TypeDescription | undefined;
  /** Shape of a chunk, or inner chunk. */
  chunks: number[];
  /** Shape of what is stored under one key. */
  stored: number[];
  /** Its chunks are its elements, perhaps with their bytes swapped. */
  isRaw: boolean;
  /**
   * The user's codecs that it has: as the engine reads them, URLs of modules, and the callback that
   * runs the others.
   */
  codecs?: CodecsDefinition | undefined;
  /**
   * URIs of the storage transformers that users have registered, and the callback that makes them.
   */
  transformers: { names: string[]; callback: number } | undefined;
}

export interface CodecsDefinition {
  text: string;
  modules: Record<string, string>;
  runner: number;
}

/** A persistent cache. */
export interface CacheDefinition {
  name?: string;
  maxBytes?: number;
  maxAgeSeconds?: number;
}
