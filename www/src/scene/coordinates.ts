/**
 * Reads the coordinates of a scene's axes, as numbers and as text with units or dates. Each is read
 * once.
 */
import * as zarr from "zarr-wasm";
import { remembered } from "../remembered.js";
import type { ArrayNode, Scene } from "./scene.js";
import { coordinateText, momentText, unitText, withUnit } from "./value_text.js";

/** Maximum length of an axis whose coordinates are read. */
const MOST = 1_000_000;

interface Options {
  signal?: AbortSignal | undefined;
}

const read = new WeakMap<object, Map<number, Promise<zarr.Coordinates | null>>>();

/** The coordinates of an axis. Null if it has none. */
export function variableOf(
  array: ArrayNode,
  axis: number,
  { signal }: Options = {},
): Promise<zarr.Coordinates | null> {
  const ofArray = read.get(array) ?? new Map<number, Promise<zarr.Coordinates | null>>();
  read.set(array, ofArray);
  return remembered(ofArray, axis, () => readVariable(array, axis, signal));
}

async function readVariable(array: ArrayNode, axis: number, signal: AbortSignal | undefined) {
  if (!array.dimensionNames?.[axis] || (array.shape[axis] ?? 0) > MOST) return null;
  try {
    const found = await zarr.coords(array, axis, { signal });
    return found.source === "variable" ? found : null;
  } catch (error) {
    signal?.throwIfAborted();
    // The picture is usable without coordinates.
    if (error instanceof zarr.ZarrError) return null;
    throw error;
  }
}

/** The mean difference of neighbours; 0 for a single value. */
const stepOf = (values: ArrayLike<number>): number =>
  values.length < 2
    ? 0
    : Math.abs(((values[values.length - 1] as number) - (values[0] as number)) / (values.length - 1));

/** The text of each index: a date, or a coordinate with its unit. */
export async function textOf(coordinates: zarr.Coordinates): Promise<(index: number) => string> {
  const { values } = coordinates;
  if (!(values instanceof Float64Array)) return (index) => values[index] ?? "";
  const moments = coordinates.time ? await coordinates.moments() : [];
  const [unit, step] = [unitText(coordinates.units), stepOf(values)];
  return (index) => {
    const moment = moments[index];
    if (moment) return momentText(moment);
    const value = values[index];
    return value === undefined || Number.isNaN(value) ? "" : withUnit(coordinateText(value, step), unit);
  };
}

/** The text of each index of an axis: its coordinate, or empty without one. */
export async function axisText(
  scene: Scene,
  axisName: string,
  options: Options = {},
): Promise<(index: number) => string> {
  const own = scene.axes.find(({ name }) => name === axisName);
  const level = scene.pyramid.levels[0];
  if (!own || !level) return () => "";
  if (own.role === "c") {
    return (index) => scene.channels.find((channel) => channel.index === index)?.name ?? "";
  }
  if (scene.pyramid.convention !== "ome") {
    const variable = await variableOf(level.array as ArrayNode, own.axis, options);
    if (variable) return textOf(variable);
  }
  if (!scene.pyramid.isPlaced) return () => "";
  const [scale, start] = [level.scale[own.axis] ?? 1, level.translation[own.axis] ?? 0];
  const unit = unitText(own.unit);
  // With a step of 1 and no unit, the coordinate repeats the index.
  if (scale === 1 && start === 0 && unit === "") return () => "";
  return (index) => withUnit(coordinateText(start + index * scale, Math.abs(scale)), unit);
}
