/**
 * `init` and `info`: what may be said before the first call, and what can be known after it.
 * Neither is needed.
 */

import type { EnginePlace } from "../port/channel.ts";
import { places } from "../port/channels.ts";
import { configure, type InitOptions } from "../port/configuration.ts";
import { call, dispose as disposeEngine, lostEngines, reconfigure, running } from "../port/engine.ts";
import type { EngineStatus } from "../port/protocol.ts";
import { warningCount } from "../port/warnings.ts";
import { learnOwn, ownCodecs } from "./own_codecs.ts";
import { registry, urlOf } from "./registry.ts";

export type { InitOptions };

/** Starts the engine, with what it is told; again, it changes what can still be changed. */
export async function init(options: InitOptions = {}): Promise<void> {
  configure(options);
  reconfigure();
  await learnOwn([...registry.keys()]);
  await call("ownCodecs", () => ({ names: [] }));
}

/**
 * Ends the engine, its workers and everything that is under way (with an error of code `Aborted`),
 * and frees their memory. What was opened stays usable: the next call starts everything anew.
 */
export function dispose(): void {
  disposeEngine();
}

/** A codec in the registry. */
export interface RegisteredCodec {
  name: string;
  /** A function runs on the caller's thread, a module where chunks are decoded. */
  runs: "caller" | "workers";
  url?: string;
  /**
   * Whether it goes before a codec of our own of that name; absent before `init` has asked the
   * engine.
   */
  replaces?: boolean;
}

function registeredCodecs(): RegisteredCodec[] {
  return [...registry].map(([name, loader]) => {
    const url = urlOf(loader);
    const where = url === undefined ? { runs: "caller" as const } : { runs: "workers" as const, url };
    const replaces = ownCodecs.get(name);
    return replaces === undefined ? { name, ...where } : { name, ...where, replaces };
  });
}

/** How often a chunk that was looked for was kept, and how much is. */
export interface CacheInfo {
  hits: number;
  misses: number;
  bytes: number;
}

function cacheInfo({ caches: counts }: EngineStatus): Info["caches"] {
  const [encoded, decoded] = [0, 3].map((at) => {
    const [hits = 0, misses = 0, bytes = 0] = counts.slice(at);
    return { hits, misses, bytes };
  }) as [CacheInfo, CacheInfo];
  return { encoded, decoded };
}

/** What is going on. Counters are sums since the start. */
export interface Info {
  /** Whether the engine has been started. */
  isStarted: boolean;
  /**
   * Where the engine runs: in a worker of the page (from a blob, a URL, a script of the user's), or
   * with the caller.
   */
  engine?: EnginePlace;
  /** Which build answers calls: `"full"` once something needed it. Absent before the start. */
  build?: "engine" | "full";
  /** The engine's wasm uses 128-bit vectors: it does not start without them. */
  simd: true;
  /** Decode workers that run. */
  workers: number;
  /**
   * How they were: from a blob, from a URL, as Node's threads; "caller" where none could be. Absent
   * before there is need.
   */
  decoder?: EngineStatus["decoder"];
  /** Why each way before that one did not work. */
  refused: string[];
  /** Parts of results that were decoded, by where. */
  parts: { workers: number; caller: number };
  /** Stored chunks that were encoded, by where. */
  encoded: { workers: number; caller: number };
  /** What is kept of chunks that were read: as they are stored, and decoded. */
  caches: { encoded: CacheInfo; decoded: CacheInfo };
  /** The codecs that callers have registered. */
  codecs: RegisteredCodec[];
  /** Time that decoders have worked, in ms, summed over all of them. */
  decodeMs: number;
  /**
   * Requests over HTTP: those that were sent, bytes of their bodies, those without an answer, and
   * those that were given up.
   */
  wire: { requests: number; bytes: number; failed: number; aborted: number };
  /** Requests that a `persistentCache` could answer, and those it could not. */
  persistentCache: { hits: number; misses: number };
  /** Warnings since the start. */
  warnings: number;
  /** Traps of the engine, each of which cost an instance. */
  panics: number;
}

const NOTHING: EngineStatus = {
  build: undefined,
  workers: 0,
  decoder: undefined,
  refused: [],
  parts: { workers: 0, caller: 0 },
  encoded: { workers: 0, caller: 0 },
  decodeMs: 0,
  wire: { requests: 0, bytes: 0, failed: 0, aborted: 0 },
  persistentCache: { hits: 0, misses: 0 },
  panics: 0,
  caches: [0, 0, 0, 0, 0, 0],
};

/** What the package runs on here, and what it has done so far: as the engine told it last. */
export function info(): Info {
  const connection = running();
  const status = connection?.status ?? NOTHING;
  const { parts, encoded, decodeMs, wire, persistentCache, build, workers, decoder } = status;
  return {
    isStarted: connection !== undefined,
    ...(connection && { engine: connection.channel.place }),
    ...(build && { build }),
    simd: true,
    workers,
    ...(decoder && { decoder }),
    refused: [...new Set([...places.refused, ...status.refused])],
    parts: { ...parts },
    encoded: { ...encoded },
    caches: cacheInfo(status),
    codecs: registeredCodecs(),
    decodeMs,
    wire: { ...wire },
    persistentCache: { ...persistentCache },
    warnings: warningCount(),
    panics: status.panics + lostEngines(),
  };
}
