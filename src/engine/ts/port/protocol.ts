/**
 * The messages between the page and the engine, and the channel that carries them. The page calls
 * operations (`operations.ts`) under call ids. The engine answers each call, may send events
 * before the answer, and asks the page for what only the page has: a user's store, a custom
 * `fetch`, codecs that are functions. Messages contain numbers, strings, plain objects and
 * ArrayBuffers. Thrown values, signals and functions stay on the page; messages refer to them by
 * id. This file has no code that runs at only one end.
 */

import type { EngineBuild, ErrorRecord } from "../../../contract/contract.ts";
import type { BodyLimits, Unread } from "../model/body.ts";
import type { ErrorFields } from "../model/errors.ts";
import type { OwnBytes } from "../model/own_memory.ts";
import type { ArrayDefinition, CacheDefinition, HeaderPairs, StoreDefinition } from "./definitions.ts";
import type { OperationName } from "./operations.ts";
import type { RunningWorker } from "./worker_start.ts";

/**
 * Both ends compare it in the first message. A worker script of another release refuses to start.
 */
export const PROTOCOL_VERSION = 3;

/** The target id of the page itself in a message `ask`. */
export const PAGE = 0;

/** The options of `init` that the engine needs, in cloneable form. */
export interface EngineOptions {
  /** Maximum number of decode workers; 0 decodes on the engine's thread. */
  workers?: number;
  workerIdleMs?: number;
  caches?: { encodedBytes?: number; decodedBytes?: number };
  memoryLimit?: number;
  /** The program of decode workers. */
  workerScript?: Blob | string;
  workerUrl?: string;
}

/** A module's bytes as they cross the port: base64 of a deflate-raw stream, bytes, or a URL. */
export type WasmBytes = { deflated: string } | { bytes: ArrayBuffer | ArrayBufferView } | { url: string };

/** A build that was compressed with the engine: base64 of a Zstandard frame, and its prefix. */
export interface PackedWasm {
  zstandard: string;
  engine: WasmBytes;
}

/** Wasm as it crosses the port. URLs are absolute. */
export type WasmText = WasmBytes | PackedWasm | { module: WebAssembly.Module };

/** Messages from the page to the engine. */
export type ToEngine =
  | { type: "start"; version: number; options: EngineOptions; wasm: WasmText | undefined }
  | { type: "configure"; options: EngineOptions }
  | { type: "store"; store: number; definition: StoreDefinition }
  | { type: "array"; array: number; definition: ArrayDefinition }
  | { type: "cache"; cache: number; definition: CacheDefinition }
  | { type: "release"; kind: "store" | "array" | "cache"; id: number }
  | { type: "call"; call: number; operation: OperationName; args: unknown; isAbortable: boolean }
  | { type: "abort"; call: number }
  | { type: "taken"; call: number }
  /**
   * `size` and `version`: in the answer to a range request, those of the whole value, if known. The
   * size is in bytes.
   */
  | { type: "reply"; ask: number; value: unknown; size?: number; version?: string }
  /** `original` is present if both ends are on one thread. */
  | { type: "threw"; ask: number; thrown: number; name: string; message: string; original?: unknown }
  | { type: "ping" };

/**
 * A request of the engine to the page. `target` is the id of a store, of a callback or of the
 * page (`PAGE`).
 */
export interface Ask {
  type: "ask";
  ask: number;
  target: number;
  method: string;
  args: unknown[];
  /** The call whose signal is passed on. */
  call?: number;
}

/** Messages from the engine to the page. */
export type ToPage =
  | { type: "started" }
  | { type: "broken"; reason: string; field?: string }
  | { type: "done"; call: number; value: unknown }
  | { type: "failed"; call: number; error: ErrorFields }
  | { type: "event"; call: number; event: unknown }
  | Ask
  /** The engine no longer needs the answer to a request. The page aborts it. */
  | { type: "leave"; ask: number }
  | { type: "warning"; message: string; path: string; store?: number }
  /** A warning about an array's chunks, for the array's `warnings`. */
  | { type: "chunkWarning"; message: string; array: number }
  | { type: "status"; status: EngineStatus }
  | { type: "pong" };

/** The counters that `info()` reports. They are sums since the engine started. */
export interface EngineStatus {
  build: EngineBuild | undefined;
  /** Number of decode workers. */
  workers: number;
  /** The kind of decoder that started, and why the kinds before it refused. */
  decoder: "blob" | "url" | "node" | "caller" | undefined;
  refused: string[];
  /** Number of parts decoded, by kind of decoder. */
  parts: { workers: number; caller: number };
  /** Number of stored chunks encoded, by kind of decoder. */
  encoded: { workers: number; caller: number };
  /** Working time in ms, summed over all decoders. */
  decodeMs: number;
  /** The same by the names of the array's codecs; `""` for work that was cancelled. */
  decodeMsBy: Record<string, number>;
  /** Requests over HTTP. */
  wire: { requests: number; bytes: number; failed: number; aborted: number };
  /** Hits and misses of the persistent caches. */
  persistentCache: { hits: number; misses: number };
  /** Number of wasm traps. Each of them ended an instance. */
  panics: number;
  /** Hits, misses and bytes of the cache of encoded chunks, then of the cache of decoded chunks. */
  caches: number[];
}

/** The counters of an engine that has done nothing. */
export const newStatus = (): EngineStatus => ({
  build: undefined,
  workers: 0,
  decoder: undefined,
  refused: [],
  parts: { workers: 0, caller: 0 },
  encoded: { workers: 0, caller: 0 },
  decodeMs: 0,
  decodeMsBy: {},
  wire: { requests: 0, bytes: 0, failed: 0, aborted: 0 },
  persistentCache: { hits: 0, misses: 0 },
  panics: 0,
  caches: [],
});

/** A request for a custom `fetch`. */
export interface RequestParts {
  url: string;
  method: string;
  headers: HeaderPairs;
  body: ArrayBuffer | undefined;
  init: RequestInit;
  limits: BodyLimits | undefined;
}

/** A response of a `fetch` of the page. Its body has been read. */
export interface ResponseParts {
  status: number;
  url: string;
  redirected: boolean;
  headers: HeaderPairs;
  body: ArrayBuffer;
  /** Set if the body was not read to its end. */
  unread?: Unread;
}

/** The answer of a codec: bytes, or the error of one that returned an invalid value. */
export type CodecResult = OwnBytes | ErrorRecord;

/**
 * Where the engine runs: a worker that was started from a blob, from a URL or by the user's
 * function (`custom`); a worker thread of Node; or the caller's thread.
 */
export type EngineKind = "blob" | "url" | "node" | "custom" | "caller";

export interface Channel extends RunningWorker<ToEngine[], ToPage[]> {
  readonly kind: EngineKind;
  /** Both ends run on this thread: messages are passed by reference, not cloned. */
  readonly isLocal: boolean;
  /**
   * Reads the counters directly. Only a channel on this thread has it; the others receive `status`
   * messages.
   */
  status?(): EngineStatus;
  /** Calls a callback of the page synchronously. Only a channel on this thread uses it. */
  oncall?: (target: number, args: unknown[]) => unknown;
}
