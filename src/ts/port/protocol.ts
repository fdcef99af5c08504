/**
 * The messages between the page and the engine: one protocol, both ends. The page calls operations
 * (`operations.ts`) by number. The engine answers each call, sends events meanwhile, and asks the
 * page for what only the page has: a user's store, a custom `fetch`, codecs that are functions.
 * Messages carry numbers, strings, plain objects and ArrayBuffers. What a user's code threw,
 * signals and functions stay on the page; the port carries numbers for them. This file holds no
 * code that runs at either end.
 */
import type { ErrorFields } from "../model/errors.ts";
import type { ArrayDefinition, CacheDefinition, StoreDefinition } from "./definitions.ts";
import type { OperationName } from "./operations.ts";

/**
 * Both ends compare it in the first message: a worker script of another release refuses to start.
 */
export const PROTOCOL_VERSION = 1;

/** Which build of the crate. */
export type Build = "engine" | "full" | "images" | "conventions";

/** Options that the engine needs; those of `init`, as far as they can be cloned. */
export interface EngineOptions {
  /** The most decode workers; 0 decodes on the engine's own thread. */
  workers?: number | undefined;
  workerIdleMs?: number | undefined;
  caches?: { encodedBytes?: number; decodedBytes?: number } | undefined;
  memoryLimit?: number | undefined;
  /** The worker's program, for decode workers. */
  workerScript?: Blob | string | undefined;
  workerUrl?: string | undefined;
}

/**
 * Wasm as it crosses: base64 of a deflate-raw stream, a module's bytes, an absolute URL, or a
 * compiled module.
 */
export type WasmText =
  | { deflated: string }
  | { bytes: ArrayBuffer | ArrayBufferView }
  | { url: string }
  | { module: WebAssembly.Module };

/** What the page sends. */
export type ToEngine =
  | { type: "start"; version: number; options: EngineOptions; wasm: WasmText | undefined }
  | { type: "configure"; options: EngineOptions }
  | { type: "store"; store: number; definition: StoreDefinition }
  | { type: "array"; array: number; definition: ArrayDefinition }
  | { type: "cache"; cache: number; definition: CacheDefinition }
  | { type: "release"; kind: "store" | "array" | "cache"; number: number }
  | { type: "call"; call: number; operation: OperationName; args: unknown; isAbortable: boolean }
  | { type: "abort"; call: number }
  | { type: "credit"; call: number }
  /** `size`: of a range of bytes, the length of the whole value where the store tells. */
  | { type: "reply"; ask: number; value: unknown; size?: number }
  /** `original` is there where both ends are on one thread. */
  | { type: "threw"; ask: number; thrown: number; name: string; message: string; original?: unknown }
  | { type: "ping" };

/** What the engine asks of the page. `target` is the number of a store or of a callback. */
export interface Ask {
  type: "ask";
  ask: number;
  target: number;
  method: string;
  args: unknown[];
  /** The call whose signal goes with it. */
  call?: number | undefined;
}

/** What the engine sends. */
export type ToPage =
  | { type: "started" }
  | { type: "broken"; reason: string; field?: string }
  | { type: "done"; call: number; value: unknown }
  | { type: "failed"; call: number; error: ErrorFields }
  | { type: "event"; call: number; event: unknown }
  | Ask
  /** The engine gave up what it asked: the page aborts it. */
  | { type: "leave"; ask: number }
  | { type: "warning"; message: string; path: string; store?: number | undefined }
  /** What is odd about an array's chunks: the array keeps it. */
  | { type: "odd"; message: string; array: number }
  | { type: "status"; status: EngineStatus }
  | { type: "pong" };

/** What `info()` tells of the engine. Counters are sums since the engine started. */
export interface EngineStatus {
  build: "engine" | "full" | undefined;
  workers: number;
  decoder: "blob" | "url" | "node" | "caller" | undefined;
  refused: string[];
  parts: { workers: number; caller: number };
  encoded: { workers: number; caller: number };
  decodeMs: number;
  wire: { requests: number; bytes: number; failed: number; aborted: number };
  persistentCache: { hits: number; misses: number };
  panics: number;
  /** Hits, misses and bytes of encoded chunks, then of decoded ones. */
  caches: number[];
}
