/**
 * Converts a `Date` to NumPy's count of units since 1970, the inverse of `elements/dates.ts`.
 */
import { floorDivide, IN_A_MILLISECOND, MILLISECONDS, NAT } from "../../elements/dates.ts";
import type { TimeUnit } from "../../model/data_type.ts";

/** Divides, rounding down, and tells whether the division is exact. */
const divide = (value: bigint, divisor: bigint): [quotient: bigint, exact: boolean] => [
  floorDivide(value, divisor),
  value % divisor === 0n,
];

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
