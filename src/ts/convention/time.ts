/**
 * Counts of time, `days since 2000-01-01` in a calendar: as dates and back. Units are read and dates are made by the conventions' module
 * (`src/convention/cf/time.rs`), in integers.
 */
import { exactJson } from "../api/node_facts.ts";
import { ask, askNow } from "../engine/convention_module.ts";

/** A moment in a calendar, which may have a 30 February. */
export interface Moment {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  nanosecond: number;
}

/**
 * A date as callers write it: `"2000-01-01T12:00"` (of UTC unless it has a zone), the members of a `Moment` (the day must be there), or a
 * `Date`, of which other calendars take what it reads in UTC.
 */
export type DateLike = string | Date | (Pick<Moment, "year" | "month" | "day"> & Partial<Moment>);

interface Answer {
  isReal: boolean;
  moments: (Moment | null)[];
  milliseconds: (number | null)[];
  counts: number[];
}

interface Question {
  counts?: readonly unknown[];
  dates?: readonly unknown[];
}

/** Asked at a time: more would make texts of many megabytes. */
const AT_ONCE = 1 << 14;

const finite = (count: unknown) => (typeof count === "number" && !Number.isFinite(count) ? null : count);

/** What counts of time mean. Made by `timeUnits`. */
export class TimeUnits {
  /** As the attributes have them. */
  readonly units: string;
  readonly calendar: string;
  /** Whether the days of the calendar are those of the world, so that there is a `Date` for each. */
  readonly isReal: boolean;

  /** @internal */
  constructor(units: string, calendar: string, isReal: boolean) {
    this.units = units;
    this.calendar = calendar;
    this.isReal = isReal;
  }

  #ask(question: Question): Answer {
    const { units, calendar } = this;
    return askNow<Answer>(exactJson({ verb: "time", units, calendar, ...question }));
  }

  #each<T>(counts: ArrayLike<number | bigint>, answered: (answer: Answer) => T[]): T[] {
    const all: T[] = [];
    for (let at = 0; at < counts.length; at += AT_ONCE) {
      const some = globalThis.Array.from({ length: Math.min(AT_ONCE, counts.length - at) }, (_, place) =>
        finite(counts[at + place]),
      );
      all.push(...answered(this.#ask({ counts: some })));
    }
    return all;
  }

  /** The moment of each count, to the nanosecond; null for NaN, and for counts beyond all dates. */
  moments(counts: ArrayLike<number | bigint>): (Moment | null)[] {
    return this.#each(counts, ({ moments }) => moments);
  }

  /** The same as `Date`s, rounded to milliseconds; invalid ones for what is no date, and for all of a calendar that is not real. */
  dates(counts: ArrayLike<number | bigint>): Date[] {
    return this.#each(counts, ({ milliseconds }) => milliseconds.map((time) => new Date(time ?? Number.NaN)));
  }

  /** The moment of a count. */
  moment(count: number | bigint): Moment | null {
    return this.moments([count])[0] ?? null;
  }

  /** The `Date` of a count. */
  date(count: number | bigint): Date {
    return this.dates([count])[0] ?? new Date(Number.NaN);
  }

  /** The count of a date: the double nearest to it. Throws an `Argument` error for what is no date of the calendar. */
  count(date: DateLike): number {
    const told = date instanceof Date ? this.#told(date) : date;
    return this.#ask({ dates: [told] }).counts[0] ?? Number.NaN;
  }

  #told(date: Date): unknown {
    if (Number.isNaN(date.getTime())) return "an invalid date";
    return this.isReal ? date.getTime() : date.toISOString();
  }
}

/**
 * What counts with these attributes mean: `units` such as `"days since 2000-01-01 12:00"`, and `calendar`, the standard one unless given.
 * Rejects with a `Format` error for what is no such unit, and `Unsupported` for calendars and units without a fixed length.
 */
export async function timeUnits(units: string, calendar?: string): Promise<TimeUnits> {
  const { isReal } = await ask<Answer>(exactJson({ verb: "time", units: String(units), calendar }));
  return new TimeUnits(units, calendar ?? "standard", isReal);
}

/** NumPy's units of time as CF has them. */
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

/** The units of NumPy's datetimes, where each counts one of a unit of a fixed length. */
export const unitsOfNumpy = (unit: string | undefined, scale = 1): string | undefined =>
  scale === 1 && unit !== undefined && Object.hasOwn(NUMPY_UNITS, unit)
    ? `${NUMPY_UNITS[unit]} since 1970-01-01`
    : undefined;
