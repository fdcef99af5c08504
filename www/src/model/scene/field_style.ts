/**
 * Chooses the default limits and the colormap of a field by its attributes.
 */

import { isPacked } from "./lenient_reads.js";
import { type Decode, limitsOverSteps, rangeOf } from "./limits.js";
import type { ArrayNode, FieldStyle, UnstyledScene } from "./scene.js";

/** The share of values that default limits leave out at each end. */
const LEFT_OUT = 0.002;

/** Words in the attributes of quantities that are centred at zero. */
const IS_SIGNED =
  /anomal|difference|bias|trend|tendency|velocity|eastward|northward|upward|downward|wind|vorticity|divergence|departure|deviation|displacement|correlation|current/i;
const IS_CELSIUS = /^(deg_?c|celsius|degrees?_?c(elsius)?|°c)$/i;

type Attributes = Readonly<Record<string, unknown>>;

const textOf = (attrs: Attributes): string =>
  ["standard_name", "long_name", "description", "units"]
    .map((name) => attrs[name])
    .filter((text) => typeof text === "string")
    .join(" ");

/**
 * Whether a field is centred at zero: it has values on both sides, and its attributes give zero a
 * meaning.
 */
export function isDiverging(attrs: Attributes, low: number, high: number): boolean {
  if (!(low < 0 && high > 0)) return false;
  if (IS_SIGNED.test(textOf(attrs))) return true;
  // Temperatures around freezing. A sea that is nowhere much colder is not centred there.
  return typeof attrs.units === "string" && IS_CELSIUS.test(attrs.units) && -low > high / 4;
}

/** An attribute of two numbers. */
function pairOf(value: unknown): [number, number] | undefined {
  if (!Array.isArray(value) && !ArrayBuffer.isView(value)) return undefined;
  const [low, high] = Array.from(value as ArrayLike<unknown>, Number);
  return low !== undefined && high !== undefined && Number.isFinite(high - low) && high > low
    ? [low, high]
    : undefined;
}

/** The limits in the attributes, except those of packed values: CF does not fix which they mean. */
const writtenLimits = (array: ArrayNode): [number, number] | undefined =>
  isPacked(array) ? undefined : (pairOf(array.attrs.actual_range) ?? pairOf(array.attrs.valid_range));

export async function fieldStyle(unstyled: UnstyledScene, decode: Decode): Promise<FieldStyle> {
  const { pyramid, array, axes, plane, integer, signal } = unstyled;
  const written = writtenLimits(array);
  const at = axes.map(({ start }) => start);
  const steps = axes.find(({ role, axis }) => role === "t" && axis !== plane.x && axis !== plane.y)?.axis;
  const sampling = { at, plane, signal, share: LEFT_OUT, decode };
  const sampled = written ? null : await limitsOverSteps(pyramid, sampling, steps);
  const [low, high] = written ?? [0, 1];
  const range = rangeOf(sampled ?? { low, high, min: low, max: high }, integer);
  const end = Math.max(-range[0], range[1]);
  return isDiverging(array.attrs, ...range)
    ? { colormap: "blue-red", range: [-end, end], log: false, reversed: false }
    : { colormap: "viridis", range, log: false, reversed: false };
}
