/**
 * Calendar dates, as callers read and write them.
 */

/** A point in time in a calendar. Some calendars have a 30 February. */
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
 * A date as callers write it: an ISO 8601 string (UTC unless it has a time zone), the members of a
 * `Moment` (at least year, month and day), or a `Date`. Calendars other than the standard one take
 * the UTC members of a `Date`.
 */
export type DateLike = string | Date | (Pick<Moment, "year" | "month" | "day"> & Partial<Moment>);
