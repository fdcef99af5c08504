/**
 * Reads and writes the value of missing elements as xarray does. In v2 it is the fill value of the
 * metadata. In v3 it is the attribute `_FillValue`; for floats this is a double in base64.
 */
import type { OpenedSource } from "../../api/write/element_source.ts";
import type { Attributes } from "../../model/types.ts";

export type FillValue = number | bigint;

export const isFloat = (dtype: unknown): boolean =>
  typeof dtype === "string" && /^float(16|32|64)$/.test(dtype);

const NAME = "_FillValue";

/** Returns the attribute for a data type and a format; none in v2. */
export function fillAttribute(fill: FillValue | undefined, dtype: unknown, zarrFormat: 2 | 3): Attributes {
  if (fill === undefined || zarrFormat === 2) return {};
  if (!isFloat(dtype)) return { [NAME]: fill };
  const bytes = new Uint8Array(new Float64Array([Number(fill)]).buffer);
  return { [NAME]: btoa(String.fromCharCode(...bytes)) };
}

/** Returns the attributes without the fill value. */
export function withoutFill({ [NAME]: _, ...others }: Attributes): Attributes {
  return others;
}

/** Returns a number of an attribute; undefined for anything else. */
function numberOf(value: unknown): FillValue | undefined {
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (typeof value !== "string" || !/^[A-Za-z0-9+/]{11}=$/.test(value)) return undefined;
  const bytes = Uint8Array.from(atob(value), (letter) => letter.charCodeAt(0));
  return new DataView(bytes.buffer).getFloat64(0, true);
}

/** Returns the value of missing elements of a source, if its metadata give one. */
export function fillValueIn({ array, attributes }: OpenedSource): FillValue | undefined {
  const exact = array?.attributes({ bigint: true }) ?? attributes;
  const named = numberOf(exact[NAME]);
  return named ?? (array?.zarrFormat === 2 ? numberOf(array.fillValue) : undefined);
}

/** Returns the values of `_FillValue` and `missing_value` that are numbers. */
export function missingIn({ array, attributes }: OpenedSource): FillValue[] {
  const exact = array?.attributes({ bigint: true }) ?? attributes;
  const values = [NAME, "missing_value"].flatMap((key) => exact[key] ?? []).map(numberOf);
  return values.filter((value): value is FillValue => value !== undefined);
}
