/** Moments and dates, as callers read and write them. */

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
 * A date as callers write it: `"2000-01-01T12:00"` (of UTC unless it has a zone), the members of a
 * `Moment` (the day must be there), or a `Date`, of which other calendars take what it reads in
 * UTC.
 */
export type DateLike = string | Date | (Pick<Moment, "year" | "month" | "day"> & Partial<Moment>);
