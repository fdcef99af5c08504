/**
 * Converts the elements of a tile to texture data: bands of bytes or 32-bit floats side by side. A
 * mask band marks missing values. Textures contain no NaN, because drivers treat it differently.
 * WebKitGTK's and some phones' textures hold 16-bit floats, which end at 65504 and have 11 bits. So
 * bands can have shares of a range instead of values.
 */
import { planeOf, type Spans, type TileElements } from "./texels.ts";
import type { TileLevel } from "./tile_levels.ts";

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
    if (hasMask) placeMasked(plane, out, bands, band);
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
function placeMasked(plane: Float32Array, out: Float32Array, bands: number, band: number): void {
  for (let texel = 0, at = 0; texel < plane.length; texel += 1, at += bands) {
    const value = plane[texel] as number;
    if (Number.isNaN(value)) continue;
    out[at + band] = value > LARGEST ? LARGEST : value < -LARGEST ? -LARGEST : value;
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

/** The layout of a tile's texture. */
export interface BandLayout {
  count: number;
  /** Whether bands are bytes. */
  isByte: boolean;
  /** Whether the last band is the mask. */
  hasMask: boolean;
  /** Whether tiles are pictures (red, green, blue, alpha) that the page makes. */
  isPicture: boolean;
  /** A style reads `(value - origin) / unit`. */
  origin: number;
  unit: number;
}

/** Maximum number of bands that OpenLayers uploads without rearranging them. */
const MOST_BANDS = 4;

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
  /** Whether places of the map may be without an element. */
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
  const hasMask = isPacked || /float/.test(dtype) || mayMiss;
  const count = channels + (hasMask ? 1 : 0);
  if (areLabels || count > MOST_BANDS)
    return { count: 4, isByte: true, hasMask: true, isPicture: true, ...BYTE_SCALE };
  const isByte = !isPacked && /^(uint8|bool)$/.test(dtype);
  return { count, isByte, hasMask, isPicture: false, ...(isByte ? BYTE_SCALE : scaleOf(range)) };
}
