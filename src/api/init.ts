/**
 * `init` sets options before the first call, `preload` starts the engine early, `info` reports
 * counters, `dispose` ends the engine. None of them is required.
 */
import type { EngineBuild } from "../contract/contract.ts";
import { optionsOf } from "../engine/ts/model/argument.ts";
import { configure, type InitOptions } from "../engine/ts/port/configuration.ts";
import { call, lastStart, lostEngines, reconfigure, running } from "../engine/ts/port/engine.ts";
import { light } from "../engine/ts/port/light.ts";
import { type EngineKind, type EngineStatus, newStatus } from "../engine/ts/port/protocol.ts";
import { warningCount } from "../engine/ts/port/warnings.ts";
import { preloadText } from "../engine/ts/port/wasm.ts";
import { learnOwn, ownCodecs, urlOf, userLoaders } from "./registry.ts";

export { dispose } from "../engine/ts/port/engine.ts";
export type { InitOptions };

/**
 * Sets options and starts the engine. It is optional: every option has a default, and the first
 * call that needs the engine starts it. A later call changes options that can still be changed, and
 * keeps those that it does not name.
 *
 *     await init({ workers: 2, memoryLimit: 512e6, onWarning: console.warn });
 *
 * @throws an `Argument` error for unknown or invalid options.
 * @throws an `Unsupported` error if the engine cannot be started with them.
 */
export async function init(options: InitOptions = {}): Promise<void> {
  configure(options);
  reconfigure();
  if (options.light) return;
  await learnOwn([...userLoaders().keys()]);
  await call("ownCodecs", () => ({ names: [] }));
}

/** Options of `preload`. */
export interface PreloadOptions {
  /**
   * Whether to load what conventions, pyramids and CF decoding need (140 kB gzip), too. It is
   * otherwise loaded by the first call that needs it. Default: false.
   */
  conventions?: boolean | undefined;
}

/**
 * Starts the engine and one decode worker while the page does not yet know what it will read.
 * Resolves when the engine runs. The first call that needs them starts them too, but later.
 *
 *     preload({ conventions: true });
 *
 * @throws an `Unsupported` error if the engine cannot be started.
 */
export async function preload(options: PreloadOptions = {}): Promise<void> {
  const { conventions = false } = optionsOf(options, { conventions: "a boolean" });
  if (conventions) preloadText("conventions");
  await call("prepare", () => ({ conventions }));
}

/** A registered codec. */
export interface RegisteredCodec {
  /** Its name in the metadata. */
  name: string;
  /**
   * Where it runs: `"caller"` is the thread that calls, for functions; `"workers"` are the decode
   * workers, for modules.
   */
  runs: "caller" | "workers";
  /** The URL of its module, if it is one. */
  url?: string;
  /** Whether it replaces a codec of this package; absent before `init` has asked the engine. */
  replaces?: boolean;
}

function registeredCodecs(): RegisteredCodec[] {
  return [...userLoaders()].map(([name, loader]) => {
    const url = urlOf(loader);
    const where = url === undefined ? { runs: "caller" as const } : { runs: "workers" as const, url };
    const replaces = ownCodecs.get(name);
    return replaces === undefined ? { name, ...where } : { name, ...where, replaces };
  });
}

/** The counters of a cache of chunks. */
export interface CacheInfo {
  /** Number of chunks that the cache had. */
  hits: number;
  /** Number of chunks that it did not have. */
  misses: number;
  /**
   * Its size now.
   *
   * @unit bytes
   */
  bytes: number;
  /**
   * The most that it holds; 0 before the start.
   *
   * @unit bytes
   */
  limit: number;
}

function cacheInfo({ caches: counts }: Pick<EngineStatus, "caches">): Info["caches"] {
  const [encoded, decoded] = [0, 4].map((at) => {
    const [hits = 0, misses = 0, bytes = 0, limit = 0] = counts.slice(at);
    return { hits, misses, bytes, limit };
  }) as [CacheInfo, CacheInfo];
  return { encoded, decoded };
}

/** The state of the package. Counters are sums since the start. */
export interface Info {
  /** Whether the engine runs. */
  isStarted: boolean;
  /**
   * Where the engine runs: `"caller"` is the thread that calls. The others are a worker: from a
   * `"blob"`, from a `"url"`, as a thread of Node (`"node"`), or from `init({ worker })`
   * (`"custom"`). Absent before the start.
   */
  engine?: EngineKind;
  /**
   * The build of the engine: `"reading"` after a call needed an archive, references, an Icechunk
   * repository, a list or stored sizes, `"full"` after one wrote, else `"engine"`. `"light"` if the
   * light build has answered on the caller's thread so far. Absent before the start.
   */
  build?: EngineBuild | "light";
  /** Always true: the engine's wasm uses 128-bit SIMD, which the browser must support. */
  simd: true;
  /** Number of decode workers. */
  workers: number;
  /**
   * How the decode workers were started: from a `"blob"`, from a `"url"`, as threads of Node
   * (`"node"`); `"caller"` if none could be started, so that the engine's own thread decodes.
   * Absent before the first one is needed.
   */
  decoder?: EngineStatus["decoder"];
  /** The reasons why the other ways to start workers failed. */
  refused: string[];
  /** Number of parts decoded, by kind of decoder. */
  parts: {
    /** By workers. */
    workers: number;
    /** On the engine's own thread. */
    caller: number;
  };
  /** Number of stored chunks encoded, by kind of decoder. */
  encoded: {
    /** By workers. */
    workers: number;
    /** On the engine's own thread. */
    caller: number;
  };
  /** The caches of chunks. */
  caches: {
    /** Chunks as they came over HTTP. */
    encoded: CacheInfo;
    /** Whole chunks that were decoded for a part of them. */
    decoded: CacheInfo;
  };
  /** The codecs that callers registered. */
  codecs: RegisteredCodec[];
  /**
   * Working time of all decoders.
   *
   * @unit milliseconds
   */
  decodeMs: number;
  /**
   * The same by the names of the array's codecs, such as `"bytes, zstd"`. The codecs inside of
   * shards are named instead of the shards. `""` is work that was cancelled.
   *
   * @unit milliseconds
   */
  decodeMsBy: Record<string, number>;
  /** The requests over HTTP. */
  wire: {
    /** Number of requests that were sent. */
    requests: number;
    /**
     * Size of the bodies of their responses.
     *
     * @unit bytes
     */
    bytes: number;
    /** Number of requests without a response. */
    failed: number;
    /** Number of requests that were aborted. */
    aborted: number;
  };
  /** The answers of a `persistentCache`. */
  persistentCache: {
    /** Number of requests that it answered. */
    hits: number;
    /** Number of requests that it could not answer. */
    misses: number;
  };
  /** Number of warnings since the start. */
  warnings: number;
  /** Number of wasm traps. Each of them ended an instance. */
  panics: number;
}

/** Counters of the engine and of the light build. */
function summed(one: object, other: object): Record<string, number> {
  const sums = { ...one } as Record<string, number>;
  for (const [name, count] of Object.entries(other)) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}

/**
 * Reports the state of the package, as the engine reported it last.
 *
 *     const { workers, wire, caches } = info();
 *
 * @returns the counters, as they are now. A later call returns a new object.
 */
export function info(): Info {
  const connection = running();
  const { build, decoder, ...status } = connection?.status ?? newStatus();
  const { parts, encoded, persistentCache } = status;
  const wire = summed(status.wire, light?.wire ?? {}) as Info["wire"];
  const lightMs = light?.decodeMsBy ?? {};
  return {
    isStarted: connection !== undefined,
    ...(connection && { engine: connection.channel.kind }),
    ...(build ? { build } : light && { build: "light" as const }),
    simd: true,
    workers: status.workers,
    ...(decoder && { decoder }),
    refused: [...new Set([...lastStart.refused, ...status.refused])],
    parts: { ...parts, caller: parts.caller + (light?.parts ?? 0) },
    encoded: { ...encoded },
    caches: cacheInfo(status),
    codecs: registeredCodecs(),
    decodeMs: Object.values(lightMs).reduce((sum, ms) => sum + ms, status.decodeMs),
    decodeMsBy: summed(status.decodeMsBy, lightMs),
    wire,
    persistentCache: { ...persistentCache },
    warnings: warningCount(),
    panics: status.panics + lostEngines(),
  };
}
