/**
 * Tiles of a map on which the array's rows and columns are no rows and columns: grids with a
 * longitude and a latitude for each element, turned grids, and other reference systems. The engine finds the
 * elements (`warp`); the map is cut into tiles by powers of two.
 */
import type { CfOptions } from "../../api/read/packing.ts";
import type { Plane } from "../../convention/geometry.ts";
import type { CrsLike, Proj4Like } from "../../convention/projection.ts";
import type { PyramidLevel } from "../../convention/pyramid_level.ts";
import { warp } from "../../convention/warp.ts";
import { type MapExtent, type TileLevel, tileLevel } from "./tile_levels.ts";
import type { TileFetch, TilePlace } from "./tile_reader.ts";

export interface WarpedMap {
  /** The map's reference system. */
  crs: CrsLike;
  /** What of the map is covered. */
  extent: MapExtent;
  /** Columns and rows that hold all that the finest level tells. */
  size: readonly [columns: number, rows: number];
  /** Of the nearest element (the default), or on straight lines between four. */
  method?: "nearest" | "linear";
  proj4?: Proj4Like;
  /** The reference system of the array's coordinates, where its metadata say none. */
  from?: CrsLike;
}

const TILE = 256;

/** How many elements a level has in the plane. */
const elementsOf = ({ shape }: PyramidLevel, { x, y }: Plane): number => (shape[x] ?? 1) * (shape[y] ?? 1);

/** Sides of a level's element on the map, where all are equally large and cover it. */
export function meanElement(level: PyramidLevel, plane: Plane, { extent }: WarpedMap): [number, number] {
  const [left, bottom, right, top] = extent;
  const side = Math.sqrt(((right - left) * (top - bottom)) / elementsOf(level, plane));
  return [side, side];
}

/**
 * The map in tiles, coarsest first, each with the level of the pyramid that tells enough for it.
 */
export function warpedLevels(
  levels: readonly PyramidLevel[],
  plane: Plane,
  { extent, size }: WarpedMap,
): TileLevel[] {
  const [left, bottom, right, top] = extent;
  // Sides of an element, in pixels of the map at its finest.
  const sides = levels.map((level) => Math.sqrt((size[0] * size[1]) / elementsOf(level, plane)));
  const all: TileLevel[] = [];
  for (let factor = 1; ; factor *= 2) {
    const [width, height] = size.map((count) => Math.max(1, Math.ceil(count / factor))) as [number, number];
    const [stepX, stepY] = [(right - left) / width, (top - bottom) / height];
    const level = Math.max(
      0,
      sides.findLastIndex((side) => side <= factor * 1.05),
    );
    const x = { start: left + stepX / 2, step: stepX };
    const y = { start: top - stepY / 2, step: -stepY };
    all.push(tileLevel({ level, x, y, width, height, chunkWidth: TILE, chunkHeight: TILE }));
    if (width <= TILE && height <= TILE) return all.reverse();
  }
}

const extentOf = ({ level, x, y }: TilePlace): MapExtent => {
  const [left, , , top] = level.extent;
  return [
    left + x.start * level.stepX,
    top - y.stop * level.stepY,
    left + x.stop * level.stepX,
    top - y.start * level.stepY,
  ];
};

/** Which axes of the array are told by a tile's place; the one of channels is not. */
export interface WarpedAxes {
  /** By position. */
  names: readonly string[];
  c: number | undefined;
}

/** Reads of such tiles. */
export function warpedTiles(
  levels: readonly PyramidLevel[],
  { names, c }: WarpedAxes,
  { extent: _extent, size: _size, ...map }: WarpedMap,
  decode: "cf" | CfOptions | undefined,
): TileFetch {
  return (place, channels, { signal, priority }) => {
    const { array } = levels[place.level.level] as PyramidLevel;
    const size = [place.x.stop - place.x.start, place.y.stop - place.y.start] as const;
    const read = async (channel: number) => {
      const at = names.map((name, axis) => [name, axis === c ? channel : Math.max(place.at[axis] ?? 0, 0)]);
      const options = { ...map, size, signal, priority, extent: extentOf(place) };
      const { data } = await warp(array, {
        ...options,
        at: Object.fromEntries(at),
        decode: decode ?? false,
      });
      return [channel, { data, offset: 0, strideX: 1, strideY: size[0] }] as const;
    };
    return Promise.all(channels.map(read));
  };
}
