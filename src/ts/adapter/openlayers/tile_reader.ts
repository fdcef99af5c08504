/**
 * Caches the elements of tiles, the most recently used ones within a number of bytes. Changes of
 * limits, repeated steps and values under the pointer use them. It does not know how elements are
 * read or drawn.
 */
import type { TileElements } from "./texels.ts";
import type { TileLevel, TileSpan } from "./tile_levels.ts";

/** The elements of a level that a tile needs. */
export interface TilePlace {
  level: TileLevel;
  column: number;
  row: number;
  x: TileSpan;
  y: TileSpan;
  /** The index of each axis of the level's array; -1 for those of the plane and of channels. */
  at: readonly number[];
}

export interface ReadWish {
  signal: AbortSignal;
  /** Reads with higher priority come first. Below 0 they come after all others. */
  priority: number;
}

/** The function that reads channels of a tile. */
export type TileFetch = (
  place: TilePlace,
  channels: readonly number[],
  wish: ReadWish,
) => Promise<(readonly [channel: number, elements: TileElements])[]>;

interface Kept {
  elements: TileElements;
  bytes: number;
}

const keyOf = ({ level, column, row, at }: TilePlace, channel: number): string =>
  `${level.stepX}/${level.stepY}/${column}/${row}/${at.join(",")}/${channel}`;

export class TileReader {
  readonly #fetch: TileFetch;
  readonly #mostBytes: number;
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  constructor(fetch: TileFetch, mostBytes: number) {
    [this.#fetch, this.#mostBytes] = [fetch, mostBytes];
  }

  /** Returns the cached elements of a channel. */
  kept(place: TilePlace, channel: number): TileElements | undefined {
    const key = keyOf(place, channel);
    const found = this.#kept.get(key);
    if (!found) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, found);
    return found.elements;
  }

  /** Resolves to the elements of channels. Reads those that are not cached. */
  async read(place: TilePlace, channels: readonly number[], wish: ReadWish): Promise<TileElements[]> {
    const found = new Map<number, TileElements>();
    const missing = channels.filter((channel) => {
      const kept = this.kept(place, channel);
      if (kept) found.set(channel, kept);
      return kept === undefined;
    });
    if (missing.length > 0) {
      for (const [channel, elements] of await this.#fetch(place, missing, wish)) {
        this.#keep(keyOf(place, channel), elements, place);
        found.set(channel, elements);
      }
    }
    return channels.map((channel) => found.get(channel) as TileElements);
  }

  #keep(key: string, elements: TileElements, { x, y }: TilePlace): void {
    const each = (elements.data as { BYTES_PER_ELEMENT?: number }).BYTES_PER_ELEMENT ?? 8;
    const bytes = (x.stop - x.start) * (y.stop - y.start) * each;
    this.#bytes += bytes - (this.#kept.get(key)?.bytes ?? 0);
    this.#kept.delete(key);
    this.#kept.set(key, { elements, bytes });
    for (const [oldest, { bytes: freed }] of this.#kept) {
      if (this.#bytes <= this.#mostBytes || oldest === key) break;
      this.#kept.delete(oldest);
      this.#bytes -= freed;
    }
  }
}
