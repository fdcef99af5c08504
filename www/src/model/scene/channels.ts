/**
 * Makes the channels of an image: names, colours and windows from OME's metadata, or defaults.
 */
import * as zarr from "zarr-wasm";
import { asRange, BOUNDS, type Limits, sampledLimits } from "./limits.js";
import type { Scene, SceneAxis, SceneChannel, UnstyledScene } from "./scene.js";

const PRIMARIES = ["#ff0000", "#00ff00", "#0000ff"];
/** Maximum number of channels of a scene. An array can declare a million in a few bytes. */
export const MAX_CHANNELS = 1000;
/** The share of values that default limits leave out at each end. */
const LEFT_OUT = 0.001;

/** The window of a channel in the metadata, and its range. Undefined if it is absent or empty. */
function windowOf(
  pyramid: zarr.Pyramid,
  index: number,
): { window: [number, number]; limits: [number, number] } | undefined {
  const { window: ends } = zarr.channelLook(pyramid, index);
  const range = pyramid.channels[index]?.window;
  return ends && range && { window: [...ends], limits: [range.min, range.max] };
}

/** Whether channels of bytes are red, green and blue of one picture, and perhaps alpha. */
export function isRgb(pyramid: zarr.Pyramid, axes: readonly SceneAxis[]): boolean {
  const c = axes.find(({ role }) => role === "c");
  const dtype = pyramid.levels[0]?.array.dtype;
  if (!c || dtype !== "uint8" || (c.length !== 3 && c.length !== 4)) return false;
  return (
    PRIMARIES.every((primary, at) => zarr.channelLook(pyramid, at).color === primary) &&
    PRIMARIES.every((_, at) => isFullWindow(pyramid, at))
  );
}

const isFullWindow = (pyramid: zarr.Pyramid, index: number): boolean => {
  const own = windowOf(pyramid, index)?.window;
  return own === undefined || (own[0] === 0 && own[1] === 255);
};

const rgbChannels = (): SceneChannel[] =>
  PRIMARIES.map((color, index) => ({
    index,
    name: ["Red", "Green", "Blue"][index] ?? "",
    color,
    window: [0, 255],
    limits: [0, 255],
    gamma: 1,
    visible: true,
  }));

function limitsOf(
  sampled: Limits | null,
  { array, integer }: UnstyledScene,
): Pick<SceneChannel, "window" | "limits"> {
  const bounds = BOUNDS[array.dtype] ?? [0, 1];
  if (!sampled) return { window: bounds, limits: bounds };
  const window = asRange(sampled.low, sampled.high, integer);
  const range = asRange(sampled.min, sampled.max, integer);
  return { window, limits: [Math.min(range[0], window[0]), Math.max(range[1], window[1])] };
}

/** The channels of a picture and its kind. Null for a field. */
export async function channelsOf(unstyled: UnstyledScene): Promise<Pick<Scene, "kind" | "channels"> | null> {
  const { pyramid, axes, plane } = unstyled;
  const hasChannels = axes.some(({ role, axis }) => role === "c" && axis !== plane.x && axis !== plane.y);
  if (hasChannels && isRgb(pyramid, axes)) return { kind: "rgb", channels: rgbChannels() };
  const isImage = pyramid.convention === "ome" || (hasChannels && pyramid.channels.length > 0);
  return isImage ? { kind: "image", channels: await imageChannels(unstyled) } : null;
}

async function imageChannels(unstyled: UnstyledScene): Promise<SceneChannel[]> {
  const { pyramid, axes, isGray } = unstyled;
  const shown = zarr.shownChannels(pyramid);
  const c = axes.find(({ role }) => role === "c");
  const count = Math.min(c?.length ?? 1, MAX_CHANNELS);
  const written = Array.from({ length: count }, (_, index): Written => {
    const channel = pyramid.channels[index] ?? {};
    return { channel, index, visible: shown.includes(index) };
  });
  const all = await Promise.all(written.map((channel) => channelOf(unstyled, channel)));
  if (isGray)
    for (const [at, channel] of all.entries()) [channel.color, channel.visible] = ["#ffffff", at === 0];
  return all;
}

/** A channel as the metadata describes it. */
interface Written {
  channel: zarr.PyramidChannel;
  index: number;
  visible: boolean;
}

async function channelOf(
  unstyled: UnstyledScene,
  { channel, index, visible }: Written,
): Promise<SceneChannel> {
  const { pyramid, axes, plane, signal } = unstyled;
  const c = axes.find(({ role }) => role === "c");
  const at = axes.map(({ role, start }) => (role === "c" ? index : start));
  const given = windowOf(pyramid, index);
  // The limits of a hidden channel are read when it is shown.
  const sampled =
    given || !visible ? null : await sampledLimits(pyramid, { at, plane, signal, share: LEFT_OUT });
  return {
    index,
    name: channel.label || (c ? `Channel ${index + 1}` : ""),
    color: zarr.channelLook(pyramid, index).color,
    ...(given ?? limitsOf(sampled, unstyled)),
    gamma: 1,
    visible,
  };
}
