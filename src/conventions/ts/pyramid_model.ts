/**
 * `Pyramid`: the model of a multiscale image, independent of its convention. It picks the level for
 * a view, lists the tiles in view, and converts coordinates. It computes with the facts that the
 * conventions module has read; it does no requests.
 */

import { FACTS, type Array as ZarrArray } from "../../api/array.ts";
import type { PyramidImage as ImageFacts, LevelFacts, PyramidFacts } from "../../contract/contract.ts";
import { need, needList, optionsOf, type Rules, refuseField } from "../../engine/ts/model/argument.ts";
import { shown, ZarrError } from "../../engine/ts/model/errors.ts";
import { findable, worksBehindProxies } from "../../engine/ts/model/proxies.ts";
import type { DataType, Readable, Slice } from "../../engine/ts/model/types.ts";
import { type At, type AtIndices, levelIndices, type PyramidAxis } from "./axis_indices.ts";
import {
  type Extent,
  elementsIn,
  indexBox,
  inPlane,
  type Plane,
  toIndex,
  toWorld,
  worldBox,
} from "./geometry.ts";
import { type PyramidLevel, type Tile, tilesIn } from "./pyramid_level.ts";
import type { Finding } from "./schema.ts";

export type { At, AtIndices, PyramidAxis, PyramidLevel };

/** A coordinate reference system, in all forms that the metadata gives. */
export interface Crs {
  /** Authority and code, such as `EPSG:4326`. */
  readonly code?: string;
  /** WKT, version 2. */
  readonly wkt2?: string;
  /** PROJJSON. */
  readonly projjson?: Record<string, unknown>;
  /** CF's name of the projection, if the metadata gives no other form. */
  readonly gridMapping?: string;
  /**
   * The attribute it is from: `"proj"` is `proj:`, `"grid_mapping"` is CF's, `"_CRS"` is GDAL's,
   * `"levels"` is in the metadata of the levels.
   */
  readonly source: "proj" | "grid_mapping" | "_CRS" | "levels";
}

/**
 * A channel of OME's `omero` metadata. Of what people write in other forms (colours as lists,
 * integers, names, windows with nulls), these members have the meaning, or are left out if they
 * have none. Other members are unchanged.
 */
export interface PyramidChannel {
  /** Its name. */
  readonly label?: string | undefined;
  /** Its colour: six hexadecimal digits, without `#`. */
  readonly color?: string | undefined;
  /** Which numbers are shown. `start` is not above `end`, and both are from `min` to `max`. */
  readonly window?:
    | {
        /** The number that is black. */
        start: number;
        /** The number that is fully coloured. */
        end: number;
        /** The least number that a user may choose. */
        min: number;
        /** The greatest number that a user may choose. */
        max: number;
      }
    | undefined;
  /** Whether it is drawn if no one has chosen. */
  readonly active?: boolean | undefined;
  readonly [other: string]: unknown;
}

/** An image of a group. */
export type PyramidImage = Readonly<ImageFacts>;

/** What is to be seen of a pyramid: the argument of `Pyramid.pick`. */
export interface View {
  /**
   * How much of the world a CSS pixel shows.
   *
   * @unit world units
   */
  unitsPerPixel: number;
  /** Visible extent in world coordinates. Default: everything. */
  extent?: Extent | undefined;
  /** Device pixels per CSS pixel. Default: 1. */
  devicePixelRatio?: number | undefined;
  /** Indices of the axes other than x and y, in the finest level. Default: 0. */
  at?: AtIndices | undefined;
  /**
   * The displayed level. It is kept while its resolution is close to the fitting one. −1 means
   * none. Default: the level of the last `pick`.
   */
  current?: number | undefined;
}

/** The level for a view, and the part of it in view. `Pyramid.pick` returns it. */
export interface Picked<Store extends Readable = Readable> {
  /** Index in `levels`. */
  index: number;
  /** The level. */
  level: PyramidLevel<Store>;
  /** The part in view, for `level.array.get`. */
  selection: (number | Slice | null)[];
  /**
   * Size of the result.
   *
   * @unit bytes
   */
  resultBytes: number;
  /**
   * Size of the decoded chunks.
   *
   * @unit bytes
   */
  chunkBytes: number;
}

/** The part of a pyramid whose tiles are wanted: the argument of `Pyramid.tiles`. */
export interface Viewport extends Omit<View, "unitsPerPixel"> {
  /**
   * How much of the world a CSS pixel shows. It picks the level if `level` is not given.
   *
   * @unit world units
   */
  unitsPerPixel?: number | undefined;
  /** The index of the level in `levels`. Default: the one that fits `unitsPerPixel`. */
  level?: number | undefined;
  /** Tiles near this point come first. Default: the centre of the extent. */
  center?: readonly [x: number, y: number] | undefined;
  /** Number of tiles to add on each side of the view. Default: 0. */
  margin?: number | undefined;
}

const EVERYWHERE: Extent = [-Infinity, -Infinity, Infinity, Infinity];

/** The displayed level is kept while its resolution differs by at most this factor. */
const HYSTERESIS = 1.2;

/** Size of a decoded element in bytes; an estimate for types of variable length. */
function elementBytes(array: ZarrArray<DataType, Readable>): number {
  return array[FACTS]?.type?.size ?? 8;
}

/** What the members of a view and of a viewport must be. */
const RULES: Rules<View> = {
  unitsPerPixel: "a number",
  devicePixelRatio: "a number",
  current: "a number",
  extent: "a list of numbers",
  at: "an object",
};

const VIEWPORT_RULES: Rules<Viewport> = {
  ...RULES,
  margin: "a number",
  level: "a number",
  center: "a list of numbers",
};

/** Throws an `Argument` error for an extent, a centre or a margin that has no tiles. */
function checkView({ extent, center, margin = 0 }: Pick<Viewport, "extent" | "center" | "margin">): void {
  const areNumbers = (list: readonly number[], length: number) =>
    list.length === length && !list.some(Number.isNaN);
  need(!extent || areNumbers(extent, 4), "extent", "[xmin, ymin, xmax, ymax]", extent);
  need(!center || areNumbers(center, 2), "center", "[x, y]", center);
  need(Number.isInteger(margin) && margin >= 0, "margin", "a number of tiles", margin);
}

/**
 * A multiscale image: its levels, axes and channels, whatever convention its metadata follow.
 * `pyramid` and `createPyramid` resolve to it. World coordinates are those of the metadata, or
 * elements of the finest level if these have no transform.
 */
export class Pyramid<Store extends Readable = Readable> {
  /** The convention of its metadata; `array` for a single array. */
  readonly convention: string;
  /** The version of the convention; empty if it has none. */
  readonly version: string;
  /** The name of the image, if the metadata has one. */
  readonly name: string | undefined;
  /** Number of images of its own group. */
  readonly images: number;
  /**
   * The images of the group: its own, then the series of bioformats2raw in the order of `OME/`, or
   * the fields of a plate's wells. A node without several has one.
   */
  readonly series: readonly PyramidImage[];
  /** The index of this image in `series`. */
  readonly image: number;
  /** One per dimension of the arrays, in their order. */
  readonly axes: readonly PyramidAxis[];
  /** The reference system of x and y, if the metadata gives one. */
  readonly crs: Crs | undefined;
  /** The levels, finest first. */
  readonly levels: readonly PyramidLevel<Store>[];
  /** OME's channels, else red, green, blue and alpha of pixels that are bytes. */
  readonly channels: readonly PyramidChannel[];
  /** Paths of the label images. Each is a pyramid. Empty with `labels: false`. */
  readonly labels: readonly string[];
  /** Names of the arrays in a level, for levels that are groups. */
  readonly variables: readonly string[];
  /** The name of the array that this pyramid shows. */
  readonly variable: string | undefined;
  /** Whether the metadata has a transform. Otherwise the world is the finest level's indices. */
  readonly isPlaced: boolean;
  /** Whether the group's `spatial:` attributes give the transform of x and y. */
  readonly isSpatial: boolean;
  /** Transformations that this package does not apply: their paths and types. */
  readonly ignored: readonly {
    /** The path of the level. */
    path: string;
    /** The type of the transformation. */
    type: string;
  }[];
  /** What is wrong with the metadata, as `validate` reports it. */
  readonly findings: readonly Finding[];
  /** Indices of the axes x and y. */
  readonly plane: Plane;
  #current = -1;

  /** @internal */
  constructor(facts: PyramidFacts, arrays: Map<string, ZarrArray<DataType, Store>>) {
    findable(this);
    const { convention, version, name, images, axes, labels, variables, variable } = facts;
    [this.convention, this.version, this.name, this.images] = [convention, version, name, images];
    [this.series, this.image] = [facts.series, facts.image];
    [this.axes, this.channels, this.labels] = [axes, facts.channels as PyramidChannel[], labels];
    [this.variables, this.variable] = [variables, variable];
    this.crs = (facts.crs as Crs | null | undefined) ?? undefined;
    this.isPlaced = facts.placed;
    this.isSpatial = facts.spatial;
    this.ignored = facts.ignored;
    this.findings = facts.findings;
    const at = (role: string) => axes.findIndex((axis) => axis.role === role);
    this.plane = { x: at("x"), y: at("y") };
    this.levels = facts.levels.map((level) => this.#level(level, arrays));
  }

  #level(
    { path, asset, packed, ...position }: LevelFacts,
    arrays: Map<string, ZarrArray<DataType, Store>>,
  ): PyramidLevel<Store> {
    const array = arrays.get(path) as ZarrArray<DataType, Store>;
    const sides = [this.plane.x, this.plane.y].map((axis) => Math.abs(position.scale[axis] ?? 1));
    const unitsPerElement = Math.max(...sides);
    // In v2 the fill value marks missing values, as in xarray.
    const isPacked = packed || array.zarrFormat === 2;
    const { shape, chunks } = array;
    return { ...position, asset, path, array, shape, chunks, unitsPerElement, isPacked };
  }

  #at(index: number): PyramidLevel<Store> {
    const level = typeof index === "number" ? this.levels[index] : undefined;
    if (level) return level;
    throw new ZarrError("Argument", `there is no level ${shown(index)}`, {
      field: "level",
      expected: `below ${this.levels.length}`,
    });
  }

  /**
   * The extent of a level in world coordinates, including its edge elements completely.
   *
   * @param index The index of the level in `levels`. Default: 0, the finest.
   * @throws an `Argument` error for a level that is not there.
   */
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

  /**
   * The world coordinates of an index, one per axis. Whole indices are centres of elements.
   *
   * @param index An index for each axis, which may be a fraction.
   * @param level The index of the level in `levels`. Default: 0, the finest.
   * @throws an `Argument` error for another number of axes, or a level that is not there.
   */
  toWorld(index: readonly number[], level = 0): number[] {
    this.#needPoint(index, "index");
    return toWorld(this.#at(level), this.plane, index);
  }

  /**
   * The index at world coordinates, as fractions, one per axis.
   *
   * @param world A world coordinate for each axis.
   * @param level The index of the level in `levels`. Default: 0, the finest.
   * @throws an `Argument` error for another number of axes, or a level that is not there.
   */
  toIndex(world: readonly number[], level = 0): number[] {
    this.#needPoint(world, "world");
    return toIndex(this.#at(level), this.plane, world);
  }

  /** Throws an `Argument` error unless a list has a number for each axis. */
  #needPoint(point: readonly number[], field: string): void {
    needList(point, field);
    const names = this.axes.map(({ name }) => name).join(", ");
    need(point.length === this.axes.length, field, `one number for each axis: ${names}`, point);
  }

  /** The coarsest level with elements no larger than a pixel; `current` if it is close enough. */
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

  /**
   * Picks the level for a view, and the selection in view.
   *
   * @param view What is to be seen.
   * @throws an `Argument` error if `unitsPerPixel` or `devicePixelRatio` are not above zero.
   * @throws an `InvalidSelectionError` for a name or an index in `at` that is not there.
   */
  pick(view: View): Picked<Store> {
    const {
      unitsPerPixel,
      extent,
      devicePixelRatio = 1,
      at = {},
      current = this.#current,
    } = optionsOf(view, RULES, "view");
    checkView(view);
    need(unitsPerPixel > 0, "unitsPerPixel", "a number above zero", unitsPerPixel);
    need(devicePixelRatio > 0, "devicePixelRatio", "a number above zero", devicePixelRatio);
    const index = this.#fitting(unitsPerPixel / devicePixelRatio, current);
    const level = this.#at(index);
    const { selection, spans } = this.#selection(index, extent, at);
    this.#current = index;
    const bytes = elementBytes(level.array);
    const count = (sizes: number[]) => sizes.reduce((product, size) => product * size, bytes);
    const resultBytes = count(spans.map(([start, stop]) => stop - start));
    const chunkBytes = count(
      spans.map(([start, stop], axis) => wholeChunks(start, stop, level.chunks[axis] ?? 1)),
    );
    return { index, level, selection, resultBytes, chunkBytes };
  }

  /**
   * The chunk-aligned tiles of a view, nearest first.
   *
   * @param viewport The part whose tiles are wanted.
   * @throws an `Argument` error without a level or `unitsPerPixel`.
   * @throws a `Limit` error for more than 65 536 tiles.
   */
  tiles(viewport: Viewport): Tile[] {
    const { center, margin = 0, level: given, ...view } = optionsOf(viewport, VIEWPORT_RULES, "viewport");
    const { unitsPerPixel, at = {} } = view;
    checkView(viewport);
    let index = given;
    if (index === undefined) {
      if (unitsPerPixel === undefined) return refuseField("level", "given, or unitsPerPixel", index);
      index = this.pick({ ...view, unitsPerPixel }).index;
    }
    const level = this.#at(index);
    const extent = viewport.extent ?? this.extent(index);
    const others = this.#selection(index, undefined, at).selection;
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

  /** The part of a level in an extent: as a selection, and as start and stop of each axis. */
  #selection(index: number, extent: Extent | undefined, at: AtIndices) {
    const level = this.#at(index);
    const indices = levelIndices(this, index, at);
    const box = extent ? indexBox(level, this.plane, extent) : EVERYWHERE;
    const spans: [start: number, stop: number][] = [];
    const selection = level.shape.map((length, axis) => {
      const side = inPlane<0 | 1, undefined>(this.plane, axis, [0, 1], undefined);
      if (side !== undefined) {
        const [start, stop] = elementsIn(box[side], box[side + 2] as number, length);
        spans.push([start, stop]);
        return { start, stop, step: null };
      }
      const own = indices[axis] ?? null;
      spans.push(own === null ? [0, length] : [own, own + 1]);
      return own;
    });
    return { spans, selection };
  }
}
worksBehindProxies(Pyramid);

/** Number of elements of the chunks that a range touches. */
const wholeChunks = (start: number, stop: number, chunk: number): number =>
  stop <= start ? 0 : (Math.ceil(stop / chunk) - Math.floor(start / chunk)) * chunk;
