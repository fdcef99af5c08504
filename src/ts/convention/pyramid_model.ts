/**
 * The one model of every pyramid, and what a viewer asks of it: which level fits, which tiles are in view, where things are.
 * Arithmetic on what the conventions' module has read; nothing here waits.
 */
import { FACTS, type Array as ZarrArray } from "../api/array.ts";
import { ZarrError } from "../model/errors.ts";
import type { DataType, Readable, Slice } from "../model/types.ts";
import type { Finding } from "./findings.ts";
import {
  type Extent,
  elementsIn,
  indexBox,
  type Placed,
  type Plane,
  toIndex,
  toWorld,
  worldBox,
} from "./geometry.ts";
import type { PyramidLevel } from "./pyramid_level.ts";
import { type Tile, tilesIn } from "./tiles.ts";

export type { PyramidLevel };

export interface PyramidAxis {
  /** As the metadata name it; `dim_0` where nothing does. */
  readonly name: string;
  readonly role: "x" | "y" | "z" | "t" | "c" | "other";
  /** OME's type: space, time, channel, or whatever is written. */
  readonly type?: string;
  readonly unit?: string;
}

/** A coordinate reference system, in as many forms as are written. */
export interface Crs {
  /** Authority and code, as in EPSG:4326. */
  readonly code?: string;
  readonly wkt2?: string;
  readonly projjson?: Record<string, unknown>;
  /** CF's name of the projection, where it is all there is. */
  readonly gridMapping?: string;
  /** What said so: `proj`, `grid_mapping`, `_CRS`, or the levels' own convention. */
  readonly source: "proj" | "grid_mapping" | "_CRS" | "levels";
}

/** A channel of OME, as written. */
export interface PyramidChannel {
  readonly label?: string;
  /** Six hexadecimal digits. */
  readonly color?: string;
  readonly window?: { start: number; end: number; min: number; max: number };
  readonly active?: boolean;
  readonly [other: string]: unknown;
}

/** What the conventions' module answers; written by `src/convention/pyramid`. */
export interface PyramidFacts {
  convention: string;
  version: string;
  name?: string;
  images: number;
  axes: PyramidAxis[];
  crs?: Crs | null;
  levels: (Placed & { path: string; asset: string })[];
  channels: PyramidChannel[];
  labels: string[];
  variables: string[];
  variable?: string;
  placed: boolean;
  spatial: boolean;
  ignored: { path: string; type: string }[];
  findings: Finding[];
}

/** Which index of the axes that are neither x nor y: by role or name; `null` is all of an axis. 0 unless given. */
export type At = Record<string, number | null>;

export interface View {
  /** World units a CSS pixel. */
  unitsPerPixel: number;
  /** What of the world is in view; all of it unless given. */
  extent?: Extent;
  /** Device pixels a CSS pixel; 1 unless given. */
  devicePixelRatio?: number;
  at?: At;
  /** The level that is shown: it is kept while it is nearly right. The last one picked unless given; -1 forgets it. */
  current?: number;
}

export interface Picked<Store extends Readable = Readable> {
  /** Its place in `levels`. */
  index: number;
  level: PyramidLevel<Store>;
  /** By position, as `array.get` takes it. */
  selection: (number | Slice | null)[];
  /** Bytes of the result. */
  resultBytes: number;
  /** Bytes of the decoded chunks that it is cut from. */
  chunkBytes: number;
}

export interface Viewport extends Omit<View, "unitsPerPixel"> {
  /** Picks the level, unless `level` says it. */
  unitsPerPixel?: number;
  level?: number;
  /** Where tiles come first; the middle of the extent unless given. */
  center?: readonly [x: number, y: number];
  /** Tiles around the view to add on every side; 0 unless given. */
  margin?: number;
}

/** A level is left when it is this much too coarse, or the next this much finer than needed. */
const HYSTERESIS = 1.2;

/** Bytes of a decoded element; of types without a size, a guess. */
function elementBytes(array: ZarrArray<DataType, Readable>): number {
  return array[FACTS]?.type?.size ?? 8;
}

export class Pyramid<Store extends Readable = Readable> {
  /** The convention it was read from; `array` for an array alone. */
  readonly convention: string;
  readonly version: string;
  readonly name: string | undefined;
  /** How many images the group has. */
  readonly images: number;
  /** In the order of the arrays. */
  readonly axes: readonly PyramidAxis[];
  readonly crs: Crs | undefined;
  /** Finest first. */
  readonly levels: readonly PyramidLevel<Store>[];
  readonly channels: readonly PyramidChannel[];
  /** Paths of label images: each is a pyramid. Empty where they were not looked for. */
  readonly labels: readonly string[];
  /** Arrays of a level, where levels are groups. */
  readonly variables: readonly string[];
  /** Which of them this is. */
  readonly variable: string | undefined;
  /** Whether world coordinates are of the world; otherwise they are indices of the finest level. */
  readonly isPlaced: boolean;
  /** Whether `spatial:` of the group says where x and y are. */
  readonly isSpatial: boolean;
  /** Transformations that are not used, by place and type. */
  readonly ignored: readonly { path: string; type: string }[];
  readonly findings: readonly Finding[];
  /** Which axes are x and y. */
  readonly plane: Plane;
  #current = -1;

  /** @internal */
  constructor(facts: PyramidFacts, arrays: Map<string, ZarrArray<DataType, Store>>) {
    const { convention, version, name, images, axes, channels, labels, variables, variable } = facts;
    [this.convention, this.version, this.name, this.images] = [convention, version, name, images];
    [this.axes, this.channels, this.labels] = [axes, channels, labels];
    [this.variables, this.variable] = [variables, variable];
    this.crs = facts.crs ?? undefined;
    this.isPlaced = facts.placed;
    this.isSpatial = facts.spatial;
    this.ignored = facts.ignored;
    this.findings = facts.findings;
    const at = (role: string) => axes.findIndex((axis) => axis.role === role);
    this.plane = { x: at("x"), y: at("y") };
    this.levels = facts.levels.map((level) => this.#level(level, arrays));
  }

  #level(
    { path, asset, ...placed }: PyramidFacts["levels"][number],
    arrays: Map<string, ZarrArray<DataType, Store>>,
  ): PyramidLevel<Store> {
    const array = arrays.get(path) as ZarrArray<DataType, Store>;
    const sides = [this.plane.x, this.plane.y].map((axis) => Math.abs(placed.scale[axis] ?? 1));
    const unitsPerElement = Math.max(...sides);
    return { ...placed, asset, path, array, shape: array.shape, chunks: array.chunks, unitsPerElement };
  }

  #at(index: number): PyramidLevel<Store> {
    const level = this.levels[index];
    if (level) return level;
    throw new ZarrError("Argument", `there is no level ${index}`, {
      expected: `below ${this.levels.length}`,
    });
  }

  /** What of the world a level covers, edge to edge. */
  extent(index = 0): Extent {
    const level = this.#at(index);
    const { x, y } = this.plane;
    return worldBox(level, this.plane, [
      -0.5,
      -0.5,
      (level.shape[x] ?? 1) - 0.5,
      (level.shape[y] ?? 1) - 0.5,
    ]);
  }

  /** World coordinates of an index, in the order of the axes; whole indices are centres of elements. */
  toWorld(index: readonly number[], level = 0): number[] {
    return toWorld(this.#at(level), this.plane, index);
  }

  /** The index, not rounded, at world coordinates. */
  toIndex(world: readonly number[], level = 0): number[] {
    return toIndex(this.#at(level), this.plane, world);
  }

  /** The coarsest level whose elements are no larger than device pixels; kept while a change would hardly show. */
  #fitting(unitsPerPixel: number, current: number): number {
    const fits = (limit: number) => {
      const fitting = this.levels.findLastIndex((level) => level.unitsPerElement <= limit);
      return Math.max(fitting, 0);
    };
    const [wanted, finest, coarsest] = [1 + 1e-9, 1 / HYSTERESIS, HYSTERESIS].map((by) =>
      fits(unitsPerPixel * by),
    );
    if (!this.levels[current]) return wanted ?? 0;
    return Math.min(Math.max(current, finest ?? 0), coarsest ?? 0);
  }

  /** The level that fits a view, and what of it is in view. */
  pick({
    unitsPerPixel,
    extent,
    devicePixelRatio = 1,
    at = {},
    current = this.#current,
  }: View): Picked<Store> {
    if (!(unitsPerPixel > 0) || !(devicePixelRatio > 0)) {
      throw new ZarrError("Argument", "unitsPerPixel and devicePixelRatio are above zero");
    }
    const index = this.#fitting(unitsPerPixel / devicePixelRatio, current);
    this.#current = index;
    const level = this.#at(index);
    const { selection, spans } = this.#selection(level, extent, at);
    const bytes = elementBytes(level.array);
    const count = (sizes: number[]) => sizes.reduce((product, size) => product * size, bytes);
    const resultBytes = count(spans.map(([start, stop]) => stop - start));
    const chunkBytes = count(
      spans.map(([start, stop], axis) => wholeChunks(start, stop, level.chunks[axis] ?? 1)),
    );
    return { index, level, selection, resultBytes, chunkBytes };
  }

  /** The chunk-aligned tiles of a view, nearest first. */
  tiles(viewport: Viewport): Tile[] {
    const { unitsPerPixel, at = {}, center, margin = 0 } = viewport;
    let index = viewport.level;
    if (index === undefined) {
      if (unitsPerPixel === undefined)
        throw new ZarrError("Argument", "tiles need a level, or unitsPerPixel");
      index = this.pick({ ...viewport, unitsPerPixel }).index;
    }
    const level = this.#at(index);
    const extent = viewport.extent ?? this.extent(index);
    const others = this.#selection(level, undefined, at).selection;
    return tilesIn({
      level,
      index,
      plane: this.plane,
      extent,
      center,
      margin,
      others,
      bytes: elementBytes(level.array),
    });
  }

  /** What of a level an extent touches: the selection, and from where to where on every axis. */
  #selection(level: PyramidLevel, extent: Extent | undefined, at: At) {
    const box = extent && indexBox(level, this.plane, extent);
    const span = (axis: number): [number, number] => {
      const length = level.shape[axis] ?? 0;
      if (axis === this.plane.x) return box ? elementsIn(box[0], box[2], length) : [0, length];
      if (axis === this.plane.y) return box ? elementsIn(box[1], box[3], length) : [0, length];
      const { role = "other", name = "" } = this.axes[axis] ?? {};
      const place = Object.hasOwn(at, name) ? at[name] : Object.hasOwn(at, role) ? at[role] : 0;
      if (place === null) return [0, length];
      return [place ?? 0, (place ?? 0) + 1];
    };
    const spans = level.shape.map((_, axis) => span(axis));
    const selection = spans.map(([start, stop], axis) => {
      if (axis === this.plane.x || axis === this.plane.y) return { start, stop, step: null };
      return stop - start === (level.shape[axis] ?? 0) && stop - start !== 1
        ? null
        : this.#isAll(axis, at)
          ? null
          : start;
    });
    return { spans, selection };
  }

  #isAll(axis: number, at: At): boolean {
    const { role = "other", name = "" } = this.axes[axis] ?? {};
    return (Object.hasOwn(at, name) ? at[name] : at[role]) === null;
  }
}

/** The elements of the whole chunks that a range touches. */
const wholeChunks = (start: number, stop: number, chunk: number): number =>
  stop <= start ? 0 : (Math.ceil(stop / chunk) - Math.floor(start / chunk)) * chunk;
