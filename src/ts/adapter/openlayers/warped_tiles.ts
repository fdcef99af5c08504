/**
 * Tiles of a map whose rows and columns are not those of the array: for grids with a longitude and
 * latitude for each element, rotated grids, and other reference systems. `warp` finds the elements.
 * The map is divided into tiles by powers of two.
 */
import type { CfOptions } from "../../api/read/conversion.ts";
import type { Plane } from "../../convention/geometry.ts";
import type { CrsLike, Proj4Like } from "../../convention/projection.ts";
import type { PyramidLevel } from "../../convention/pyramid_level.ts";
import { warp } from "../../convention/warp.ts";
import { type MapExtent, type TileLevel, tileLevel } from "./tile_levels.ts";
import type { TileFetch, TilePlace } from "./tile_reader.ts";

export interface WarpedMap {
  /** The map's reference system. */
  crs: CrsLike;
  /** The extent of the array on the map. */
  extent: MapExtent;
  /** Columns and rows of a map that shows the finest level in full resolution. */
  size: readonly [columns: number, rows: number];
  /** The nearest element, or bilinear interpolation of four. Default: `"nearest"`. */
  method?: "nearest" | "linear";
  proj4?: Proj4Like;
  /** The reference system of the array's coordinates, if the metadata does not give it. */
  from?: CrsLike;
}

const TILE = 256;

/** Returns the number of elements of a level in the plane. */
const elementsOf = ({ shape }: PyramidLevel, { x, y }: Plane): number => (shape[x] ?? 1) * (shape[y] ?? 1);

/** Returns the sides of a level's element on the map, if all elements are equal and cover it. */
export function meanElement(level: PyramidLevel, plane: Plane, { extent }: WarpedMap): [number, number] {
  const [left, bottom, right, top] = extent;
  const side = Math.sqrt(((right - left) * (top - bottom)) / elementsOf(level, plane));
  return [side, side];
}

/**
 * Returns the levels of the map's tiles, coarsest first, each with the pyramid's level of this
 * resolution.
 */
export function warpedLevels(
  levels: readonly PyramidLevel[],
  plane: Plane,
  { extent, size }: WarpedMap,
): TileLevel[] {
  const [left, bottom, right, top] = extent;
  // The sides of an element in pixels of the finest map.
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

/** The axes whose indices a tile has: all but the plane and the channels. */
interface WarpedAxes {
  /** Indices by position. */
  names: readonly string[];
  c: number | undefined;
}

/** Makes the function that reads such tiles. */
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
