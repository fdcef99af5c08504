/**
 * `coords`: the coordinates of a dimension of an array: those of the variable of its name beside it (CF, xarray), else of the
 * array's place in the world (`spatial:`, OME, multiscales: `pyramid` reads them).
 */
import type { Array as ZarrArray } from "../api/array.ts";
import type { CoordinateValue, NearestOptions } from "../api/by_value.ts";
import { FACTS } from "../api/node_facts.ts";
import { dimensionNamesOf } from "../api/selection.ts";
import { InvalidSelectionError, NotFoundError, UnsupportedError, ZarrError } from "../model/errors.ts";
import type { Attributes, DataType, Readable, Slice } from "../model/types.ts";
import { besideOf } from "./beside.ts";
import { Lookup } from "./lookup.ts";
import { levelIn, type PlacedLevel, placedLevel, rememberedLevel } from "./placing.ts";
import { type PlacedNode, pyramid } from "./pyramid.ts";
import type { Pyramid } from "./pyramid_model.ts";
import { type Moment, type TimeUnits, timeUnits, unitsOfNumpy } from "./time.ts";

export interface CoordsOptions {
  /**
   * The pyramid that has the array as a level: it says where the array is, and no other is looked
   * for.
   */
  pyramid?: Pyramid | undefined;
  signal?: AbortSignal | undefined;
}

interface Parts {
  dimension: string;
  source: Coordinates["source"];
  path?: string | undefined;
  values: Float64Array | readonly string[];
  attrs: Attributes;
  units?: string | undefined;
  time?: TimeUnits | undefined;
  exact?: ArrayLike<bigint> | undefined;
}

/** The coordinates of one dimension. Made by `coords`. */
export class Coordinates {
  /** The name of the dimension. */
  readonly dimension: string;
  /** `"variable"`: an array has them; `"affine"`: they follow from where the array is placed. */
  readonly source: "variable" | "affine";
  /** Of the variable that has them. */
  readonly path: string | undefined;
  /** Unpacked by CF: NaN where one is missing. Of time these are counts, of text strings. */
  readonly values: Float64Array | readonly string[];
  /** The attributes of the variable. */
  readonly attrs: Attributes;
  readonly units: string | undefined;
  /** What the values mean, where they are counts of time. */
  readonly time: TimeUnits | undefined;
  /** 64-bit integers as they are stored: counts beyond 2^53 are exact there alone. */
  readonly #exact: ArrayLike<bigint> | undefined;
  #lookup: Lookup | undefined;

  /** @internal */
  constructor({ dimension, source, path, values, attrs, units, time, exact }: Parts) {
    [this.dimension, this.source, this.path, this.values] = [dimension, source, path, values];
    [this.attrs, this.units, this.time, this.#exact] = [attrs, units, time, exact];
  }

  get length(): number {
    return this.values.length;
  }

  #count(element: number): number | bigint {
    const value = this.values[element];
    return (
      (typeof value === "number" && !Number.isNaN(value) ? this.#exact?.[element] : undefined) ??
      Number(value)
    );
  }

  /** The moment of an element of a time axis; null where there is none. */
  async moment(element: number): Promise<Moment | null> {
    return (await this.time?.moment(this.#count(element))) ?? null;
  }

  /** The `Date` of an element of a time axis; an invalid one where there is none, or its calendar is not real. */
  async date(element: number): Promise<Date> {
    return (await this.time?.date(this.#count(element))) ?? new Date(Number.NaN);
  }

  /** All moments; nulls where the axis is not time. */
  async moments(): Promise<(Moment | null)[]> {
    const counts = globalThis.Array.from({ length: this.length }, (_, element) => this.#count(element));
    return (await this.time?.moments(counts)) ?? counts.map(() => null);
  }

  async #number(value: unknown): Promise<number> {
    if (typeof value === "number" || typeof value === "bigint") return Number(value);
    if (this.time) return this.time.count(value as string);
    throw new InvalidSelectionError(`${JSON.stringify(this.dimension)} is no time axis`, {
      expected: "a number",
      actual: String(value),
    });
  }

  #search(): Lookup {
    this.#lookup ??= new Lookup(this.values as Float64Array);
    return this.#lookup;
  }

  /** The element that a value means. Rejects with an `InvalidSelectionError` where there is none. */
  async nearest(value: CoordinateValue, options: NearestOptions = {}): Promise<number> {
    const what = JSON.stringify(this.dimension);
    if (this.values instanceof Float64Array)
      return this.#search().nearest(await this.#number(value), options, what);
    const found = this.values.indexOf(String(value));
    if (found >= 0) return found;
    throw new InvalidSelectionError(`no element of ${what} is ${JSON.stringify(value)}`);
  }

  /** The elements from one value to another, both included; null is no bound. A slice, or a list where they are not neighbours. */
  async range(from: CoordinateValue | null, to: CoordinateValue | null): Promise<Slice | number[]> {
    if (!(this.values instanceof Float64Array))
      throw new UnsupportedError("ranges of coordinates that are text");
    const bounds = [from ?? Number.NEGATIVE_INFINITY, to ?? Number.POSITIVE_INFINITY];
    const [low, high] = await Promise.all(bounds.map((value) => this.#number(value)));
    return this.#search().range(
      Math.min(low as number, high as number),
      Math.max(low as number, high as number),
    );
  }
}

type AnyArray = ZarrArray<DataType, Readable>;

/** The variable of a dimension's name, beside the array, or the array itself. */
async function variableOf(
  array: AnyArray,
  name: string,
  length: number,
  signal: AbortSignal | undefined,
): Promise<AnyArray | undefined> {
  const found = await besideOf(array, name, signal);
  return found?.shape.length === 1 && found.shape[0] === length ? found : undefined;
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** What counts mean; undefined where they are no counts of time that is understood. */
async function timeOf(
  units: string | undefined,
  calendar: string | undefined,
): Promise<TimeUnits | undefined> {
  if (units === undefined || !/ since /i.test(units)) return undefined;
  try {
    return await timeUnits(units, calendar);
  } catch (error) {
    // `validate` tells what is wrong with them; the values are numbers all the same.
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
  const parts = { dimension, source: "variable" as const, path, attrs };
  const own = await variable.get(null, { signal });
  const { data } = own as { data: unknown };
  if (globalThis.Array.isArray(data)) return new Coordinates({ ...parts, values: data.map(String) });
  const numpy =
    "unit" in own && "toDate" in own ? (own as unknown as { unit: string; scale: number }) : undefined;
  if (numpy) {
    const units = unitsOfNumpy(numpy.unit, numpy.scale);
    const counts = data as BigInt64Array;
    const values = Float64Array.from(counts, (count) =>
      count === -(2n ** 63n) ? Number.NaN : Number(count),
    );
    return new Coordinates({
      ...parts,
      values,
      units,
      time: await timeOf(units, "proleptic_gregorian"),
      exact: counts,
    });
  }
  // CF's coordinates have no missing values: a fill value that Zarr writes without being asked, such as 0, is one of theirs.
  const decode = { convention: "cf", zarrFillValue: false } as const;
  const { data: values } = await variable.get(null, { signal, decode, as: "float64" });
  const units = textOf(attrs.units);
  const time = await timeOf(units, textOf(attrs.calendar));
  const isPacked = attrs.scale_factor !== undefined || attrs.add_offset !== undefined;
  const exact = data instanceof BigInt64Array && !isPacked ? data : undefined;
  return new Coordinates({ ...parts, values, units, time, exact });
}

/** The pyramid without its label images: where an array is does not depend on them. */
const pyramidAlone = (node: PlacedNode<Readable>): Promise<Pyramid> => pyramid(node, { labels: false });

/**
 * Whether a pyramid says of an axis where its elements are, so that no variable is looked for: OME
 * of all, `spatial:` of x and y.
 */
function isPlacedBy({ pyramid, level }: PlacedLevel, axis: number): boolean {
  if (pyramid.convention === "ome") return true;
  const isInPlane = axis === pyramid.plane.x || axis === pyramid.plane.y;
  return isInPlane && (pyramid.isSpatial || hasTransform(level.array));
}

const hasTransform = (array: AnyArray) => "spatial:transform" in array.attrs;

function ofPlace(
  dimension: string,
  { level, pyramid: { plane, axes } }: PlacedLevel,
  axis: number,
  length: number,
): Coordinates {
  const unit = axes[axis]?.unit;
  const isInPlane = axis === plane.x || axis === plane.y;
  const [, b = 0, , d = 0] = level.affine ?? [];
  if (isInPlane && level.affine && (b !== 0 || d !== 0)) {
    throw new UnsupportedError(
      `coordinates of ${JSON.stringify(dimension)}: its axes are turned, so that they depend on both`,
    );
  }
  const [a = 1, , c = 0, , e = 1, f = 0] = level.affine ?? [];
  const own = [level.scale[axis] ?? 1, level.translation[axis] ?? 0] as const;
  const [scale, start] = !level.affine || !isInPlane ? own : axis === plane.x ? [a, c] : [e, f];
  const values = Float64Array.from({ length }, (_, at) => scale * at + start);
  return new Coordinates({ dimension, source: "affine", values, attrs: {}, units: unit });
}

/** The place of a dimension among those of an array. */
function axisOf(array: AnyArray, dimension: string | number): number {
  const names = dimensionNamesOf(array[FACTS]);
  const axis = typeof dimension === "number" ? dimension : (names?.indexOf(dimension) ?? -1);
  if (Number.isInteger(axis) && axis >= 0 && axis < array.shape.length) return axis;
  throw new InvalidSelectionError(`the array has no dimension ${JSON.stringify(dimension)}`, {
    path: array.path,
    expected: names
      ? names.map((name) => JSON.stringify(name)).join(", ")
      : `below ${array.shape.length}: it has no names`,
    actual: String(dimension),
  });
}

/**
 * The pyramid that says where an array is, as far as it is known without a request; of an array
 * that is placed itself, that.
 */
async function placeAtHand(
  array: AnyArray,
  { pyramid: given, signal }: CoordsOptions,
): Promise<PlacedLevel | undefined> {
  const known = given ? levelIn(given, array) : rememberedLevel(array);
  if (known || given || !hasTransform(array)) return known;
  return placedLevel(array, pyramidAlone, signal);
}

/**
 * The coordinates of a dimension of an array, by name or place. Rejects with a `NotFoundError` where nothing says them.
 */
export async function coords(
  array: ZarrArray<DataType, Readable>,
  dimension: string | number,
  options: CoordsOptions = {},
): Promise<Coordinates> {
  const { signal } = options;
  signal?.throwIfAborted();
  const axis = axisOf(array, dimension);
  const [name = undefined, length = 0] = [dimensionNamesOf(array[FACTS])?.[axis], array.shape[axis]];
  const shown = name ?? String(axis);
  const atHand = await placeAtHand(array, options);
  if (atHand && isPlacedBy(atHand, axis)) return ofPlace(shown, atHand, axis, length);
  const variable = name ? await variableOf(array, name, length, signal) : undefined;
  if (variable) return ofVariable(shown, variable, signal);
  const place = atHand ?? (options.pyramid ? undefined : await placedLevel(array, pyramidAlone, signal));
  if (place) return ofPlace(shown, place, axis, length);
  throw new NotFoundError(
    `coordinates of dimension ${JSON.stringify(shown)}: no array of that name and length beside it, and it is not placed`,
    {
      path: array.path,
    },
  );
}
