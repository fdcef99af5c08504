/**
 * The attributes of a new pyramid's group: OME-Zarr 0.4 and 0.5, and the convention `multiscales`
 * with `spatial` and `proj`. It writes nothing.
 */

import { refuse } from "../../../engine/ts/model/argument.ts";
import type { Attributes } from "../../../engine/ts/model/types.ts";
import { conventionAttributes, validate } from "../conventions.ts";
import type { PyramidChannel } from "../pyramid_model.ts";
import type { DownsampleMethod } from "./pyramid_options.ts";
import {
  type CreatePyramidOptions,
  indicesOfXY,
  type NewAxis,
  type PyramidStatistic,
  perAxis,
} from "./pyramid_options.ts";

/** A level before it is written. */
export interface PlannedLevel {
  /** Path below the group that the metadata name: that of its array, or of the array's group. */
  asset: string;
  /** Path of its array below the group. */
  path: string;
  shape: number[];
  /** For each axis, the elements of the level before that become one; 1 for the finest level. */
  factors: number[];
  /** For each axis, the elements of the finest level that an element covers. */
  covers: number[];
}

/** The subject of the attributes. */
export interface Described {
  name: string;
  axes: readonly NewAxis[];
  levels: readonly PlannedLevel[];
  method: DownsampleMethod | PyramidStatistic;
  channels?: readonly PyramidChannel[];
}

/**
 * Returns the distance from the finest level's first centre to the level's, in elements of the
 * finest.
 */
export const offsetsOf = ({ covers }: PlannedLevel): number[] => covers.map((covered) => (covered - 1) / 2);

/** How the metadata tell a statistic. */
const statistic = (name: PyramidStatistic, what: string) => ({
  ome: name,
  multiscales: name,
  description: `${what} of all elements of the finest level that an element covers`,
});

/** The names of the methods in the metadata, with a description. */
const METHODS: Record<Described["method"], { ome: string; multiscales: string; description: string }> = {
  mean: {
    ome: "mean",
    multiscales: "average",
    description: "the mean of each block of the level before; integers are rounded half to even",
  },
  nearest: {
    ome: "nearest",
    multiscales: "nearest",
    description: "the element at the centre of each block of the level before",
  },
  mode: {
    ome: "mode",
    multiscales: "mode",
    description: "the most frequent value of each block of the level before",
  },
  min: statistic("min", "the minimum"),
  max: statistic("max", "the maximum"),
  std: statistic("std", "the standard deviation"),
  count: statistic("count", "the count"),
};

/** Returns the size of an element and the centre of the first one, for each axis of a level. */
function transformOf(level: PlannedLevel, { axes }: Described, { scale, translation }: CreatePyramidOptions) {
  const finest = perAxis(axes, scale, 1, "the scale");
  const first = perAxis(axes, translation, 0, "the translation");
  if (finest.includes(0)) refuse("the scale of an axis is not valid", "not 0", finest);
  const offsets = offsetsOf(level);
  return {
    scale: finest.map((size, axis) => size * (level.covers[axis] as number)),
    translation: finest.map((size, axis) => (first[axis] as number) + size * (offsets[axis] as number)),
  };
}

function datasetOf(level: PlannedLevel, described: Described, options: CreatePyramidOptions) {
  const { scale, translation } = transformOf(level, described, options);
  const isMoved = translation.some((distance) => distance !== 0);
  return {
    path: level.asset,
    coordinateTransformations: [
      { type: "scale", scale },
      ...(isMoved ? [{ type: "translation", translation }] : []),
    ],
  };
}

function labelOf({ label }: CreatePyramidOptions, isInLabels: boolean) {
  const { colors, properties, source } = typeof label === "object" ? label : {};
  const from = source ?? (isInLabels ? { image: "../../" } : undefined);
  return { colors, properties, source: from };
}

/** OME's attributes. Up to version 0.4 each object has its own version. */
function omeAttributes(described: Described, options: CreatePyramidOptions, isInLabels: boolean): Attributes {
  const { version = "0.5", label } = options;
  const { name, axes, levels, method, channels } = described;
  const own = version === "0.4" ? { version } : {};
  const { ome: type, description } = METHODS[method];
  const image = {
    ...own,
    name,
    type,
    axes,
    datasets: levels.map((level) => datasetOf(level, described, options)),
    metadata: { description, method: "zarr-wasm createPyramid" },
  };
  const members = {
    multiscales: [image],
    ...(channels && { omero: { ...own, name, channels } }),
    ...(label && { "image-label": { ...own, ...labelOf(options, isInLabels) } }),
  };
  return version === "0.4" ? members : { ome: { version, ...members } };
}

/** Returns the affine transformation of the corners of x and y, as `spatial:transform` has it. */
function affineOf(level: PlannedLevel, described: Described, options: CreatePyramidOptions) {
  const { scale, translation } = transformOf(level, described, options);
  const [x, y] = neededIndices(described).map((axis) => {
    const [size, centre] = [scale[axis] as number, translation[axis] as number];
    return { size, corner: centre - size / 2 };
  }) as [Side, Side];
  return [x.size, 0, x.corner, 0, y.size, y.corner];
}

interface Side {
  size: number;
  corner: number;
}

/** Returns the indices of the axes x and y, which the convention positions. */
function neededIndices({ axes }: Described): [x: number, y: number] {
  const [x, y] = indicesOfXY(axes);
  if (x >= 0 && y >= 0) return [x, y];
  return refuse(
    "scale, translation and crs need the axes x and y",
    "names such as x and y, lon and lat",
    axes.map(({ name }) => name),
  );
}

async function multiscalesAttributes(
  described: Described,
  options: CreatePyramidOptions,
): Promise<Attributes> {
  const { axes, levels, method } = described;
  const { scale, translation, crs, attributes = {} } = options;
  const isPositioned = scale !== undefined || translation !== undefined || crs !== undefined;
  const [x, y] = isPositioned ? neededIndices(described) : [0, 0];
  const others = Object.keys({ ...scale, ...translation }).filter(
    (name) => name !== axes[x]?.name && name !== axes[y]?.name,
  );
  if (others.length > 0)
    refuse("the convention spatial places x and y alone", "no scale or translation of others", others);
  const layout = levels.map((level, index) => ({
    asset: level.asset,
    derived_from: levels[index - 1]?.asset,
    transform: { scale: level.factors, translation: level.factors.map((factor) => (factor - 1) / 2) },
    ...(isPositioned && {
      "spatial:shape": [level.shape[y], level.shape[x]],
      "spatial:transform": affineOf(level, described, options),
    }),
  }));
  const properties = { multiscales: { layout, resampling_method: METHODS[method].multiscales } };
  let all: Attributes = { ...attributes };
  const declare = async (known: "multiscales" | "spatial" | "proj", own: Attributes) => {
    all = { ...all, ...(await conventionAttributes(all, { known, properties: own, overwrite: true })) };
  };
  await declare("multiscales", properties);
  if (isPositioned) {
    const transform = affineOf(levels[0] as PlannedLevel, described, options);
    const dimensions = [axes[y]?.name, axes[x]?.name];
    await declare("spatial", { "spatial:dimensions": dimensions, "spatial:transform": transform });
  }
  if (crs !== undefined) await declare("proj", { "proj:code": crs });
  return all;
}

/**
 * The attributes of the group. Rejects with an `Argument` error if they would break a rule or a
 * recommendation of the convention.
 */
export async function pyramidAttributes(
  described: Described,
  options: CreatePyramidOptions,
  isInLabels: boolean,
): Promise<Attributes> {
  const { convention = "ome", attributes } = options;
  const attrs =
    convention === "ome"
      ? { ...attributes, ...omeAttributes(described, options, isInLabels) }
      : await multiscalesAttributes(described, options);
  const findings = await validate({ kind: "group", attrs });
  const wrong = findings.filter(({ severity }) => severity !== "info");
  if (wrong.length === 0) return attrs;
  return refuse(
    "the pyramid would not be valid",
    `attributes that follow ${convention === "ome" ? "OME-Zarr" : "the conventions"}`,
    wrong.map(({ path, message }) => `${path}: ${message}`).join("; "),
  );
}
