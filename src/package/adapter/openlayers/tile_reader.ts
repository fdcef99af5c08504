/**
 * Caches the elements of tiles, the most recently used ones within a number of bytes. Changes of
 * limits, repeated steps and values under the pointer use them. It does not know how elements are
 * read or drawn.
 *
 * Tiles are being read in view, and around it. A cancelled read of a tile in view does not reject,
 * because OpenLayers would mark the tile as broken. Instead the tile returns to its initial state.
 */

import type DataTile from "ol/DataTile.js";
import TileState from "ol/TileState.js";
import type { TileElements } from "./textures.ts";
import type { TileLevel, TileSpan } from "./tile_levels.ts";

/** The elements of a level that a tile needs. */
export interface TileRegion {
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
  region: TileRegion,
  channels: readonly number[],
  wish: ReadWish,
) => Promise<(readonly [channel: number, elements: TileElements])[]>;

interface Kept {
  elements: TileElements;
  bytes: number;
}

const keyOf = ({ level, column, row, at }: TileRegion, channel: number): string =>
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
  kept(region: TileRegion, channel: number): TileElements | undefined {
    const key = keyOf(region, channel);
    const found = this.#kept.get(key);
    if (!found) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, found);
    return found.elements;
  }

  /** Resolves to the elements of channels. Reads those that are not cached. */
  async read(region: TileRegion, channels: readonly number[], wish: ReadWish): Promise<TileElements[]> {
    const found = new Map<number, TileElements>();
    const missing = channels.filter((channel) => {
      const kept = this.kept(region, channel);
      if (kept) found.set(channel, kept);
      return kept === undefined;
    });
    if (missing.length > 0) {
      for (const [channel, elements] of await this.#fetch(region, missing, wish)) {
        this.#keep(keyOf(region, channel), elements, region);
        found.set(channel, elements);
      }
    }
    return channels.map((channel) => found.get(channel) as TileElements);
  }

  #keep(key: string, elements: TileElements, { x, y }: TileRegion): void {
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

export interface RunningTile {
  z: number;
  column: number;
  row: number;
  controller: AbortController;
  tile: DataTile | undefined;
}

export class RunningTiles {
  readonly #running = new Set<RunningTile>();
  #done = 0;

  get size(): number {
    return this.#running.size;
  }

  get progress(): { wanted: number; done: number } {
    return { wanted: this.#done + this.#running.size, done: this.#done };
  }

  add(running: RunningTile): void {
    if (this.#running.size === 0) this.#done = 0;
    this.#running.add(running);
  }

  /** Removes a tile. Returns false if it was cancelled before. */
  end(running: RunningTile, isDone: boolean): boolean {
    const wasThere = this.#running.delete(running);
    if (wasThere && isDone) this.#done += 1;
    return wasThere;
  }

  /** Cancels reads of tiles that are not needed. OpenLayers can request them again. */
  cancel(isWanted: (running: RunningTile) => boolean): void {
    for (const running of [...this.#running]) {
      if (isWanted(running)) continue;
      this.#running.delete(running);
      running.controller.abort();
      giveBack(running.tile);
    }
  }
}

/** Returns a loading tile to its initial state. */
function giveBack(loading: DataTile | undefined): void {
  const tile = loading as { state: number; changed(): void } | undefined;
  if (!tile) return;
  // "Empty" ends loading in OpenLayers' queue; "idle" allows to request it again.
  tile.state = TileState.EMPTY;
  tile.changed();
  tile.state = TileState.IDLE;
}

/** The reads of tiles around the view, into the cache. */
export class LookAhead {
  readonly #reader: TileReader;
  readonly #priority: number;
  readonly #reading = new Map<string, AbortController>();

  constructor(reader: TileReader, priority: number) {
    [this.#reader, this.#priority] = [reader, priority];
  }

  /** Reads channels of tiles, which have keys, and cancels the reads of others. */
  want(regions: ReadonlyMap<string, TileRegion>, channels: readonly number[]): void {
    for (const [key, controller] of this.#reading) {
      if (regions.has(key)) continue;
      controller.abort();
      this.#reading.delete(key);
    }
    for (const [key, region] of regions) {
      if (this.#reading.has(key) || channels.every((own) => this.#reader.kept(region, own))) continue;
      const controller = new AbortController();
      this.#reading.set(key, controller);
      // The error is reported when the tile is in view.
      this.#reader.read(region, channels, { signal: controller.signal, priority: this.#priority }).then(
        () => this.#reading.delete(key),
        () => undefined,
      );
    }
  }
}
