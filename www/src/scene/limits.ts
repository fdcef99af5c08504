/**
 * Computes limits for a picture without limits in its metadata, from a histogram of the coarsest
 * level.
 */
import * as zarr from "zarr-wasm";
import { middleOf, type PlaneChoice, planeSelection } from "./level_selection.js";
import type { Scene } from "./scene.js";

/** Further steps are read only if each has at most this number of bytes. */
const CHEAP_BYTES = 8 * 2 ** 20;

export type Decode = Scene["decode"];

export interface Sampled {
  low: number;
  high: number;
  min: number;
  max: number;
}

interface Sampling extends PlaneChoice {
  decode?: Decode;
  signal?: AbortSignal | undefined;
  /** The quantiles of the limits. */
  shares: readonly [number, number];
}

/** The types whose histogram has a bin for each value, so that one read is enough. */
const WINDOWS: Record<string, readonly [number, number]> = { uint16: [0, 65535], int16: [-32768, 32767] };

/** The limits of a plane of the coarsest level. Null if it has no values. */
export async function sampledLimits(pyramid: zarr.Pyramid, sampling: Sampling): Promise<Sampled | null> {
  const level = pyramid.levels.at(-1);
  if (!level) return null;
  const { decode, signal, shares } = sampling;
  const window = decode ? undefined : WINDOWS[level.array.dtype];
  const counted = await zarr.histogram(level.array, {
    selection: planeSelection(pyramid, level, sampling, middleOf(level, sampling)),
    bins: window ? 65536 : 2048,
    ...(window ? { window } : {}),
    ...(decode ? { decode } : {}),
    signal,
  });
  if (counted.count === 0 || !Number.isFinite(counted.max - counted.min)) return finite(counted);
  const [low, high] = shares.map((share) => counted.quantile(share));
  return { low: low ?? counted.min, high: high ?? counted.max, min: counted.min, max: counted.max };
}

/** The lowest and highest value; the bins' window for infinities. */
function finite(counted: zarr.Histogram): Sampled | null {
  const [min, max] = counted.window;
  return counted.count > 0 && Number.isFinite(max - min) ? { low: min, high: max, min, max } : null;
}

/**
 * The limits of several steps along an axis: of the first, the middle and the last one, if they
 * are small.
 */
export async function limitsOverSteps(
  pyramid: zarr.Pyramid,
  sampling: Sampling,
  axis: number | undefined,
): Promise<Sampled | null> {
  const length = axis === undefined ? 1 : (pyramid.levels[0]?.shape[axis] ?? 1);
  const own = axis === undefined ? 0 : (sampling.at[axis] ?? 0);
  const steps = new Set([own, Math.floor((length - 1) / 2), length - 1]);
  const isCheap = steps.size > 1 && (await costOf(pyramid, sampling)) <= CHEAP_BYTES;
  const wanted = isCheap ? [...steps] : [own];
  const all = await Promise.all(
    wanted.map((step) => {
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

async function costOf(pyramid: zarr.Pyramid, sampling: Sampling): Promise<number> {
  const level = pyramid.levels.at(-1);
  if (!level) return 0;
  const selection = planeSelection(pyramid, level, sampling, middleOf(level, sampling));
  const plan = await level.array.plan(selection, { signal: sampling.signal });
  return plan.encodedBytes;
}

/** Makes limits differ: for a single value, the numbers around it. */
export function asRange(low: number, high: number, integer: boolean): [number, number] {
  const [from, to] = integer ? [Math.floor(low), Math.ceil(high)] : [low, high];
  if (to > from) return [from, to];
  return integer || from === 0
    ? [from, from + 1]
    : [from - Math.abs(from) * 0.5, from + Math.abs(from) * 0.5];
}
