/**
 * Makes the channels of an image: names, colours and windows from OME's metadata, or defaults.
 */
import type * as zarr from "zarr-wasm";
import { asRange, BOUNDS, type Limits, sampledLimits } from "./limits.js";
import { atMost, MOST_MIXED, type Scene, type SceneAxis, type SceneChannel, type Subject } from "./scene.js";

/**
 * Colours of channels without one, in the order that microscopists use. They also differ for users
 * who cannot distinguish red and green.
 */
const COLORS = ["#00d0ff", "#ff9f1c", "#ff4fa3", "#7dff5a", "#b38bff", "#ffee58", "#ff5252", "#ffffff"];
const PRIMARIES = ["#ff0000", "#00ff00", "#0000ff"];
/** Maximum number of channels that are visible by default. */
const MOST_VISIBLE = 4;
/** Maximum number of channels of a scene. An array can declare a million in a few bytes. */
export const MOST_CHANNELS = 1000;
/** The share of values that default limits leave out at each end. */
const LEFT_OUT = 0.001;

/** The CSS colour of a channel, if it has one. */
const colorOf = (channel: zarr.PyramidChannel | undefined): string | undefined =>
  channel?.color && `#${channel.color.toLowerCase()}`;

/** The window in the metadata, and its range. Undefined if it is absent or empty. */
function windowOf({
  window,
}: zarr.PyramidChannel): { window: [number, number]; limits: [number, number] } | undefined {
  if (!window || window.start >= window.end) return undefined;
  return { window: [window.start, window.end], limits: [window.min, window.max] };
}

/**
 * Whether three channels of bytes are red, green and blue of one picture: by their colours, or
 * without colours if they are the last axis.
 */
export function isRgb(pyramid: zarr.Pyramid, axes: readonly SceneAxis[]): boolean {
  const c = axes.find(({ role }) => role === "c");
  const dtype = pyramid.levels[0]?.array.dtype;
  if (!c || dtype !== "uint8" || (c.length !== 3 && c.length !== 4)) return false;
  const { channels } = pyramid;
  if (channels.length >= 3) {
    return (
      PRIMARIES.every((primary, at) => colorOf(channels[at]) === primary) &&
      channels.slice(0, 3).every(isFullWindow)
    );
  }
  // Without colours, adjacent elements of a pixel are red, green and blue.
  return c.axis === axes.length - 1 || /^(rgb|rgba|s|samples?|bands?)$/i.test(c.name);
}

const isFullWindow = (channel: zarr.PyramidChannel): boolean => {
  const own = windowOf(channel)?.window;
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
  { array, integer }: Subject,
): Pick<SceneChannel, "window" | "limits"> {
  const bounds = BOUNDS[array.dtype] ?? [0, 1];
  if (!sampled) return { window: bounds, limits: bounds };
  const window = asRange(sampled.low, sampled.high, integer);
  const range = asRange(sampled.min, sampled.max, integer);
  return { window, limits: [Math.min(range[0], window[0]), Math.max(range[1], window[1])] };
}

/** The channels of a picture and its kind. Null for a field. */
export async function channelsOf(subject: Subject): Promise<Pick<Scene, "kind" | "channels"> | null> {
  const { pyramid, axes, plane } = subject;
  const hasChannels = axes.some(({ role, axis }) => role === "c" && axis !== plane.x && axis !== plane.y);
  if (hasChannels && isRgb(pyramid, axes)) return { kind: "rgb", channels: rgbChannels() };
  const isImage = pyramid.convention === "ome" || (hasChannels && pyramid.channels.length > 0);
  return isImage ? { kind: "image", channels: await imageChannels(subject) } : null;
}

async function imageChannels(subject: Subject): Promise<SceneChannel[]> {
  const { pyramid, axes, isGray } = subject;
  const c = axes.find(({ role }) => role === "c");
  const count = Math.min(c?.length ?? 1, MOST_CHANNELS);
  const written = Array.from({ length: count }, (_, index): Written => {
    const channel = pyramid.channels[index] ?? {};
    // Without a word in the metadata, the first ones are shown.
    return { channel, index, visible: channel.active ?? index < MOST_VISIBLE };
  });
  const all = await Promise.all(atMost(written, MOST_MIXED).map((channel) => channelOf(subject, channel)));
  if (isGray)
    for (const [at, channel] of all.entries()) [channel.color, channel.visible] = ["#ffffff", at === 0];
  if (!all.some(({ visible }) => visible) && all[0]) all[0].visible = true;
  return all;
}

/** A channel as the metadata describes it. */
interface Written {
  channel: zarr.PyramidChannel;
  index: number;
  visible: boolean;
}

async function channelOf(subject: Subject, { channel, index, visible }: Written): Promise<SceneChannel> {
  const { pyramid, axes, plane, signal } = subject;
  const c = axes.find(({ role }) => role === "c");
  const at = axes.map(({ role, start }) => (role === "c" ? index : start));
  const given = windowOf(channel);
  // The limits of a hidden channel are read when it is shown.
  const sampled =
    given || !visible ? null : await sampledLimits(pyramid, { at, plane, signal, share: LEFT_OUT });
  const gray = (c?.length ?? 1) === 1 ? "#ffffff" : undefined;
  return {
    index,
    name: channel.label || (c ? `Channel ${index + 1}` : ""),
    color: colorOf(channel) ?? gray ?? COLORS[index % COLORS.length] ?? "#ffffff",
    ...(given ?? limitsOf(sampled, subject)),
    gamma: 1,
    visible,
  };
}
