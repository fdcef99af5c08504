/**
 * The difference of two scenes, element by element, as a scene of its own, whose arrays are in a
 * store that subtracts (`difference_store.ts`). So only what is on the screen is computed, and the
 * difference has values, limits and a legend as any field has. An element is missing where it is
 * missing in either.
 */

import * as zarr from "zarr-wasm";
import type { ViewBox } from "../../map/view_box.js";
import { rangeOf, sampledLimits } from "../../model/scene/limits.js";
import type { FieldStyle, Scene, SceneAxis } from "../../model/scene/scene.js";
import { isSamePlane } from "../../model/scene/scene_state.js";
import {
  DifferenceStore,
  indicesIn,
  ownAxis,
  type Pair,
  type Positions,
  sharedLevels,
} from "./difference_store.js";

/** The share of values that the limits leave out at each end. */
const LEFT_OUT = 0.002;
/** How far the positions of elements may differ, in steps. */
const NEAR = 1e-3;

/** Why there is no difference. Null if there is one. */
export function whyNone({ first, second }: Pick<Pair, "first" | "second">): string | null {
  const isNumbers = ({ kind }: Scene) => kind === "field" || kind === "image";
  if (!isNumbers(first) || !isNumbers(second)) return "Colours and labels have no difference.";
  const isSame = isSamePlane(first, second) && (areWarped(first, second) || arePositioned(first, second));
  return isSame ? null : "The pictures have other rows and columns.";
}

/** Whether both have the same map of elements that have positions of their own. */
const areWarped = ({ warped: one }: Scene, { warped: other }: Scene): boolean =>
  one !== undefined && JSON.stringify(one) === JSON.stringify(other);

/** Whether the elements of both lie at the same positions. */
function arePositioned({ places: [one] }: Scene, { places: [other] }: Scene): boolean {
  if (!one || !other || (one.roll ?? 0) !== (other.roll ?? 0)) return false;
  return (["x", "y"] as const).every((way) => {
    const room = Math.abs(one[way].step) * NEAR;
    const isNear = (a: number, b: number) => Math.abs(a - b) <= room;
    return isNear(one[way].start, other[way].start) && isNear(one[way].step, other[way].step);
  });
}

/** The positions of the elements of each level, which must be the same in both scenes. */
async function positionsOf(pair: Pair, signal: AbortSignal): Promise<Positions[]> {
  const { first, second } = pair;
  if (!first.warped) return [];
  const levels = first.pyramid.levels.slice(0, sharedLevels(pair));
  return Promise.all(
    levels.map(async ({ array, path }, at) => {
      const { array: other } = second.pyramid.levels[at] as zarr.PyramidLevel;
      const options = { tolerance: 0, signal };
      const [one, two] = await Promise.all([zarr.placement(array, options), zarr.placement(other, options)]);
      if (!areSame(one.pixels, two.pixels))
        throw new zarr.ZarrError("Argument", "the elements of the pictures lie at other places", { path });
      return one.pixels;
    }),
  );
}

function areSame(one: Positions, other: Positions): boolean {
  if (one.kind === "affine") return other.kind === "affine" && areEqual(one.affine, other.affine);
  return one.kind === other.kind && areEqual(one.x, other.x) && areEqual(one.y, other.y);
}

/** Compares in place, because a grid may have millions of numbers. */
function areEqual(one: ArrayLike<number>, other: ArrayLike<number>): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at += 1) if (!Object.is(one[at], other[at])) return false;
  return true;
}

/** What both scenes have in view where a difference has this. `at` has the indices of the first. */
export function subtractedBoxes(
  { first, second, at: atSecond }: Omit<Pair, "own">,
  at: Readonly<Record<string, number>>,
  { level, corners }: ViewBox,
): [first: ViewBox, second: ViewBox] {
  const boxOf = (scene: Scene, indices: Readonly<Record<string, number>>): ViewBox => {
    const others = indicesIn(scene, level, (name) => indices[name] ?? 0);
    const [start = [], stop = []] = corners.map((corner) =>
      scene.axes.map(({ axis }) => {
        if (axis === scene.plane.x) return corner[first.plane.x] ?? 0;
        return axis === scene.plane.y ? (corner[first.plane.y] ?? 0) : (others[axis] ?? 0);
      }),
    );
    return { level, corners: [start, stop] };
  };
  return [boxOf(first, at), boxOf(second, atSecond)];
}

/** The levels of a difference, instead of those of the first scene's pyramid. */
async function pyramidOf(pair: Pair, store: DifferenceStore, signal: AbortSignal): Promise<zarr.Pyramid> {
  const { pyramid } = pair.first;
  const levels = await Promise.all(
    store.levels.map(async ({ shape, chunks }, at) => {
      const array = await zarr.open.v3(store, { path: `${at}/values`, kind: "array", signal });
      return { ...pyramid.levels[at], path: array.path, array, shape, chunks, isPacked: false };
    }),
  );
  const axes = [...pyramid.axes, ...pair.own.map((name) => ({ name: ownAxis(name), role: "other" }))];
  // Pictures use the facts of a pyramid, and none of its methods.
  return { ...pyramid, axes, levels, labels: [] } as unknown as zarr.Pyramid;
}

function axesOf({ first, second, own }: Pair): SceneAxis[] {
  const shared = first.axes.map((axis) => ({ ...axis, original: { scene: first, axis: axis.axis } }));
  const others = own.map((name, at): SceneAxis => {
    const axis = second.axes.find((each) => each.name === name) as SceneAxis;
    const original = { scene: second, axis: axis.axis };
    return { ...axis, name: ownAxis(name), role: "other", axis: first.axes.length + at, original };
  });
  return [...shared, ...others];
}

/** Colours around zero. */
async function styleOf(scene: Scene, at: Readonly<Record<string, number>>, signal: AbortSignal) {
  const indices = scene.axes.map(({ name, start }) => at[name] ?? start);
  const sampling = { plane: scene.plane, at: indices, share: LEFT_OUT, signal };
  const found = await sampledLimits(scene.pyramid, sampling);
  const [low, high] = found ? rangeOf(found, false) : [-1, 1];
  const end = Math.max(Math.abs(low), Math.abs(high)) || 1;
  return { colormap: "blue-red", range: [-end, end], log: false, reversed: false } satisfies FieldStyle;
}

/** The scene of a difference. `shown` has the indices at which its limits are taken. */
export async function differenceOf(
  pair: Pair,
  shown: Readonly<Record<string, number>>,
  signal: AbortSignal,
): Promise<Scene> {
  const { first, second } = pair;
  const pyramid = await pyramidOf(pair, new DifferenceStore(pair, await positionsOf(pair, signal)), signal);
  const scene: Scene = {
    ...first,
    kind: "field",
    pyramid,
    array: pyramid.levels[0]?.array as Scene["array"],
    axes: axesOf(pair),
    places: first.places.slice(0, pyramid.levels.length),
    title: first.title === second.title ? `Difference of ${first.title}` : `${first.title} − ${second.title}`,
    unit: first.unit === second.unit ? first.unit : "",
    integer: false,
    isPacked: false,
    decode: undefined,
    labelFacts: undefined,
    channels: [],
    labels: [],
    variables: [],
    variable: undefined,
  };
  return { ...scene, field: await styleOf(scene, shown, signal) };
}
