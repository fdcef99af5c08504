/**
 * Finds the variables among a group's arrays, and the one to show first, by names and attributes.
 */
import { lastPart } from "../text/paths.js";
import { nullUnlessAborted } from "./lenient_reads.js";
import type { ArrayNode, GroupNode, SceneVariable } from "./scene.js";

type Role = "t" | "z" | "y" | "x";

const ROLES: readonly [Role, RegExp][] = [
  ["t", /^(t|time|date|valid_time|step|forecast.*time)$/i],
  ["z", /^(z|depth|height|altitude|lev|level|levels|plev|elevation|isobaric.*|pressure.*|alt)$/i],
  ["y", /^(y|lat|latitude|nlat|j|yc|rlat|northing|row|rows|nj|eta.*)$/i],
  ["x", /^(x|lon|longitude|nlon|i|xc|rlon|easting|col|column|columns|ni|xi.*)$/i],
];

/** Dimensions of the corners or ends of cells. */
const IS_BOUNDS_DIMENSION = /^(bnds|bounds|nv|nbnd|nvertex|vertices|corners|d2|axis_nbounds)$/i;
const IS_BOUNDS = /_(bnds|bounds|bnd|vertices|corners)$/i;
const IS_NUMBER = /^(u?int|b?float)\d/;

/** Standard names of coordinates and masks. */
const IS_COORDINATE =
  /^(latitude|longitude|time|grid_latitude|grid_longitude|projection_[xy]_coordinate|forecast_period|forecast_reference_time)$/;

export interface Candidate {
  name: string;
  array: ArrayNode;
}

const dimensionsOf = ({ array }: Candidate): string[] => array.dimensionNames ?? [];

const wordsOf = (value: unknown): string[] =>
  (typeof value === "string" ? value.match(/[\w./-]+/g) : null) ?? [];

/** Names to which attributes refer: coordinates, bounds, areas, grid mappings. */
function referred(candidates: readonly Candidate[]): Set<string> {
  const names = "coordinates bounds grid_mapping ancillary_variables cell_measures climatology".split(" ");
  return new Set(candidates.flatMap(({ array: { attrs } }) => names.flatMap((name) => wordsOf(attrs[name]))));
}

/** The variables: arrays of numbers with two dimensions or more that are not coordinates. */
export function variablesOf(candidates: readonly Candidate[]): Candidate[] {
  const others = referred(candidates);
  const dimensions = new Set(candidates.flatMap(dimensionsOf));
  return candidates.filter((candidate) => {
    const { name, array } = candidate;
    if (array.shape.length < 2 || array.shape.some((length) => length === 0) || !IS_NUMBER.test(array.dtype))
      return false;
    if (dimensions.has(name) || others.has(name) || IS_BOUNDS.test(name)) return false;
    if (dimensionsOf(candidate).some((dimension) => IS_BOUNDS_DIMENSION.test(dimension))) return false;
    const { standard_name: standardName } = array.attrs;
    return !(typeof standardName === "string" && IS_COORDINATE.test(standardName));
  });
}

/** The number of the dimensions t, z, y and x that a variable has. */
function rolesOf(candidate: Candidate): number {
  const names = dimensionsOf(candidate);
  return ROLES.filter(([, pattern]) => names.some((name) => pattern.test(name))).length;
}

const isMask = ({ array: { attrs } }: Candidate) =>
  attrs.flag_values !== undefined || attrs.flag_meanings !== undefined;

/**
 * The variable to show first: the one with the most of t, z, y and x. Measured quantities come
 * before flags. Otherwise the group's order counts.
 */
export function firstVariable(variables: readonly Candidate[]): Candidate | undefined {
  const rank = (candidate: Candidate) => rolesOf(candidate) * 2 + (isMask(candidate) ? 0 : 1);
  return [...variables].sort((a, b) => rank(b) - rank(a))[0];
}

/** The title of a variable. */
export function titleOf(array: ArrayNode, name: string): string {
  const { long_name: longName, standard_name: standardName } = array.attrs;
  if (typeof longName === "string" && longName.trim() !== "") return longName.trim();
  if (typeof standardName === "string" && standardName !== "") {
    const words = standardName.replaceAll("_", " ");
    return words.charAt(0).toUpperCase() + words.slice(1);
  }
  return name;
}

export const sceneVariable = ({ name, array }: Candidate): SceneVariable => ({
  variable: name,
  title: titleOf(array, name),
});

/** The arrays directly below a group. None if they cannot be listed. */
export async function arraysBelow(group: GroupNode, signal: AbortSignal | undefined): Promise<Candidate[]> {
  const found: Candidate[] = [];
  try {
    for await (const child of group.children({ signal })) {
      if (child.kind === "array" && !child.error) found.push({ name: lastPart(child.path), array: child });
    }
  } catch (error) {
    nullUnlessAborted(signal)(error);
    return [];
  }
  return found;
}
