/**
 * Where the elements of a picture lie along its two axes, so that pictures of other planes of the
 * same volume can follow it: positions on the map as indices, and back.
 */

import type { Camera, Plane, Scene, SceneAxis } from "../../model/scene/scene.js";
import { freeAxes } from "../../model/scene/scene_state.js";

/** An axis of the plane on the map. Its columns may begin at another index than 0. */
export interface MapAxis {
  name: string;
  length: number;
  /** The map coordinate of the first column or row, and the step to the next. */
  start: number;
  step: number;
  /** The index of the first column. */
  roll: number;
}

export interface MapPlane {
  x: MapAxis;
  y: MapAxis;
}

/** Null for a map whose rows and columns are not those of the array. */
export function mapPlane({ axes, plane, places: [finest] }: Scene): MapPlane | null {
  const [x, y] = [axes[plane.x], axes[plane.y]];
  if (!x || !y || !finest) return null;
  const onMap = ({ name, length }: SceneAxis, along: { start: number; step: number }, roll = 0) => {
    return { name, length, start: along.start, step: along.step, roll };
  };
  return { x: onMap(x, finest.x, finest.roll), y: onMap(y, finest.y) };
}

const wrapped = (index: number, length: number) => ((index % length) + length) % length;

export const coordinateOf = ({ start, step, roll, length }: MapAxis, index: number): number =>
  start + step * wrapped(index - roll, length);

/** The index of the nearest column or row. */
export function indexAt({ start, step, roll, length }: MapAxis, coordinate: number): number {
  const nearest = Math.round((coordinate - start) / step);
  return wrapped(Math.max(0, Math.min(nearest, length - 1)) + roll, length);
}

/** The index that is so many columns to the right, or so many rows up. */
export const movedIndex = (axis: MapAxis, index: number, steps: number): number =>
  indexAt(axis, coordinateOf(axis, index) + steps * Math.abs(axis.step));

const WAYS = ["x", "y"] as const;

/** The camera of a picture that shows the same elements of the axis that both have. */
export function sameElements(from: MapPlane, to: MapPlane, camera: Camera, own: Camera): Camera {
  for (const source of WAYS) {
    const way = WAYS.find((other) => to[other].name === from[source].name);
    if (!way) continue;
    const [there, here] = [from[source], to[way]];
    const resolution = camera.resolution * Math.abs(here.step / there.step);
    const coordinate = here.start + (here.step * (camera[source] - there.start)) / there.step;
    // A globe that begins at another column is another row of elements.
    return { ...own, resolution, ...(there.roll === here.roll && { [way]: coordinate }) };
  }
  return own;
}

/**
 * A plane without a map of its own, beside a picture with one: it has that one's positions along
 * the rows or columns of both, and elements that are as long across. So both begin at the same
 * longitude, and have north at the same side.
 */
export function alignedWith(main: Scene, scene: Scene): Scene {
  if (scene.space.kind !== "index" || main.space.kind === "index") return scene;
  const way = WAYS.find((each) => main.plane[each] === scene.plane[each]);
  const [finest] = main.places;
  if (!way || !finest) return scene;
  const side = Math.abs(finest[way].step);
  const scaled = ({ start, step }: { start: number; step: number }) => ({
    start: start * side,
    step: step * side,
  });
  const places = scene.places.map(({ x, y }, at) => {
    const own = main.places[at] ?? finest;
    return way === "x" ? { x: own.x, y: scaled(y), roll: own.roll } : { x: scaled(x), y: own.y };
  });
  return { ...scene, places };
}

/** The planes xy, xz and zy of a volume. Null if the scene's plane is none of them. */
export function planesOf(scene: Scene): Plane[] | null {
  const free = freeAxes(scene);
  const [x, y, z] = (["x", "y", "z"] as const).map((role) => free.find((axis) => axis.role === role)?.axis);
  if (x === undefined || y === undefined || z === undefined || scene.warped) return null;
  const planes = [
    { x, y },
    { x, y: z },
    { x: z, y },
  ];
  return planes.some((plane) => isPlane(plane, scene.plane)) ? planes : null;
}

export const isPlane = (one: Plane, other: Plane): boolean => one.x === other.x && one.y === other.y;
