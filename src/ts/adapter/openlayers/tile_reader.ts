/**
 * Keeps the elements of tiles that were read, the latest within a number of bytes: contrast, steps
 * back and forth and values under the pointer take them from here. Where they come from and what a
 * tile looks like is not known here.
 */
import type { TileElements } from "./texels.ts";
import type { TileLevel, TileSpan } from "./tile_levels.ts";

/** Which elements of which level. */
export interface TilePlace {
  level: TileLevel;
  column: number;
  row: number;
  x: TileSpan;
  y: TileSpan;
  /** Index of each axis of the level's array; those of the plane and of the channels are -1. */
  at: readonly number[];
}

export interface ReadWish {
  signal: AbortSignal;
  /** The highest is read first; below 0 it makes way for all else. */
  priority: number;
}

/** Reads channels of a tile. */
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

  /** The elements of a channel, where they were read and are kept. */
  kept(place: TilePlace, channel: number): TileElements | undefined {
    const key = keyOf(place, channel);
    const found = this.#kept.get(key);
    if (!found) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, found);
    return found.elements;
  }

  /** The elements of channels, read where they are not kept. */
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
