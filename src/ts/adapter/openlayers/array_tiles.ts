/**
 * Reads tiles as boxes of the levels' arrays: stored elements, unpacked elements, or colours of
 * labels.
 */
import type { CfOptions } from "../../api/read/conversion.ts";
import type { AnySelection } from "../../api/selection.ts";
import type { PyramidLevel } from "../../convention/pyramid_level.ts";
import type { Slice } from "../../model/types.ts";
import type { TileElements } from "./texels.ts";
import { columnRuns, type TileLevel } from "./tile_levels.ts";
import type { ReadWish, TileFetch, TilePlace } from "./tile_reader.ts";

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
  /** Whether elements are labels. Each becomes the four bytes of its colour. */
  areLabels: boolean;
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
  const readGroup = async (place: TilePlace, channels: readonly number[], wish: ReadWish) => {
    const ends: Ends = [Math.min(...channels), Math.max(...channels) + 1];
    const { array } = levels[place.level.level] as PyramidLevel;
    const runs = columnRuns(place.level, place.x);
    const boxes = await Promise.all(
      runs.map(async (run) => {
        const rows: Ends = [place.y.start, place.y.stop];
        const data = await elementsOf(
          array,
          selectionOf(place, axes, { x: run, y: rows, c: ends }),
          form,
          wish,
        );
        return boxOf(data, axes, [run[1] - run[0], rows[1] - rows[0], ends[1] - ends[0]]);
      }),
    );
    const box = boxes.length === 1 ? (boxes[0] as Box) : joined(boxes);
    return channels.map((channel) => [channel, channelOf(box, channel - ends[0])] as const);
  };
  return async (place, channels, wish) => {
    const groups = groupsOf(levels, axes, place.level, channels);
    return (await Promise.all(groups.map((group) => readGroup(place, group, wish)))).flat();
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

function selectionOf({ at }: TilePlace, axes: TileAxes, ends: { x: Ends; y: Ends; c: Ends }) {
  return at.map((index, axis): number | Slice => {
    if (axis === axes.x) return slice(ends.x);
    if (axis === axes.y) return slice(ends.y);
    return axis === axes.c ? slice(ends.c) : index;
  });
}

async function elementsOf(
  array: PyramidLevel["array"],
  selection: AnySelection,
  { decode, areLabels }: ElementForm,
  wish: ReadWish,
): Promise<Numbers> {
  if (areLabels) {
    const { data } = await array.get(selection, { ...wish, as: "rgba", colors: "labels" });
    return new Uint32Array(data.buffer, data.byteOffset, data.length / 4);
  }
  const { data } = decode
    ? await array.get(selection, { ...wish, decode })
    : await array.get(selection, wish);
  return data as unknown as Numbers;
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
  return { data: whole as unknown as Numbers, width, height, channels, ...strides };
}
