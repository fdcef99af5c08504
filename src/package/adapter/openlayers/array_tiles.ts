/**
 * The elements of tiles and of points: which level and which part of it a tile shows, at which
 * indices of the axes that are not drawn; and the values under a point of the map. Tiles are read
 * as boxes of the levels' arrays: stored elements, unpacked elements, or colours of labels. Cached
 * values of points are known at once. The others are requested: labels, evicted tiles, and the
 * element of a warped map.
 */
import type { LabelColors } from "../../../api/read/colors.ts";
import type { CfOptions } from "../../../api/read/conversion.ts";
import type { AnySelection } from "../../../api/selection.ts";
import {
  channelIndices,
  givenAlong,
  levelIndices,
  namedAtWith,
  planeSelection,
} from "../../../conventions/ts/axis_indices.ts";
import type { PyramidLevel } from "../../../conventions/ts/pyramid_level.ts";
import type { Pyramid } from "../../../conventions/ts/pyramid_model.ts";
import { elementAtPoint } from "../../../conventions/ts/warp.ts";
import type { Slice } from "../../../engine/ts/model/types.ts";
import type { PyramidSourceOptions, TileAt, TileReading } from "./source_options.ts";
import { elementOf, type TileElements } from "./textures.ts";
import { columnRuns, elementAt, type TileLevel, tileSpans } from "./tile_levels.ts";
import type { ReadWish, TileFetch, TileReader, TileRegion } from "./tile_reader.ts";

/** A typed array of numbers. */
type Numbers = ArrayLike<number | bigint | boolean>;

export interface TileAxes {
  x: number;
  y: number;
  /** The axis of channels; undefined if there is none. */
  c: number | undefined;
}

interface ElementForm {
  decode: "cf" | CfOptions | undefined;
  /**
   * The colours of labels; each label becomes the four bytes of its colour. Undefined for numbers.
   */
  labelColors: LabelColors | undefined;
}

/** A box of elements, in C order. */
interface Box {
  data: Numbers;
  width: number;
  height: number;
  channels: number;
  strideX: number;
  strideY: number;
  strideC: number;
}

type Ends = readonly [from: number, to: number];

const slice = ([start, stop]: Ends): Slice => ({ start, stop, step: null });

export function arrayTiles(levels: readonly PyramidLevel[], axes: TileAxes, form: ElementForm): TileFetch {
  const readGroup = async (region: TileRegion, channels: readonly number[], wish: ReadWish) => {
    const ends: Ends = [Math.min(...channels), Math.max(...channels) + 1];
    const { array } = levels[region.level.level] as PyramidLevel;
    const runs = columnRuns(region.level, region.x);
    const boxes = await Promise.all(
      runs.map(async (run) => {
        const rows: Ends = [region.y.start, region.y.stop];
        const data = await elementsOf(
          array,
          selectionOf(region, axes, { x: run, y: rows, c: ends }),
          form,
          wish,
        );
        return boxOf(data, axes, [run[1] - run[0], rows[1] - rows[0], ends[1] - ends[0]]);
      }),
    );
    const box = boxes.length === 1 ? (boxes[0] as Box) : joined(boxes);
    return channels.map((channel) => [channel, channelOf(box, channel - ends[0])] as const);
  };
  return async (region, channels, wish) => {
    const groups = groupsOf(levels, axes, region.level, channels);
    return (await Promise.all(groups.map((group) => readGroup(region, group, wish)))).flat();
  };
}

/** Groups the channels of one chunk, because they are read together. */
function groupsOf(
  levels: readonly PyramidLevel[],
  { c }: TileAxes,
  { level }: TileLevel,
  channels: readonly number[],
): number[][] {
  const chunk = c === undefined ? 1 : (levels[level]?.chunks[c] ?? 1);
  const groups = new Map<number, number[]>();
  for (const channel of channels) {
    const group = Math.floor(channel / chunk);
    groups.set(group, [...(groups.get(group) ?? []), channel]);
  }
  return [...groups.values()];
}

function selectionOf({ at }: TileRegion, axes: TileAxes, ends: { x: Ends; y: Ends; c: Ends }) {
  return at.map((index, axis): number | Slice => {
    if (axis === axes.x) return slice(ends.x);
    if (axis === axes.y) return slice(ends.y);
    return axis === axes.c ? slice(ends.c) : index;
  });
}

async function elementsOf(
  array: PyramidLevel["array"],
  selection: AnySelection,
  { decode, labelColors }: ElementForm,
  wish: ReadWish,
): Promise<Numbers> {
  if (labelColors) {
    const { data } = await array.get(selection, { ...wish, as: "rgba", colors: labelColors });
    return new Uint32Array(data.buffer, data.byteOffset, data.length / 4);
  }
  const { data } = decode
    ? await array.get(selection, { ...wish, decode })
    : await array.get(selection, wish);
  return data as Numbers;
}

/** Converts a result to C order. */
function boxOf(
  data: Numbers,
  { x, y, c }: TileAxes,
  [width, height, channels]: readonly [number, number, number],
): Box {
  const sizes = [
    { axis: x, size: width, name: "strideX" as const },
    { axis: y, size: height, name: "strideY" as const },
    ...(c === undefined ? [] : [{ axis: c, size: channels, name: "strideC" as const }]),
  ].sort((a, b) => b.axis - a.axis);
  const box: Box = { data, width, height, channels, strideX: 0, strideY: 0, strideC: 0 };
  let stride = 1;
  for (const { size, name } of sizes) {
    box[name] = stride;
    stride *= size;
  }
  return box;
}

const channelOf = ({ data, strideX, strideY, strideC }: Box, channel: number): TileElements => ({
  data,
  offset: channel * strideC,
  strideX,
  strideY,
});

/** Joins two boxes of a rolled world side by side. */
function joined(boxes: readonly Box[]): Box {
  const { channels, height, data } = boxes[0] as Box;
  const width = boxes.reduce((sum, box) => sum + box.width, 0);
  const Type = data.constructor as new (length: number) => { [index: number]: number | bigint | boolean };
  const whole = new Type(width * height * channels);
  let left = 0;
  for (const box of boxes) {
    for (let line = 0; line < channels * height; line += 1) {
      const [c, y] = [Math.floor(line / height), line % height];
      const [from, to] = [c * box.strideC + y * box.strideY, line * width + left];
      for (let x = 0; x < box.width; x += 1) whole[to + x] = box.data[from + x * box.strideX] as number;
    }
    left += box.width;
  }
  const strides = { strideX: 1, strideY: width, strideC: width * height };
  return { data: whole as Numbers, width, height, channels, ...strides };
}

/** A tile of the map. */
export interface TileNumber {
  z: number;
  column: number;
  row: number;
}

export class TileRegions {
  /** Coarsest first, as in OpenLayers. */
  readonly levels: readonly TileLevel[];
  readonly axes: TileAxes;
  /** Indices of the axes that are not drawn, by name or role. */
  at: TileAt;
  readonly #pyramid: Pyramid;

  constructor(pyramid: Pyramid, levels: readonly TileLevel[], axes: TileAxes, at: TileAt) {
    [this.#pyramid, this.levels, this.axes, this.at] = [pyramid, levels, axes, {}];
    this.at = this.with(at);
  }

  /**
   * Returns the indices in a level's array, which may be coarser along an axis. Throws an
   * `InvalidSelectionError` for a name or an index that is not there.
   */
  indices({ level }: { level: number }, at: TileAt = this.at): number[] {
    const { axes, levels } = this.#pyramid;
    const indices = levelIndices({ axes, levels, plane: this.axes }, level, at);
    return indices.map((index, axis) => (axis === this.axes.c ? -1 : (index ?? -1)));
  }

  /** `at` with these indices, by whatever names. Throws as `indices` does. */
  with(at: TileAt): TileAt {
    const { axes, levels } = this.#pyramid;
    const all = namedAtWith(axes, this.at, at);
    const nothing = [0, 0] as const;
    planeSelection({ axes, levels, plane: this.axes }, 0, all, [nothing, nothing]);
    return all;
  }

  /** These channels. Throws an `InvalidSelectionError` for one that is not there. */
  channels(channels: readonly number[]): number[] {
    return channelIndices(this.#pyramid, this.axes.c, channels);
  }

  /** The channel that `at` gives, at other indices if they are given. */
  channelOf(at: TileAt = {}): number {
    const { c } = this.axes;
    const all = this.with(at);
    const given = c === undefined ? 0 : givenAlong(this.#pyramid.axes, all, c);
    return this.channels([given ?? 0])[0] as number;
  }

  /**
   * Returns the elements of a tile, at other indices if they are given. Null outside of the level.
   */
  ofTile({ z, column, row }: TileNumber, at?: TileAt): TileRegion | null {
    const level = this.levels[z];
    const spans = level && tileSpans(level, column, row);
    return spans ? { level, column, row, ...spans, at: this.indices(level, at && this.with(at)) } : null;
  }

  /** Returns the elements of the tile that has this one. `column` is in drawing order. */
  ofElement(z: number, column: number, row: number): TileRegion | null {
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
  readonly #regions: TileRegions;
  readonly #reader: TileReader;

  constructor(options: PyramidSourceOptions, regions: TileRegions, reader: TileReader) {
    this.#levels = options.pyramid.levels;
    [this.#options, this.#regions, this.#reader] = [options, regions, reader];
  }

  /**
   * Returns the cached values of channels, from the level that is shown. Null outside of the array.
   */
  cached([x, y]: Point, z: number, channels: readonly number[]): TileReading | null {
    const { levels, axes } = this.#regions;
    const level = levels[z] as TileLevel;
    const element = elementAt(level, x, y);
    if (!element) return null;
    const index = this.#regions.indices(level);
    if (!this.#options.warped) [index[axes.x], index[axes.y]] = [element.column, element.row];
    const column = (element.column - level.roll + level.width) % level.width;
    const tile = this.#regions.ofElement(z, column, element.row);
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
    return this.#requested(warped ? await this.#atPoint(reading, point, warped, signal) : reading, signal);
  }

  /** Sets the element of a warped map. */
  async #atPoint(
    reading: TileReading,
    point: Point,
    warped: NonNullable<PyramidSourceOptions["warped"]>,
    signal: AbortSignal | undefined,
  ): Promise<TileReading> {
    const { array } = this.#levels[reading.level] as PyramidLevel;
    const element = await elementAtPoint(array, point, { ...warped, signal });
    const isLinear = warped.method === "linear";
    const values = reading.values.map(({ channel, value }) => {
      if (!element) return { channel, value: Number.NaN }; // outside of the array
      return { channel, value: isLinear ? value : undefined };
    });
    const index = [...reading.index];
    const { axes } = this.#regions;
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
          axis === this.#regions.axes.c ? channel : index,
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
