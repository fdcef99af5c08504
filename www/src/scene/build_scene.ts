/**
 * Makes a scene from an open node: the array, its axes and position, and its channels or style. It
 * reads metadata and coordinates of the plane, and the coarsest level if the metadata has no
 * limits.
 */
import * as zarr from "zarr-wasm";
import { lastPart, parentOf } from "../text/paths.js";
import { isObject, type Json, omeOf } from "./attributes.js";
import { type Starts, sceneAxes } from "./axes.js";
import { imageChannels, isRgb, rgbChannels } from "./channels.js";
import { decoded } from "./decoding.js";
import { fieldStyle } from "./field_style.js";
import type {
  ArrayNode,
  GroupNode,
  Scene,
  SceneAxis,
  SceneLabel,
  SceneOptions,
  SceneVariable,
} from "./scene.js";
import { placementOf } from "./space.js";
import { unitText } from "./value_text.js";
import { arraysBelow, firstVariable, sceneVariable, titleOf, variablesOf } from "./variables.js";

interface Subject {
  pyramid: zarr.Pyramid;
  variables: SceneVariable[];
  variable?: string | undefined;
}

const LABEL_OPACITY = 0.5;

const isNumeric = (dtype: string) => /^(bool$|u?int\d|b?float\d)/.test(dtype);

const isNotFound = (error: unknown) => error instanceof zarr.ZarrError && error.code === "NotFound";

/** The variable of a group: the requested one, or the best one to show. */
async function ofVariables(group: GroupNode, { variable, signal }: SceneOptions): Promise<Subject | null> {
  let candidates: Awaited<ReturnType<typeof arraysBelow>> = [];
  try {
    candidates = await arraysBelow(group, signal);
  } catch (error) {
    signal?.throwIfAborted();
    // The server cannot list, so the URL must name the variable.
    if (!(error instanceof zarr.ZarrError)) throw error;
  }
  const all = variablesOf(candidates);
  const named = candidates.find(({ name }) => name === variable);
  const chosen = variable === undefined ? firstVariable(all) : named;
  const array =
    chosen?.array ??
    (variable === undefined
      ? undefined
      : ((await zarr.open(group, { path: variable, kind: "array", signal })) as ArrayNode));
  if (!array) return null;
  const pyramid = await zarr.pyramid(array, { signal });
  return { pyramid, variables: all.map(sceneVariable), variable: variable ?? chosen?.name };
}

/** A pyramid whose levels are groups, with the best variable to show. */
async function ofLevels(
  group: GroupNode,
  pyramid: zarr.Pyramid,
  { variable, signal }: SceneOptions,
): Promise<Subject> {
  const paths = pyramid.variables;
  if (paths.length < 2) return { pyramid, variables: [], variable: pyramid.variable };
  const folder = parentOf(pyramid.levels[0]?.path ?? "") || "/";
  const level = (await zarr.open(new zarr.Location(group.store, folder as `/${string}`), {
    kind: "group",
    signal,
  })) as GroupNode;
  const candidates = (await arraysBelow(level, signal).catch(() => [])).filter(({ name }) =>
    paths.includes(name),
  );
  const all = variablesOf(candidates);
  const chosen = variable ?? firstVariable(all)?.name ?? pyramid.variable;
  const own =
    chosen === pyramid.variable
      ? pyramid
      : await zarr.pyramid(group, { signal, ...(chosen ? { variable: chosen } : {}) });
  return { pyramid: own, variables: all.map(sceneVariable), variable: chosen };
}

async function subjectOf(node: ArrayNode | GroupNode, options: SceneOptions): Promise<Subject> {
  const { signal, variable } = options;
  if (node.kind === "array") return { pyramid: await zarr.pyramid(node, { signal }), variables: [] };
  try {
    const labels = options.kind !== "labels";
    const pyramid = await zarr.pyramid(node, {
      signal,
      labels,
      ...(variable === undefined ? {} : { variable }),
    });
    return await ofLevels(node, pyramid, options);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const found = await ofVariables(node, options);
    if (found) return found;
    throw error;
  }
}

function planeOf(axes: readonly SceneAxis[], wanted: SceneOptions["plane"]) {
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
export function settingsOf(attrs: Json): { starts: Starts; isGray: boolean } {
  const ome = omeOf(attrs);
  const omero = isObject(ome.omero) ? ome.omero : {};
  const rdefs = isObject(omero.rdefs) ? omero.rdefs : {};
  const number = (value: unknown) => (typeof value === "number" ? value : undefined);
  return {
    starts: { z: number(rdefs.defaultZ), t: number(rdefs.defaultT) },
    isGray: rdefs.model === "greyscale" || rdefs.model === "grayscale",
  };
}

/**
 * Makes the scene of a node. Rejects with a `NotFoundError` for a group without anything to draw.
 */
export async function buildScene(node: ArrayNode | GroupNode, options: SceneOptions = {}): Promise<Scene> {
  const { signal } = options;
  const { pyramid, variables, variable } = await subjectOf(node, options);
  const array = pyramid.levels[0]?.array as ArrayNode | undefined;
  if (!array || !isNumeric(array.dtype)) {
    throw new zarr.ZarrError("Unsupported", "elements that are not numbers are no picture", {
      expected: "numbers",
      actual: array?.dtype ?? "no array",
    });
  }
  const { starts, isGray } = settingsOf(node.attrs);
  const axes = sceneAxes(pyramid, starts);
  const plane = planeOf(axes, options.plane);
  const integer =
    /int|bool/.test(array.dtype) &&
    array.attrs.scale_factor === undefined &&
    array.attrs.add_offset === undefined;
  const areLabels = options.kind === "labels" || isObject(omeOf(node.attrs)["image-label"]);
  const subject = { pyramid, axes, plane, integer, isGray, areLabels, signal };
  const [placement, appearance] = await Promise.all([
    placementOf({ pyramid, axes, plane, signal }),
    appearanceOf(subject),
  ]);
  const isNamed = node.kind === "array" || variable !== undefined;
  return {
    title: pyramid.name || (isNamed ? titleOf(array, lastPart(array.path)) : lastPart(node.path)),
    unit: unitText(array.attrs.units),
    integer,
    pyramid,
    axes,
    plane,
    ...placement,
    labels: labelsOf(pyramid),
    variables,
    ...(variable === undefined ? {} : { variable }),
    ...appearance,
  };
}

type Appearance = Pick<Scene, "kind" | "channels" | "field" | "decode">;

interface Looked {
  pyramid: zarr.Pyramid;
  axes: SceneAxis[];
  plane: { x: number; y: number };
  integer: boolean;
  isGray: boolean;
  areLabels: boolean;
  signal?: AbortSignal | undefined;
}

/** The kind of the scene, with its channels or style. */
async function appearanceOf(looked: Looked): Promise<Appearance> {
  const { pyramid, axes, plane } = looked;
  if (looked.areLabels) return { kind: "labels", channels: [] };
  const hasChannels = axes.some(({ role, axis }) => role === "c" && axis !== plane.x && axis !== plane.y);
  if (hasChannels && isRgb(pyramid, axes)) return { kind: "rgb", channels: rgbChannels() };
  if (pyramid.convention === "ome" || (hasChannels && pyramid.channels.length > 0)) {
    return { kind: "image", channels: await imageChannels(looked, looked.integer) };
  }
  return fieldOf(looked);
}

/** A field, unpacked by CF's attributes unless they are invalid. */
const fieldOf = (looked: Looked): Promise<Appearance> =>
  decoded(looked.pyramid.levels[0]?.array as ArrayNode, async (decode) => {
    return { kind: "field", channels: [], field: await fieldStyle({ ...looked, decode }), decode };
  });

/** The scene with another plane. */
export async function sceneInPlane(
  scene: Scene,
  plane: { x: number; y: number },
  { signal }: { signal?: AbortSignal } = {},
): Promise<Scene> {
  const { pyramid, axes } = scene;
  const { places: _places, warped: _warped, ...rest } = scene;
  return { ...rest, plane, ...(await placementOf({ pyramid, axes, plane, signal })) };
}
