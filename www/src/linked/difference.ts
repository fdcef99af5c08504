/**
 * The difference of two scenes, element by element, as a scene of its own: its arrays are in a
 * store that reads a tile of both and subtracts when the tile is asked for. So only what is on the
 * screen is computed, and the difference has values, limits and a legend as any field has. An
 * element is missing where it is missing in either.
 */

import * as zarr from "zarr-wasm";
import type { ViewBox } from "../picture/view_box.js";
import { rangeOf, sampledLimits } from "../scene/limits.js";
import type { FieldStyle, Scene, SceneAxis } from "../scene/scene.js";
import { isSamePlane } from "../scene_state.js";

/** Sides of tiles: small chunks are joined, and large ones divided. */
const LEAST_SIDE = 256;
const MOST_SIDE = 1024;
/** The share of values that the limits leave out at each end. */
const LEFT_OUT = 0.002;
/** How far the places of elements may differ, in steps. */
const NEAR = 1e-3;

const LEVEL = /^\/(\d+)\/zarr\.json$/;
const CHUNK = /^\/(\d+)\/c\/([\d/]+)$/;

/** The scenes, and the axes along which the second has indices of its own. */
export interface Pair {
  first: Scene;
  second: Scene;
  /** The indices of the second scene's other axes. */
  at: Readonly<Record<string, number>>;
  own: readonly string[];
}

/** How the difference calls an axis of the second scene that has an index of its own. */
export const ownAxis = (name: string): string => `${name} (second)`;

/** Why there is no difference. Null if there is one. */
export function whyNone({ first, second }: Pick<Pair, "first" | "second">): string | null {
  const isNumbers = ({ kind }: Scene) => kind === "field" || kind === "image";
  if (!isNumbers(first) || !isNumbers(second)) return "Colours and labels have no difference.";
  if (first.warped || second.warped) return "The rows and columns of a picture are not those of its map.";
  const isSame = isSamePlane(first, second) && arePlaced(first, second);
  return isSame ? null : "The pictures have other rows and columns.";
}

/** Whether the elements of both lie at the same places. */
function arePlaced({ places: [one] }: Scene, { places: [other] }: Scene): boolean {
  if (!one || !other || (one.roll ?? 0) !== (other.roll ?? 0)) return false;
  return (["x", "y"] as const).every((way) => {
    const room = Math.abs(one[way].step) * NEAR;
    const isNear = (a: number, b: number) => Math.abs(a - b) <= room;
    return isNear(one[way].start, other[way].start) && isNear(one[way].step, other[way].step);
  });
}

/** The levels that have the same rows and columns in both. */
function sharedLevels({ first, second }: Pair): number {
  const sizeOf = ({ pyramid, plane }: Scene, at: number) =>
    [plane.x, plane.y].map((axis) => pyramid.levels[at]?.shape[axis] ?? -1).join();
  const count = Math.min(first.pyramid.levels.length, second.pyramid.levels.length);
  const differs = Array.from({ length: count }, (_, at) => sizeOf(first, at) !== sizeOf(second, at));
  const end = differs.indexOf(true);
  return end < 0 ? count : end;
}

function sideOf(length: number, chunk: number): number {
  const side = Math.max(1, Math.min(chunk, length));
  const joined = side < LEAST_SIDE ? side * Math.ceil(LEAST_SIDE / side) : side;
  return Math.min(length, joined > MOST_SIDE ? Math.ceil(joined / Math.ceil(joined / MOST_SIDE)) : joined);
}

/** The index of a level along an axis that may be coarser there. */
const coarse = (index: number, finest: number, length: number): number =>
  Math.min(Math.floor(((index + 0.5) * length) / finest), length - 1);

interface Level {
  shape: readonly number[];
  chunks: readonly number[];
}

/** The arrays of a difference. A chunk is a tile of the plane at one index of each other axis. */
class DifferenceStore {
  readonly levels: readonly Level[];
  readonly #pair: Pair;

  constructor(pair: Pair) {
    this.#pair = pair;
    const { first, second, own } = pair;
    const others = own.map((name) => second.axes.find((axis) => axis.name === name)?.length ?? 1);
    this.levels = first.pyramid.levels.slice(0, sharedLevels(pair)).map(({ shape, chunks }) => {
      const isInPlane = (axis: number) => axis === first.plane.x || axis === first.plane.y;
      const sides = shape.map((length, axis) =>
        isInPlane(axis) ? sideOf(length, chunks[axis] ?? length) : 1,
      );
      return { shape: [...shape, ...others], chunks: [...sides, ...others.map(() => 1)] };
    });
  }

  async get(key: string, options?: { signal?: AbortSignal }): Promise<Uint8Array | undefined> {
    const [, level] = LEVEL.exec(key) ?? [];
    if (level !== undefined) return this.#document(Number(level));
    const [, of, places = ""] = CHUNK.exec(key) ?? [];
    return of === undefined
      ? undefined
      : this.#chunk(Number(of), places.split("/").map(Number), options?.signal);
  }

  #document(at: number): Uint8Array | undefined {
    const level = this.levels[at];
    const document = level && {
      zarr_format: 3,
      node_type: "array",
      shape: level.shape,
      data_type: "float64",
      chunk_grid: { name: "regular", configuration: { chunk_shape: level.chunks } },
      chunk_key_encoding: { name: "default" },
      fill_value: "NaN",
      codecs: [{ name: "bytes", configuration: { endian: "little" } }],
    };
    return document && new TextEncoder().encode(JSON.stringify(document));
  }

  async #chunk(at: number, places: readonly number[], signal?: AbortSignal): Promise<Uint8Array | undefined> {
    const level = this.levels[at];
    if (!level) return undefined;
    const { first, second } = this.#pair;
    const [one, other] = await Promise.all([
      this.#part(first, at, places, signal),
      this.#part(second, at, places, signal),
    ]);
    const { x, y } = first.plane;
    const [rows, columns] = [level.chunks[y] ?? 1, level.chunks[x] ?? 1];
    const chunk = new Float64Array(rows * columns).fill(Number.NaN);
    // The order of the first array is that of the chunk.
    const [down, across] = y < x ? [columns, 1] : [1, rows];
    for (let row = 0; row < one.rows; row += 1) {
      for (let column = 0; column < one.columns; column += 1) {
        chunk[row * down + column * across] = one.at(row, column) - other.at(row, column);
      }
    }
    return new Uint8Array(chunk.buffer);
  }

  /** The elements of one scene that a chunk covers. */
  async #part(scene: Scene, at: number, places: readonly number[], signal?: AbortSignal): Promise<Part> {
    const { first } = this.#pair;
    const [level, own] = [this.levels[at] as Level, scene.pyramid.levels[at] as zarr.PyramidLevel];
    const range = (way: "x" | "y") => {
      const axis = first.plane[way];
      const side = level.chunks[axis] ?? 1;
      const start = (places[axis] ?? 0) * side;
      return { start, stop: Math.min(start + side, level.shape[axis] ?? 1), step: null };
    };
    const [x, y] = [range("x"), range("y")];
    const selection = scene.axes.map(({ axis, name, length }) => {
      if (axis === scene.plane.x) return x;
      if (axis === scene.plane.y) return y;
      return scene === first
        ? (places[axis] ?? 0)
        : coarse(this.#index(name, places), length, own.shape[axis] ?? 1);
    });
    const { data } = await own.array.get(selection, { as: "float64", decode: scene.decode, signal });
    return partOf(data, scene, [y.stop - y.start, x.stop - x.start]);
  }

  /** The index of the second scene along an axis. */
  #index(name: string, places: readonly number[]): number {
    const { first, own, at } = this.#pair;
    const place = own.indexOf(name);
    if (place >= 0) return places[first.axes.length + place] ?? 0;
    const same = first.axes.find((axis) => axis.name === name);
    return (same && places[same.axis]) ?? at[name] ?? 0;
  }
}

interface Part {
  rows: number;
  columns: number;
  at(row: number, column: number): number;
}

/** Elements in C order of their own array. */
function partOf(data: Float64Array, { plane }: Scene, [rows, columns]: readonly [number, number]): Part {
  const [down, across] = plane.y < plane.x ? [columns, 1] : [1, rows];
  return { rows, columns, at: (row, column) => data[row * down + column * across] ?? Number.NaN };
}

/** What both scenes have in view where a difference has this. `at` has the indices of the first. */
export function subtractedBoxes(
  { first, second, at: atSecond }: Omit<Pair, "own">,
  at: Readonly<Record<string, number>>,
  { level, corners }: ViewBox,
): [first: ViewBox, second: ViewBox] {
  const boxOf = (scene: Scene, indices: Readonly<Record<string, number>>): ViewBox => {
    const { shape = [] } = scene.pyramid.levels[level] ?? {};
    const [start = [], stop = []] = corners.map((corner) =>
      scene.axes.map(({ axis, name, length }) => {
        if (axis === scene.plane.x) return corner[first.plane.x] ?? 0;
        if (axis === scene.plane.y) return corner[first.plane.y] ?? 0;
        return coarse(indices[name] ?? 0, length, shape[axis] ?? 1);
      }),
    );
    return { level, corners: [start, stop] };
  };
  return [boxOf(first, at), boxOf(second, atSecond)];
}

/** The levels of a difference, in the place of those of the first scene's pyramid. */
async function pyramidOf(pair: Pair, store: DifferenceStore, signal: AbortSignal): Promise<zarr.Pyramid> {
  const { pyramid } = pair.first;
  const levels = await Promise.all(
    store.levels.map(async ({ shape, chunks }, at) => {
      const array = await zarr.open.v3(store, { path: String(at), kind: "array", signal });
      return { ...pyramid.levels[at], path: array.path, array, shape, chunks, isPacked: false };
    }),
  );
  const axes = [...pyramid.axes, ...pair.own.map((name) => ({ name: ownAxis(name), role: "other" }))];
  // Pictures use the facts of a pyramid, and none of its methods.
  return { ...pyramid, axes, levels, labels: [] } as unknown as zarr.Pyramid;
}

function axesOf({ first, second, own }: Pair): SceneAxis[] {
  const others = own.map((name, at): SceneAxis => {
    const axis = second.axes.find((each) => each.name === name) as SceneAxis;
    return { ...axis, name: ownAxis(name), role: "other", axis: first.axes.length + at };
  });
  return [...first.axes, ...others];
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
  const pyramid = await pyramidOf(pair, new DifferenceStore(pair), signal);
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
