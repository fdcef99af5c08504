/**
 * From the elements of a tile to what a GPU takes: bands side by side, bytes or 32-bit floats, and
 * a band that says what is missing. Missing values are never drawn from a NaN or a number that
 * stands for nothing: drivers differ in what they make of those.
 */
import { planeOf, type Spans, type TileElements } from "./texels.ts";
import type { TileLevel } from "./tile_levels.ts";

/** The largest 32-bit float, a little less: infinities are drawn as the ends of a window. */
const LARGEST = 3.4e38;

export interface Packing {
  /** Bytes go to the GPU as they are: 0 to 255. */
  asBytes: boolean;
  /** Whether the last band says where values are there. */
  hasMask: boolean;
  /** Whether bands hold the decimal logarithm; what has none is missing. */
  isLog: boolean;
}

/** Bands of a tile as texture data, as wide and high as the level's tiles. */
export function packTile(
  level: TileLevel,
  spans: Spans,
  channels: readonly TileElements[],
  { asBytes, hasMask, isLog }: Packing,
): Uint8Array | Float32Array {
  const planes = channels.map((elements) => planeOf(level, spans, elements, hasMask));
  if (isLog) for (const plane of planes) takeLogarithms(plane);
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

/** A band where values are there, and 1 in the last band. */
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
  /** Whether places of the map may have no element. */
  mayMiss: boolean;
  decodesCf: boolean;
  /** Whether elements are ids, which are coloured one by one. */
  areLabels: boolean;
}

/** The layout of bands for a number of channels. */
export function bandsOf(
  { dtype, attrs, zarrFormat, mayMiss, decodesCf, areLabels }: BandsFrom,
  channels: number,
): BandLayout {
  // A fill value of version 2 says what is missing, as xarray has it.
  const isPacked = decodesCf && (zarrFormat === 2 || PACKED.some((name) => Object.hasOwn(attrs, name)));
  const hasMask = isPacked || /float/.test(dtype) || mayMiss;
  const count = channels + (hasMask ? 1 : 0);
  if (areLabels || count > MOST_BANDS) return { count: 4, isByte: true, hasMask: true, isPicture: true };
  return { count, isByte: !isPacked && /^(uint8|bool)$/.test(dtype), hasMask, isPicture: false };
}
