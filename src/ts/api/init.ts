/**
 * `init` and `info`: what may be said before the first call, and what can be known after it. Neither is needed.
 */
import { forgetModules } from "../engine/compile.ts";
import { configure, type InitOptions } from "../engine/configuration.ts";
import { counters } from "../engine/counters.ts";
import {
  cacheCounters,
  callNow,
  currentBuild,
  isEngineStarted,
  setCaches,
  startEngine,
  stopEngine,
} from "../engine/instances.ts";
import { ladder, type Rung } from "../engine/decode/decoder.ts";
import { closePools, workerCount } from "../engine/read/job.ts";
import { registry, urlOf } from "./registry.ts";

export type { InitOptions };

/** Starts the engine, with what it is told; again, it changes what can still be changed. */
export async function init(options: InitOptions = {}): Promise<void> {
  configure(options);
  await startEngine();
  setCaches();
}

/**
 * Ends the workers and everything that is under way (with an error of code `Aborted`), and frees the memory of the engine and its caches. What was
 * opened stays usable: the next call starts everything anew.
 */
export function dispose(): void {
  closePools();
  if (isEngineStarted()) stopEngine();
  forgetModules();
}

/** A codec in the registry. */
export interface RegisteredCodec {
  name: string;
  /** A function runs on the caller's thread, a module where chunks are decoded. */
  runs: "caller" | "workers";
  url?: string;
  /** Whether it goes before a codec of our own of that name; absent before the engine was started. */
  replaces?: boolean;
}

function registeredCodecs(): RegisteredCodec[] {
  return [...registry].map(([name, loader]) => {
    const url = urlOf(loader);
    const where = url === undefined ? { runs: "caller" as const } : { runs: "workers" as const, url };
    return isEngineStarted()
      ? { name, ...where, replaces: callNow((glue) => glue.isCodec(name)) }
      : { name, ...where };
  });
}

/** How often a chunk that was looked for was kept, and how much is. */
export interface CacheInfo {
  hits: number;
  misses: number;
  bytes: number;
}

function cacheInfo(): Info["caches"] {
  const counts = cacheCounters();
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
  /** Which build answers calls: `"full"` once something needed it. Absent before the start. */
  build?: "engine" | "full";
  /** The engine's wasm uses 128-bit vectors: it does not start without them. */
  simd: true;
  /** Workers that run. */
  workers: number;
  /** How they were: from a blob, from a URL, as Node's threads; "caller" where none could be. Absent before there is need. */
  decoder?: Rung;
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
  /** Requests over HTTP: those that were sent, bytes of their bodies, those without an answer, and those that were given up. */
  wire: { requests: number; bytes: number; failed: number; aborted: number };
  /** Requests that a `persistentCache` could answer, and those it could not. */
  persistentCache: { hits: number; misses: number };
  /** Warnings since the start. */
  warnings: number;
  /** Traps of the engine, each of which cost an instance. */
  panics: number;
}

/** What the package runs on here, and what it has done so far. */
export function info(): Info {
  return {
    isStarted: isEngineStarted(),
    build: currentBuild(),
    simd: true,
    workers: ladder.rung === "caller" ? 0 : workerCount(),
    decoder: ladder.rung,
    refused: [...ladder.refused],
    parts: { ...counters.parts },
    encoded: { ...counters.encoded },
    caches: cacheInfo(),
    codecs: registeredCodecs(),
    decodeMs: counters.decodeMs,
    wire: { ...counters.wire },
    persistentCache: { ...counters.persistentCache },
    warnings: counters.warnings,
    panics: counters.panics,
  };
}
