/**
 * From the elements of a tile to what a GPU takes: bands side by side, bytes or 32-bit floats, and a band that says what is missing. Missing
 * values are never drawn from a NaN or a number that stands for nothing: drivers differ in what they make of those.
 */
import type { TileLevel, TileSpan } from "./tile_levels.ts";

/** Numbers of a tile, of one channel. */
export interface TileElements {
  readonly data: ArrayLike<number | bigint | boolean>;
  /** Where the first element is, and from one to the next. */
  readonly offset: number;
  readonly strideX: number;
  readonly strideY: number;
}

/** The largest 32-bit float, a little less: infinities are drawn as the ends of a window. */
const LARGEST = 3.4e38;

/** Where in the elements each texel of an axis comes from. Texels beyond the elements repeat the last one, and are marked. */
export function texels(span: TileSpan, side: number, flipped: boolean, stride: number) {
  const places = new Int32Array(side);
  const count = span.stop - span.start;
  let inside = 0;
  for (let texel = 0; texel < side; texel += 1) {
    const place = (flipped ? span.first - texel : span.first + texel) - span.start;
    if (place >= 0 && place < count) inside += 1;
    places[texel] = Math.min(Math.max(place, 0), count - 1) * stride;
  }
  return { places, from: flipped ? side - inside : 0, to: flipped ? side : inside };
}

export interface Packing {
  /** Bytes go to the GPU as they are: 0 to 255. */
  asBytes: boolean;
  /** Whether the last band says where values are there. */
  hasMask: boolean;
  /** Whether what lies beyond the elements is transparent; repeated otherwise. */
  endsAtEdge: boolean;
  /** Whether bands hold the decimal logarithm; what has none is missing. */
  isLog: boolean;
}

type Spans = { x: TileSpan; y: TileSpan };

/** Bands of a tile as texture data, as wide and high as the level's tiles. */
export function packTile(
  level: TileLevel,
  spans: Spans,
  channels: readonly TileElements[],
  packing: Packing,
): Uint8Array | Float32Array {
  const { tileWidth, tileHeight } = level;
  const bands = channels.length + (packing.hasMask ? 1 : 0);
  const size = tileWidth * tileHeight * bands;
  const out = packing.asBytes ? new Uint8Array(size) : new Float32Array(size);
  for (const [band, elements] of channels.entries())
    packBand(level, spans, elements, packing, { out, bands, band });
  return out;
}

interface Target {
  out: Uint8Array | Float32Array;
  bands: number;
  band: number;
}

function packBand(
  level: TileLevel,
  spans: Spans,
  { data, offset, strideX, strideY }: TileElements,
  { asBytes, hasMask, endsAtEdge, isLog }: Packing,
  { out, bands, band }: Target,
): void {
  const { tileWidth, tileHeight } = level;
  const across = texels(spans.x, tileWidth, level.flipX, strideX);
  const down = texels(spans.y, tileHeight, level.flipY, strideY);
  const there = asBytes ? 255 : 1;
  const mask = hasMask ? bands - 1 : -1;
  for (let v = 0; v < tileHeight; v += 1) {
    const row = offset + (down.places[v] as number);
    const isRow = v >= down.from && v < down.to;
    let at = v * tileWidth * bands;
    for (let u = 0; u < tileWidth; u += 1, at += bands) {
      let value = Number(data[row + (across.places[u] as number)]);
      if (isLog) value = value > 0 ? Math.log10(value) : Number.NaN;
      const isThere = !Number.isNaN(value) && (!endsAtEdge || (isRow && u >= across.from && u < across.to));
      if (!isThere) continue;
      out[at + band] = value > LARGEST ? LARGEST : value < -LARGEST ? -LARGEST : value;
      if (mask >= 0) out[at + mask] = there;
    }
  }
}

/** How a channel is mixed into a picture. */
export interface MixedChannel {
  /** Index along the axis of channels. */
  channel: number;
  color: readonly [red: number, green: number, blue: number];
  window: readonly [number, number];
  gamma: number;
}

/**
 * Makes a tile's red, green, blue and alpha: the light of channels, added up. The result does rows of the tile, so that a caller can make a
 * tile in slices of time.
 */
export function tileMixer(
  level: TileLevel,
  spans: Spans,
  channels: readonly (TileElements & MixedChannel)[],
  out: Uint8ClampedArray | Uint8Array,
): (from: number, to: number) => void {
  const width = level.tileWidth * 4;
  const light = new Float32Array(width);
  const adders = channels.map((channel) => lineAdder(level, spans, channel, light));
  return (from, to) => {
    for (let v = from; v < to; v += 1) {
      light.fill(0);
      for (const add of adders) add(v);
      const at = v * width;
      for (let texel = 0; texel < width; texel += 1) {
        const value = light[texel] as number;
        out[at + texel] = value > 255 ? 255 : value + 0.5;
      }
    }
  };
}

/** Adds a line of a channel's light. */
function lineAdder(
  level: TileLevel,
  spans: Spans,
  { data, offset, strideX, strideY, color, gamma, window }: TileElements & MixedChannel,
  light: Float32Array,
): (v: number) => void {
  const across = texels(spans.x, level.tileWidth, level.flipX, strideX);
  const down = texels(spans.y, level.tileHeight, level.flipY, strideY);
  const [low, scale] = [window[0], 1 / Math.max(window[1] - window[0], Number.MIN_VALUE)];
  const [red, green, blue] = color;
  return (v) => {
    if (v < down.from || v >= down.to) return;
    const row = offset + (down.places[v] as number);
    for (let u = across.from; u < across.to; u += 1) {
      const value = Number(data[row + (across.places[u] as number)]);
      if (Number.isNaN(value)) continue;
      let share = Math.min(Math.max((value - low) * scale, 0), 1);
      if (gamma !== 1) share = share ** gamma;
      const at = u * 4;
      light[at] = (light[at] as number) + share * red;
      light[at + 1] = (light[at + 1] as number) + share * green;
      light[at + 2] = (light[at + 2] as number) + share * blue;
      light[at + 3] = 255;
    }
  };
}

/** Golden angle, in turns: neighbours in a row of ids are far apart in hue. */
const TURN = 0.618033988749895;

/** The colour of an id, the same wherever and whenever it is drawn; 0 is no label. */
export function labelColor(id: number | bigint): [red: number, green: number, blue: number] {
  const low = Number(BigInt.asUintN(32, BigInt(id))) >>> 0;
  const mixed = Math.imul(low ^ (low >>> 16) ^ Number((BigInt(id) >> 32n) & 0xffffffffn), 0x9e3779b1) >>> 0;
  const [hue, lightness] = [(low * TURN) % 1, 0.5 + ((mixed >>> 8) % 3) * 0.09];
  const part = (shift: number) => {
    const place = (shift + hue * 12) % 12;
    const spread = 0.85 * Math.min(lightness, 1 - lightness);
    return Math.round(255 * (lightness - spread * Math.max(-1, Math.min(place - 3, 9 - place, 1))));
  };
  return [part(0), part(8), part(4)];
}

/** A tile of ids as red, green, blue and alpha. */
export function paintLabels(level: TileLevel, spans: Spans, elements: TileElements, out: Uint8Array): void {
  const { data, offset, strideX, strideY } = elements;
  const across = texels(spans.x, level.tileWidth, level.flipX, strideX);
  const down = texels(spans.y, level.tileHeight, level.flipY, strideY);
  const colors = new Map<number | bigint, [number, number, number]>();
  for (let v = down.from; v < down.to; v += 1) {
    const row = offset + (down.places[v] as number);
    for (let u = across.from; u < across.to; u += 1) {
      const id = data[row + (across.places[u] as number)] as number | bigint;
      if (!id) continue;
      const color = colors.get(id) ?? labelColor(id);
      colors.set(id, color);
      out.set(color, (v * level.tileWidth + u) * 4);
      out[(v * level.tileWidth + u) * 4 + 3] = 255;
    }
  }
}

/** The number of a column and row of a tile's elements. */
export const elementOf = ({ data, offset, strideX, strideY }: TileElements, column: number, row: number) =>
  data[offset + column * strideX + row * strideY];

/** The numbers of a tile, row by row. */
export function valuesOf({ data, offset, strideX, strideY }: TileElements, { x, y }: Spans) {
  const [width, height] = [x.stop - x.start, y.stop - y.start];
  const values = new Float64Array(width * height);
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      values[row * width + column] = Number(data[offset + row * strideY + column * strideX]);
    }
  }
  return values;
}

/** How the values of a tile lie in its texture. */
export interface BandLayout {
  count: number;
  /** Bytes: a style sees 0 to 255 as 0 to 1. */
  isByte: boolean;
  /** Whether the last band says where values are there. */
  hasMask: boolean;
  /** Whether tiles are pictures that are made on the page: red, green, blue and alpha. */
  isPicture: boolean;
}

/** Bands that OpenLayers uploads as they are. */
const MOST_BANDS = 4;

/** Attributes of CF that change values or say which are missing. */
const PACKED = [
  "scale_factor",
  "add_offset",
  "_FillValue",
  "missing_value",
  "valid_min",
  "valid_max",
  "valid_range",
  "_Unsigned",
];

export interface BandsFrom {
  dtype: string;
  attrs: Readonly<Record<string, unknown>>;
  zarrFormat: 2 | 3;
  /** Whether every level covers all of the map's extent. */
  isFull: boolean;
  decodesCf: boolean;
  /** Whether elements are ids, which are coloured one by one. */
  areLabels: boolean;
}

/** The layout of bands for a number of channels. */
export function bandsOf(
  { dtype, attrs, zarrFormat, isFull, decodesCf, areLabels }: BandsFrom,
  channels: number,
): BandLayout {
  // A fill value of version 2 says what is missing, as xarray has it.
  const isPacked = decodesCf && (zarrFormat === 2 || PACKED.some((name) => Object.hasOwn(attrs, name)));
  const hasMask = isPacked || /float/.test(dtype) || !isFull;
  const count = channels + (hasMask ? 1 : 0);
  if (areLabels || count > MOST_BANDS) return { count: 4, isByte: true, hasMask: true, isPicture: true };
  return { count, isByte: !isPacked && /^(uint8|bool)$/.test(dtype), hasMask, isPicture: false };
}
