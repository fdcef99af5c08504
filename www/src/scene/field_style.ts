/**
 * Chooses the default limits and the colormap of a field by its attributes.
 */
import type * as zarr from "zarr-wasm";
import { asRange, type Decode, limitsOverSteps, type Sampled } from "./limits.js";
import type { FieldStyle, SceneAxis } from "./scene.js";

const SHARES: readonly [number, number] = [0.002, 0.998];

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

/** The limits in the attributes, except those of packed values, which are packed too. */
function writtenLimits(attrs: Attributes): [number, number] | undefined {
  const isPacked = attrs.scale_factor !== undefined || attrs.add_offset !== undefined;
  return isPacked ? undefined : (pairOf(attrs.actual_range) ?? pairOf(attrs.valid_range));
}

export interface FieldSource {
  pyramid: zarr.Pyramid;
  axes: readonly SceneAxis[];
  plane: { x: number; y: number };
  decode: Decode;
  integer: boolean;
  signal?: AbortSignal | undefined;
}

export async function fieldStyle({
  pyramid,
  axes,
  plane,
  integer,
  decode,
  signal,
}: FieldSource): Promise<FieldStyle> {
  const attrs = (pyramid.levels[0]?.array.attrs ?? {}) as Attributes;
  const at = axes.map(({ start }) => start);
  const steps = axes.find(({ role, axis }) => role === "t" && axis !== plane.x && axis !== plane.y)?.axis;
  const written = writtenLimits(attrs);
  const sampling = { at, plane, signal, shares: SHARES, ...(decode ? { decode } : {}) };
  const sampled = written ? null : await limitsOverSteps(pyramid, sampling, steps);
  return styleOf(attrs, written, sampled, integer);
}

function styleOf(
  attrs: Attributes,
  written: [number, number] | undefined,
  sampled: Sampled | null,
  integer: boolean,
): FieldStyle {
  const [low, high] = written ?? (sampled ? [sampled.low, sampled.high] : [0, 1]);
  // If most values are equal, quantiles would give a picture of one colour. Then all values count.
  const own =
    low < high || !sampled ? asRange(low, high, integer) : asRange(sampled.min, sampled.max, integer);
  if (!isDiverging(attrs, own[0], own[1]))
    return { colormap: "viridis", range: own, log: false, reversed: false };
  const end = Math.max(-own[0], own[1]);
  return { colormap: "blue-red", range: [-end, end], log: false, reversed: false };
}
