/**
 * The arrays of a difference of two scenes, as a store: a tile of both is read and subtracted when
 * its chunk is asked for. Zarr 3, float64, without codecs. It does not know how the difference is
 * drawn.
 */

import * as zarr from "zarr-wasm";
import type { Scene } from "../../model/scene/scene.js";

/** Sides of tiles: small chunks are joined, and large ones divided. */
const MIN_SIDE = 256;
const MAX_SIDE = 1024;

const CHUNK = /^\/(\d+)\/values\/c\/([\d/]+)$/;

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

/** The levels that have the same rows and columns in both. */
export function sharedLevels({ first, second }: Pair): number {
  const sizeOf = ({ pyramid, plane }: Scene, at: number) =>
    [plane.x, plane.y].map((axis) => pyramid.levels[at]?.shape[axis] ?? -1).join();
  const count = Math.min(first.pyramid.levels.length, second.pyramid.levels.length);
  const differs = Array.from({ length: count }, (_, at) => sizeOf(first, at) !== sizeOf(second, at));
  const end = differs.indexOf(true);
  return end < 0 ? count : end;
}

function sideOf(length: number, chunk: number): number {
  const side = Math.max(1, Math.min(chunk, length));
  const joined = side < MIN_SIDE ? side * Math.ceil(MIN_SIDE / side) : side;
  return Math.min(length, joined > MAX_SIDE ? Math.ceil(joined / Math.ceil(joined / MAX_SIDE)) : joined);
}

/**
 * The indices of a level of a scene, for those of its finest one by name of axis. Beyond the end of
 * an axis, which the other scene may have longer, it is the last one.
 */
export function indicesIn(
  { pyramid: { axes: own, levels }, plane, axes }: Scene,
  level: number,
  indexOf: (name: string) => number,
): number[] {
  const given = axes.map(({ name, length }) => Math.min(indexOf(name), length - 1));
  return zarr.levelIndices({ axes: own, levels, plane }, level, given).map((index) => index ?? 0);
}

interface Level {
  shape: readonly number[];
  chunks: readonly number[];
}

/**
 * The arrays of a difference: a group for each level, with its values and, where elements have
 * positions of their own, these. A chunk is a tile of the plane at one index of each other axis.
 */
export class DifferenceStore {
  readonly levels: readonly Level[];
  readonly #pair: Pair;
  readonly #objects = new Map<string, Uint8Array>();

  /** `positions` has those of each level; none if rows and columns are those of the map. */
  constructor(pair: Pair, positions: readonly Positions[]) {
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
    for (const [at, level] of this.levels.entries()) {
      const group = objectsOf(level, namesOf(pair), first.plane, positions[at]);
      for (const [key, object] of Object.entries(group)) this.#objects.set(`/${at}/${key}`, object);
    }
  }

  async get(key: string, options?: { signal?: AbortSignal }): Promise<Uint8Array | undefined> {
    const [, of, chunk = ""] = CHUNK.exec(key) ?? [];
    return of === undefined
      ? this.#objects.get(key)
      : this.#chunk(Number(of), chunk.split("/").map(Number), options?.signal);
  }

  async #chunk(at: number, index: readonly number[], signal?: AbortSignal): Promise<Uint8Array | undefined> {
    const level = this.levels[at];
    if (!level) return undefined;
    const { first, second } = this.#pair;
    const [one, other] = await Promise.all([
      this.#part(first, at, index, signal),
      this.#part(second, at, index, signal),
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
  async #part(scene: Scene, at: number, chunk: readonly number[], signal?: AbortSignal): Promise<Part> {
    const { first } = this.#pair;
    const [level, own] = [this.levels[at] as Level, scene.pyramid.levels[at] as zarr.PyramidLevel];
    const range = (way: "x" | "y") => {
      const axis = first.plane[way];
      const side = level.chunks[axis] ?? 1;
      const start = (chunk[axis] ?? 0) * side;
      return { start, stop: Math.min(start + side, level.shape[axis] ?? 1), step: null };
    };
    const [x, y] = [range("x"), range("y")];
    const others = scene === first ? chunk : indicesIn(scene, at, (name) => this.#index(name, at, chunk));
    const selection = scene.axes.map(({ axis }) => {
      if (axis === scene.plane.x) return x;
      return axis === scene.plane.y ? y : (others[axis] ?? 0);
    });
    const { data } = await own.array.get(selection, { as: "float64", decode: scene.decode, signal });
    return partOf(data, scene, [y.stop - y.start, x.stop - x.start]);
  }

  /** The index of the finest level of the second scene along an axis, for a chunk of a level. */
  #index(name: string, level: number, chunk: readonly number[]): number {
    const { first, own, at } = this.#pair;
    const axis = own.indexOf(name);
    if (axis >= 0) return chunk[first.axes.length + axis] ?? 0;
    const same = first.axes.find((axis) => axis.name === name);
    if (!same || same.axis === first.plane.x || same.axis === first.plane.y) return at[name] ?? 0;
    // The chunk has an index of the level of the first scene. This is the middle of its elements.
    const here = first.pyramid.levels[level]?.shape[same.axis] ?? same.length;
    return Math.floor((((chunk[same.axis] ?? 0) + 0.5) * same.length) / here);
  }
}

export type Positions = zarr.Placement["pixels"];

/** The names of the dimensions. */
const namesOf = ({ first, own }: Pair): string[] => [
  ...first.pyramid.axes.map(({ name }) => name),
  ...own.map(ownAxis),
];

const encoded = (document: object): Uint8Array => new TextEncoder().encode(JSON.stringify(document));

interface Described extends Level {
  names: readonly string[];
  attributes: Readonly<Record<string, unknown>>;
}

const arrayDocument = ({ shape, chunks, names, attributes }: Described): Uint8Array =>
  encoded({
    zarr_format: 3,
    node_type: "array",
    shape,
    data_type: "float64",
    chunk_grid: { name: "regular", configuration: { chunk_shape: chunks } },
    chunk_key_encoding: { name: "default" },
    fill_value: "NaN",
    codecs: [{ name: "bytes", configuration: { endian: "little" } }],
    dimension_names: names,
    attributes,
  });

const LONGITUDES = { standard_name: "longitude", units: "degrees_east" };
const LATITUDES = { standard_name: "latitude", units: "degrees_north" };

/**
 * The attributes of the convention `spatial:` for an affine transform. `affine` maps indices to the
 * centres of elements; the convention maps them to corners.
 */
function spatialOf(affine: readonly number[], [x, y]: readonly [string, string]) {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = affine;
  const transform = [a, b, c - (a + b) / 2, d, e, f - (d + e) / 2];
  return { "spatial:dimensions": [y, x], "spatial:transform": transform };
}

/** The metadata of a level's group and array, and the arrays of positions, by key. */
function objectsOf(
  level: Level,
  names: readonly string[],
  plane: Scene["plane"],
  positions: Positions | undefined,
): Record<string, Uint8Array> {
  const [x, y] = [names[plane.x] ?? "x", names[plane.y] ?? "y"];
  const withAttributes = (attributes: Described["attributes"]) => ({
    "zarr.json": encoded({ zarr_format: 3, node_type: "group" }),
    "values/zarr.json": arrayDocument({ ...level, names, attributes }),
  });
  if (!positions) return withAttributes({});
  if (positions.kind === "affine") return withAttributes(spatialOf(positions.affine, [x, y]));
  const [columns, rows] = [level.shape[plane.x] ?? 1, level.shape[plane.y] ?? 1];
  const coordinate = (name: string, numbers: Float64Array, along: readonly string[], attributes: object) => {
    const shape = along.length > 1 ? [rows, columns] : [numbers.length];
    const described = { shape, chunks: shape, names: along, attributes: { ...attributes } };
    const bytes = new Uint8Array(Float64Array.from(numbers).buffer);
    return {
      [`${name}/zarr.json`]: arrayDocument(described),
      [`${name}/c/${shape.map(() => 0).join("/")}`]: bytes,
    };
  };
  const isGrid = positions.kind === "grid";
  const [east, north] = isGrid ? ["longitude_of_element", "latitude_of_element"] : [x, y];
  return {
    ...withAttributes(isGrid ? { coordinates: `${east} ${north}` } : {}),
    ...coordinate(east, positions.x, isGrid ? [y, x] : [x], LONGITUDES),
    ...coordinate(north, positions.y, isGrid ? [y, x] : [y], LATITUDES),
  };
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
