/**
 * The levels of a pyramid as tiles of a map: their positions by the pyramid's transforms, and the
 * parameters of an OpenLayers tile grid. The map's y grows upwards.
 *
 * Tiles of a map whose rows and columns are not those of the array are warped: for grids with a
 * longitude and latitude for each element, rotated grids, and other reference systems. `warp` finds
 * the elements. The map is divided into tiles by powers of two.
 */
import TileGrid, { type Options as GridOptions } from "ol/tilegrid/TileGrid.js";
import type { CfOptions } from "../../../api/read/conversion.ts";
import { affineOf, type Plane } from "../../../conventions/ts/geometry.ts";
import { type CrsLike, hasDegrees, type Proj4Like } from "../../../conventions/ts/projection.ts";
import type { PyramidLevel } from "../../../conventions/ts/pyramid_level.ts";
import type { Pyramid } from "../../../conventions/ts/pyramid_model.ts";
import { warp } from "../../../conventions/ts/warp.ts";
import { UnsupportedError } from "../../../engine/ts/model/errors.ts";
import { type AxisPlace, type MapExtent, rolled, type TileLevel, tileLevel } from "./tile_levels.ts";
import type { TileFetch, TileRegion } from "./tile_reader.ts";

/** Where the elements of a level are on the map. */
export interface LevelPlace {
  /** The positions of columns. */
  x: AxisPlace;
  /** The positions of rows. */
  y: AxisPlace;
  /** The column that is drawn first, so that longitudes from 0 to 360 begin at −180. */
  roll?: number;
}

/** A function that returns the positions of the centres of a level's elements on the map. */
export type LevelPlaces = (level: PyramidLevel, index: number) => LevelPlace;

/**
 * Returns the positions from the pyramid's transform. Longitudes begin at −180, as those of the map
 * do.
 */
export function placesOf(pyramid: Pyramid, plane: { x: number; y: number }, isUpward: boolean): LevelPlaces {
  const isAcross = pyramid.isPlaced && plane.x === pyramid.plane.x && hasDegrees(pyramid.crs);
  const upwards = isUpward ? 1 : -1;
  return (level) => {
    const [a, b, c, d, e, f] = affineOf(level, plane);
    if (b !== 0 || d !== 0) {
      throw new UnsupportedError("tiles of levels whose axes are turned against those of the map");
    }
    const [x, y] = [
      { start: c, step: a },
      { start: upwards * f, step: upwards * e },
    ];
    return isAcross ? { ...rolled(x, level.shape[plane.x] ?? 0), y } : { x, y };
  };
}

export interface MapPosition {
  places?: LevelPlaces;
  isUpward?: boolean;
}

/**
 * Returns the levels as tiles, coarsest first. Of levels with the same resolution only the first is
 * used.
 */
export function levelsOf(
  pyramid: Pyramid,
  plane: { x: number; y: number },
  { isUpward = pyramid.crs !== undefined, places = placesOf(pyramid, plane, isUpward) }: MapPosition,
): TileLevel[] {
  const all = pyramid.levels.map((level, at) => {
    const { shape, chunks } = level;
    const [width = 0, height = 0] = [shape[plane.x], shape[plane.y]];
    const [chunkWidth = width, chunkHeight = height] = [chunks[plane.x], chunks[plane.y]];
    return tileLevel({ level: at, width, height, chunkWidth, chunkHeight, ...places(level, at) });
  });
  const chosen: TileLevel[] = [];
  for (const level of all) {
    const last = chosen.at(-1);
    if (!last || resolutionOf(level) > resolutionOf(last) * 1.001) chosen.push(level);
  }
  return chosen.reverse();
}

const resolutionOf = ({ stepX, stepY }: TileLevel) => Math.max(stepX, stepY);

/** Returns the tile grid of the levels. Elements that are not square make oblong tiles. */
export function gridOf(levels: readonly TileLevel[], finest: TileLevel): GridOptions {
  const side = (level: TileLevel) => resolutionOf(level);
  return {
    extent: finest.extent,
    origins: levels.map(({ origin }) => origin),
    resolutions: levels.map(side),
    tileSizes: levels.map((level) => [
      (level.tileWidth * level.stepX) / side(level),
      (level.tileHeight * level.stepY) / side(level),
    ]),
  };
}

/**
 * Returns the axis of channels, where it is not drawn itself. `given`: the caller's; null for none.
 */
export function channelAxisOf(
  { axes }: Pyramid,
  plane: { x: number; y: number },
  given?: number | null,
): number | undefined {
  if (given !== undefined) return given ?? undefined;
  const axis = axes.findIndex(({ role }, at) => role === "c" && at !== plane.x && at !== plane.y);
  return axis < 0 ? undefined : axis;
}

/**
 * Picks the coarsest level with elements no larger than a device pixel, or always the forced level.
 */
export class LevelGrid extends TileGrid {
  forced: number | null = null;

  override getZForResolution(resolution: number): number {
    if (this.forced !== null) return this.forced;
    const device = resolution / (globalThis.devicePixelRatio || 1);
    const all = this.getResolutions();
    const fitting = all.findIndex((own) => own <= device * 1.05);
    return fitting < 0 ? all.length - 1 : fitting;
  }
}

/** A map whose rows and columns are not those of the array. `warp` finds the elements. */
export interface WarpedMap {
  /** The map's reference system. */
  crs: CrsLike;
  /** The extent of the array on the map. */
  extent: MapExtent;
  /** Columns and rows of a map that shows the finest level in full resolution. */
  size: readonly [columns: number, rows: number];
  /**
   * What a pixel has: `"nearest"` the nearest element, `"linear"` the bilinear interpolation of
   * four. Default: `"nearest"`.
   */
  method?: "nearest" | "linear";
  /** proj4's default export. Default: none, which is enough for longitudes and latitudes. */
  proj4?: Proj4Like;
  /** The reference system of the array's coordinates. Default: that of the metadata. */
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

const extentOf = ({ level, x, y }: TileRegion): MapExtent => {
  const [left, , , top] = level.extent;
  return [
    left + x.start * level.stepX,
    top - y.stop * level.stepY,
    left + x.stop * level.stepX,
    top - y.start * level.stepY,
  ];
};

/** Makes the function that reads such tiles. `c` is the axis of channels. */
export function warpedTiles(
  levels: readonly PyramidLevel[],
  c: number | undefined,
  { extent: _extent, size: _size, ...map }: WarpedMap,
  decode: "cf" | CfOptions | undefined,
): TileFetch {
  return (region, channels, { signal, priority }) => {
    const { array } = levels[region.level.level] as PyramidLevel;
    const size = [region.x.stop - region.x.start, region.y.stop - region.y.start] as const;
    const read = async (channel: number) => {
      // The level's own indices: `warp` takes its array for the finest level.
      const at = region.at.map((index, axis) => (axis === c ? channel : Math.max(index, 0)));
      const options = { ...map, size, signal, priority, extent: extentOf(region) };
      const { data } = await warp(array, { ...options, at, decode: decode ?? false });
      return [channel, { data, offset: 0, strideX: 1, strideY: size[0] }] as const;
    };
    return Promise.all(channels.map(read));
  };
}
