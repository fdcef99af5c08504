/**
 * A pyramid as Viv's `PixelSource`s, one for each halving of the resolution. Viv draws elements, so
 * they are passed on as they are stored, or as numbers of a type that Viv has.
 */

import type { CfOptions } from "../../api/read/conversion.ts";
import { DECODE_RULE } from "../../api/read/rules.ts";
import { type AtIndices, planeSelection } from "../../conventions/ts/axis_indices.ts";
import { needPlane, type PyramidLevel } from "../../conventions/ts/pyramid_level.ts";
import type { Pyramid } from "../../conventions/ts/pyramid_model.ts";
import { need, optionsOf, type Rules } from "../../engine/ts/model/argument.ts";
import type { NumberType } from "../../engine/ts/model/data_type.ts";
import { InvalidSelectionError, UnsupportedError } from "../../engine/ts/model/errors.ts";
import { floatBits, integerOf } from "../../engine/ts/model/number_types.ts";
import { findable, unproxied, worksBehindProxies } from "../../engine/ts/model/proxies.ts";
import type { Slice } from "../../engine/ts/model/types.ts";

/** The data types that Viv draws. */
type VivNumbers = Exclude<NumberType, "int64" | "uint64" | "float16">;

/** Viv's name of a data type: `"Uint16"` for `uint16`. */
type VivDtype = Capitalize<VivNumbers>;

/** The elements of a tile or a level, row by row. */
export interface VivPixels {
  /** The elements. */
  data: InstanceType<(typeof globalThis)[`${VivDtype}Array`]>;
  /** The number of columns. */
  width: number;
  /** The number of rows. */
  height: number;
}

/** What Viv asks of a source. */
export interface VivSelection {
  /**
   * Indices of the axes other than x and y, in the finest level: by name or role, or as a list in
   * the order of `labels`, whose last two entries do not count.
   */
  selection: Record<string, number> | readonly number[];
  /** Aborts the read. */
  signal?: AbortSignal | undefined;
}

/** Options of `pixelSources`. */
export interface VivOptions {
  /**
   * `"cf"` unpacks elements by CF's attributes, and makes missing values NaN; `false` passes on
   * what is stored. Default: false.
   */
  decode?: "cf" | CfOptions | false | undefined;
  /**
   * The side of a tile. Default: the largest power of two within a chunk, from 128 to 1024.
   *
   * @unit elements
   * @throws an `Argument` error for what is not a whole number above zero.
   */
  tileSize?: number | undefined;
}

const RULES: Rules<VivOptions> = { decode: [...DECODE_RULE, false], tileSize: "a number" };

/** The reason that Viv expects after an abort (`SIGNAL_ABORTED` of its loaders). */
const ABORTED = "__vivSignalAborted";

/** Viv's data type for one of Zarr that it lacks. 64-bit integers are exact up to 2^53. */
function numbersFor(dtype: string): VivNumbers {
  if (dtype === "bool") return "uint8";
  const { isSigned, bits = floatBits(dtype) } = integerOf(dtype) ?? {};
  if (bits === 64) return "float64";
  if (bits && isSigned === undefined) return "float32";
  if (bits) return `${isSigned ? "int" : "uint"}${Math.max(8, bits)}` as VivNumbers;
  throw new UnsupportedError(`a picture of elements of the data type ${dtype}`, { expected: "numbers" });
}

/** A tile beyond the image. Viv asks for such tiles at the edges; `onTileError` ignores this. */
class OutsideImage extends InvalidSelectionError {}

/** One resolution of a pyramid, as Viv's layers read it (its type `PixelSource`). */
export class VivSource {
  /** The data type of elements, by Viv's name: `"Uint16"`. */
  readonly dtype: VivDtype;
  /** The names of the axes. The last two are `y` and `x`. */
  readonly labels: [...string[], "y", "x"];
  /** The shape in elements, in the order of `labels`. */
  readonly shape: number[];
  /**
   * The side of a tile.
   *
   * @unit elements
   */
  readonly tileSize: number;
  /** What Viv draws its scale bar by. */
  readonly meta: {
    /** The size of an element, by the name of the axis. */
    physicalSizes: Record<string, { size: number; unit: string }>;
  };
  readonly #pyramid: Pyramid;
  readonly #level: PyramidLevel;
  readonly #step: number;
  readonly #decode: "cf" | CfOptions | false;
  readonly #as: VivNumbers;
  /** The axes other than x and y. */
  readonly #others: readonly number[];

  /** @internal */
  constructor(pyramid: Pyramid, { level, step }: Resolution, { decode = false, tileSize }: VivOptions) {
    findable(this);
    [this.#pyramid, this.#level, this.#step, this.#decode] = [unproxied(pyramid), level, step, decode];
    const { plane, axes } = pyramid;
    this.#others = axes.map((_, axis) => axis).filter((axis) => axis !== plane.x && axis !== plane.y);
    this.#as = decode ? "float32" : numbersFor(level.array.dtype);
    this.dtype = (this.#as[0]?.toUpperCase() + this.#as.slice(1)) as VivDtype;
    this.labels = [...this.#others.map((axis) => axes[axis]?.name ?? ""), "y", "x"];
    const sides = [plane.y, plane.x].map((axis) => Math.ceil((level.shape[axis] ?? 0) / step));
    this.shape = [...this.#others.map((axis) => level.shape[axis] ?? 0), ...sides];
    const side = tileSize ?? tileSizeOf(pyramid);
    need(Number.isInteger(side) && side > 0, "tileSize", "a number of elements", tileSize);
    this.tileSize = side;
    this.meta = { physicalSizes: physicalSizes(pyramid, level, step) };
  }

  /**
   * Reads all elements of a plane. Viv calls it.
   *
   * @throws an `InvalidSelectionError` for a name or an index that is not there.
   */
  getRaster({ selection, signal }: VivSelection): Promise<VivPixels> {
    const [height = 0, width = 0] = this.shape.slice(-2);
    return this.#read(selection, [0, width], [0, height], signal);
  }

  /**
   * Reads the elements of a tile, which is smaller at the right and at the bottom of the image. Viv
   * calls it.
   *
   * @throws an `InvalidSelectionError` for a tile outside of the image, and for a name or an index
   *   that is not there.
   */
  async getTile({
    x,
    y,
    selection,
    signal,
  }: VivSelection & {
    /** The column of the tile. */
    x: number;
    /** The row of the tile. */
    y: number;
  }): Promise<VivPixels> {
    const [height = 0, width = 0] = this.shape.slice(-2);
    const ends = (tile: number, length: number) =>
      [tile * this.tileSize, Math.min((tile + 1) * this.tileSize, length)] as const;
    const [columns, rows] = [ends(x, width), ends(y, height)];
    if (x < 0 || y < 0 || columns[0] >= width || rows[0] >= height)
      throw new OutsideImage(`tile ${x}, ${y} is outside of the image`, { actual: `${width} × ${height}` });
    return this.#read(selection, columns, rows, signal);
  }

  /**
   * Throws the error of a tile, except that of a tile outside of the image and of an aborted one.
   * Viv calls it.
   *
   * @param error The error.
   */
  onTileError(error: Error): void {
    if (error instanceof OutsideImage || (error as unknown) === ABORTED) return;
    throw error;
  }

  async #read(
    selection: VivSelection["selection"] = {},
    columns: readonly [number, number],
    rows: readonly [number, number],
    signal: AbortSignal | undefined,
  ): Promise<VivPixels> {
    const { plane } = this.#pyramid;
    const selected = this.#spans(selection, columns, rows);
    const options = {
      as: this.#as,
      memoryOrder: [plane.y, plane.x],
      decode: this.#decode || undefined,
      signal,
    };
    try {
      const { data } = await this.#level.array.get(selected, options);
      return { data: data as VivPixels["data"], width: columns[1] - columns[0], height: rows[1] - rows[0] };
    } catch (error) {
      if (signal?.aborted) throw ABORTED;
      throw error;
    }
  }

  #spans(
    selection: VivSelection["selection"],
    columns: readonly [number, number],
    rows: readonly [number, number],
  ): (number | Slice)[] {
    const { plane, levels } = this.#pyramid;
    const step = this.#step;
    const span = ([start, stop]: readonly [number, number], axis: number) =>
      [start * step, Math.min(stop * step, this.#level.shape[axis] ?? 0)] as const;
    const spans = [span(columns, plane.x), span(rows, plane.y)] as const;
    const level = levels.indexOf(this.#level);
    const entries = planeSelection(this.#pyramid, level, this.#at(selection), spans);
    return entries.map((entry) => (typeof entry === "number" ? entry : { ...entry, step }));
  }

  /** A list is in the order of `labels`, where x and y are last. */
  #at(selection: VivSelection["selection"]): AtIndices {
    if (!Array.isArray(selection) || selection.length !== this.labels.length) return selection;
    return this.#pyramid.axes.map((_, axis) => selection[this.#others.indexOf(axis)] ?? undefined);
  }
}
worksBehindProxies(VivSource);

/** Returns the largest power of two within a chunk of the finest level. */
function tileSizeOf({ plane, levels }: Pyramid): number {
  const chunks = levels[0]?.chunks ?? [];
  const side = Math.min(chunks[plane.x] ?? 1, chunks[plane.y] ?? 1);
  return 2 ** Math.floor(Math.log2(Math.min(Math.max(side, 128), 1024)));
}

/** Returns the sizes of an element, for Viv's scale bar. */
function physicalSizes({ axes }: Pyramid, { scale }: PyramidLevel, step: number) {
  const sizes: Record<string, { size: number; unit: string }> = {};
  for (const [axis, { role, unit }] of axes.entries()) {
    if (!/^[xyz]$/.test(role) || unit === undefined) continue;
    sizes[role] = { size: Math.abs(scale[axis] ?? 1) * (role === "z" ? 1 : step), unit: shortUnit(unit) };
  }
  return sizes;
}

/** Viv writes units as symbols. */
const SYMBOLS: Record<string, string> = {
  angstrom: "Å",
  nanometer: "nm",
  micrometer: "µm",
  millimeter: "mm",
  centimeter: "cm",
  meter: "m",
};
const shortUnit = (unit: string) => SYMBOLS[unit] ?? unit;

/** A level, and the step with which its elements are read. */
interface Resolution {
  level: PyramidLevel;
  step: number;
}

/**
 * Returns the level for a resolution. Where the pyramid skips one, every nth element of a finer
 * level.
 */
function resolutionOf({ levels }: Pyramid, factor: number): Resolution {
  const finest = levels[0] as PyramidLevel;
  const ratio = (level: PyramidLevel) => (factor * finest.unitsPerElement) / level.unitsPerElement;
  const isWhole = (number: number) => number > 0.95 && Math.abs(number - Math.round(number)) < 0.05 * number;
  const level = levels.findLast((own) => isWhole(ratio(own))) ?? finest;
  return { level, step: Math.max(1, Math.round(ratio(level))) };
}

/**
 * Makes the sources of a pyramid for Viv's layers, finest first: the layers' `loader`. Each has
 * half of the resolution of the one before. Channels and other axes are selected by name or role,
 * with indices of the finest level. Unknown names are errors, as in Viv.
 *
 *     new MultiscaleImageLayer({ loader: pixelSources(image), selections: [{ c: 0, z: 3 }], … });
 *
 * @param pyramid The image.
 * @throws an `UnsupportedError` for elements that are not numbers, and without axes x and y.
 * @throws an `Argument` error for unknown or invalid options.
 */
export function pixelSources(pyramid: Pyramid, options: VivOptions = {}): VivSource[] {
  needPlane(pyramid);
  optionsOf(options, RULES);
  const [finest, coarsest] = [pyramid.levels[0], pyramid.levels.at(-1)] as [PyramidLevel, PyramidLevel];
  const count = Math.floor(Math.log2(coarsest.unitsPerElement / finest.unitsPerElement) + 0.1) + 1;
  const sources = Array.from(
    { length: count },
    (_, at) => new VivSource(pyramid, resolutionOf(pyramid, 2 ** at), options),
  );
  // Viv takes a last axis of 3 or 4 elements for colours of pixels.
  const end = sources.findIndex(({ shape }) => shape.at(-1) === 3 || shape.at(-1) === 4);
  return end < 1 ? sources : sources.slice(0, end);
}
