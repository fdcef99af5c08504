/**
 * Reads the histogram of a plane of the coarsest level, and computes limits from it: those of a
 * picture without limits in its metadata, and those that the user asks for.
 */
import * as zarr from "zarr-wasm";
import type { Plane, Scene } from "./scene.js";

/** Maximum number of elements of a plane. Of larger planes the middle is read. */
const MAX_ELEMENTS = 4_000_000;
/** Further steps are read only if each has at most this number of bytes. */
const CHEAP_BYTES = 8 * 2 ** 20;

/** The ranges of the types of few values. */
export const BOUNDS: Record<string, [number, number]> = {
  bool: [0, 1],
  uint8: [0, 255],
  int8: [-128, 127],
  uint16: [0, 65535],
  int16: [-32768, 32767],
};

export interface PlaneChoice {
  plane: Plane;
  /** Indices of the finest level by axis. Those of the plane do not count. */
  at: readonly number[];
}

/** The selection of a level's plane. */
export function planeSelection(
  pyramid: zarr.Pyramid,
  level: zarr.PyramidLevel,
  { plane, at }: PlaneChoice,
  span: (length: number) => zarr.Slice,
): (number | zarr.Slice)[] {
  const { axes, levels } = pyramid;
  const indices = zarr.levelIndices({ axes, levels, plane }, levels.indexOf(level), at);
  return level.shape.map((length, axis) => indices[axis] ?? span(length));
}

/** The middle of the coarsest level's plane, or all of it. */
function coarsest(pyramid: zarr.Pyramid, choice: PlaneChoice) {
  const level = pyramid.levels.at(-1);
  if (!level) throw new zarr.ZarrError("Argument", "the pyramid has no level");
  const [width = 1, height = 1] = [level.shape[choice.plane.x], level.shape[choice.plane.y]];
  const share = Math.min(1, Math.sqrt(MAX_ELEMENTS / (width * height)));
  const middle = (length: number) => {
    const taken = Math.max(1, Math.round(length * share));
    const start = Math.floor((length - taken) / 2);
    return { start, stop: start + taken, step: null };
  };
  return { array: level.array, selection: planeSelection(pyramid, level, choice, middle) };
}

export type Decode = Scene["decode"];

interface Counting extends PlaneChoice {
  decode?: Decode;
  signal?: AbortSignal;
}

/** The histogram of a plane of the coarsest level. */
export function coarseHistogram(
  pyramid: zarr.Pyramid,
  { decode, signal, ...choice }: Counting,
  bins: { bins: number; window?: readonly [number, number] },
): Promise<zarr.Histogram> {
  const { array, selection } = coarsest(pyramid, choice);
  return zarr.histogram(array, { selection, decode, signal, ...bins });
}

/** Limits that leave out extreme values, and all values' range. */
export interface Limits {
  low: number;
  high: number;
  min: number;
  max: number;
}

interface Sampling extends Counting {
  /** The share of values that the limits leave out at each end. */
  share: number;
}

/** The limits of a plane of the coarsest level. Null if it has no values. */
export async function sampledLimits(pyramid: zarr.Pyramid, sampling: Sampling): Promise<Limits | null> {
  const { share, decode, ...choice } = sampling;
  // With a bin for each value, one read is enough.
  const dtype = pyramid.levels[0]?.array.dtype ?? "";
  const window = decode || !dtype.endsWith("int16") ? undefined : BOUNDS[dtype];
  const bins = { bins: window ? 65536 : 2048, window };
  return limitsOf(await coarseHistogram(pyramid, { ...choice, decode }, bins), share);
}

/** The limits of counted values: the bins' window for infinities. Null if there are no values. */
export function limitsOf(counted: zarr.Histogram, share: number): Limits | null {
  const { min, max, window } = counted;
  if (counted.count === 0) return null;
  if (Number.isFinite(max - min))
    return { low: counted.quantile(share), high: counted.quantile(1 - share), min, max };
  const [low, high] = window;
  return Number.isFinite(high - low) ? { low, high, min: low, max: high } : null;
}

/**
 * The limits of several steps along an axis: of the first, the middle and the last one, if they
 * are small.
 */
export async function limitsOverSteps(
  pyramid: zarr.Pyramid,
  sampling: Sampling,
  axis: number | undefined,
): Promise<Limits | null> {
  const length = axis === undefined ? 1 : (pyramid.levels[0]?.shape[axis] ?? 1);
  const own = axis === undefined ? 0 : (sampling.at[axis] ?? 0);
  const steps = new Set([own, Math.floor((length - 1) / 2), length - 1]);
  const isCheap = steps.size > 1 && (await costOf(pyramid, sampling)) <= CHEAP_BYTES;
  const all = await Promise.all(
    (isCheap ? [...steps] : [own]).map((step) => {
      const at = sampling.at.map((index, other) => (other === axis ? step : index));
      return sampledLimits(pyramid, { ...sampling, at });
    }),
  );
  const found = all.filter((limits) => limits !== null);
  if (found.length === 0) return null;
  return {
    low: Math.min(...found.map(({ low }) => low)),
    high: Math.max(...found.map(({ high }) => high)),
    min: Math.min(...found.map(({ min }) => min)),
    max: Math.max(...found.map(({ max }) => max)),
  };
}

async function costOf(pyramid: zarr.Pyramid, { signal, ...choice }: Sampling): Promise<number> {
  const { array, selection } = coarsest(pyramid, choice);
  return (await array.plan(selection, { signal })).encodedBytes;
}

/** Makes limits differ: for a single value, the numbers around it. */
export function asRange(low: number, high: number, integer: boolean): [number, number] {
  const [from, to] = integer ? [Math.floor(low), Math.ceil(high)] : [low, high];
  if (to > from) return [from, to];
  return integer || from === 0
    ? [from, from + 1]
    : [from - Math.abs(from) * 0.5, from + Math.abs(from) * 0.5];
}

/** Limits as a range. If most values are equal, all count: a picture of one colour says nothing. */
export const rangeOf = ({ low, high, min, max }: Limits, integer: boolean): [number, number] =>
  low < high ? asRange(low, high, integer) : asRange(min, max, integer);
