/**
 * Converts NumPy's datetimes, which count units since 1970, to `Date`, which counts milliseconds.
 * Finer units are rounded towards the past.
 * <https://numpy.org/doc/stable/reference/arrays.datetime.html>
 */
import type { TimeUnit } from "../model/data_type.ts";

/** The smallest count means "not a time". */
export const NAT = -(2n ** 63n);

/** Milliseconds in a unit. */
export const MILLISECONDS: Partial<Record<TimeUnit, bigint>> = {
  W: 604_800_000n,
  D: 86_400_000n,
  h: 3_600_000n,
  m: 60_000n,
  s: 1000n,
  ms: 1n,
};
/** Units in a millisecond. */
export const IN_A_MILLISECOND: Partial<Record<TimeUnit, bigint>> = {
  us: 10n ** 3n,
  ns: 10n ** 6n,
  ps: 10n ** 9n,
  fs: 10n ** 12n,
  as: 10n ** 15n,
};

/** Divides, rounding down. */
export function floorDivide(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  return value % divisor < 0n ? quotient - 1n : quotient;
}

/** The date this many months after January 1970. */
function dateOfMonths(months: bigint): Date {
  const date = new Date(0);
  date.setUTCFullYear(1970, Number(months));
  return date;
}

/**
 * The date of a count. An invalid date for NaT, for counts without a unit, and for dates beyond the
 * range of `Date`.
 */
export function dateOf(count: bigint | undefined, unit: TimeUnit = "generic", scaleFactor = 1): Date {
  if (count === undefined || count === NAT) return new Date(Number.NaN);
  const units = count * BigInt(scaleFactor);
  if (unit === "Y") return dateOfMonths(units * 12n);
  if (unit === "M") return dateOfMonths(units);
  const coarse = MILLISECONDS[unit];
  if (coarse !== undefined) return new Date(Number(units * coarse));
  const fine = IN_A_MILLISECOND[unit];
  return new Date(fine === undefined ? Number.NaN : Number(floorDivide(units, fine)));
}
