/**
 * What is stored under keys: whether it is there, its size, and when it was changed. Over HTTP it
 * asks with HEAD; of a shard it reads the index, which tells the sizes of the chunks in it.
 */

import type { ArrayNode } from "../../model/scene/scene.js";
import { storeLocationOf } from "../../widgets/views/view_reads.js";
import type { ViewSnapshot } from "../../widgets/views/view_snapshot.js";

export interface Stored {
  /** Null if there is nothing under the key. Undefined if the server does not tell. */
  bytes: number | null | undefined;
  changed?: Date;
  /** The sizes of a shard's chunks in C order; null for a missing one. */
  inner?: (number | null)[];
}

interface SizedStore {
  size?(key: string): Promise<number | undefined>;
  getRange?(key: string, range: RangeOf, options?: { signal?: AbortSignal }): Promise<Uint8Array | undefined>;
}

type RangeOf = { suffixLength: number } | { offset: number; length: number };

/** Number of requests at a time. */
const AT_ONCE = 6;
/** The bytes of an index's entry, and its number for a missing chunk. */
const ENTRY = 16;
const MISSING = 2n ** 64n - 1n;

export class StoredFacts {
  readonly #known = new Map<string, Stored>();

  /** What is known of a key. */
  of(key: string): Stored | undefined {
    return this.#known.get(key);
  }

  /** Asks for the keys that are not known. `onFound` is called after each. */
  async ask(
    snapshot: ViewSnapshot,
    array: ArrayNode,
    keys: readonly string[],
    asking: Asking,
  ): Promise<void> {
    const missing = keys.filter((key) => key !== "" && !this.#known.has(key));
    const work = async () => {
      for (let key = missing.shift(); key !== undefined; key = missing.shift()) {
        const stored = await storedUnder(snapshot, array, key, asking.signal).catch(() => null);
        if (asking.signal.aborted) return;
        this.#known.set(key, stored ?? { bytes: undefined });
        asking.onFound();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }
}

interface Asking {
  signal: AbortSignal;
  onFound(): void;
}

async function storedUnder(
  { source }: ViewSnapshot,
  array: ArrayNode,
  key: string,
  signal: AbortSignal,
): Promise<Stored> {
  const store = array.store as SizedStore;
  const { kind, address, isLocal } = storeLocationOf(source);
  const isAsked = kind === "folder" && !isLocal;
  const stored = isAsked ? await headOf(urlOf(address, key), signal) : await sizeOf(store, key);
  if (stored.bytes === null || !array.shards) return stored;
  return { ...stored, inner: await innerSizes(store, array, key, signal) };
}

function urlOf(root: string, key: string): URL {
  const url = new URL(root);
  url.pathname = `${url.pathname.replace(/\/$/, "")}${key}`;
  return url;
}

async function headOf(url: URL, signal: AbortSignal): Promise<Stored> {
  const { ok, status, headers } = await fetch(url, { method: "HEAD", signal });
  if (status === 404 || status === 403) return { bytes: null };
  if (!ok) return { bytes: undefined };
  const [length, changed] = [headers.get("Content-Length"), headers.get("Last-Modified")];
  return {
    bytes: length === null ? undefined : Number(length),
    ...(changed && { changed: new Date(changed) }),
  };
}

async function sizeOf(store: SizedStore, key: string): Promise<Stored> {
  const size = await store.size?.(key);
  return { bytes: size ?? null };
}

interface ShardCodec {
  name: string;
  configuration?: {
    chunk_shape?: number[];
    index_codecs?: { name: string; configuration?: { endian?: string } }[];
    index_location?: string;
  };
}

/** Undefined if the index has another form than the usual one. */
async function innerSizes(
  store: SizedStore,
  { codecs, shards = [], chunks }: ArrayNode,
  key: string,
  signal: AbortSignal,
): Promise<(number | null)[] | undefined> {
  const { configuration } =
    (codecs as readonly ShardCodec[]).find(({ name }) => name === "sharding_indexed") ?? {};
  const names = configuration?.index_codecs?.map(({ name }) => name).join();
  if (!store.getRange || (names !== "bytes" && names !== "bytes,crc32c")) return undefined;
  const count = shards.reduce(
    (product, length, axis) => product * Math.round(length / (chunks[axis] ?? 1)),
    1,
  );
  const length = count * ENTRY + (names === "bytes" ? 0 : 4);
  const isFirst = configuration?.index_location === "start";
  const range = isFirst ? { offset: 0, length } : { suffixLength: length };
  const bytes = await store.getRange(key, range, { signal });
  if (bytes?.length !== length) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isLittle = configuration?.index_codecs?.[0]?.configuration?.endian !== "big";
  return Array.from({ length: count }, (_, at) => {
    const size = view.getBigUint64(at * ENTRY + 8, isLittle);
    return size === MISSING ? null : Number(size);
  });
}

/** The size of a chunk: its own file's, or that in the index of its shard. */
export function chunkBytes(
  { shards, chunks }: ArrayNode,
  index: readonly number[],
  stored: Stored | undefined,
): number | null | undefined {
  if (!stored || !shards) return stored?.bytes;
  if (stored.bytes === null) return null;
  const linear = index.reduce((sum, at, axis) => {
    const per = Math.max(1, Math.round((shards[axis] ?? 1) / (chunks[axis] ?? 1)));
    return sum * per + (at % per);
  }, 0);
  return stored.inner?.[linear];
}
