/**
 * Computes the positions of a pyramid's levels on a map, and the parameters of an OpenLayers tile
 * grid. The map's y grows upwards.
 */
import TileGrid, { type Options as GridOptions } from "ol/tilegrid/TileGrid.js";
import { affineOf } from "../../convention/geometry.ts";
import type { PyramidLevel } from "../../convention/pyramid_level.ts";
import type { Pyramid } from "../../convention/pyramid_model.ts";
import { UnsupportedError } from "../../model/errors.ts";
import { type AxisPlace, type TileLevel, tileLevel } from "./tile_levels.ts";

export interface LevelPlace {
  x: AxisPlace;
  y: AxisPlace;
  /** The column that is drawn first, so that longitudes from 0 to 360 begin at −180. */
  roll?: number;
}

/** The positions of the centres of a level's elements on the map. */
export type LevelPlaces = (level: PyramidLevel, index: number) => LevelPlace;

/** Returns the positions from the pyramid's transform. */
export function placesOf(plane: { x: number; y: number }, isUpward: boolean): LevelPlaces {
  const upwards = isUpward ? 1 : -1;
  return (level) => {
    const [a, b, c, d, e, f] = affineOf(level, plane);
    if (b !== 0 || d !== 0) {
      throw new UnsupportedError("tiles of levels whose axes are turned against those of the map");
    }
    return { x: { start: c, step: a }, y: { start: upwards * f, step: upwards * e } };
  };
}

export interface Placement {
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
  { isUpward = pyramid.crs !== undefined, places = placesOf(plane, isUpward) }: Placement,
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

/** Returns the axis of channels, where it is not drawn itself. */
export function channelAxisOf({ axes }: Pyramid, plane: { x: number; y: number }): number | undefined {
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
