/**
 * How a plane is cut into tiles: boxes that follow the chunks' borders, near a size that a screen and a GPU like. Values only.
 */

import type { Plane, Size } from "./plane.js";
import { planeSize } from "./plane.js";

/** Small chunks are joined up to about this many elements a side, so that a view is tens of tiles rather than thousands. */
const JOIN_BELOW = 256;
/** Larger chunks are cut: a texture of one tile stays at 4 MiB. */
const CUT_ABOVE = 1024;

export interface TileGrid {
  plane: Size;
  tile: Size;
  columns: number;
  rows: number;
}

/** A box of elements; ends are exclusive. */
export interface Box {
  x0: number;
  x1: number;
  y0: number;
  y1: number;
}

export function tileGrid(plane: Plane): TileGrid {
  const size = planeSize(plane);
  const { chunks } = plane.array;
  const width = tileSide(size.width, chunks[plane.x] ?? size.width);
  const height = tileSide(size.height, chunks[plane.y] ?? size.height);
  return {
    plane: size,
    tile: { width, height },
    columns: Math.ceil(size.width / width),
    rows: Math.ceil(size.height / height),
  };
}

function tileSide(length: number, chunk: number): number {
  const side = Math.max(1, chunk);
  if (side > CUT_ABOVE) return Math.min(length, Math.ceil(side / Math.ceil(side / CUT_ABOVE)));
  return Math.max(1, Math.min(length, side * Math.max(1, Math.round(JOIN_BELOW / side))));
}

/** The elements of one tile; the last row and column end with the plane. */
export function tileBox({ plane, tile }: TileGrid, column: number, row: number): Box {
  const x0 = column * tile.width;
  const y0 = row * tile.height;
  return { x0, y0, x1: Math.min(x0 + tile.width, plane.width), y1: Math.min(y0 + tile.height, plane.height) };
}

/** The tiles that a box of elements touches, as columns and rows; empty when it lies outside the plane. */
export function tilesIn({ tile, columns, rows }: TileGrid, box: Box): Box {
  return {
    x0: Math.max(0, Math.floor(box.x0 / tile.width)),
    x1: Math.min(columns, Math.ceil(box.x1 / tile.width)),
    y0: Math.max(0, Math.floor(box.y0 / tile.height)),
    y1: Math.min(rows, Math.ceil(box.y1 / tile.height)),
  };
}
