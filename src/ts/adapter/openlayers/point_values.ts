/**
 * The values under a point of the map. Cached ones are known at once. The others are requested:
 * labels, evicted tiles, and the element of a warped map.
 */
import type { PyramidLevel } from "../../convention/pyramid_level.ts";
import { elementAtPlace } from "../../convention/warp.ts";
import type { PyramidSourceOptions, TileReading } from "./source_options.ts";
import { elementOf } from "./texels.ts";
import { elementAt, type TileLevel } from "./tile_levels.ts";
import type { TilePlaces } from "./tile_places.ts";
import type { TileReader } from "./tile_reader.ts";

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
