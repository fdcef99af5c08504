/**
 * Tiles of a map on which the array's rows and columns are no rows and columns: grids with a
 * longitude and a latitude for each element, and other reference systems. The engine finds the
 * elements (`warp`); the map is cut into tiles by powers of two.
 */
import type { CfOptions } from "../../api/read/packing.ts";
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
}

const TILE = 256;

/**
 * The map in tiles, coarsest first, each with the level of the pyramid that tells enough for it.
 */
export function warpedLevels(levels: readonly PyramidLevel[], { extent, size }: WarpedMap): TileLevel[] {
  const [left, bottom, right, top] = extent;
  const finest = (levels[0]?.shape ?? []).reduce((product, length) => product * length, 1);
  const ratios = levels.map(({ shape }) =>
    Math.sqrt(finest / shape.reduce((product, length) => product * length, 1)),
  );
  const all: TileLevel[] = [];
  for (let factor = 1; ; factor *= 2) {
    const [width, height] = size.map((count) => Math.max(1, Math.ceil(count / factor))) as [number, number];
    const [stepX, stepY] = [(right - left) / width, (top - bottom) / height];
    const level = Math.max(
      0,
      ratios.findLastIndex((ratio) => ratio <= factor * 1.05),
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

/** Reads of such tiles. `namesOf` has the names of the array's axes. */
export function warpedTiles(
  levels: readonly PyramidLevel[],
  names: readonly string[],
  { crs, method = "nearest", proj4 }: WarpedMap,
  decode: "cf" | CfOptions | undefined,
): TileFetch {
  return async (place, channels, { signal, priority }) => {
    const { array } = levels[place.level.level] as PyramidLevel;
    const size = [place.x.stop - place.x.start, place.y.stop - place.y.start] as const;
    const at = Object.fromEntries(names.map((name, axis) => [name, Math.max(place.at[axis] ?? 0, 0)]));
    const options = { crs, size, method, at, signal, priority, extent: extentOf(place) };
    const { data } = await warp(array, {
      ...options,
      decode: decode ? "cf" : false,
      ...(proj4 ? { proj4 } : {}),
    });
    return channels.map((channel) => [channel, { data, offset: 0, strideX: 1, strideY: size[0] }] as const);
  };
}
