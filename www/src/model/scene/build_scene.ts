/**
 * Makes a scene from an open node: the array, its axes and position, and its channels or style. It
 * reads metadata and coordinates of the plane, and the coarsest level if the metadata has no
 * limits.
 */
import * as zarr from "zarr-wasm";
import { lastPart, parentOf } from "../text/paths.js";
import { type Starts, sceneAxes } from "./axes.js";
import { channelsOf } from "./channels.js";
import { fieldStyle } from "./field_style.js";
import { labelFacts } from "./label_facts.js";
import { decoded, hasMissing, isPacked } from "./lenient_reads.js";
import { isObject, type Json, omeOf } from "./ome.js";
import type {
  ArrayNode,
  GroupNode,
  Plane,
  Scene,
  SceneAxis,
  SceneLabel,
  SceneOptions,
  SceneVariable,
  UnstyledScene,
} from "./scene.js";
import { placementOf } from "./space.js";
import { unitText } from "./value_text.js";
import { arraysBelow, firstVariable, sceneVariable, titleOf, variablesOf } from "./variables.js";

/** The pyramid of a node, and which of its group's variables it is. */
interface Found {
  pyramid: zarr.Pyramid;
  variables: SceneVariable[];
  variable?: string;
}

const LABEL_OPACITY = 0.5;

const isNumeric = (dtype: string) => /^(bool$|u?int\d|b?float\d)/.test(dtype);

const isNotFound = (error: unknown) => error instanceof zarr.ZarrError && error.code === "NotFound";

/** The variable of a group: the requested one, or the best one to show. */
async function ofVariables(group: GroupNode, { variable, signal }: SceneOptions): Promise<Found | null> {
  const candidates = await arraysBelow(group, signal);
  const all = variablesOf(candidates);
  const isWanted = ({ name }: { name: string }) => name === variable;
  const chosen = variable === undefined ? firstVariable(all) : candidates.find(isWanted);
  // If the server cannot list, the URL must name the variable.
  const path = chosen ? undefined : variable;
  const array = path === undefined ? chosen?.array : await zarr.open(group, { path, kind: "array", signal });
  if (!array) return null;
  const pyramid = await zarr.pyramid(array, { signal });
  return { pyramid, variables: all.map(sceneVariable), variable: variable ?? chosen?.name };
}

/** The variables of the group of a requested one, for the menu. None if it is no variable. */
async function beside(
  group: GroupNode,
  variable: string | undefined,
  signal: AbortSignal | undefined,
): Promise<SceneVariable[]> {
  if (variable === undefined) return [];
  const all = variablesOf(await arraysBelow(group, signal)).map(sceneVariable);
  return all.some((own) => own.variable === variable) ? all : [];
}

/** A pyramid whose levels are groups, with the best variable to show. */
async function ofLevels(
  group: GroupNode,
  pyramid: zarr.Pyramid,
  { variable, signal }: SceneOptions,
): Promise<Found> {
  const paths = pyramid.variables;
  if (paths.length < 2)
    return { pyramid, variables: await beside(group, variable, signal), variable: pyramid.variable };
  const folder = parentOf(pyramid.levels[0]?.path ?? "") || "/";
  const location = new zarr.Location(group.store, folder as `/${string}`);
  const level = await zarr.open(location, { kind: "group", signal });
  const candidates = await arraysBelow(level, signal);
  const all = variablesOf(candidates.filter(({ name }) => paths.includes(name)));
  const chosen = variable ?? firstVariable(all)?.name ?? pyramid.variable;
  const isOwn = chosen === pyramid.variable;
  const own = isOwn ? pyramid : await zarr.pyramid(group, { signal, variable: chosen });
  return { pyramid: own, variables: all.map(sceneVariable), variable: chosen };
}

/** The images of a group that has several, as variables. */
function imagesOf(group: GroupNode, pyramid: zarr.Pyramid): SceneVariable[] {
  const own = pyramid.series.filter(({ path }) => path === group.path);
  const variable = ({ index, name }: zarr.PyramidImage) => ({
    variable: imageName(index),
    title: name || imageName(index),
  });
  return own.length > 1 ? own.map(variable) : [];
}

const imageName = (index: number) => `image ${index + 1}`;

/** The index of the image that a variable stands for; the first for others. */
const imageIndex = (variable: string | undefined) =>
  Number(/^image (\d+)$/.exec(variable ?? "")?.[1] ?? 1) - 1;

async function foundIn(node: ArrayNode | GroupNode, options: SceneOptions): Promise<Found> {
  const { signal, variable } = options;
  if (node.kind === "array") return { pyramid: await zarr.pyramid(node, { signal }), variables: [] };
  try {
    const labels = options.kind !== "labels";
    const image = imageIndex(variable);
    const pyramid = await zarr.pyramid(node, { signal, labels, variable, image });
    const variables = imagesOf(node, pyramid);
    if (variables.length > 1) return { pyramid, variables, variable: imageName(pyramid.image) };
    return await ofLevels(node, pyramid, options);
  } catch (error) {
    const found = isNotFound(error) && (await ofVariables(node, options));
    if (found) return found;
    throw error;
  }
}

function planeOf(axes: readonly SceneAxis[], wanted: SceneOptions["plane"]): Plane {
  const of = (name: string | undefined, role: "x" | "y") =>
    axes.find((axis) => axis.name === name) ?? axes.find((axis) => axis.role === role);
  const named = [of(wanted?.x, "x"), of(wanted?.y, "y")];
  // A section over time is a picture too: the last axes without a role are drawn.
  const others = axes.filter((axis) => axis.role !== "c" && !named.includes(axis));
  const x = named[0] ?? others.pop();
  const y = named[1] ?? others.pop();
  if (x && y && x !== y) return { x: x.axis, y: y.axis };
  throw new zarr.ZarrError("Unsupported", "an array of one dimension is no picture", {
    expected: "two dimensions or more",
    actual: `[${axes.map(({ length }) => length)}]`,
  });
}

const labelsOf = (pyramid: zarr.Pyramid): SceneLabel[] =>
  pyramid.labels.map((path, at) => ({
    path,
    name: lastPart(path),
    visible: at === 0,
    opacity: LABEL_OPACITY,
  }));

/** OMERO's first indices, and whether it shows one channel in grey. */
function settingsOf(attrs: Json): { starts: Starts; isGray: boolean } {
  const { omero } = omeOf(attrs);
  const rdefs = isObject(omero) && isObject(omero.rdefs) ? omero.rdefs : {};
  const number = (value: unknown) => (typeof value === "number" ? value : undefined);
  return {
    starts: { z: number(rdefs.defaultZ), t: number(rdefs.defaultT) },
    isGray: rdefs.model === "greyscale" || rdefs.model === "grayscale",
  };
}

/** The scene of a pyramid without its looks. `attrs` are those of its node. */
export function unstyledScene(
  pyramid: zarr.Pyramid,
  attrs: Json,
  { plane, signal, values }: Pick<SceneOptions, "plane" | "signal" | "values">,
): UnstyledScene {
  const array = pyramid.levels[0]?.array;
  if (!array || !isNumeric(array.dtype)) {
    throw new zarr.ZarrError("Unsupported", "elements that are not numbers are no picture", {
      expected: "numbers",
      actual: array?.dtype ?? "no array",
    });
  }
  const { starts, isGray } = settingsOf(attrs);
  const axes = sceneAxes(pyramid, starts);
  const isStored = values === "stored" || !isPacked(array);
  const integer = /int|bool/.test(array.dtype) && isStored;
  return { pyramid, array, axes, plane: planeOf(axes, plane), integer, isGray, signal };
}

/**
 * Makes the scene of a node. Rejects with a `NotFoundError` for a group without anything to draw.
 */
export async function buildScene(node: ArrayNode | GroupNode, options: SceneOptions = {}): Promise<Scene> {
  const { pyramid, variables, variable } = await foundIn(node, options);
  const unstyled = unstyledScene(pyramid, node.attrs, options);
  const { isGray: _isGray, signal: _signal, ...known } = unstyled;
  const areLabels = options.kind === "labels" || isObject(omeOf(node.attrs)["image-label"]);
  const labels: Appearance = { kind: "labels", channels: [], labelFacts: labelFacts(node.attrs) };
  const [placement, appearance] = await Promise.all([
    placementOf(unstyled),
    areLabels ? labels : appearanceOf(unstyled, options.values),
  ]);
  const isNamed = node.kind === "array" || variable !== undefined;
  const { array } = unstyled;
  return {
    ...known,
    ...placement,
    ...appearance,
    title: pyramid.name || (isNamed ? titleOf(array, lastPart(array.path)) : lastPart(node.path)),
    unit: isPacked(array) && !appearance.decode ? "" : unitText(array.attrs.units),
    isPacked: isPacked(array) || hasMissing(array),
    labels: labelsOf(pyramid),
    variables,
    variable,
  };
}

type Appearance = Pick<Scene, "kind" | "channels" | "field" | "decode" | "labelFacts">;

/** The kind of the scene, with its channels or style. */
async function appearanceOf(unstyled: UnstyledScene, values: SceneOptions["values"]): Promise<Appearance> {
  const channels = await channelsOf(unstyled);
  if (channels) return channels;
  const field = async (decode: Scene["decode"]): Promise<Appearance> => {
    return { kind: "field", channels: [], field: await fieldStyle(unstyled, decode), decode };
  };
  // Unpacked by CF's attributes, unless they are invalid.
  return values === "stored" ? field(undefined) : decoded(unstyled.array, field);
}

/** The scene with another plane. */
export async function sceneInPlane(scene: Scene, plane: Plane, signal: AbortSignal): Promise<Scene> {
  const turned = { ...scene, plane, warped: undefined };
  return { ...turned, ...(await placementOf({ ...turned, signal })) };
}
