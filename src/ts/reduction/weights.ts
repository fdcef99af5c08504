/**
 * The weights of a reduction: numbers in memory, arrays, cosines of latitudes and areas of cells.
 */
import { type Coordinates, coords } from "../convention/coordinates.ts";
import { besideOf } from "../convention/known_nodes.ts";
import { needList, object, refuse } from "../model/argument.ts";
import { NotFoundError } from "../model/errors.ts";
import { axisOf, numberIn, type Over, type Reduced, spreadOf } from "./beside.ts";
import type { SelectedAxis } from "./places.ts";
import type { Spread } from "./wire.ts";

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
  if (by.length !== extent) refuse("the option weights is not valid", `"cos", or ${extent} numbers`, by);
  return alongAxis(reduced, axis, (index) => numberIn(by[index], "weights"));
}

const isLatitude = ({ dimension, attrs, units }: Coordinates): boolean =>
  attrs.standard_name === "latitude" || /^degrees?_?n/i.test(units ?? "") || /^lat(itude)?$/i.test(dimension);

const isLongitude = ({ dimension, attrs, units }: Coordinates): boolean =>
  attrs.standard_name === "longitude" ||
  /^degrees?_?e/i.test(units ?? "") ||
  /^lon(gitude)?$/i.test(dimension);

/** The ends of the cell of each index: by the variable of bounds, or middles of neighbours. */
async function boundsOf(
  { array }: Reduced,
  { attrs, values, length }: Coordinates,
  signal?: AbortSignal,
): Promise<(index: number) => [number, number]> {
  const { bounds } = attrs;
  const variable = typeof bounds === "string" ? await besideOf(array, bounds, signal) : undefined;
  if (variable && variable.shape.length === 2 && variable.shape[0] === length && variable.shape[1] === 2) {
    const { data } = await variable.get(null, { as: "float64", decode: "cf", signal });
    return (index) => [data[2 * index] as number, data[2 * index + 1] as number];
  }
  const at = (index: number) => Number(values[index]);
  const middle = (index: number): number => {
    if (length < 2) return at(0) + (index === 0 ? -0.5 : 0.5);
    if (index === 0) return at(0) - (at(1) - at(0)) / 2;
    if (index === length) return at(length - 1) + (at(length - 1) - at(length - 2)) / 2;
    return (at(index - 1) + at(index)) / 2;
  };
  return (index) => [middle(index), middle(index + 1)];
}

/** A cell has the area of its part of a sphere. Cells do not reach beyond the poles. */
async function areas(reduced: Reduced, signal?: AbortSignal): Promise<Spread[]> {
  const found: Spread[] = [];
  let [latitudes, longitudes] = [0, 0];
  for (const axis of reduced.array.shape.keys()) {
    const coordinates = await coords(reduced.array, axis, { signal }).catch((error) => {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    });
    if (!coordinates || coordinates.values.length === 0) continue;
    const ends = isLatitude(coordinates) || isLongitude(coordinates);
    if (!ends) continue;
    const bounds = await boundsOf(reduced, coordinates, signal);
    const height = (degrees: number) => Math.sin(radians(Math.max(-90, Math.min(90, degrees))));
    if (isLatitude(coordinates)) {
      latitudes += 1;
      found.push(
        alongAxis(reduced, axis, (index) => {
          const [low, high] = bounds(index);
          return Math.abs(height(high) - height(low));
        }),
      );
    } else {
      longitudes += 1;
      found.push(
        alongAxis(reduced, axis, (index) => {
          const [low, high] = bounds(index);
          return Math.abs(radians(high - low));
        }),
      );
    }
  }
  if (latitudes !== 1 || longitudes > 1)
    refuse('weights: "area" requires a grid of latitudes and longitudes', "one dimension of each", latitudes);
  return found;
}

/** The weights of the selected places. They are multiplied. */
export async function weightsOf(
  reduced: Reduced,
  weights: Weights | undefined,
  signal?: AbortSignal,
): Promise<Spread[]> {
  if (weights === undefined) return [];
  if (weights === "area") return areas(reduced, signal);
  object(weights, "weights");
  if ("shape" in weights) return [await spreadOf(reduced, weights as Over, "weights", signal)];
  const found: Spread[] = [];
  for (const [name, by] of Object.entries(weights as Record<string, "cos" | ArrayLike<number>>))
    found.push(await ofDimension(reduced, name, by, signal));
  return found;
}
