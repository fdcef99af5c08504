/**
 * How stored values are unpacked by CF's attributes, as numbers that code of libraries without CF
 * can contain. The package unpacks by itself.
 */

import type { ArrayNode, Scene } from "../../model/scene/scene.js";

export interface Unpacking {
  scale: number;
  offset: number;
  /** Stored values that mean "missing". NaN needs no entry. */
  missing: readonly number[];
  /** The stored values that are valid. An infinite one is no limit. */
  valid: readonly [low: number, high: number];
  /** Whether signed integers are stored as unsigned ones, or the other way round. */
  isReinterpreted: boolean;
  /** Whether the fill value of a v2 array is one of the missing values. */
  hasFillValue: boolean;
}

type Decode = NonNullable<Scene["decode"]>;

export function unpackingOf(array: ArrayNode, { zarrFillValue }: Decode): Unpacking {
  const { attrs, fillValue, zarrFormat } = array;
  const written = [...numbersOf(attrs._FillValue), ...numbersOf(attrs.missing_value)];
  const usesFill = zarrFillValue && zarrFormat === 2 && attrs._FillValue === undefined;
  const all = [...written, ...(usesFill ? numbersOf(fillValue) : [])];
  const [low = Number.NEGATIVE_INFINITY, high = Number.POSITIVE_INFINITY] = numbersOf(attrs.valid_range);
  return {
    scale: numbersOf(attrs.scale_factor)[0] ?? 1,
    offset: numbersOf(attrs.add_offset)[0] ?? 0,
    missing: [...new Set(all.filter((value) => !Number.isNaN(value)))],
    valid: [numbersOf(attrs.valid_min)[0] ?? low, numbersOf(attrs.valid_max)[0] ?? high],
    isReinterpreted: attrs._Unsigned !== undefined,
    hasFillValue: zarrFillValue,
  };
}

/** Whether stored values are the values. */
export const isPlain = ({ scale, offset, missing, valid, isReinterpreted }: Unpacking): boolean =>
  scale === 1 && offset === 0 && missing.length === 0 && !hasLimits({ valid }) && !isReinterpreted;

export const hasLimits = ({ valid }: Pick<Unpacking, "valid">): boolean => valid.some(Number.isFinite);

/** The numbers of an attribute: one, a list, or the eight bytes in base64 that xarray writes. */
function numbersOf(value: unknown): number[] {
  if (typeof value === "number") return [value];
  if (typeof value === "bigint" || typeof value === "boolean") return [Number(value)];
  if (Array.isArray(value)) return value.flatMap(numbersOf);
  if (typeof value !== "string") return [];
  if (value === "NaN") return [Number.NaN];
  return /^[A-Za-z0-9+/]{11}=$/.test(value) ? [float64Of(value)] : [];
}

function float64Of(base64: string): number {
  const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
  return new DataView(bytes.buffer).getFloat64(0, true);
}
