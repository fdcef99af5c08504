/**
 * The tiles whose elements are being read: those in view, and those around it. A cancelled read of
 * a tile in view does not reject, because OpenLayers would mark the tile as broken. Instead the
 * tile returns to its initial state.
 */
import type DataTile from "ol/DataTile.js";
import TileState from "ol/TileState.js";
import type { TileProgress } from "./source_options.ts";
import type { TilePlace, TileReader } from "./tile_reader.ts";

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

  get progress(): TileProgress {
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
  const tile = loading as unknown as { state: number; changed(): void } | undefined;
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
  want(places: ReadonlyMap<string, TilePlace>, channels: readonly number[]): void {
    for (const [key, controller] of this.#reading) {
      if (places.has(key)) continue;
      controller.abort();
      this.#reading.delete(key);
    }
    for (const [key, place] of places) {
      if (this.#reading.has(key) || channels.every((own) => this.#reader.kept(place, own))) continue;
      const controller = new AbortController();
      this.#reading.set(key, controller);
      // The error is reported when the tile is in view.
      this.#reader.read(place, channels, { signal: controller.signal, priority: this.#priority }).then(
        () => this.#reading.delete(key),
        () => undefined,
      );
    }
  }
}
