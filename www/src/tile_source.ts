/**
 * Reads the tiles of the plane on show: each once, cancelled when it leaves the view, restarted when it comes back, the latest kept.
 *
 * Views ask for tiles and say what is visible; what a tile looks like on the screen is theirs.
 */

import * as zarr from "zarr-wasm";
import { decodedValues } from "./decoded.js";
import type { Plane } from "./plane.js";
import { planeKey } from "./plane.js";
import { drawable, type Elements, elementAt, type Tile } from "./tile.js";
import { type Box, type TileGrid, tileBox, tileGrid } from "./tile_grid.js";

/** Memory for tiles that were read, beside the package's own cache: steps back and forth through a stack draw at once. */
const KEPT_BYTES = 128 * 1024 * 1024;

export interface TileProgress {
  /** Tiles asked for since nothing was under way, and those of them that are done; cancelled ones count in neither. */
  wanted: number;
  done: number;
}

interface Read {
  column: number;
  row: number;
  promise: Promise<Tile>;
  resolve: (tile: Tile) => void;
  reject: (reason: unknown) => void;
  /** None while the tile is out of view: its promise waits, so that the view may keep its place for the tile. */
  controller: AbortController | null;
}

export class TileSource {
  onProgress: (progress: TileProgress) => void = () => {};
  /** The first failure of a plane; the others would say the same. */
  onError: (error: unknown) => void = () => {};

  #plane: Plane | null = null;
  #grid: TileGrid | null = null;
  #failed = false;
  #done = 0;
  readonly #reads = new Map<string, Read>();
  readonly #kept = new Map<string, Tile>();
  #keptBytes = 0;

  get grid(): TileGrid | null {
    return this.#grid;
  }

  /** Whether a tile in view is still under way. */
  get isReading(): boolean {
    for (const read of this.#reads.values()) if (read.controller) return true;
    return false;
  }

  /** Turns to another plane; reads of the one before end with an AbortError. */
  setPlane(plane: Plane): void {
    const reads = [...this.#reads.values()];
    this.#reads.clear();
    for (const read of reads) {
      read.controller?.abort();
      read.reject(new DOMException("another plane is shown", "AbortError"));
    }
    this.#plane = plane;
    this.#grid = tileGrid(plane);
    this.#failed = false;
    this.#done = 0;
    this.#report();
  }

  read(column: number, row: number): Promise<Tile> {
    const key = this.#key(column, row);
    const kept = this.#kept.get(key);
    if (kept) {
      this.#done += 1;
      queueMicrotask(() => this.#report());
      return Promise.resolve(kept);
    }
    const known = this.#reads.get(key);
    if (known) return known.promise;
    const read: Read = { column, row, ...Promise.withResolvers<Tile>(), controller: null };
    this.#reads.set(key, read);
    this.#start(key, read);
    return read.promise;
  }

  /** Cancels what lies outside the visible columns and rows, and restarts what came back into them. */
  setVisible(tiles: Box): void {
    for (const [key, read] of this.#reads) {
      const { column, row } = read;
      const visible = column >= tiles.x0 && column < tiles.x1 && row >= tiles.y0 && row < tiles.y1;
      if (visible && !read.controller) this.#start(key, read);
      if (!visible && read.controller) {
        read.controller.abort();
        read.controller = null;
      }
    }
    this.#report();
  }

  /** The element at a place of the plane, when its tile is at hand. */
  elementAt(x: number, y: number): Elements[number] | undefined {
    if (!this.#grid) return undefined;
    const { tile } = this.#grid;
    const found = this.#kept.get(this.#key(Math.floor(x / tile.width), Math.floor(y / tile.height)));
    return found && elementAt(found, x, y);
  }

  /** The tiles at hand among these columns and rows. */
  tilesAtHand(tiles: Box): Tile[] {
    const found: Tile[] = [];
    for (let row = tiles.y0; row < tiles.y1; row++) {
      for (let column = tiles.x0; column < tiles.x1; column++) {
        const tile = this.#kept.get(this.#key(column, row));
        if (tile) found.push(tile);
      }
    }
    return found;
  }

  #key(column: number, row: number): string {
    return this.#plane ? `${planeKey(this.#plane)}|${column},${row}` : "";
  }

  #start(key: string, read: Read): void {
    const controller = new AbortController();
    const { signal } = controller;
    read.controller = controller;
    this.#report();
    this.#fetch(read, signal).then(
      (tile) => {
        if (signal.aborted) return;
        this.#reads.delete(key);
        this.#keep(key, tile);
        this.#done += 1;
        read.resolve(tile);
        this.#report();
      },
      (error: unknown) => {
        if (signal.aborted) return;
        this.#reads.delete(key);
        read.reject(error);
        if (!this.#failed) this.onError(error);
        this.#failed = true;
        this.#report();
      },
    );
  }

  async #fetch({ column, row }: Read, signal: AbortSignal): Promise<Tile> {
    const plane = this.#plane;
    const grid = this.#grid;
    if (!plane || !grid) throw new Error("no plane was set");
    const box = tileBox(grid, column, row);
    const selection = plane.at.map((index, axis) => {
      if (axis === plane.x) return zarr.slice(box.x0, box.x1);
      return axis === plane.y ? zarr.slice(box.y0, box.y1) : index;
    });
    const { data, stride } = await decodedValues(plane.array, selection, signal);
    // The result keeps the array's order of dimensions: across may come before down.
    const [strideX = 1, strideY = 1] = plane.x < plane.y ? stride : [stride[1], stride[0]];
    const tile = { box, data: data as unknown as Elements, strideX, strideY };
    return { ...tile, floats: drawable(tile, grid.tile.width, grid.tile.height) };
  }

  #keep(key: string, tile: Tile): void {
    this.#kept.set(key, tile);
    this.#keptBytes += keptBytes(tile);
    for (const [oldest, old] of this.#kept) {
      if (this.#keptBytes <= KEPT_BYTES || oldest === key) break;
      this.#kept.delete(oldest);
      this.#keptBytes -= keptBytes(old);
    }
  }

  #report(): void {
    let running = 0;
    for (const read of this.#reads.values()) running += read.controller ? 1 : 0;
    this.onProgress({ wanted: this.#done + running, done: this.#done });
    if (running === 0) this.#done = 0;
  }
}

function keptBytes({ floats, data }: Tile): number {
  return floats.byteLength + ((data as { byteLength?: number }).byteLength ?? data.length);
}
