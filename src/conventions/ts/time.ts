/**
 * Converts counts of time, such as `days since 2000-01-01`, to dates and back. The conventions
 * module (`src/conventions/rust/cf/time.rs`) parses the units and computes dates in integers.
 */

import type { Moment, TimeAnswer, TimeQuestion } from "../../contract/contract.ts";
import { need, needList, needReadable, needText } from "../../engine/ts/model/argument.ts";
import type { DateLike } from "../../engine/ts/model/date_like.ts";
import { shown } from "../../engine/ts/model/errors.ts";
import { exactJson } from "../../engine/ts/model/json.ts";
import { findable, worksBehindProxies } from "../../engine/ts/model/proxies.ts";
import { ask } from "../../engine/ts/port/convention.ts";

/** A list as JSON. */
const textOf = (values: readonly unknown[] | undefined) => values && exactJson(values, "units");

/** Counts per request to the module. More would make JSON texts of many megabytes. */
const AT_ONCE = 1 << 14;

const finite = (count: unknown) => (typeof count === "number" && !Number.isFinite(count) ? null : count);

const needCount = (count: unknown): void =>
  need(typeof count === "number" || typeof count === "bigint", "count", "a number");

/** The unit and calendar of counts of time. Made by `timeUnits`. */
export class TimeUnits {
  /** The units, as in the attributes: `days since 2000-01-01`. */
  readonly units: string;
  /** The calendar, as in the attributes. */
  readonly calendar: string;
  /** Whether the calendar has the days of the real one, so that each day has a `Date`. */
  readonly isReal: boolean;

  /** @internal */
  constructor(units: string, calendar: string, isReal: boolean) {
    findable(this);
    this.units = units;
    this.calendar = calendar;
    this.isReal = isReal;
  }

  #ask({ counts, dates }: Pick<TimeQuestion, "counts" | "dates">): Promise<TimeAnswer> {
    const [units, calendar] = [this.units, this.calendar].map((text) => JSON.stringify(text));
    return ask("time", { units, calendar, counts: textOf(counts), dates: textOf(dates) });
  }

  async #each<T>(counts: ArrayLike<number | bigint>, answered: (answer: TimeAnswer) => T[]): Promise<T[]> {
    needList(counts, "counts");
    const all: T[] = [];
    for (let at = 0; at < counts.length; at += AT_ONCE) {
      const some = globalThis.Array.from({ length: Math.min(AT_ONCE, counts.length - at) }, (_, idx) =>
        finite(counts[at + idx]),
      );
      all.push(...answered(await this.#ask({ counts: some })));
    }
    return all;
  }

  /**
   * The moment of each count, to the nanosecond, in the calendar.
   *
   * @param counts Numbers of units.
   * @returns the moments; null for NaN and for counts out of range.
   */
  moments(counts: ArrayLike<number | bigint>): Promise<(Moment | null)[]> {
    return this.#each(counts, ({ moments }) => moments);
  }

  /**
   * The `Date` of each count, rounded to milliseconds. Invalid for NaN and for counts out of range,
   * and for all counts if the calendar is not real.
   *
   * @param counts Numbers of units.
   */
  dates(counts: ArrayLike<number | bigint>): Promise<Date[]> {
    return this.#each(counts, ({ milliseconds }) => milliseconds.map((time) => new Date(time ?? Number.NaN)));
  }

  /**
   * The moment of a count, to the nanosecond, in the calendar.
   *
   * @param count A number of units.
   * @returns the moment; null for NaN and for a count out of range.
   * @throws an `Argument` error for what is not a number.
   */
  async moment(count: number | bigint): Promise<Moment | null> {
    needCount(count);
    return (await this.moments([count]))[0] ?? null;
  }

  /**
   * Converts a count to a `Date`, rounded to milliseconds. The `Date` is invalid if the count is
   * NaN or out of range, or if the calendar has dates that do not exist, such as 30 February.
   *
   * @param count A number of units.
   * @throws an `Argument` error for what is not a number.
   */
  async date(count: number | bigint): Promise<Date> {
    needCount(count);
    return (await this.dates([count]))[0] ?? new Date(Number.NaN);
  }

  /**
   * The count of a date, rounded to a double.
   *
   * @param date The date, in the calendar.
   * @throws an `Argument` error if the calendar has no such date.
   */
  async count(date: DateLike): Promise<number> {
    return (await this.counts([date]))[0] ?? Number.NaN;
  }

  /**
   * The counts of dates, rounded to doubles.
   *
   * @param dates The dates, in the calendar.
   * @throws an `Argument` error if the calendar has no such date.
   */
  async counts(dates: readonly DateLike[]): Promise<number[]> {
    needList(dates, "dates");
    const all: number[] = [];
    for (const date of dates) needReadable(date, "date");
    for (let at = 0; at < dates.length; at += AT_ONCE) {
      const parts = dates
        .slice(at, at + AT_ONCE)
        .map((date) => (date instanceof Date ? this.#partsOf(date) : date));
      all.push(...(await this.#ask({ dates: parts })).counts);
    }
    return all;
  }

  #partsOf(date: Date): unknown {
    if (Number.isNaN(date.getTime())) return "an invalid date";
    return this.isReal ? date.getTime() : date.toISOString();
  }
}
worksBehindProxies(TimeUnits);

/**
 * Parses CF's attributes of time.
 *
 *     const time = await timeUnits("days since 1850-01-01", "noleap");
 *     await time.count("1851-01-01"); // 365
 *
 * @param units The attribute `units`, such as `"days since 2000-01-01 12:00"`.
 * @param calendar The attribute `calendar`. Default: `"standard"`.
 * @throws a `Format` error for other units.
 * @throws an `UnsupportedError` for unknown calendars, and for units without a fixed length.
 */
export async function timeUnits(units: string, calendar?: string): Promise<TimeUnits> {
  needText(units, "units");
  if (calendar !== undefined) needText(calendar, "calendar");
  const { isReal } = await ask("time", {
    units: JSON.stringify(shown(units)),
    calendar: JSON.stringify(calendar),
  });
  return new TimeUnits(units, calendar ?? "standard", isReal);
}

/** NumPy's units of time, with their names in CF. */
const NUMPY_UNITS: Record<string, string> = {
  W: "weeks",
  D: "days",
  h: "hours",
  m: "minutes",
  s: "seconds",
  ms: "milliseconds",
  us: "microseconds",
  ns: "nanoseconds",
};

/**
 * The CF units of NumPy's datetimes. Undefined for years and months, which have no fixed length,
 * and for multiples of a unit.
 */
export const unitsOfNumpy = (unit: string | undefined, scale = 1): string | undefined =>
  scale === 1 && unit !== undefined && Object.hasOwn(NUMPY_UNITS, unit)
    ? `${NUMPY_UNITS[unit]} since 1970-01-01`
    : undefined;
