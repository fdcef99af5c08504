/**
 * The textures of tiles, and OpenLayers styles for them. A texture has the elements of a tile as
 * bands of bytes or 32-bit floats side by side, or is a picture: channels whose colours are added.
 * A mask band marks missing values. Textures contain no NaN, because drivers treat it differently.
 * WebKitGTK's and some phones' textures hold 16-bit floats, which end at 65504 and have 11 bits. So
 * bands can have shares of a range instead of values.
 *
 * Styles add the colours of channels, or show numbers as colours of a palette. Windows, colours and
 * gammas are style variables: `layer.updateStyleVariables(...)` changes them without requests and
 * without a new shader.
 */

import type { Style } from "ol/layer/WebGLTile.js";
import { floatBits } from "../../../engine/ts/model/number_types.ts";
import type { OwnFloat64, OwnInt32 } from "../../../engine/ts/model/own_memory.ts";
import { pauseIfDue } from "../../../engine/ts/model/waiting.ts";
import type { TileLevel, TileSpan } from "./tile_levels.ts";

// First, the elements of a tile are put into the order of a texture: rows from the top, columns
// from the left, with filled edges.

/** The numbers of one channel of a tile. */
export interface TileElements {
  readonly data: ArrayLike<number | bigint | boolean>;
  /** The index of the first element, and the step to the next. */
  readonly offset: number;
  readonly strideX: number;
  readonly strideY: number;
}

export interface Spans {
  x: TileSpan;
  y: TileSpan;
}

interface Texels {
  offsets: OwnInt32;
  /** The range of texels with elements. */
  from: number;
  to: number;
}

/**
 * Returns the index of the element for each texel of an axis. Texels beyond the elements repeat the
 * last one.
 */
export function texels(span: TileSpan, side: number, flipped: boolean, stride: number): Texels {
  const offsets = new Int32Array(side);
  const count = span.stop - span.start;
  let inside = 0;
  for (let texel = 0; texel < side; texel += 1) {
    const element = (flipped ? span.first - texel : span.first + texel) - span.start;
    if (element >= 0 && element < count) inside += 1;
    offsets[texel] = Math.min(Math.max(element, 0), count - 1) * stride;
  }
  return { offsets, from: flipped ? side - inside : 0, to: flipped ? side : inside };
}

/** Whether data is a typed array of numbers. */
const isNumbers = (data: unknown): data is Uint8Array =>
  ArrayBuffer.isView(data) && !(data instanceof BigInt64Array) && !(data instanceof BigUint64Array);

/** Converts elements to 32-bit floats. Loops over one type are faster. */
function floatsOf({ data }: TileElements): Float32Array {
  if (data instanceof Float32Array) return data;
  return isNumbers(data) ? new Float32Array(data) : Float32Array.from(data as ArrayLike<number>, Number);
}

/**
 * Returns the texels of one channel. Beyond the elements they are NaN with `endsAtEdge`; otherwise
 * they repeat the last element.
 */
export function planeOf(
  level: TileLevel,
  spans: Spans,
  elements: TileElements,
  endsAtEdge: boolean,
): Float32Array {
  const { tileWidth, tileHeight } = level;
  const { offset, strideX, strideY } = elements;
  const across = texels(spans.x, tileWidth, level.flipX, strideX);
  const down = texels(spans.y, tileHeight, level.flipY, strideY);
  const plane = new Float32Array(tileWidth * tileHeight);
  const data = floatsOf(elements);
  const isRun = strideX === 1 && !level.flipX && across.to === tileWidth;
  for (let v = 0; v < tileHeight; v += 1) {
    const [row, at] = [offset + (down.offsets[v] as number), v * tileWidth];
    if (isRun) plane.set(data.subarray(row, row + tileWidth), at);
    else
      for (let u = 0; u < tileWidth; u += 1)
        plane[at + u] = data[row + (across.offsets[u] as number)] as number;
    if (!endsAtEdge) continue;
    if (v < down.from || v >= down.to) plane.fill(Number.NaN, at, at + tileWidth);
    plane.fill(Number.NaN, at, at + across.from).fill(Number.NaN, at + across.to, at + tileWidth);
  }
  return plane;
}

/** Returns the number at a column and row of a tile. */
export const elementOf = ({ data, offset, strideX, strideY }: TileElements, column: number, row: number) =>
  data[offset + column * strideX + row * strideY];

/** Returns the numbers of a tile in row-major order. */
export function valuesOf({ data, offset, strideX, strideY }: TileElements, { x, y }: Spans): OwnFloat64 {
  const [width, height] = [x.stop - x.start, y.stop - y.start];
  const values = new Float64Array(width * height);
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      values[row * width + column] = Number(data[offset + row * strideY + column * strideX]);
    }
  }
  return values;
}

/** Returns the texels of elements that are colours of four bytes. */
export function colorsOf(
  level: TileLevel,
  spans: Spans,
  { data, offset, strideX, strideY }: TileElements,
): Uint8Array {
  const { tileWidth, tileHeight } = level;
  const across = texels(spans.x, tileWidth, level.flipX, strideX);
  const down = texels(spans.y, tileHeight, level.flipY, strideY);
  const [colors, out] = [data as Uint32Array, new Uint32Array(tileWidth * tileHeight)];
  for (let v = down.from; v < down.to; v += 1) {
    const row = offset + (down.offsets[v] as number);
    for (let u = across.from; u < across.to; u += 1) {
      out[v * tileWidth + u] = colors[row + (across.offsets[u] as number)] as number;
    }
  }
  return new Uint8Array(out.buffer);
}

/** Just below the largest 32-bit float. Replaces infinities, which are drawn as a window's end. */
const LARGEST = 3.4e38;

export interface Packing {
  /** Whether bands are bytes from 0 to 255. */
  asBytes: boolean;
  /** Whether the last band is the mask. */
  hasMask: boolean;
  /** Whether bands have decimal logarithms. Values without one are missing. */
  isLog: boolean;
  /** Bands have `(value - origin) / unit`. */
  origin: number;
  unit: number;
}

/** Returns the texture data of a tile, with the width and height of the level's tiles. */
export function packTile(
  level: TileLevel,
  spans: Spans,
  channels: readonly TileElements[],
  { asBytes, hasMask, isLog, origin, unit }: Packing,
): Uint8Array | Float32Array {
  const planes = channels.map((elements) => planeOf(level, spans, elements, hasMask));
  if (isLog) for (const plane of planes) takeLogarithms(plane);
  else if (!asBytes && (origin !== 0 || unit !== 1))
    for (const plane of planes) takeShares(plane, origin, unit);
  const bands = planes.length + (hasMask ? 1 : 0);
  const [only] = planes;
  if (only && bands === 1) return asBytes ? new Uint8Array(only) : only;
  const out = new Float32Array(level.tileWidth * level.tileHeight * bands);
  for (const [band, plane] of planes.entries()) {
    if (hasMask) copyMasked(plane, out, bands, band);
    else
      for (let texel = 0, at = band; texel < plane.length; texel += 1, at += bands)
        out[at] = plane[texel] as number;
  }
  if (!asBytes) return out;
  const bytes = new Uint8Array(out);
  if (hasMask)
    for (let at = bands - 1; at < bytes.length; at += bands) bytes[at] = 255 * (bytes[at] as number);
  return bytes;
}

/** Copies a band. Sets the mask to 1 for its values. */
function copyMasked(plane: Float32Array, out: Float32Array, bands: number, band: number): void {
  for (let texel = 0, at = 0; texel < plane.length; texel += 1, at += bands) {
    const value = plane[texel] as number;
    if (Number.isNaN(value)) continue;
    out[at + band] = Math.min(Math.max(value, -LARGEST), LARGEST);
    out[at + bands - 1] = 1;
  }
}

function takeLogarithms(plane: Float32Array): void {
  for (let texel = 0; texel < plane.length; texel += 1) {
    const value = plane[texel] as number;
    plane[texel] = value > 0 ? Math.log10(value) : Number.NaN;
  }
}

function takeShares(plane: Float32Array, origin: number, unit: number): void {
  for (let texel = 0; texel < plane.length; texel += 1) {
    plane[texel] = ((plane[texel] as number) - origin) / unit;
  }
}

/** The layout of a tile's texture, which styles need. */
export interface BandLayout {
  /** The number of bands. */
  count: number;
  /** Whether bands are bytes. */
  isByte: boolean;
  /** Whether the last band is the mask. */
  hasMask: boolean;
  /** Whether tiles are pictures (red, green, blue, alpha) that the page makes. */
  isPicture: boolean;
  /** A style reads `(value - origin) / unit`: what is subtracted. */
  origin: number;
  /** A style reads `(value - origin) / unit`: what it is divided by. */
  unit: number;
}

/** Maximum number of bands that OpenLayers uploads without rearranging them. */
const MAX_BANDS = 4;

/** WebGL reads the bytes 0 to 255 as 0 to 1. */
const BYTE_SCALE = { origin: 0, unit: 255 };
/** The scale of bands with the values themselves, or with their logarithms. */
export const VALUE_SCALE = { origin: 0, unit: 1 };

function scaleOf(range: readonly [low: number, high: number] | undefined) {
  const [origin, unit] = range ? [range[0], range[1] - range[0]] : [0, 1];
  return Number.isFinite(origin) && Number.isFinite(unit) && unit > 0 ? { origin, unit } : VALUE_SCALE;
}

interface BandsFrom {
  dtype: string;
  /** Whether elements are unpacked, and missing values masked. */
  isPacked: boolean;
  /** Whether points of the map may be without an element. */
  mayMiss: boolean;
  /** Whether elements are labels, which have their own colours. */
  areLabels: boolean;
  /** The range of values that bands have as 0 to 1. */
  range?: readonly [low: number, high: number] | undefined;
}

/** Returns the layout of bands for a number of channels. */
export function bandsOf(
  { dtype, isPacked, mayMiss, areLabels, range }: BandsFrom,
  channels: number,
): BandLayout {
  const hasMask = isPacked || floatBits(dtype) !== undefined || mayMiss;
  const count = channels + (hasMask ? 1 : 0);
  if (areLabels || count > MAX_BANDS)
    return { count: 4, isByte: true, hasMask: true, isPicture: true, ...BYTE_SCALE };
  const isByte = !isPacked && ["uint8", "bool"].includes(dtype);
  return { count, isByte, hasMask, isPicture: false, ...(isByte ? BYTE_SCALE : scaleOf(range)) };
}

/** How a channel is drawn. */
export interface MixedChannel {
  /** The index along the axis of channels. */
  channel: number;
  /** Its colour: red, green and blue from 0 to 255. */
  color: readonly [red: number, green: number, blue: number];
  /** The numbers that are black and fully coloured. */
  window: readonly [number, number];
  /** The exponent for positions in the window, which are from 0 to 1. */
  gamma: number;
}

/** Number of rows between two checks of the clock. */
const ROWS = 16;

/** Resolves to the colours of a tile, four bytes a pixel. Other tasks run in between. */
export async function mixTile(
  level: TileLevel,
  spans: Spans,
  channels: readonly (TileElements & MixedChannel)[],
  signal: AbortSignal,
): Promise<Uint8Array> {
  const out = new Uint8Array(level.tileWidth * level.tileHeight * 4);
  const mix = tileMixer(level, spans, channels, out);
  for (let row = 0; row < level.tileHeight; row += ROWS) {
    mix(row, Math.min(row + ROWS, level.tileHeight));
    await pauseIfDue();
    signal.throwIfAborted();
  }
  return out;
}

/** Returns the function that mixes rows of a tile. */
export function tileMixer(
  level: TileLevel,
  spans: Spans,
  channels: readonly (TileElements & MixedChannel)[],
  out: Uint8Array,
): (from: number, to: number) => void {
  const width = level.tileWidth;
  const light = new Float32Array(width * 4);
  const adders = channels.map((channel) => lineAdder(planeOf(level, spans, channel, true), channel, light));
  return (from, to) => {
    for (let v = from; v < to; v += 1) {
      light.fill(0);
      for (const add of adders) add(v * width);
      const at = v * width * 4;
      for (let part = 0; part < light.length; part += 1) {
        const value = light[part] as number;
        out[at + part] = value > 255 ? 255 : value + 0.5;
      }
    }
  };
}

/** Adds one row of a channel. */
function lineAdder(plane: Float32Array, { color, gamma, window }: MixedChannel, light: Float32Array) {
  const [low, scale] = [window[0], 1 / Math.max(window[1] - window[0], Number.MIN_VALUE)];
  const [red, green, blue] = color;
  const width = light.length / 4;
  return (line: number): void => {
    for (let u = 0, at = 0; u < width; u += 1, at += 4) {
      const value = plane[line + u] as number;
      if (Number.isNaN(value)) continue;
      light[at + 3] = 255;
      if (value <= low) continue;
      let share = (value - low) * scale;
      if (share > 1) share = 1;
      else if (gamma !== 1) share = share ** gamma;
      light[at] = (light[at] as number) + share * red;
      light[at + 1] = (light[at + 1] as number) + share * green;
      light[at + 2] = (light[at + 2] as number) + share * blue;
    }
  };
}

type Expression = (string | number | Expression)[];
type Variables = Record<string, number>;

/** Returns the expression for the position in a window, from 0 to 1. */
const share = (band: number, suffix: string): Expression => [
  "clamp",
  [
    "/",
    ["-", ["band", band], ["var", `low${suffix}`]],
    ["-", ["var", `high${suffix}`], ["var", `low${suffix}`]],
  ],
  0,
  1,
];

const alphaOf = ({ hasMask, count }: BandLayout): Expression | number => (hasMask ? ["band", count] : 1);

/** Returns the ends of a window in units of the texture. They are never equal. */
function ends([low, high]: readonly [number, number], { origin, unit }: BandLayout): [number, number] {
  const [from, to] = [(low - origin) / unit, (high - origin) / unit];
  const least = Math.max(Math.abs(from), Math.abs(to), 1e-30) * 1e-6;
  return [from, to - from > least ? to : from + least];
}

/** Returns the variables of `channelStyle`. Null means that a channel is not drawn. */
export function channelVariables(layout: BandLayout, channels: readonly (MixedChannel | null)[]): Variables {
  const variables: Variables = {};
  for (const [at, channel] of channels.entries()) {
    const [low, high] = ends(channel?.window ?? [0, 1], layout);
    const [red, green, blue] = channel?.color ?? [0, 0, 0];
    const own = { low, high, gamma: channel?.gamma ?? 1, red, green, blue };
    for (const [name, value] of Object.entries(own)) variables[`${name}${at + 1}`] = value;
  }
  return variables;
}

/**
 * Returns a style that adds the colours of channels. A gamma of 1 costs nothing, but a change from
 * 1 or to 1 requires a new style. Tiles that are pictures are drawn unchanged.
 */
export function channelStyle(layout: BandLayout, channels: readonly (MixedChannel | null)[]): Style {
  if (layout.isPicture) return {};
  const light = (name: string): Expression | number => {
    const parts = channels.map((channel, at): Expression => {
      const position = share(at + 1, `${at + 1}`);
      const isCurved = channel !== null && channel.gamma !== 1;
      const curved: Expression = isCurved ? ["^", position, ["var", `gamma${at + 1}`]] : position;
      return ["*", curved, ["var", `${name}${at + 1}`]];
    });
    const sum = parts.length > 1 ? (["+", ...parts] as Expression) : (parts[0] ?? 0);
    return ["clamp", sum, 0, 255];
  };
  const color = ["color", light("red"), light("green"), light("blue"), alphaOf(layout)];
  return { variables: channelVariables(layout, channels), color };
}

/** The colours of numbers. */
export interface Palette {
  /** CSS colours from low to high. */
  colors: readonly string[];
  /** The numbers that have the first and the last colour. */
  window: readonly [number, number];
}

/**
 * Makes the variables of `paletteStyle`, for `layer.updateStyleVariables`.
 *
 * @param layout The bands of the source: `source.bands`.
 * @param window The numbers that have the first and the last colour.
 */
export function paletteVariables(layout: BandLayout, window: readonly [number, number]): Variables {
  const [low, high] = ends(window, layout);
  return { low, high };
}

/**
 * Makes a style that shows the first band in the colours of a palette.
 *
 *     const palette = { colors: ["#440154", "#fde725"], window: [230, 310] };
 *     new WebGLTileLayer({ source, style: paletteStyle(source.bands, palette) });
 *
 * @param layout The bands of the source: `source.bands`.
 */
export function paletteStyle(layout: BandLayout, { colors, window }: Palette): Style {
  const position: Expression = ["*", share(1, ""), colors.length - 1];
  const color: Expression = ["palette", position, colors as Expression];
  const variables = paletteVariables(layout, window);
  if (!layout.hasMask) return { variables, color };
  return { variables, color: ["case", ["<", ["band", layout.count], 0.5], ["color", 0, 0, 0, 0], color] };
}
