/**
 * The numbers along an axis of a series: seconds since 1970 for dates of the real calendar, else
 * coordinates or indices; and their texts, for tables and files.
 */
import type * as zarr from "zarr-wasm";
import { coordinatesOf, textOf } from "../../model/scene/coordinates.js";
import type { Scene } from "../../model/scene/scene.js";
import { momentText, unitText } from "../../model/scene/value_text.js";

export interface AxisNumbers {
  name: string;
  unit: string;
  isTime: boolean;
  /** Ascending or descending. */
  numbers: readonly number[];
  texts: readonly string[];
}

/** Calendars whose days are those of the world. */
const IS_REAL = /^(standard|gregorian|proleptic_gregorian|)$/;
/** The standard calendar is Julian before. */
const FIRST_YEAR = 1583;

const secondsOf = ({ year, month, day, hour, minute, second, nanosecond }: zarr.Moment): number =>
  Date.UTC(year, month - 1, day, hour, minute, second) / 1000 + nanosecond / 1e9;

function ofMoments(
  name: string,
  coordinates: zarr.Coordinates,
  moments: readonly (zarr.Moment | null)[],
): AxisNumbers {
  const { calendar = "" } = coordinates.time ?? {};
  const isTime = IS_REAL.test(calendar) && moments.every((moment) => moment && moment.year >= FIRST_YEAR);
  const texts = moments.map((moment) => (moment ? momentText(moment) : ""));
  if (!isTime)
    return { name, unit: coordinates.units ?? "", isTime, numbers: numbersIn(coordinates.values), texts };
  return {
    name,
    unit: "",
    isTime,
    numbers: moments.map((moment) => (moment ? secondsOf(moment) : 0)),
    texts,
  };
}

/**
 * Numbers of coordinates. Where one is missing, or they are texts, indices stand for all of them.
 */
function numbersIn(values: Float64Array | readonly string[]): number[] {
  const numbers = Array.from(values as ArrayLike<number | string>, (value) =>
    typeof value === "number" ? value : Number.NaN,
  );
  return isMonotonic(numbers) ? numbers : numbers.map((_, at) => at);
}

/** Whether a plot can have them from left to right. */
function isMonotonic(numbers: readonly number[]): boolean {
  const isUp = (numbers[1] ?? 0) > (numbers[0] ?? 0);
  return numbers.every((number, at) => {
    const before = numbers[at - 1];
    return Number.isFinite(number) && (before === undefined || (isUp ? number > before : number < before));
  });
}

/** The numbers along an axis of a level of the scene. */
export async function axisNumbers(
  { pyramid, axes }: Scene,
  level: number,
  axis: number,
  signal: AbortSignal,
): Promise<AxisNumbers> {
  const { array } = pyramid.levels[level] ?? {};
  const { name = "", unit } = axes[axis] ?? {};
  const length = array?.shape[axis] ?? 0;
  const coordinates = array ? await coordinatesOf(array, axis, { pyramid, signal }) : null;
  const indices = Array.from({ length }, (_, at) => at);
  if (!coordinates) return { name, unit: "", isTime: false, numbers: indices, texts: indices.map(String) };
  if (coordinates.time) return ofMoments(name, coordinates, await coordinates.moments());
  const text = await textOf(coordinates);
  return {
    name,
    unit: unitText(coordinates.units) || unitText(unit),
    isTime: false,
    numbers: numbersIn(coordinates.values),
    texts: indices.map((at) => text(at) || String(at)),
  };
}
