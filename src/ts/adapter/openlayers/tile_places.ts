/**
 * The elements of tiles and of points: which level and which part of it a tile shows, at which
 * indices of the axes that are not drawn; and the values under a point of the map. Cached values
 * are known at once. The others are requested: labels, evicted tiles, and the element of a warped
 * map.
 */
import { indexAlong, type PyramidLevel } from "../../convention/pyramid_level.ts";
import type { Pyramid } from "../../convention/pyramid_model.ts";
import { elementAtPlace } from "../../convention/warp.ts";
import type { TileAxes } from "./array_tiles.ts";
import type { PyramidSourceOptions, TileAt, TileReading } from "./source_options.ts";
import { elementOf } from "./texels.ts";
import { elementAt, type TileLevel, tileSpans } from "./tile_levels.ts";
import type { TilePlace, TileReader } from "./tile_reader.ts";

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

type Point = readonly [x: number, y: number];

export class PointValues {
  readonly #levels: readonly PyramidLevel[];
  readonly #options: Pick<PyramidSourceOptions, "warped" | "decode" | "areLabels">;
  readonly #places: TilePlaces;
  readonly #reader: TileReader;

  constructor(options: PyramidSourceOptions, places: TilePlaces, reader: TileReader) {
    this.#levels = options.pyramid.levels;
    [this.#options, this.#places, this.#reader] = [options, places, reader];
  }

  /**
   * Returns the cached values of channels, from the level that is shown. Null outside of the array.
   */
  cached([x, y]: Point, z: number, channels: readonly number[]): TileReading | null {
    const { levels, axes } = this.#places;
    const level = levels[z] as TileLevel;
    const element = elementAt(level, x, y);
    if (!element) return null;
    const index = this.#places.indices(level);
    if (!this.#options.warped) [index[axes.x], index[axes.y]] = [element.column, element.row];
    const column = (element.column - level.roll + level.width) % level.width;
    const tile = this.#places.ofElement(z, column, element.row);
    const values = channels.map((channel) => {
      const found = tile && !this.#options.areLabels ? this.#reader.kept(tile, channel) : undefined;
      const value =
        tile && found ? elementOf(found, column - tile.x.start, element.row - tile.y.start) : undefined;
      return { channel, value };
    });
    return { level: level.level, index, values };
  }

  /** Resolves to the values of a reading at a point. Requests those that are not cached. */
  async read(reading: TileReading, point: Point, signal: AbortSignal | undefined): Promise<TileReading> {
    const { warped } = this.#options;
    return this.#requested(warped ? await this.#placed(reading, point, warped, signal) : reading, signal);
  }

  /** Sets the element of a warped map. */
  async #placed(
    reading: TileReading,
    point: Point,
    warped: NonNullable<PyramidSourceOptions["warped"]>,
    signal: AbortSignal | undefined,
  ): Promise<TileReading> {
    const { array } = this.#levels[reading.level] as PyramidLevel;
    const element = await elementAtPlace(array, point, { ...warped, signal });
    const isLinear = warped.method === "linear";
    const values = reading.values.map(({ channel, value }) => ({
      channel,
      // Outside of the array.
      value: element ? (isLinear ? value : undefined) : Number.NaN,
    }));
    const index = [...reading.index];
    const { axes } = this.#places;
    if (element) [index[axes.x], index[axes.y]] = [element.column, element.row];
    return { ...reading, index, values };
  }

  async #requested(reading: TileReading, signal: AbortSignal | undefined): Promise<TileReading> {
    const { array } = this.#levels[reading.level] as PyramidLevel;
    const { decode } = this.#options;
    const values = await Promise.all(
      reading.values.map(async ({ channel, value }) => {
        if (value !== undefined) return { channel, value };
        const selection = reading.index.map((index, axis) =>
          axis === this.#places.axes.c ? channel : index,
        );
        const { data } = decode
          ? await array.get(selection, { signal, decode })
          : await array.get(selection, { signal });
        return { channel, value: (data as ArrayLike<number | bigint | boolean>)[0] };
      }),
    );
    return { ...reading, values };
  }
}
