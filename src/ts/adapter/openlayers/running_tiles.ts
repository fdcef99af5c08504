/**
 * The tiles whose elements are being read or packed. A read that is given up is not rejected, which
 * OpenLayers would take for a broken tile: the tile becomes one that was never asked for.
 */
import type DataTile from "ol/DataTile.js";
import TileState from "ol/TileState.js";
import type { TileProgress } from "./source_options.ts";

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

  /** Takes a tile off; false where it was cancelled before. */
  end(running: RunningTile, isDone: boolean): boolean {
    const wasThere = this.#running.delete(running);
    if (wasThere && isDone) this.#done += 1;
    return wasThere;
  }

  /** Cancels reads of tiles that are not wanted any more. OpenLayers asks for them again. */
  cancel(isWanted: (running: RunningTile) => boolean): void {
    for (const running of [...this.#running]) {
      if (isWanted(running)) continue;
      this.#running.delete(running);
      running.controller.abort();
      giveBack(running.tile);
    }
  }
}

/** Makes a tile that is being loaded one that waits to be asked for. */
function giveBack(loading: DataTile | undefined): void {
  const tile = loading as unknown as { state: number; changed(): void } | undefined;
  if (!tile) return;
  // Empty ends its place among the loading ones; idle lets it be asked for again.
  tile.state = TileState.EMPTY;
  tile.changed();
  tile.state = TileState.IDLE;
}
