/**
 * The elements of tiles: which level and which part of it a tile shows, at which indices of the
 * axes that are not drawn. It only computes.
 */
import { indexAlong } from "../../convention/pyramid_level.ts";
import type { Pyramid } from "../../convention/pyramid_model.ts";
import type { TileAxes } from "./array_tiles.ts";
import type { TileAt } from "./source_options.ts";
import { type TileLevel, tileSpans } from "./tile_levels.ts";
import type { TilePlace } from "./tile_reader.ts";

/** A tile of the map. */
export interface TileNumber {
  z: number;
  column: number;
  row: number;
}

export class TilePlaces {
  /** Coarsest first, as in OpenLayers. */
  readonly levels: readonly TileLevel[];
  readonly axes: TileAxes;
  /** Indices of the axes that are not drawn, by name or role. */
  at: TileAt;
  readonly #pyramid: Pyramid;

  constructor(pyramid: Pyramid, levels: readonly TileLevel[], axes: TileAxes, at: TileAt) {
    [this.#pyramid, this.levels, this.axes, this.at] = [pyramid, levels, axes, at];
  }

  /** Returns the indices in a level's array, which may be coarser along an axis. */
  indices({ level }: TileLevel, at: TileAt = this.at): number[] {
    const { axes, levels } = this.#pyramid;
    const [finest, own] = [levels[0], levels[level]];
    return axes.map((one, axis) => {
      if (axis === this.axes.x || axis === this.axes.y || axis === this.axes.c) return -1;
      const wanted = indexAlong(one, at) ?? 0;
      const [all = 1, here = 1] = [finest?.shape[axis], own?.shape[axis]];
      return all === here ? wanted : Math.min(Math.floor(((wanted + 0.5) * here) / all), here - 1);
    });
  }

  /**
   * Returns the elements of a tile, at other indices if they are given. Null outside of the level.
   */
  ofTile({ z, column, row }: TileNumber, at: TileAt = {}): TilePlace | null {
    const level = this.levels[z];
    const spans = level && tileSpans(level, column, row);
    return spans ? { level, column, row, ...spans, at: this.indices(level, { ...this.at, ...at }) } : null;
  }

  /** Returns the elements of the tile that has this one. `column` is in drawing order. */
  ofElement(z: number, column: number, row: number): TilePlace | null {
    const { tileWidth, tileHeight, flipX, flipY, columns, rows } = this.levels[z] as TileLevel;
    const [across, down] = [Math.floor(column / tileWidth), Math.floor(row / tileHeight)];
    // In a flipped array, columns or rows run against those of the map.
    return this.ofTile({
      z,
      column: flipX ? columns - 1 - across : across,
      row: flipY ? rows - 1 - down : down,
    });
  }
}
