/**
 * Makes pictures of tiles, for map libraries that draw images: selects the level of a tile,
 * converts its elements to colours, and puts it into the tile. Each adapter translates the tiles of
 * its library into these tiles. The OpenLayers adapter does not use this file, because OpenLayers
 * takes elements instead of pictures.
 */
import { addLight, type Colors, colorTable, type LabelColors } from "../../api/read/colors.ts";
import { type CfOptions, type ConversionOptions, windowOf } from "../../api/read/conversion.ts";
import { DECODE_RULE } from "../../api/read/rules.ts";
import {
  type AtIndices,
  atWith,
  channelAxisOf,
  channelIndices,
  givenAlong,
  levelIndices,
  planeSelection,
} from "../../conventions/ts/axis_indices.ts";
import { channelLook, shownChannels } from "../../conventions/ts/channels.ts";
import { pointIn, toIndex, toWorld } from "../../conventions/ts/geometry.ts";
import {
  type CrsLike,
  type Proj4Like,
  type Projection,
  projectionOf,
} from "../../conventions/ts/projection.ts";
import { needPlane, type PyramidLevel } from "../../conventions/ts/pyramid_level.ts";
import type { Pyramid } from "../../conventions/ts/pyramid_model.ts";
import { type WarpSource, warp, warpSource } from "../../conventions/ts/warp.ts";
import { need, optionsOf, type Rules, type RuleTable } from "../../engine/ts/model/argument.ts";
import { UnsupportedError } from "../../engine/ts/model/errors.ts";

/** How a channel is drawn. */
export interface PictureChannel {
  /** The index along the axis of channels. */
  channel: number;
  /** The colour of the window's end, as `"#rrggbb"`. */
  color: string;
  /** The numbers that are black and fully coloured. */
  window: readonly [low: number, high: number];
  /** Exponent for positions in the window, from 0 to 1. Default: 1. */
  gamma?: number;
}

/** Options of pictures of a pyramid. */
export interface PictureOptions {
  /** Indices of the dimensions other than x and y, by name or role. Default: 0. */
  at?: AtIndices | undefined;
  /**
   * Channels whose light is added. Default: the one that `at` gives, else the active channels of
   * OME's `omero` metadata (without a word the first four, and at most 64), else red, green and
   * blue of pixels that are bytes. With `window` or `colors` one channel is drawn.
   */
  channels?: readonly PictureChannel[] | undefined;
  /**
   * The numbers of the first and the last colour, for one channel. Default: the range of the data
   * type, for integers of up to 16 bits.
   *
   * @throws an `Argument` error if it is needed and not given.
   */
  window?: readonly [low: number, high: number] | undefined;
  /** The colours of one channel. Default: `"gray"`. */
  colors?: Colors | LabelColors | undefined;
  /** Exponent for positions in the window, from 0 to 1. Default: 1. */
  gamma?: number | undefined;
  /**
   * Missing values are transparent. `"cf"` finds them by CF's attributes and unpacks the others;
   * with `false` only NaN is missing. Default: `"cf"` with `window`, where the fill value of v2
   * counts in arrays of xarray alone; `false` for channels.
   */
  decode?: "cf" | CfOptions | false | undefined;
  /** Reads with a higher priority come first. Default: 0. */
  priority?: number | undefined;
}

/** Options of pictures on a map. */
export interface MapPictureOptions extends PictureOptions {
  /**
   * proj4's default export. Default: none, which is enough if map and array have the same reference
   * system.
   */
  proj4?: Proj4Like | undefined;
  /** The reference system of the array's coordinates. Default: that of the metadata. */
  from?: CrsLike | undefined;
  /**
   * What a pixel has: `"nearest"` the nearest element, `"linear"` the bilinear interpolation of
   * four. Default: `"nearest"`.
   */
  method?: "nearest" | "linear" | undefined;
}

const CHANNEL_RULES: Rules<PictureChannel> = {
  channel: "a number",
  color: "a text",
  window: "a list",
  gamma: "a number",
};

/** What the options of pictures must be. */
export const PICTURE_RULES: Rules<PictureOptions> = {
  at: "an object",
  channels: "a list",
  window: "a list",
  colors: "a text or an object",
  gamma: "a number",
  decode: [...DECODE_RULE, false],
  priority: "a priority",
};

/** What the options of pictures on a map must be. */
export const MAP_PICTURE_RULES: Rules<MapPictureOptions> = {
  ...PICTURE_RULES,
  proj4: "a function",
  from: "a text or an object",
  method: ["nearest", "linear"],
};

/** A rectangle: x of the left and right, y of the top and bottom. */
export type Box = readonly [left: number, top: number, right: number, bottom: number];

/** The picture of one channel. Pictures of several are added. */
interface Paint extends Pick<ConversionOptions, "window" | "gamma" | "colors" | "decode"> {
  at: AtIndices;
}

/** `at` with the index of a channel. An array without channels has one, whose index is 0. */
function atChannel(pyramid: Pyramid, at: AtIndices, channel: number): AtIndices {
  const { axes } = pyramid;
  const axis = channelAxisOf(axes);
  const [own] = channelIndices(pyramid, axis, [channel]);
  return atWith(
    axes,
    at,
    axes.map((_, other) => (other === axis ? own : undefined)),
  );
}

/** The channels that are drawn: the one that `at` gives, else those that are shown at first. */
function drawnChannels(pyramid: Pyramid, at: AtIndices): number[] {
  const axis = channelAxisOf(pyramid.axes);
  const chosen = axis === undefined ? 0 : givenAlong(pyramid.axes, at, axis);
  return typeof chosen === "number" ? channelIndices(pyramid, axis, [chosen]) : shownChannels(pyramid);
}

/**
 * How values are unpacked if the caller does not say it. The fill value of a v2 array means
 * "missing" in data of xarray, which has `_ARRAY_DIMENSIONS`. In other data it is a value, such as
 * black.
 */
const usual = ({ levels }: Pyramid): CfOptions => {
  const attrs = levels[0]?.array.attrs ?? {};
  return { convention: "cf", zarrFillValue: "_ARRAY_DIMENSIONS" in attrs };
};

function paintsOf(pyramid: Pyramid, options: PictureOptions): Paint[] {
  const { at = {}, channels, window, colors, gamma, decode } = options;
  const decoded = decode || undefined;
  const inColor = ({ channel, color, ...shown }: PictureChannel): Paint => {
    const own = atChannel(pyramid, at, channel);
    return { ...shown, decode: decoded, colors: ["#000000", color], at: own };
  };
  if (channels) return channels.map(inColor);
  if (window || colors || pyramid.channels.length === 0) {
    return [{ at, window, colors, gamma, decode: decode === undefined && window ? usual(pyramid) : decoded }];
  }
  return drawnChannels(pyramid, at).map((channel) => {
    const { color, window: ends } = channelLook(pyramid, channel);
    return inColor({ channel, color, window: ends as [number, number] });
  });
}

/**
 * Throws an `Argument` error for options that no tile could be drawn with, so that the caller hears
 * of them when the layer is made.
 */
export function checkPictures(pyramid: Pyramid, options: PictureOptions, rules: RuleTable): void {
  const { channels = [] } = optionsOf(options, rules);
  for (const [at, channel] of channels.entries())
    optionsOf(channel, CHANNEL_RULES, `channels[${at}]`, undefined, `channels[${at}].`);
  const nothing = [0, 0] as const;
  for (const { at } of paintsOf(pyramid, options)) planeSelection(pyramid, 0, at, [nothing, nothing]);
}

/** Adds pictures, in memory that `ImageData` takes. */
function imageOf(pictures: readonly Uint8ClampedArray[], width: number, height: number): ImageData {
  if (pictures.length === 0) return new ImageData(width, height);
  const sum = pictures.length === 1 ? (pictures[0] as Uint8ClampedArray) : addLight(pictures);
  return new ImageData(sum as Uint8ClampedArray<ArrayBuffer>, width, height);
}

/**
 * Returns the coarsest level in which the side of an element covers at most `elements` elements of
 * the finest level.
 */
function levelFor({ levels }: Pyramid, elements: number): PyramidLevel {
  const finest = levels[0] as PyramidLevel;
  const most = elements * finest.unitsPerElement * 1.01;
  return levels.findLast(({ unitsPerElement }) => unitsPerElement <= most) ?? finest;
}

/**
 * Returns the ranges of elements whose centres are inside of a box of the finest level's pixels.
 */
function rangesOf(pyramid: Pyramid, level: PyramidLevel, [left, top, right, bottom]: Box) {
  const { plane, levels } = pyramid;
  const finest = levels[0] as PyramidLevel;
  const indexOf = (x: number, y: number) =>
    toIndex(level, plane, toWorld(finest, plane, pointIn(level.shape.length, plane, [x - 0.5, y - 0.5])));
  const [first, last] = [indexOf(left, top), indexOf(right, bottom)];
  const within = (axis: number, index = 0) =>
    Math.min(Math.max(Math.ceil(index - 1e-6), 0), level.shape[axis] ?? 0);
  const range = (axis: number) => [within(axis, first[axis]), within(axis, last[axis])] as const;
  return { x: range(plane.x), y: range(plane.y) };
}

/** A picture of elements, and its position in pixels of the finest level. */
export interface PixelTile {
  image: ImageData;
  bounds: Box;
  /** Index of the level in `levels`. */
  level: number;
}

/** Returns the position of elements of a level in pixels of the finest level. */
function boundsOf(
  { plane, levels }: Pyramid,
  level: PyramidLevel,
  x: readonly number[],
  y: readonly number[],
): Box {
  const finest = levels[0] as PyramidLevel;
  const edge = (across = 0, down = 0) => {
    const index = pointIn(level.shape.length, plane, [across - 0.5, down - 0.5], -0.5);
    const finer = toIndex(finest, plane, toWorld(level, plane, index));
    return [(finer[plane.x] ?? 0) + 0.5, (finer[plane.y] ?? 0) + 0.5] as const;
  };
  return [...edge(x[0], y[0]), ...edge(x[1], y[1])];
}

/**
 * The picture of a box of the finest level's pixels, `size` pixels wide, from the level that fits.
 * Resolves to null if the box is outside of the image.
 */
export async function pixelTile(
  pyramid: Pyramid,
  box: Box,
  size: number,
  options: PictureOptions,
  signal: AbortSignal | undefined,
): Promise<PixelTile | null> {
  const [plane, { levels }] = [needPlane(pyramid), pyramid];
  const level = levelFor(pyramid, (box[2] - box[0]) / size);
  const { x, y } = rangesOf(pyramid, level, box);
  const [width, height] = [x[1] - x[0], y[1] - y[0]];
  if (width <= 0 || height <= 0) return null;
  const read = async ({ at, ...shown }: Paint) => {
    const selection = planeSelection(pyramid, levels.indexOf(level), at, [x, y]);
    const wish = { signal, priority: options.priority ?? 0, memoryOrder: [plane.y, plane.x] };
    return (await level.array.get(selection, { ...shown, ...wish, as: "rgba" })).data;
  };
  const pictures = await Promise.all(paintsOf(pyramid, options).map(read));
  const image = imageOf(pictures, width, height);
  return { image, bounds: boundsOf(pyramid, level, x, y), level: levels.indexOf(level) };
}

/** Returns the side of the finest level's elements, in units of its reference system. */
function stepOf({ geometry }: WarpSource): number | undefined {
  if (geometry.kind === "curvilinear") return undefined;
  if (geometry.kind === "turned") return Math.hypot(geometry.affine[0] ?? 0, geometry.affine[3] ?? 0);
  // Even steps are stored as start and step, coordinates as a list.
  const [isListed, , second = 0, third = 0] = geometry.x;
  return Math.abs(isListed ? third - second : second);
}

/** A picture of a map: extent as left, bottom, right and top, in the map's reference system. */
export interface MapBox {
  crs: CrsLike;
  extent: readonly [left: number, bottom: number, right: number, top: number];
  size: readonly [columns: number, rows: number];
}

/** Resolves to the level with elements no larger than the map's pixels. */
async function levelOfMap(
  pyramid: Pyramid,
  { crs, extent, size }: MapBox,
  { proj4, from }: MapPictureOptions,
  signal: AbortSignal | undefined,
): Promise<PyramidLevel> {
  const finest = pyramid.levels[0] as PyramidLevel;
  if (pyramid.levels.length === 1) return finest;
  const source = await warpSource(finest.array, from, signal);
  const step = stepOf(source);
  const { toSource } = projectionOf(crs, source.crs, proj4);
  const spanAt = (across: number, up: number) => pixelSpan({ extent, size }, across, up, toSource);
  const middle = spanAt(0.5, 0.5);
  // The middle may be outside of the source's system, where a corner of the tile is not.
  const corners = [spanAt(0.1, 0.1), spanAt(0.9, 0.1), spanAt(0.1, 0.9), spanAt(0.9, 0.9)];
  const span = middle === Infinity ? Math.min(...corners) : middle;
  if (step === undefined || span === Infinity) return pyramid.levels.at(-1) as PyramidLevel;
  return levelFor(pyramid, span / step);
}

/**
 * Returns the width of a pixel in units of the source. Infinity where the source has no position.
 */
function pixelSpan(
  { extent: [left, bottom, right, top], size }: Pick<MapBox, "extent" | "size">,
  across: number,
  up: number,
  toSource: Projection["toSource"],
): number {
  const [x, y] = [left + across * (right - left), bottom + up * (top - bottom)];
  const [here, there] = [toSource([x, y]), toSource([x + (right - left) / size[0], y])];
  return here && there ? Math.hypot(there[0] - here[0], there[1] - here[1]) : Infinity;
}

/** Returns the colours of numbers, as the decoders make them (`src/kernel/convert.rs`). */
function shaded(numbers: Float32Array, { colors, window, gamma = 1, decode }: Paint, dtype: string) {
  if (colors === "labels" || (typeof colors === "object" && "labels" in colors))
    throw new UnsupportedError("the colours of labels on a map", { expected: "colours of numbers" });
  const table = new Uint32Array(colorTable(colors ?? "gray").buffer);
  const [low, high] = windowOf({ window, decode }, dtype);
  // What `get` refuses where it makes the colours.
  need(Number.isFinite(low) && Number.isFinite(high), "window", "two finite numbers", window);
  need(Number.isFinite(gamma) && gamma > 0, "gamma", "a number above zero", gamma);
  const last = table.length - 2;
  const words = new Uint32Array(numbers.length);
  for (let at = 0; at < numbers.length; at += 1) {
    const share = Math.min(Math.max(((numbers[at] as number) - low) / (high - low), 0), 1);
    const position = gamma === 1 ? share : share ** gamma;
    words[at] = table[Number.isNaN(position) ? last + 1 : Math.floor(position * last + 0.5)] as number;
  }
  return new Uint8ClampedArray(words.buffer);
}

/**
 * Resolves to the picture of a part of a map, from the level that fits. Transparent outside of the
 * array.
 */
export async function mapTile(
  pyramid: Pyramid,
  map: MapBox,
  options: MapPictureOptions,
  signal: AbortSignal | undefined,
): Promise<ImageData> {
  const { proj4, from, method = "nearest", priority = 0 } = options;
  const level = await levelOfMap(pyramid, map, options, signal);
  const { array } = level;
  const onMap = {
    ...map,
    method,
    priority,
    proj4,
    from,
    signal,
  };
  const read = async (paint: Paint) => {
    // The level's own indices: `warp` takes its array for the finest one.
    const at = levelIndices(pyramid, pyramid.levels.indexOf(level), paint.at);
    const { data } = await warp(array, { ...onMap, at, decode: paint.decode ?? false });
    return shaded(data, paint, array.dtype);
  };
  return imageOf(await Promise.all(paintsOf(pyramid, options).map(read)), ...map.size);
}

/** Half the width of the web's map in metres. */
const HALF_WORLD = Math.PI * 6378137;

/** Returns the index of a tile in the grid of web maps, whose first row is the top one. */
export function webMapBox({ x, y, z }: { x: number; y: number; z: number }, side: number): MapBox {
  const width = (2 * HALF_WORLD) / 2 ** z;
  const [left, top] = [x * width - HALF_WORLD, HALF_WORLD - y * width];
  return { crs: "EPSG:3857", extent: [left, top - width, left + width, top], size: [side, side] };
}
