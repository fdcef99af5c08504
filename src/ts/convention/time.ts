/**
 * Counts of time, `days since 2000-01-01` in a calendar: as dates and back. Units are read and dates are made by the conventions' module
 * (`src/convention/cf/time.rs`), in integers.
 */
import { exactJson } from "../model/exact_json.ts";
import type { DateLike, Moment } from "../model/time.ts";
import { ask } from "../port/convention.ts";

export type { DateLike, Moment };

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

  #ask(question: Question): Promise<Answer> {
    const { units, calendar } = this;
    return ask<Answer>(exactJson({ verb: "time", units, calendar, ...question }));
  }

  async #each<T>(counts: ArrayLike<number | bigint>, answered: (answer: Answer) => T[]): Promise<T[]> {
    const all: T[] = [];
    for (let at = 0; at < counts.length; at += AT_ONCE) {
      const some = globalThis.Array.from({ length: Math.min(AT_ONCE, counts.length - at) }, (_, place) =>
        finite(counts[at + place]),
      );
      all.push(...answered(await this.#ask({ counts: some })));
    }
    return all;
  }

  /** The moment of each count, to the nanosecond; null for NaN, and for counts beyond all dates. */
  moments(counts: ArrayLike<number | bigint>): Promise<(Moment | null)[]> {
    return this.#each(counts, ({ moments }) => moments);
  }

  /** The same as `Date`s, rounded to milliseconds; invalid ones for what is no date, and for all of a calendar that is not real. */
  dates(counts: ArrayLike<number | bigint>): Promise<Date[]> {
    return this.#each(counts, ({ milliseconds }) => milliseconds.map((time) => new Date(time ?? Number.NaN)));
  }

  /** The moment of a count. */
  async moment(count: number | bigint): Promise<Moment | null> {
    return (await this.moments([count]))[0] ?? null;
  }

  /** The `Date` of a count. */
  async date(count: number | bigint): Promise<Date> {
    return (await this.dates([count]))[0] ?? new Date(Number.NaN);
  }

  /** The count of a date: the double nearest to it. Rejects with an `Argument` error for what is no date of the calendar. */
  async count(date: DateLike): Promise<number> {
    const told = date instanceof Date ? this.#told(date) : date;
    return (await this.#ask({ dates: [told] })).counts[0] ?? Number.NaN;
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
