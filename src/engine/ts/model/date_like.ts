/**
 * Dates as callers write them. A date as this package tells it is a `Moment`.
 */
import type { Moment } from "../../../contract/contract.ts";

/**
 * A date as callers write it: an ISO 8601 string (UTC unless it has a time zone), the members of a
 * `Moment` (at least year, month and day), or a `Date`. Calendars other than the standard one take
 * the UTC members of a `Date`.
 */
export type DateLike = string | Date | (Pick<Moment, "year" | "month" | "day"> & Partial<Moment>);
