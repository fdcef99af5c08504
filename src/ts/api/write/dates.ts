/**
 * Converts a `Date` to NumPy's count of units since 1970, the inverse of `elements/dates.ts`.
 */
import type { TimeUnit } from "../../model/data_type.ts";

const NAT = -(2n ** 63n);

const MILLISECONDS: Partial<Record<TimeUnit, bigint>> = {
  W: 604_800_000n,
  D: 86_400_000n,
  h: 3_600_000n,
  m: 60_000n,
  s: 1000n,
  ms: 1n,
};
const IN_A_MILLISECOND: Partial<Record<TimeUnit, bigint>> = {
  us: 10n ** 3n,
  ns: 10n ** 6n,
  ps: 10n ** 9n,
  fs: 10n ** 12n,
  as: 10n ** 15n,
};

/** Divides, rounding down, and tells whether the division is exact. */
function divide(value: bigint, divisor: bigint): [quotient: bigint, exact: boolean] {
  const rest = value % divisor;
  return [rest < 0n ? value / divisor - 1n : value / divisor, rest === 0n];
}

/** Months since January 1970, and whether the date is the start of a month. */
function monthsOf(date: Date): [months: bigint, exact: boolean] {
  const months = BigInt((date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth());
  const first = new Date(0);
  first.setUTCFullYear(date.getUTCFullYear(), date.getUTCMonth());
  return [months, first.getTime() === date.getTime()];
}

function inUnits(date: Date, unit: TimeUnit): [count: bigint, exact: boolean] | undefined {
  if (unit === "Y" || unit === "M") {
    const [months, exact] = monthsOf(date);
    if (unit === "M") return [months, exact];
    const [years, whole] = divide(months, 12n);
    return [years, exact && whole];
  }
  const ms = BigInt(date.getTime());
  const coarse = MILLISECONDS[unit];
  if (coarse !== undefined) return divide(ms, coarse);
  const fine = IN_A_MILLISECOND[unit];
  return fine === undefined ? undefined : [ms * fine, true];
}

/**
 * The count of units for a date; NaT for an invalid date. Undefined if the date is not a whole
 * count, unless `cast` allows rounding down.
 */
export function countOfDate(
  date: Date,
  unit: TimeUnit = "generic",
  scale = 1,
  cast = false,
): bigint | undefined {
  if (Number.isNaN(date.getTime())) return NAT;
  const found = inUnits(date, unit);
  if (!found) return undefined;
  const [count, whole] = divide(found[0], BigInt(scale));
  const fits = BigInt.asIntN(64, count) === count && count !== NAT;
  return fits && ((whole && found[1]) || cast) ? count : undefined;
}
