/**
 * The groups of a reduction: parts of dates, bins of a coordinate, or labels.
 */

import type { Moment } from "../../contract/contract.ts";
import { coords } from "../../conventions/ts/coordinates.ts";
import { isReadable, needList, object, refuse, refuseField } from "../../engine/ts/model/argument.ts";
import { InvalidSelectionError } from "../../engine/ts/model/errors.ts";
import { axisOf, numberIn, type Over, type Reduced, spreadOf } from "./beside.ts";
import type { Spread } from "./request.ts";
import type { SelectedAxis } from "./selected_axes.ts";

/**
 * A part of a date that places are grouped by: `"year"`, `"season"` (`DJF`, `MAM`, `JJA`, `SON`),
 * `"month"` (1 to 12), `"day"` of the month, `"hour"`, or `"dayofyear"` (from 1).
 */
export type DatePart = "year" | "season" | "month" | "day" | "hour" | "dayofyear";

/**
 * How elements are grouped. By dimension name: a part of its dates, or bins of its coordinate. Or
 * labels: integers that lie over the array. `ids` are the labels that have a group, in their order.
 */
export type Groups =
  | Record<string, DatePart | { bins: readonly number[] }>
  | Over
  | {
      /** Integers that lie over the array. */
      labels: Over;
      /** The labels that have a group, in their order. Default: all that occur. */
      ids?: readonly number[] | undefined;
    };

/** A group: a number, a season, or the ends of a bin. */
export type GroupKey = number | string | readonly [low: number, high: number];

/** The groups, and the group of each place. */
export interface Grouping {
  keys: GroupKey[];
  labels: Spread;
}

const SEASONS = ["DJF", "MAM", "JJA", "SON"];

/** Days before each month of a year of 365 days. */
const DAYS_BEFORE = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

/** Whether a year has a 29 February. */
function isLeap(year: number, calendar: string): boolean {
  if (/^(noleap|365_day)$/.test(calendar)) return false;
  if (/^(all_leap|366_day)$/.test(calendar)) return true;
  const isJulian = calendar === "julian" || (/^(standard|gregorian)?$/.test(calendar) && year <= 1582);
  return year % 4 === 0 && (isJulian || year % 100 !== 0 || year % 400 === 0);
}

function dayOfYear({ year, month, day }: Moment, calendar: string): number {
  if (calendar === "360_day") return 30 * (month - 1) + day;
  return (DAYS_BEFORE[month - 1] ?? 0) + day + (month > 2 && isLeap(year, calendar) ? 1 : 0);
}

/** Takes the part of a date as a number. Seasons are numbered from December on. */
function partOf(moment: Moment, part: DatePart, calendar: string): number {
  if (part === "season") return Math.floor((moment.month % 12) / 3);
  return part === "dayofyear" ? dayOfYear(moment, calendar) : moment[part];
}

const PARTS = ["year", "season", "month", "day", "hour", "dayofyear"];

/** Groups by numbers: the keys that occur, in ascending order. Null and NaN belong to no group. */
function byNumber(
  numbers: ArrayLike<number | null>,
  ids?: readonly number[],
): { keys: number[]; labels: Float64Array } {
  const isNumber = (number: number | null): number is number => number !== null && !Number.isNaN(number);
  const found = ids ?? [...new Set(Array.from(numbers).filter(isNumber))].sort((one, other) => one - other);
  const indices = new Map(found.map((key, at) => [key, at]));
  const label = (number: number | null) => (number === null ? -1 : (indices.get(number) ?? -1));
  return { keys: [...found], labels: Float64Array.from(Array.from(numbers, label)) };
}

async function byDate(
  reduced: Reduced,
  axis: number,
  part: DatePart,
  signal?: AbortSignal,
): Promise<Grouping> {
  const { axes } = reduced;
  const { time, ...coordinates } = await timeAxis(reduced, axis, signal);
  const { indices } = axes[axis] as SelectedAxis;
  const moments = await time.moments(indices.map((index) => coordinates.count(index)));
  const numbers = moments.map((moment) => moment && partOf(moment, part, time.calendar));
  const { keys, labels } = byNumber(numbers);
  const named = part === "season" ? keys.map((key) => SEASONS[key] as string) : keys;
  return { keys: named, labels: { axes: [axis], values: labels } };
}

async function timeAxis({ array }: Reduced, axis: number, signal?: AbortSignal) {
  const coordinates = await coords(array, axis, { signal });
  const { time, values } = coordinates;
  if (!time)
    throw new InvalidSelectionError(`${JSON.stringify(coordinates.dimension)} is no time axis`, {
      expected: "a coordinate with units of time",
      actual: "one without",
    });
  return { time, count: (index: number) => values[index] as number };
}

/** Bins are closed at their lower end, and the last one at both ends. */
async function byBins(
  { array, axes }: Reduced,
  axis: number,
  bins: readonly number[],
  signal?: AbortSignal,
): Promise<Grouping> {
  needList(bins, "bins");
  const isNumber = (end: unknown) => typeof end === "number";
  const ascends =
    bins.length > 1 &&
    Array.from(bins).every(isNumber) &&
    bins.every((end, at) => at === 0 || end > (bins[at - 1] as number));
  if (!ascends) refuseField("groups.bins", "two or more ascending numbers", bins);
  const { values } = await coords(array, axis, { signal });
  const last = bins.length - 2;
  const binOf = (value: number): number => {
    if (value === bins[last + 1]) return last;
    const after = bins.findIndex((end) => value < end);
    return after < 0 ? -1 : after - 1;
  };
  const { indices } = axes[axis] as SelectedAxis;
  const labels = indices.map((index) => binOf(Number(values[index])));
  const keys = bins.slice(1).map((high, at): GroupKey => [bins[at] as number, high]);
  return { keys, labels: { axes: [axis], values: labels } };
}

async function byLabels(
  reduced: Reduced,
  over: Over,
  ids: readonly number[] | undefined,
  signal?: AbortSignal,
): Promise<Grouping> {
  if (ids !== undefined) {
    needList(ids, "ids");
    const numbers = Array.from(ids, (id) => numberIn(id, "ids"));
    if (new Set(numbers).size < numbers.length) refuseField("groups.ids", "each label once", ids);
  }
  const { axes, values } = await spreadOf(reduced, over, "groups", signal);
  const { keys, labels } = byNumber(values, ids);
  return { keys, labels: { axes, values: labels } };
}

/** Where a key belongs among others, if they are seasons, or numbers in ascending order. */
function orderOf(keys: readonly GroupKey[]): ((key: GroupKey) => number) | undefined {
  if (keys.every((key) => SEASONS.includes(key as string))) return (key) => SEASONS.indexOf(key as string);
  const ascends = keys.every(
    (key, at) => typeof key === "number" && (at === 0 || key > (keys[at - 1] as number)),
  );
  return ascends ? Number : undefined;
}

/**
 * The keys of an earlier reduction and of a later one. Others than ascending ones must be the same.
 */
function joinedKeys(before: readonly GroupKey[], now: readonly GroupKey[]): readonly GroupKey[] {
  if (before.length === 0 || JSON.stringify(before) === JSON.stringify(now)) return now;
  const order = orderOf(before);
  if (!order || !orderOf(now) || (now.length > 0 && typeof now[0] !== typeof before[0]))
    return refuse("a reduction cannot go on from one with other groups", JSON.stringify(before), now);
  return [...new Set([...before, ...now])].sort((one, other) => order(one) - order(other));
}

/** The index of each key among all. */
export function indicesAmong(keys: readonly GroupKey[], all: readonly GroupKey[]): number[] {
  const indices = new Map(all.map((key, at) => [JSON.stringify(key), at]));
  return keys.map((key) => indices.get(JSON.stringify(key)) ?? -1);
}

/** The groups of a reduction that goes on from one with the groups `before`: all of both. */
export function withGroups({ keys, labels }: Grouping, before: readonly GroupKey[]): Grouping {
  const all = joinedKeys(before, keys);
  const indices = indicesAmong(keys, all);
  const values = Array.from(labels.values, (label) => (label < 0 ? label : (indices[label] as number)));
  return { keys: [...all], labels: { ...labels, values } };
}

/** Whether a value is an object whose members can be asked for. */
const isObject = (value: unknown): value is object => Object(value) === value && isReadable(value);

const isOver = (groups: Groups): groups is Over => "shape" in groups;
const hasLabels = (groups: Groups): groups is { labels: Over; ids?: readonly number[] | undefined } =>
  "labels" in groups && isObject(groups.labels) && "shape" in groups.labels;

/** The groups of the selected places. */
export async function groupingOf(reduced: Reduced, groups: Groups, signal?: AbortSignal): Promise<Grouping> {
  object(groups, "groups");
  if (isOver(groups)) return byLabels(reduced, groups, undefined, signal);
  if (hasLabels(groups)) return byLabels(reduced, groups.labels, groups.ids, signal);
  const [[name, by] = [], ...others] = Object.entries(groups);
  if (name === undefined || others.length > 0)
    refuseField("groups", "one dimension, or labels", Object.keys(groups));
  const axis = axisOf(reduced, name as string, "groups");
  if (typeof by === "object" && by !== null) return byBins(reduced, axis, object(by, "groups").bins, signal);
  if (!PARTS.includes(by as string)) refuseField(`groups.${name}`, `${PARTS.join(", ")}, or { bins }`, by);
  return byDate(reduced, axis, by as DatePart, signal);
}
