/**
 * The weights of a reduction: numbers in memory, arrays, cosines of latitudes and areas of cells.
 */
import { type Coordinates, coords } from "../../conventions/ts/coordinates.ts";
import { isLatitude, isLongitude } from "../../conventions/ts/longitude.ts";
import { namedVariable } from "../../conventions/ts/variables.ts";
import { needList, object, refuse, refuseField } from "../../engine/ts/model/argument.ts";
import { NotFoundError } from "../../engine/ts/model/errors.ts";
import { axesOf, axisOf, numberIn, type Over, type Reduced, spreadOf } from "./beside.ts";
import type { Spread } from "./request.ts";
import type { SelectedAxis } from "./selected_axes.ts";

/**
 * `"area"`: the areas of the cells of a grid of latitudes and longitudes. By dimension name: the
 * cosine of its coordinate in degrees, or a number for each index. Or numbers that lie over the
 * array.
 */
export type Weights = "area" | Record<string, "cos" | ArrayLike<number>> | Over;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** The numbers of the selected places of a dimension. */
const alongAxis = ({ axes }: Reduced, axis: number, weight: (index: number) => number): Spread => ({
  axes: [axis],
  values: (axes[axis] as SelectedAxis).indices.map(weight),
});

async function ofDimension(
  reduced: Reduced,
  name: string,
  by: "cos" | ArrayLike<number>,
  signal?: AbortSignal,
): Promise<Spread> {
  const axis = axisOf(reduced, name, "weights");
  if (by === "cos") {
    const { values } = await coords(reduced.array, axis, { signal });
    return alongAxis(reduced, axis, (index) => Math.cos(radians(Number(values[index]))));
  }
  const extent = reduced.array.shape[axis] as number;
  needList(by, "weights");
  if (by.length !== extent) refuseField(`weights.${name}`, `"cos", or ${extent} numbers`, by);
  return alongAxis(reduced, axis, (index) => numberIn(by[index], "weights"));
}

const named = ({ dimension, attrs, units }: Coordinates) => ({ name: dimension, attrs: { ...attrs, units } });

/** The ends of a cell in degrees. */
type Ends = readonly [number, number];

/** The ends of the cell of each index: by the variable of bounds, or middles of neighbours. */
async function boundsOf(
  { array }: Reduced,
  { attrs, path, values, length }: Coordinates,
  signal?: AbortSignal,
): Promise<(index: number) => Ends> {
  const { bounds } = attrs;
  const naming = { attribute: "bounds", path: path ?? array.path };
  const variable =
    typeof bounds === "string" ? await namedVariable(array, bounds, naming, signal) : undefined;
  if (variable && variable.shape.length === 2 && variable.shape[0] === length && variable.shape[1] === 2) {
    // Bounds are never missing. The fill value of a v2 array is often 0: an end at the equator.
    const decode = { convention: "cf", zarrFillValue: false } as const;
    const { data } = await variable.get(null, { as: "float64", decode, signal });
    return (index) => [data[2 * index] as number, data[2 * index + 1] as number];
  }
  const at = (index: number) => Number(values[index]);
  // Longitudes may go on from the other end of the circle, as 359 and 0.
  const stepTo = (index: number) => {
    const step = at(index) - at(index - 1);
    return Math.abs(step) > 180 ? step - 360 * Math.sign(step) : step;
  };
  const middle = (index: number): number => {
    if (length < 2) return at(0) + (index === 0 ? -0.5 : 0.5);
    return index === 0 ? at(0) - stepTo(1) / 2 : at(index - 1) + stepTo(Math.min(index, length - 1)) / 2;
  };
  return (index) => [middle(index), middle(index + 1)];
}

/** The height of a cell of a sphere of radius 1. Cells do not reach beyond the poles. */
function heightOf([low, high]: Ends): number {
  const height = (degrees: number) => Math.sin(radians(Math.max(-90, Math.min(90, degrees))));
  return Math.abs(height(high) - height(low));
}

/** The width of a cell in radians. One that crosses the meridian may have ends as 359 and 1. */
function widthOf([low, high]: Ends, longitude: number): number {
  const width = Math.abs(high - low);
  const east = (((longitude - Math.min(low, high)) % 360) + 360) % 360;
  return radians(width > 180 && east > width ? 360 - width : width);
}

/** A cell has the area of its part of a sphere. */
async function areas(reduced: Reduced, signal?: AbortSignal): Promise<Spread[]> {
  const found: Spread[] = [];
  let [latitudes, longitudes] = [0, 0];
  for (const axis of reduced.array.shape.keys()) {
    const coordinates = await coordinatesOf(reduced, axis, signal);
    if (!coordinates) continue;
    const isAcross = isLatitude(named(coordinates));
    if (!isAcross && !isLongitude(named(coordinates))) continue;
    const ends = await boundsOf(reduced, coordinates, signal);
    const width = (index: number) => widthOf(ends(index), Number(coordinates.values[index]));
    found.push(alongAxis(reduced, axis, isAcross ? (index) => heightOf(ends(index)) : width));
    if (isAcross) latitudes += 1;
    else longitudes += 1;
  }
  if (latitudes !== 1 || longitudes > 1)
    refuse(
      'weights: "area" requires a grid of latitudes and longitudes',
      "one dimension of latitudes, and at most one of longitudes",
      `${latitudes} and ${longitudes}`,
    );
  return found;
}

/** The coordinates of a dimension, if it has some. */
async function coordinatesOf({ array }: Reduced, axis: number, signal?: AbortSignal) {
  const coordinates = await coords(array, axis, { signal }).catch((error) => {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  });
  return coordinates?.values.length === 0 ? undefined : coordinates;
}

/** Throws an `Argument` error unless all weights are finite numbers. */
function needFinite(weights: Spread, { names }: Reduced): Spread {
  const { axes, values } = weights;
  for (let at = 0; at < values.length; at += 1)
    if (!Number.isFinite(values[at]))
      refuse(
        `a weight along ${axes.map((axis) => names?.[axis] ?? axis).join(" and ")} is not a finite number`,
        "finite numbers",
        values[at],
      );
  return weights;
}

async function weightsAt(
  reduced: Reduced,
  weights: Weights,
  signal: AbortSignal | undefined,
): Promise<Spread[]> {
  if (weights === "area") return areas(reduced, signal);
  object(weights, "weights");
  if ("shape" in weights) return [await spreadOf(reduced, weights as Over, "weights", signal)];
  const entries = Object.entries(weights as Record<string, "cos" | ArrayLike<number>>);
  if (entries.length === 0)
    refuseField("weights", '"area", one dimension or more, or numbers with a shape', weights);
  axesOf(
    reduced,
    entries.map(([name]) => name),
    "weights",
  );
  const found: Spread[] = [];
  for (const [name, by] of entries) found.push(await ofDimension(reduced, name, by, signal));
  return found;
}

/** The weights of the selected places. They are multiplied. */
export async function weightsOf(
  reduced: Reduced,
  weights: Weights | undefined,
  signal?: AbortSignal,
): Promise<Spread[]> {
  if (weights === undefined) return [];
  return (await weightsAt(reduced, weights, signal)).map((each) => needFinite(each, reduced));
}
