/**
 * The options of `createPyramid`, and the axes that they describe. It checks what the caller wrote.
 */
import type { ArrayChoices } from "../../../api/create.ts";
import type { OmeLabelColor } from "../../../api/read/colors.ts";
import type { OpenedSource } from "../../../api/write/element_source.ts";
import type { DownsampleMethod } from "../../../contract/contract.ts";
import { optionsOf, type Rules, refuse, SIGNAL } from "../../../engine/ts/model/argument.ts";
import type { Attributes } from "../../../engine/ts/model/types.ts";
import type { PyramidChannel } from "../pyramid_model.ts";

export type { DownsampleMethod };

/** An axis of a new pyramid. */
export interface NewAxis {
  /** Its name, such as `x`. */
  name: string;
  /** OME's type. Default: `space` for x, y and z, `time` for t, `channel` for c. */
  type?: string | undefined;
  /** The unit of its scale, such as `"micrometer"` or `"second"`. Default: none. */
  unit?: string | undefined;
}

/** OME's metadata of a label image. */
export interface NewLabel {
  /** The colours of labels. Default: none. */
  colors?: readonly OmeLabelColor[] | undefined;
  /** Properties of labels, each with its `label-value`. Default: none. */
  properties?:
    | readonly ({
        /** The label. */
        "label-value": number;
      } & Record<string, unknown>)[]
    | undefined;
  /** The labelled image. Default: the image two levels up, if the path is in a group `labels`. */
  source?:
    | {
        /** The path of the image, relative to the group of labels. */
        image: string;
      }
    | undefined;
}

/**
 * What a pyramid of statistics has of the elements of the finest level that an element covers:
 * their minimum (`"min"`), maximum (`"max"`), standard deviation (`"std"`) or number (`"count"`).
 */
export type PyramidStatistic = "min" | "max" | "std" | "count";

/** The progress of `createPyramid`. */
export interface PyramidProgress {
  /** Index of the level that is being written; 0 is the finest. */
  level: number;
  /** Number of levels. */
  levels: number;
  /** Number of elements that are written, of all levels and statistics. */
  elements: number;
  /** Number of elements of all levels and statistics. */
  totalElements: number;
}

type LevelOptions = Omit<
  ArrayChoices,
  "path" | "kind" | "shape" | "dtype" | "zarrFormat" | "dimensionNames" | "overwrite" | "signal"
>;

/** Options of `createPyramid`. */
export interface CreatePyramidOptions {
  /** Path of the group below the given location, taken literally. Default: the location itself. */
  path?: string | undefined;
  /**
   * What the metadata follow: `"ome"` is OME-Zarr, `"multiscales"` the Zarr convention. Default:
   * `"ome"`.
   */
  convention?: "ome" | "multiscales" | undefined;
  /** OME's version: `"0.4"` makes Zarr v2, `"0.5"` makes Zarr v3. Default: `"0.5"`. */
  version?: "0.4" | "0.5" | undefined;
  /**
   * The name of the array in each level of a `multiscales` pyramid, whose levels then are groups,
   * as xarray opens them. Default: levels are arrays.
   */
  variable?: string | undefined;
  /** The Zarr format of a `multiscales` pyramid. Default: 3. */
  zarrFormat?: 2 | 3 | undefined;
  /** The image's name. Default: the last part of the path, or `"image"`. */
  name?: string | undefined;
  /**
   * One per dimension of the source, by name or with type and unit. Default: the dimension names of
   * an array, or y and x for two dimensions.
   *
   * @throws an `Argument` error if they are needed and not given, and for another number of axes.
   */
  axes?: readonly (string | NewAxis)[] | undefined;
  /**
   * Size of an element of the finest level, by the name of the axis. Default: 1.
   *
   * @unit units of the axis
   */
  scale?: Readonly<Record<string, number>> | undefined;
  /**
   * The position of the first element's centre, by the name of the axis. Default: 0.
   *
   * @unit units of the axis
   */
  translation?: Readonly<Record<string, number>> | undefined;
  /**
   * Code of the reference system of x and y, such as `"EPSG:32633"`; for `multiscales` alone.
   * Default: none.
   */
  crs?: string | undefined;
  /**
   * OME's channels, one for each element of the axis of type `channel`. Missing colours and windows
   * are filled in; a window shows the range of the channel's coarsest level. Default: no channels
   * in the metadata.
   */
  channels?: readonly PyramidChannel[] | undefined;
  /**
   * Whether it is a label image, or OME's metadata of one. It is listed in its parent, if that is a
   * group `labels`. Default: false.
   */
  label?: boolean | NewLabel | undefined;
  /**
   * The number of elements of an axis that become one in the next level, by the name of the axis. A
   * list gives each level its own factors. Default: 2 for x and y, which may be called lon and lat.
   */
  factors?: Readonly<Record<string, number>> | readonly Readonly<Record<string, number>>[] | undefined;
  /**
   * Number of levels with the finest. Default: as many as `factors` has, or until no axis that
   * shrinks is longer than 256 elements.
   */
  levels?: number | undefined;
  /**
   * How a block of elements becomes one. Default: `"mode"` for labels, `"nearest"` for types that
   * are not numbers, else `"mean"`.
   *
   * @throws an `UnsupportedError` if the method does not know the data type.
   */
  method?: DownsampleMethod | undefined;
  /**
   * Values that count neither for the mean nor for the mode, beside NaN. A block without others
   * keeps one. Default: the numbers of the source's attributes `_FillValue` and `missing_value`.
   */
  missing?: readonly (number | bigint)[] | undefined;
  /**
   * The statistics that are written beside the levels. Each is a pyramid of its own in the group
   * `statistics/<name>`, with the levels that this one has below the finest. An element has the
   * minimum, maximum, standard deviation or count of all elements of the finest level that it
   * covers, without NaN and missing values. `min` and `max` have the data type of the source;
   * `std` and `count` are float64. Where values are missing or packed, `min` and `max` are float64,
   * and all are of decoded values. `min`, `max` and `std` of nothing are NaN. Default: none.
   */
  statistics?: readonly PyramidStatistic[] | undefined;
  /**
   * Options of `create` for the levels, or a function that returns them for a level. Statistics
   * have them too, without `fillValue` and `attributes`. Default: those of `create`.
   */
  array?: LevelOptions | ((level: number, shape: readonly number[]) => LevelOptions) | undefined;
  /** More attributes of the group. Default: none. */
  attributes?: Attributes | undefined;
  /** Whether to write consolidated metadata. Default: true for `multiscales`, else false. */
  consolidated?: boolean | undefined;
  /** Whether to erase an existing node at the location. Default: false. */
  overwrite?: boolean | undefined;
  /** Aborts the call, which rejects with the signal's reason. What is written already stays. */
  signal?: AbortSignal | undefined;
  /** Called after each box of elements that is written. */
  onProgress?: ((progress: PyramidProgress) => void) | undefined;
}

const AXIS_RULES: Rules<NewAxis> = { name: "a text", type: "a text", unit: "a text" };

const LABEL_RULES: Rules<NewLabel> = { colors: "a list", properties: "a list", source: { image: "a text" } };

/** What the options of `createPyramid` must be. */
export const PYRAMID_RULES: Rules<CreatePyramidOptions> = {
  ...SIGNAL,
  onProgress: "a function",
  path: "a text",
  convention: ["ome", "multiscales"],
  version: ["0.4", "0.5"],
  variable: "a text",
  zarrFormat: [2, 3],
  name: "a text",
  axes: "a list",
  scale: "an object",
  translation: "an object",
  crs: "a text",
  channels: "a list",
  label: [true, false, LABEL_RULES],
  factors: "an object",
  levels: "a number",
  method: ["mean", "nearest", "mode"],
  missing: "a list",
  statistics: "a list",
  array: "an object",
  attributes: "an object",
  consolidated: "a boolean",
  overwrite: "a boolean",
};

const TYPES: Record<string, string> = { x: "space", y: "space", z: "space", t: "time", c: "channel" };

/** Returns the given axes, or those that follow from the source. */
export function axesOf({ axes }: CreatePyramidOptions, { shape, dimensionNames }: OpenedSource): NewAxis[] {
  const rank = shape.length;
  const given = axes ?? dimensionNames ?? (rank === 2 ? ["y", "x"] : undefined);
  if (given?.length !== rank || given.some((axis) => !axis))
    return refuse(
      "the axes of the source are not known",
      `axes: ${rank} names`,
      `${given?.length ?? 0} names`,
    );
  const named = given.map((axis, at) =>
    typeof axis === "string"
      ? { name: axis }
      : optionsOf(axis, AXIS_RULES, `axes[${at}]`, undefined, `axes[${at}].`),
  );
  if (new Set(named.map(({ name }) => name)).size !== rank)
    refuse(
      "two axes have the same name",
      "different names",
      named.map(({ name }) => name),
    );
  return named.map(({ name, type = TYPES[name.toLowerCase()], unit }) => ({
    name,
    type,
    unit,
  }));
}

/** Returns one number for each axis, from numbers by name. */
export function perAxis(
  axes: readonly NewAxis[],
  given: Readonly<Record<string, number>> | undefined,
  otherwise: number,
  what: string,
): number[] {
  const unknown = Object.keys(given ?? {}).find((key) => !axes.some(({ name }) => name === key));
  const names = axes.map(({ name }) => name).join(", ");
  if (unknown !== undefined) refuse(`${what} of an axis that does not exist`, names, unknown);
  const numbers = axes.map(({ name }) => (given && Object.hasOwn(given, name) ? given[name] : otherwise));
  if (numbers.every((number) => Number.isFinite(number))) return numbers as number[];
  return refuse(`${what} is not a finite number`, "a number for each axis", numbers);
}

const X = ["x", "lon", "longitude", "easting"];
const Y = ["y", "lat", "latitude", "northing"];

/** Returns the index of the axis x, and of y; −1 for none. */
export function indicesOfXY(axes: readonly NewAxis[]): [x: number, y: number] {
  const at = (names: string[]) => axes.findIndex(({ name }) => names.includes(name.toLowerCase()));
  return [at(X), at(Y)];
}

/** Returns the indices of the axes of a plane: x and y; the last two if no axis has such a name. */
export function planeAxes(axes: readonly NewAxis[]): number[] {
  const named = indicesOfXY(axes).filter((axis) => axis >= 0);
  return named.length > 0 ? named : [axes.length - 2, axes.length - 1];
}
