/**
 * `coords`: the coordinates of one dimension of an array. They are the values of the variable of
 * that name in the array's group, or in one above it (CF, xarray). Without one they follow from the
 * array's transform (`spatial:`, OME, multiscales), which `pyramid` reads.
 */

import type { AnyArray, Array as ZarrArray } from "../../api/array.ts";
import { FACTS, needArray } from "../../api/node_facts.ts";
import {
  type CoordinateValue,
  dimensionNamesOf,
  NEAREST_RULES,
  type NearestOptions,
} from "../../api/selection.ts";
import type { Moment } from "../../contract/contract.ts";
import { NAT } from "../../engine/ts/elements/elements.ts";
import {
  need,
  needList,
  needReadable,
  object,
  optionsOf,
  type Rules,
  SIGNAL,
} from "../../engine/ts/model/argument.ts";
import {
  InvalidSelectionError,
  NotFoundError,
  shown,
  UnsupportedError,
  ZarrError,
} from "../../engine/ts/model/errors.ts";
import { findable, unproxied, worksBehindProxies } from "../../engine/ts/model/proxies.ts";
import type { Attributes, DataType, Readable, Slice } from "../../engine/ts/model/types.ts";
import { affineOf, inPlane } from "./geometry.ts";
import { isLongitude as isLongitudeBy } from "./longitude.ts";
import { EvenAxis, Lookup, needListable } from "./lookup.ts";
import { hasDegrees } from "./projection.ts";
import { type FoundLevel, findLevel, levelIn, pyramidAlone, rememberedLevel } from "./pyramid.ts";
import type { Pyramid } from "./pyramid_model.ts";
import { type TimeUnits, timeUnits, unitsOfNumpy } from "./time.ts";
import { coordinateVariable } from "./variables.ts";

/** Options of `coords` and `locate`. */
export interface CoordsOptions {
  /**
   * The pyramid that has the array as a level. Default: it is searched for in the array's group and
   * the groups above.
   */
  pyramid?: Pyramid | undefined;
  /** Aborts the call, which rejects at once with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export const COORDS_RULES: Rules<CoordsOptions> = { ...SIGNAL, pyramid: "an object" };

interface Parts {
  dimension: string;
  source: Coordinates["source"];
  path?: string;
  values: EvenAxis | Float64Array | readonly string[];
  attrs: Attributes;
  units?: string;
  time?: TimeUnits;
  exact?: ArrayLike<bigint>;
  /** Whether the values are longitudes, of which 360 degrees more are the same point. */
  isLongitude: boolean;
}

/** The elements of a dimension that a result has: so many of them are one place of the result. */
export interface Places {
  axis: number;
  indices: { readonly length: number; at(place: number): number };
  block: number;
}

/** A result whose dimensions come from those of an array, such as that of `reduce`. */
export interface Positioned {
  /** The number of places along each dimension. */
  readonly shape: readonly number[];
  /** The names of the dimensions; null for one without a name. */
  readonly dimensionNames: readonly (string | null)[];
}

/** The array of a result, and the elements of each dimension; undefined for a new dimension. */
interface Origin {
  array: AnyArray;
  places: readonly (Places | undefined)[];
}

const origins = new WeakMap<object, Origin>();

/** Remembers where the dimensions of a result come from, so that `coords` knows its coordinates. */
export function keepOrigin(result: Positioned, origin: Origin): void {
  origins.set(findable(result), origin);
}

/** Maximum number of moments in one list. A list of more does not fit into a page. */
const MAX_MOMENTS = 2 ** 25;

function whole(element: number): number {
  need(Number.isInteger(element), "element", "an index");
  return element;
}

/** The mean of each block. The last one may have fewer numbers. */
function means(numbers: Float64Array, block: number): Float64Array {
  return Float64Array.from({ length: Math.ceil(numbers.length / block) }, (_, at) => {
    const members = numbers.subarray(at * block, (at + 1) * block);
    return members.reduce((sum, number) => sum + number, 0) / members.length;
  });
}

/** The key of the method that gives the coordinates of places. */
const AT_PLACES: unique symbol = Symbol("zarr-wasm.places");

/** The coordinates of one dimension. Made by `coords`. */
export class Coordinates {
  /** The name of the dimension. */
  readonly dimension: string;
  /** `"variable"`: read from an array; `"affine"`: computed from the array's transform. */
  readonly source: "variable" | "affine";
  /** Path of the variable; undefined for `"affine"`. */
  readonly path: string | undefined;
  /** The attributes of the variable; empty for `"affine"`. */
  readonly attrs: Attributes;
  /** The units, as the metadata has them. */
  readonly units: string | undefined;
  /** Converts the values to dates. Undefined if they are not times. */
  readonly time: TimeUnits | undefined;
  /** The stored 64-bit integers, because `values` is not exact beyond 2^53. */
  readonly #exact: ArrayLike<bigint> | undefined;
  /** The values, or how they are computed. */
  readonly #own: EvenAxis | Float64Array | readonly string[];
  /** The list of the computed values, once it was asked for. */
  #list: Float64Array | undefined;
  #lookup: Lookup | undefined;
  readonly #isLongitude: boolean;

  /** @internal */
  constructor({ dimension, source, path, values, attrs, units, time, exact, isLongitude }: Parts) {
    findable(this);
    this.#isLongitude = isLongitude;
    [this.dimension, this.source, this.path, this.#own] = [dimension, source, path, values];
    [this.attrs, this.units, this.time, this.#exact] = [attrs, units, time, exact];
  }

  /** The number of elements of the dimension. */
  get length(): number {
    return this.#own.length;
  }

  /**
   * One value per element, unpacked by CF; NaN if it is missing. Times are counts of `units`.
   * Text coordinates are strings. The list of an `"affine"` axis is made when it is first read.
   *
   * @throws a `Limit` error if it would be larger than the result of a read may be.
   */
  get values(): Float64Array | readonly string[] {
    if (!(this.#own instanceof EvenAxis)) return this.#own;
    this.#list ??= this.#own.list(this.dimension);
    return this.#list;
  }

  /**
   * `values` as numbers.
   *
   * @throws an `Argument` error if they are text.
   */
  get numbers(): Float64Array {
    const { values } = this;
    need(values instanceof Float64Array, this.dimension, "an axis of numbers", "text: `values` has it");
    return values;
  }

  /**
   * The value of one element, as in `values`, without a list.
   *
   * @param element The index of the element.
   * @returns the value; undefined if there is no such element.
   * @throws an `Argument` error for what is not an integer.
   */
  value(element: number): number | string | undefined {
    return whole(element) < 0 ? undefined : this.#own.at(element);
  }

  /** @internal The coordinates of these places. That of a block is the mean of its elements'. */
  [AT_PLACES]({ indices, block }: Places): Coordinates {
    const { dimension, source, attrs, units, path, time } = this;
    const parts = {
      dimension,
      source,
      attrs,
      isLongitude: this.#isLongitude,
      ...(path !== undefined && { path }),
      ...(units !== undefined && { units }),
      ...(time && { time }),
    };
    const { length } = indices;
    if (globalThis.Array.isArray(this.#own)) {
      const first = (_: unknown, at: number) => this.value(indices.at(at * block)) as string;
      return new Coordinates({
        ...parts,
        values: globalThis.Array.from({ length: Math.ceil(length / block) }, first),
      });
    }
    const numbers = Float64Array.from({ length }, (_, at) => Number(this.value(indices.at(at))));
    const exact = this.#exact;
    return new Coordinates({
      ...parts,
      values: block === 1 ? numbers : means(numbers, block),
      ...(exact &&
        block === 1 && { exact: BigInt64Array.from({ length }, (_, at) => exact[indices.at(at)] as bigint) }),
    });
  }

  #count(element: number): number | bigint {
    const value = this.value(element);
    return (
      (typeof value === "number" && !Number.isNaN(value) ? this.#exact?.[element] : undefined) ??
      Number(value)
    );
  }

  /**
   * The moment of an element of a time axis, in its own calendar.
   *
   * @param element The index of the element.
   * @returns the moment; null if the value is missing, or if this is not a time axis.
   */
  async moment(element: number): Promise<Moment | null> {
    return (await this.time?.moment(this.#count(element))) ?? null;
  }

  /**
   * The `Date` of an element of a time axis. It is invalid if the value is missing, or if the
   * calendar has days that the real one does not have.
   *
   * @param element The index of the element.
   */
  async date(element: number): Promise<Date> {
    return (await this.time?.date(this.#count(element))) ?? new Date(Number.NaN);
  }

  /**
   * The moments of all elements, in the calendar of the axis; nulls if this is not a time axis.
   *
   * @throws a `Limit` error if they are too many for a list.
   */
  async moments(): Promise<(Moment | null)[]> {
    const { length, time } = this;
    needListable(length, this.dimension, MAX_MOMENTS);
    if (!time) return new globalThis.Array<null>(length).fill(null);
    return time.moments(globalThis.Array.from({ length }, (_, element) => this.#count(element)));
  }

  /**
   * The `Date` of each element of a time axis, as `date` gives them.
   *
   * @throws an `Argument` error if this is not a time axis.
   * @throws a `Limit` error if they are too many for a list.
   */
  async dates(): Promise<Date[]> {
    const { length, time, units } = this;
    needListable(length, this.dimension, MAX_MOMENTS);
    need(time, this.dimension, "a time axis", units === undefined ? "no units" : `units ${units}`);
    return time.dates(globalThis.Array.from({ length }, (_, element) => this.#count(element)));
  }

  async #number(value: unknown): Promise<number> {
    if (typeof value === "number" || typeof value === "bigint") return Number(value);
    if (this.time) return this.time.count(value as string);
    throw new InvalidSelectionError(`${JSON.stringify(this.dimension)} is no time axis`, {
      expected: "a number",
      actual: shown(value),
    });
  }

  /** Undefined for text. */
  #search(): Lookup | undefined {
    if (this.#own instanceof EvenAxis) this.#lookup ??= Lookup.ofAxis(this.#own, this.#isLongitude);
    else if (this.#own instanceof Float64Array) this.#lookup ??= Lookup.ofList(this.#own, this.#isLongitude);
    return this.#lookup;
  }

  /**
   * Finds the element whose coordinate is nearest to a value, and returns its index. The option
   * `method` selects another rule. A text must match exactly. Longitudes match on every turn:
   * −44.7 finds 315.3.
   *
   * @param value The value, in `units`; of a time axis also a date.
   * @throws an `InvalidSelectionError` if there is no such element, and for a value that is more
   *   than half of a step beyond the ends: `method: "nearest"` takes the nearest element, however
   *   far.
   */
  async nearest(value: CoordinateValue, options: NearestOptions = {}): Promise<number> {
    optionsOf(options, NEAREST_RULES);
    const what = JSON.stringify(this.dimension);
    const search = this.#search();
    if (search) return search.nearest(await this.#number(value), options, what);
    const found = (this.#own as readonly string[]).indexOf(shown(value));
    if (found >= 0) return found;
    throw new InvalidSelectionError(`no element of ${what} is ${shown(value)}`);
  }

  /**
   * The elements whose coordinates are from one value to another, both included.
   *
   * @param from One end, in `units`; of a time axis also a date; null for no bound.
   * @param to The other end.
   * @returns a slice; for unsorted coordinates a list of indices, and for longitudes across the
   *   first one a list from west to east (of falling ones from east to west): `range(-10, 10)` of 0
   *   … 359 begins at 350.
   * @throws an `UnsupportedError` for coordinates that are text.
   */
  async range(from: CoordinateValue | null, to: CoordinateValue | null): Promise<Slice | number[]> {
    const search = this.#search();
    if (!search) throw new UnsupportedError("ranges of coordinates that are text");
    const bounds = [from ?? Number.NEGATIVE_INFINITY, to ?? Number.POSITIVE_INFINITY];
    const ends = await Promise.all(bounds.map((value) => this.#number(value)));
    return search.range(Math.min(...ends), Math.max(...ends), this.dimension);
  }
}
worksBehindProxies(Coordinates);

/** The coordinate variable of a dimension: it has the dimension's name and length. */
async function variableOf(
  array: AnyArray,
  name: string,
  length: number,
  signal: AbortSignal | undefined,
): Promise<AnyArray | undefined> {
  const found = await coordinateVariable(array, name, signal);
  return found?.shape.length === 1 && found.shape[0] === length ? found : undefined;
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** The units of time. Undefined if the values are not times, or if the units are invalid. */
async function timeOf(
  units: string | undefined,
  calendar: string | undefined,
): Promise<TimeUnits | undefined> {
  if (units === undefined || !/ since /i.test(units)) return undefined;
  try {
    return await timeUnits(units, calendar);
  } catch (error) {
    // `validate` reports invalid units. The values are still usable as numbers.
    if (error instanceof ZarrError && (error.code === "Format" || error.code === "Unsupported"))
      return undefined;
    throw error;
  }
}

async function ofVariable(
  dimension: string,
  variable: AnyArray,
  signal: AbortSignal | undefined,
): Promise<Coordinates> {
  const { attrs, path } = variable;
  const isLongitude = isLongitudeBy({ name: dimension, attrs });
  const parts = { dimension, source: "variable" as const, path, attrs, isLongitude };
  const own = await variable.get(null, { signal });
  const { data } = own as { data: unknown };
  if (globalThis.Array.isArray(data)) return new Coordinates({ ...parts, values: data.map(String) });
  const numpy =
    "unit" in own && "toDate" in own ? (own as unknown as { unit: string; scale: number }) : undefined;
  if (numpy) {
    const units = unitsOfNumpy(numpy.unit, numpy.scale);
    const counts = data as BigInt64Array;
    const values = Float64Array.from(counts, (count) => (count === NAT ? Number.NaN : Number(count)));
    return new Coordinates({
      ...parts,
      values,
      units,
      time: await timeOf(units, "proleptic_gregorian"),
      exact: counts,
    });
  }
  // Coordinates in CF have no missing values. Zarr's fill value, such as 0, is a valid coordinate.
  const decode = { convention: "cf", zarrFillValue: false } as const;
  const { data: values } = await variable.get(null, { signal, decode, as: "float64" });
  const units = textOf(attrs.units);
  const time = await timeOf(units, textOf(attrs.calendar));
  const isPacked = attrs.scale_factor !== undefined || attrs.add_offset !== undefined;
  const exact = data instanceof BigInt64Array && !isPacked ? data : undefined;
  return new Coordinates({ ...parts, values, units, time, exact });
}

/**
 * Whether the pyramid's transform takes precedence over a coordinate variable. OME does so for all
 * axes, `spatial:` for x and y.
 */
function isPositionedBy({ pyramid, level }: FoundLevel, axis: number): boolean {
  if (pyramid.convention === "ome") return true;
  const isInPlane = axis === pyramid.plane.x || axis === pyramid.plane.y;
  return isInPlane && (pyramid.isSpatial || hasTransform(level.array));
}

const hasTransform = (array: AnyArray) => "spatial:transform" in array.attrs;

function ofLevel(
  dimension: string,
  { level, pyramid }: FoundLevel,
  axis: number,
  length: number,
): Coordinates {
  const { plane, axes } = pyramid;
  const unit = axes[axis]?.unit;
  const isInPlane = axis === plane.x || axis === plane.y;
  const [a, b, c, d, e, f] = affineOf(level, plane);
  if (isInPlane && (b !== 0 || d !== 0)) {
    throw new UnsupportedError(
      `coordinates of ${JSON.stringify(dimension)}: its axes are turned, so that they depend on both`,
    );
  }
  const own = [level.scale[axis] ?? 1, level.translation[axis] ?? 0] as const;
  const across = [a, c] as const;
  const down = [e, f] as const;
  const [scale, start] = inPlane(plane, axis, [across, down], own);
  const values = new EvenAxis(start, scale, length);
  const isLongitude =
    isLongitudeBy({ name: axes[axis]?.name ?? "", attrs: { units: unit } }) ||
    (axis === plane.x && pyramid.convention !== "ome" && hasDegrees(pyramid.crs));
  return new Coordinates({ dimension, source: "affine", values, attrs: {}, units: unit, isLongitude });
}

/** The index of a dimension, given by name or index. */
function axisOf(
  names: readonly (string | null)[] | undefined,
  rank: number,
  dimension: string | number,
  path?: string,
): number {
  needReadable(dimension, "dimension");
  const axis = typeof dimension === "number" ? dimension : (names?.indexOf(dimension) ?? -1);
  if (Number.isInteger(axis) && axis >= 0 && axis < rank) return axis;
  throw new InvalidSelectionError(`the array has no dimension ${shown(dimension)}`, {
    ...(path !== undefined && { path }),
    expected: names ? names.map((name) => JSON.stringify(name)).join(", ") : `below ${rank}: it has no names`,
    actual: shown(dimension),
  });
}

/** The coordinates of a dimension of a result. */
async function ofResult(
  { shape, dimensionNames }: Positioned,
  { array, places }: Origin,
  dimension: string | number,
  options: CoordsOptions,
): Promise<Coordinates> {
  const axis = axisOf(dimensionNames, shape.length, dimension);
  const own = places[axis];
  if (own) return (await coords(array, own.axis, options))[AT_PLACES](own);
  throw new NotFoundError(
    `coordinates of dimension ${JSON.stringify(dimensionNames[axis])}: no dimension of the array is it`,
    { path: array.path },
  );
}

/**
 * The array's level in a pyramid, if it is known without a search in the groups above. An array
 * with its own `spatial:transform` is a pyramid of one level.
 */
async function levelAtHand(
  array: AnyArray,
  { pyramid: given, signal }: CoordsOptions,
): Promise<FoundLevel | undefined> {
  const known = given ? levelIn(given, array) : rememberedLevel(array);
  if (known || given || !hasTransform(array)) return known;
  return findLevel(array, pyramidAlone, signal);
}

/**
 * Reads the coordinates of a dimension, of an array or of a result of `reduce` (of a block, the
 * mean). They come from the transform of a pyramid, from the variable of the dimension's name in
 * the array's group or in one above it, or from `spatial:`.
 *
 *     const time = await coords(array, "time");
 *     await time.nearest("2000-01-01"); // an index
 *
 * @param array The array, or the result.
 * @param dimension The name or the index of the dimension.
 * @throws a `NotFoundError` if the dimension has no coordinates.
 * @throws an `InvalidSelectionError` if there is no such dimension.
 * @throws an `UnsupportedError` for axes that are turned, so that coordinates depend on both.
 */
export async function coords(
  array: ZarrArray<DataType, Readable> | Positioned,
  dimension: string | number,
  options: CoordsOptions = {},
): Promise<Coordinates> {
  const { signal, pyramid: given } = optionsOf(options, COORDS_RULES);
  if (given) needList(given.levels, "pyramid");
  signal?.throwIfAborted();
  const origin = origins.get(unproxied(object(array, "array")));
  if (origin) return ofResult(array as Positioned, origin, dimension, options);
  needArray(array);
  return ofArray(array as AnyArray, dimension, options);
}

async function ofArray(
  array: AnyArray,
  dimension: string | number,
  options: CoordsOptions,
): Promise<Coordinates> {
  const { signal } = options;
  const axis = axisOf(dimensionNamesOf(array[FACTS]), array.shape.length, dimension, array.path);
  const [name = undefined, length = 0] = [dimensionNamesOf(array[FACTS])?.[axis], array.shape[axis]];
  const shown = name ?? String(axis);
  const atHand = await levelAtHand(array, options);
  if (atHand && isPositionedBy(atHand, axis)) return ofLevel(shown, atHand, axis, length);
  const variable = name ? await variableOf(array, name, length, signal) : undefined;
  if (variable) return ofVariable(shown, variable, signal);
  const found = atHand ?? (options.pyramid ? undefined : await findLevel(array, pyramidAlone, signal));
  if (found) return ofLevel(shown, found, axis, length);
  throw new NotFoundError(
    `coordinates of dimension ${JSON.stringify(shown)}: no array of that name and length ` +
      "in the array's group or in those above it, and no transform of the array",
    { path: array.path },
  );
}
