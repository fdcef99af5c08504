/**
 * Which coordinates are longitudes and latitudes, by CF's attributes and names, and the turns of a
 * longitude: 315.3 and −44.7 are one point. Searches, maps and weights share these rules.
 */
import type { Attributes } from "../../engine/ts/model/types.ts";

/** A coordinate by its name, and its attributes. */
export interface Named {
  name: string;
  attrs: Attributes;
}

const LON = /^degrees?_?e(ast)?$/i;
const LAT = /^degrees?_?n(orth)?$/i;
/** Units of what is named so, but is not in degrees. */
const OTHER = /^(k?m|(kilo)?met(er|re)s?|rad(ian)?s?)$/i;

export const says = (value: unknown, pattern: RegExp): boolean =>
  typeof value === "string" && pattern.test(value.trim());

export const isLongitude = ({ name, attrs }: Named): boolean =>
  says(attrs.units, LON) ||
  (!says(attrs.units, OTHER) && (attrs.standard_name === "longitude" || /^lon(gitude)?$/i.test(name)));

export const isLatitude = ({ name, attrs }: Named): boolean =>
  says(attrs.units, LAT) ||
  (!says(attrs.units, OTHER) && (attrs.standard_name === "latitude" || /^lat(itude)?$/i.test(name)));

/** Degrees of a turn. */
const TURN = 360;

/** Longitudes over more turns than this are no longitudes of points. */
const MAX_TURNS = 2;

/** Lowest and highest. */
type Ends = readonly [low: number, high: number];

/** Whether a longitude may be a turn away from those of an axis. */
const turns = ([low, high]: Ends): boolean => high - low <= MAX_TURNS * TURN;

/**
 * The longitudes of the point of a value: itself if it is between the ends, else the two turns of
 * it that are next to them.
 */
export function turnsOf(value: number, ends: Ends): number[] {
  const [low, high] = ends;
  if (!Number.isFinite(value) || !turns(ends) || (value >= low && value <= high)) return [value];
  const above = value + TURN * Math.ceil((low - value) / TURN);
  return [above, above - TURN];
}

/**
 * The parts of an axis with these ends that lie between two longitudes, from the western one on:
 * one if both are between the ends, and the axis for a whole turn.
 */
export function spansOf([from, to]: Ends, ends: Ends): Ends[] {
  const [low, high] = ends;
  const isWithin = from >= low && to <= high;
  if (isWithin || !Number.isFinite(to - from) || !turns(ends)) return [[from, to]];
  if (to - from >= TURN) return [ends];
  const [first, last] = [Math.floor((high - from) / TURN), Math.ceil((low - to) / TURN)];
  const spans: Ends[] = [];
  for (let turn = first; turn >= last; turn -= 1) spans.push([from + turn * TURN, to + turn * TURN]);
  return spans;
}
