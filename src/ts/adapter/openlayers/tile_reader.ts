/**
 * Reads the elements of tiles, and keeps the latest within a number of bytes: contrast, steps back and forth and values under the pointer
 * take them from here. What a tile looks like is not known here.
 */
import type { CfOptions } from "../../api/read/packing.ts";
import type { AnySelection } from "../../api/selection.ts";
import type { PyramidLevel } from "../../convention/pyramid_level.ts";
import type { Slice } from "../../model/types.ts";
import type { TileElements } from "./texels.ts";
import { columnRuns, type TileLevel, type TileSpan } from "./tile_levels.ts";

/** Numbers, whatever their type. */
type Numbers = ArrayLike<number | bigint | boolean>;

/** Which elements of which level. */
export interface TilePlace {
  level: TileLevel;
  column: number;
  row: number;
  x: TileSpan;
  y: TileSpan;
  /** Index of each axis of the level's array; those of x, y and the channels are not looked at. */
  at: readonly number[];
}

export interface ReadWish {
  signal: AbortSignal;
  /** The highest is read first; below 0 it makes way for all else. */
  priority: number;
}

export interface TileAxes {
  x: number;
  y: number;
  /** Of channels; undefined where there is none. */
  c: number | undefined;
}

type Decode = "cf" | CfOptions | undefined;

interface Kept {
  elements: TileElements;
  bytes: number;
}

export class TileReader {
  readonly #levels: readonly PyramidLevel[];
  readonly #axes: TileAxes;
  readonly #decode: Decode;
  readonly #mostBytes: number;
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  constructor(levels: readonly PyramidLevel[], axes: TileAxes, options: { decode: Decode; bytes: number }) {
    [this.#levels, this.#axes] = [levels, axes];
    [this.#decode, this.#mostBytes] = [options.decode, options.bytes];
  }

  #key({ level, column, row, at }: TilePlace, channel: number): string {
    const others = at.filter(
      (_, axis) => axis !== this.#axes.x && axis !== this.#axes.y && axis !== this.#axes.c,
    );
    return `${level.level}/${column}/${row}/${others.join(",")}/${channel}`;
  }

  /** The elements of a channel, where they were read and are kept. */
  kept(place: TilePlace, channel: number): TileElements | undefined {
    const key = this.#key(place, channel);
    const found = this.#kept.get(key);
    if (!found) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, found);
    return found.elements;
  }

  /** The elements of channels, read where they are not kept. */
  async read(place: TilePlace, channels: readonly number[], wish: ReadWish): Promise<TileElements[]> {
    const missing = channels.filter((channel) => this.kept(place, channel) === undefined);
    const found = new Map<number, TileElements>();
    await Promise.all(
      this.#groups(place.level, missing).map(async (group) => {
        for (const [channel, elements] of await this.#readGroup(place, group, wish)) {
          this.#keep(this.#key(place, channel), elements, place);
          found.set(channel, elements);
        }
      }),
    );
    return channels.map((channel) => (found.get(channel) ?? this.kept(place, channel)) as TileElements);
  }

  /** Channels that lie in one chunk are read together. */
  #groups({ level }: TileLevel, channels: readonly number[]): number[][] {
    const { c } = this.#axes;
    const chunk = c === undefined ? 1 : (this.#levels[level]?.chunks[c] ?? 1);
    const groups = new Map<number, number[]>();
    for (const channel of channels) {
      const group = Math.floor(channel / chunk);
      groups.set(group, [...(groups.get(group) ?? []), channel]);
    }
    return [...groups.values()];
  }

  async #readGroup(place: TilePlace, channels: readonly number[], wish: ReadWish) {
    const [first, last] = [Math.min(...channels), Math.max(...channels)];
    const runs = columnRuns(place.level, place.x);
    const parts = await Promise.all(runs.map((run) => this.#get(place, run, [first, last + 1], wish)));
    const whole = parts.length === 1 ? (parts[0] as Part) : joined(parts, place.y.stop - place.y.start);
    return channels.map((channel): [number, TileElements] => {
      const { data, strideX, strideY, strideC } = whole;
      return [channel, { data, offset: (channel - first) * strideC, strideX, strideY }];
    });
  }

  async #get({ level, y, at }: TilePlace, run: [number, number], channels: [number, number], wish: ReadWish) {
    const { array } = this.#levels[level.level] as PyramidLevel;
    const slice = (start: number, stop: number): Slice => ({ start, stop, step: null });
    const selection = at.map((index, axis): number | Slice => {
      if (axis === this.#axes.x) return slice(...run);
      if (axis === this.#axes.y) return slice(y.start, y.stop);
      return axis === this.#axes.c ? slice(...channels) : index;
    }) as AnySelection;
    const { data } = this.#decode
      ? await array.get(selection, { ...wish, decode: this.#decode })
      : await array.get(selection, wish);
    return this.#part(data as unknown as Numbers, [
      run[1] - run[0],
      y.stop - y.start,
      channels[1] - channels[0],
    ]);
  }

  /** A result in C order: the last axis is the fastest. */
  #part(data: Numbers, [width, height, channels]: [number, number, number]): Part {
    const { x, y, c } = this.#axes;
    const sizes = [
      { axis: x, size: width, name: "strideX" as const },
      { axis: y, size: height, name: "strideY" as const },
      ...(c === undefined ? [] : [{ axis: c, size: channels, name: "strideC" as const }]),
    ].sort((a, b) => b.axis - a.axis);
    const part: Part = { data, width, height, channels, strideX: 0, strideY: 0, strideC: 0 };
    let stride = 1;
    for (const { size, name } of sizes) {
      part[name] = stride;
      stride *= size;
    }
    return part;
  }

  #keep(key: string, elements: TileElements, { x, y }: TilePlace): void {
    const each = (elements.data as { BYTES_PER_ELEMENT?: number }).BYTES_PER_ELEMENT ?? 8;
    const bytes = (x.stop - x.start) * (y.stop - y.start) * each;
    this.#bytes += bytes - (this.#kept.get(key)?.bytes ?? 0);
    this.#kept.delete(key);
    this.#kept.set(key, { elements, bytes });
    for (const [oldest, { bytes: freed }] of this.#kept) {
      if (this.#bytes <= this.#mostBytes || oldest === key) break;
      this.#kept.delete(oldest);
      this.#bytes -= freed;
    }
  }
}

interface Part {
  data: Numbers;
  width: number;
  height: number;
  channels: number;
  strideX: number;
  strideY: number;
  strideC: number;
}

/** Two parts of a rolled world side by side. */
function joined(parts: readonly Part[], height: number): Part {
  const width = parts.reduce((sum, part) => sum + part.width, 0);
  const { channels = 1, data } = parts[0] as Part;
  const size = width * height * channels;
  const Type = data.constructor as new (length: number) => { [index: number]: number | bigint | boolean };
  const whole = new Type(size);
  let left = 0;
  for (const part of parts) {
    for (let c = 0; c < channels; c += 1) {
      for (let y = 0; y < height; y += 1) {
        const [from, to] = [c * part.strideC + y * part.strideY, (c * height + y) * width + left];
        for (let x = 0; x < part.width; x += 1) {
          whole[to + x] = part.data[from + x * part.strideX] as number;
        }
      }
    }
    left += part.width;
  }
  const strides = { strideX: 1, strideY: width, strideC: width * height };
  return { data: whole as unknown as Numbers, width, height, channels, ...strides };
}
