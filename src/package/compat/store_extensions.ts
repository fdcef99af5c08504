/**
 * zarrita's extensions of stores. `withByteCaching` is a cache in front of a store, in any
 * container and with any keys; it is unbounded unless the container is bounded.
 *
 * `withRangeCoalescing` merges reads of ranges of one key within a microtask into few requests. It
 * is for users' stores. The engine merges the ranges of its own stores with better limits, so there
 * the merging here is used only with `onFlush` or another `coalesceSize`.
 */

import { NativeStore } from "../../api/store/native_store.ts";
import { optionsOf, type Rules } from "../../engine/ts/model/argument.ts";
import { UnsupportedError, ZarrError } from "../../engine/ts/model/errors.ts";
import type {
  AbsolutePath,
  AsyncReadable,
  RangeQuery,
  StoreGetOptions,
} from "../../engine/ts/model/types.ts";
import { setDefiner } from "../../engine/ts/port/definitions.ts";
import { warn } from "../../engine/ts/port/warnings.ts";
import { defineStoreExtension } from "./extensions.ts";

/**
 * The container of a cache, such as a `Map`. `undefined` values are cached too: the key does not
 * exist.
 */
export interface ByteCache {
  /** Whether there is an entry. */
  has(key: string): boolean;
  /** The entry. */
  get(key: string): Uint8Array | undefined;
  /** Stores an entry. */
  set(key: string, value: Uint8Array | undefined): void;
}

/**
 * The cache key of a read; undefined to bypass the cache. Without `range`, the read is of a whole
 * value.
 */
export type CacheKeyFor = (path: AbsolutePath, range?: RangeQuery) => string | undefined;

/** Options of `withByteCaching`. */
export interface ByteCachingOptions {
  /** The container. Default: a new `Map`, which has no bound. */
  cache?: ByteCache | undefined;
  /** The cache key of a read. Default: one key for each path and range. */
  keyFor?: CacheKeyFor | undefined;
}

const CACHING_RULES: Rules<ByteCachingOptions> = { cache: "an object", keyFor: "a function" };

function everyRead(path: AbsolutePath, range?: RangeQuery): string {
  if (!range) return path;
  return "suffixLength" in range
    ? `${path}\0s:${range.suffixLength}`
    : `${path}\0r:${range.offset}:${range.length}`;
}

function cached(inner: AsyncReadable, { cache = new Map(), keyFor = everyRead }: ByteCachingOptions) {
  const through = async (key: string | undefined, read: () => Promise<Uint8Array | undefined>) => {
    if (key !== undefined && cache.has(key)) return cache.get(key);
    const bytes = await read();
    if (key !== undefined) cache.set(key, bytes);
    return bytes;
  };
  const overrides: AsyncReadable = {
    get: (path: AbsolutePath, options?: StoreGetOptions) =>
      through(keyFor(path), () => inner.get(path, options)),
  };
  const getRange = inner.getRange?.bind(inner);
  if (getRange) {
    overrides.getRange = (path, range, options) =>
      through(keyFor(path, range), () => getRange(path, range, options));
  }
  return overrides as AsyncReadable & Record<string, unknown>;
}

/**
 * Wraps a store so that each value and range is read from it once.
 *
 *     const store = withByteCaching(new FetchStore(url), { cache: new Map() });
 */
export const withByteCaching = defineStoreExtension((store, options: ByteCachingOptions = {}) =>
  cached(store, optionsOf(options, CACHING_RULES)),
) as <S extends AsyncReadable>(store: S, options?: ByteCachingOptions) => S;

/** A report on the ranges of one key that were requested in one microtask. */
export interface FlushReport {
  /** The key. */
  path: AbsolutePath;
  /** Number of requests to the store. */
  groupCount: number;
  /** Number of requested ranges. */
  requestCount: number;
  /**
   * Total length of the requests.
   *
   * @unit bytes
   */
  bytesFetched: number;
}

/** Options of `withRangeCoalescing`. */
export interface RangeCoalescingOptions {
  /**
   * The most that may lie between two ranges that are merged. Default: 32 768.
   *
   * @unit bytes
   */
  coalesceSize?: number | undefined;
  /** Called for every key and microtask. An error that it throws becomes a warning. */
  onFlush?: ((report: FlushReport) => void) | undefined;
}

const COALESCING_RULES: Rules<RangeCoalescingOptions> = { coalesceSize: "a number", onFlush: "a function" };

const GAP_BYTES = 32768;

interface Asked {
  offset: number;
  length: number;
  signal: AbortSignal | undefined;
  resolve(bytes: Uint8Array | undefined): void;
  reject(error: unknown): void;
}

interface Merged {
  offset: number;
  end: number;
  asked: Asked[];
}

/** Merges ranges that overlap or have at most `gap` bytes between them. */
function merge(asked: Asked[], gap: number): Merged[] {
  const merged: Merged[] = [];
  for (const one of [...asked].sort((a, b) => a.offset - b.offset)) {
    const last = merged.at(-1);
    const end = one.offset + one.length;
    if (last && one.offset <= last.end + gap) {
      last.end = Math.max(last.end, end);
      last.asked.push(one);
    } else {
      merged.push({ offset: one.offset, end, asked: [one] });
    }
  }
  return merged;
}

/**
 * Returns a signal that aborts when all callers have aborted, because one caller's abort must not
 * end another's read.
 */
function signalOfAll(asked: readonly Asked[]): AbortSignal | undefined {
  const signals = asked.flatMap(({ signal }) => (signal ? [signal] : []));
  if (signals.length < asked.length) return undefined;
  const [first, ...others] = signals;
  if (others.every((other) => other === first)) return first;
  const controller = new AbortController();
  let waiting = signals.length;
  const leave = (signal: AbortSignal) => {
    waiting -= 1;
    if (waiting === 0) controller.abort(signal.reason);
  };
  for (const signal of signals) {
    if (signal.aborted) leave(signal);
    else signal.addEventListener("abort", () => leave(signal), { once: true });
  }
  return controller.signal;
}

type GetRange = NonNullable<AsyncReadable["getRange"]>;

async function fetchMerged(getRange: GetRange, path: AbsolutePath, { offset, end, asked }: Merged) {
  const length = end - offset;
  try {
    const bytes = await getRange(path, { offset, length }, { signal: signalOfAll(asked) });
    if (bytes && bytes.length < length) {
      throw new ZarrError("Store", `Short read: the store returned too few bytes of ${path}`, {
        key: path,
        range: { offset, length },
        expected: `${length} bytes`,
        actual: `${bytes.length} bytes`,
      });
    }
    for (const one of asked) {
      const start = one.offset - offset;
      one.resolve(bytes?.slice(start, start + one.length));
    }
  } catch (error) {
    for (const one of asked) one.reject(error);
  }
}

/** The ranges that were requested in this microtask. */
class Round {
  readonly #getRange: GetRange;
  readonly #options: RangeCoalescingOptions;
  #waiting = new Map<AbsolutePath, Asked[]>();

  constructor(getRange: GetRange, options: RangeCoalescingOptions) {
    this.#getRange = getRange;
    this.#options = options;
  }

  ask(path: AbsolutePath, range: { offset: number; length: number }, signal: AbortSignal | undefined) {
    return new Promise<Uint8Array | undefined>((resolve, reject) => {
      // An aborted caller rejects at once, even if the merged request goes on for others.
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
      if (this.#waiting.size === 0) queueMicrotask(() => this.#flush());
      const asked = this.#waiting.get(path) ?? [];
      this.#waiting.set(path, asked);
      asked.push({ ...range, signal, resolve, reject });
    });
  }

  #flush(): void {
    const { coalesceSize = GAP_BYTES } = this.#options;
    const waiting = this.#waiting;
    this.#waiting = new Map();
    for (const [path, asked] of waiting) {
      const merged = merge(asked, coalesceSize);
      this.#tell({
        path,
        groupCount: merged.length,
        requestCount: asked.length,
        bytesFetched: merged.reduce((sum, { offset, end }) => sum + end - offset, 0),
      });
      for (const one of merged) fetchMerged(this.#getRange, path, one);
    }
  }

  #tell(report: FlushReport): void {
    try {
      this.#options.onFlush?.(report);
    } catch (error) {
      warn(`the onFlush callback of withRangeCoalescing threw: ${error}`, report.path);
    }
  }
}

const coalescing = defineStoreExtension((store, options: RangeCoalescingOptions = {}) => {
  if (!store.getRange) throw new UnsupportedError("`withRangeCoalescing` of a store without `getRange`");
  const getRange = store.getRange.bind(store);
  const round = new Round(getRange, options);
  return {
    getRange(path: AbsolutePath, range: RangeQuery, { signal }: StoreGetOptions = {}) {
      // A suffix range cannot be merged, because its offset is not known.
      return "suffixLength" in range ? getRange(path, range, { signal }) : round.ask(path, range, signal);
    },
  };
}) as <S extends AsyncReadable>(store: S, options?: RangeCoalescingOptions) => S;

/**
 * Wraps a store so that nearby ranges of a key are read in one request. The engine merges the
 * ranges of its own stores anyway, so in front of a `FetchStore` this only affects direct calls of
 * `getRange`, and `onFlush`.
 *
 * @param store The store, which needs `getRange`.
 * @throws an `UnsupportedError` for a store without `getRange`.
 */
export function withRangeCoalescing<S extends AsyncReadable>(
  store: S,
  options: RangeCoalescingOptions = {},
): S {
  const wrapped = coalescing(store, optionsOf(options, COALESCING_RULES));
  const isOurs = store instanceof NativeStore && options.onFlush === undefined;
  if (isOurs && (options.coalesceSize ?? GAP_BYTES) === GAP_BYTES)
    setDefiner(wrapped, (objects) => objects.store(store));
  return wrapped;
}
