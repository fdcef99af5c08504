/** Reads series along an axis, which grow while chunks arrive: that of one element at a point. */
import * as zarr from "zarr-wasm";
import type { ArrayNode } from "../../model/scene/scene.js";
import { type AxisNumbers, axisNumbers } from "./axis_numbers.js";
import type { Element } from "./elements_under.js";
import { type Piece, piecesAlong } from "./pieces.js";
import { type Subject, selectionOf } from "./selecting.js";

/** Values along an axis: NaN if one is missing, or not there yet. */
export interface Series {
  axis: AxisNumbers;
  values: Float64Array;
  /** The share of the values that is there. */
  share: number;
  /** What the values are, if they are not those of one element. */
  remark?: string;
}

/** Longer series are not read: a plot has a few thousand pixels. */
const MAX_STEPS = 200_000;

/** Refuses an axis that is too long for a plot. */
function needPlottable(length: number): void {
  if (length <= MAX_STEPS) return;
  throw new zarr.ZarrError("Limit", "the axis is too long for a plot", {
    expected: `${MAX_STEPS} elements at most`,
    actual: String(length),
  });
}

/** How a series is read. */
export interface SeriesReading {
  signal: AbortSignal;
  /** Hears the series after each piece. */
  tell(series: Series): void;
}

/** What is read of a series: the array, the axis, and the values of a piece. */
interface SeriesParts {
  level: number;
  along: number;
  most: number;
  remark?: string;
  valuesOf(array: ArrayNode, piece: Piece): Promise<ArrayLike<number>>;
}

/** Reads a series piece by piece, all of them at once. */
export async function readInPieces(
  { scene, at }: Subject,
  { level, along, most, remark, valuesOf }: SeriesParts,
  { signal, tell }: SeriesReading,
): Promise<Series> {
  const { array } = scene.pyramid.levels[level] as zarr.PyramidLevel;
  const length = array.shape[along] ?? 0;
  needPlottable(length);
  const axis = await axisNumbers(scene, level, along, signal);
  const values = new Float64Array(length).fill(Number.NaN);
  let count = 0;
  const { name = "", length: finest = 1 } = scene.axes[along] ?? {};
  const index = ((at[name] ?? 0) * length) / finest;
  await Promise.all(
    piecesAlong(array, along, { most, index }).map(async (piece) => {
      const read = await valuesOf(array, piece);
      values.set(read, piece.start);
      count += read.length;
      tell({ axis, values, share: count / length, remark });
    }),
  );
  return { axis, values, share: 1, remark };
}

/** Maximum number of pieces. */
const PIECES = 32;

/** Reads the series at an element of the finest level. */
export function readSeries(
  subject: Subject,
  { column, row }: Element,
  axis: number,
  reading: SeriesReading,
): Promise<Series> {
  const { decode } = subject.scene;
  const valuesOf = async (array: ArrayNode, piece: Piece) => {
    const along = { axis, entry: piece };
    const selection = selectionOf(subject, { level: 0, x: column, y: row, along });
    return (await array.get(selection, { as: "float64", decode, signal: reading.signal })).data;
  };
  return readInPieces(subject, { level: 0, along: axis, most: PIECES, valuesOf }, reading);
}
