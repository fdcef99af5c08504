/**
 * Makes thumbnails of images, for overviews. A thumbnail is the coarsest level at the first
 * indices, with the channels added as on the map.
 */
import * as zarr from "zarr-wasm";
import { sceneAxes } from "./axes.js";
import { settingsOf } from "./build_scene.js";
import { imageChannels, isRgb, rgbChannels } from "./channels.js";
import { planeSelection } from "./level_selection.js";
import type { GroupNode, SceneAxis, SceneChannel } from "./scene.js";

/** Maximum length of a side in pixels. */
const SIDE = 160;
/** Maximum number of elements in the plane of the level that is read. */
const MOST_ELEMENTS = 2 ** 24;

/** An image with its metadata. */
export interface SmallImage {
  pyramid: zarr.Pyramid;
  level: zarr.PyramidLevel;
  axes: readonly SceneAxis[];
  plane: { x: number; y: number };
  /** The channels of the image itself. */
  channels(signal: AbortSignal): Promise<SceneChannel[]>;
}

/** Opens the image of a group, without its labels. */
export async function smallImage(group: GroupNode, signal: AbortSignal): Promise<SmallImage> {
  const pyramid = await zarr.pyramid(group, { labels: false, signal });
  const level = pyramid.levels.at(-1);
  if (!level) throw new zarr.ZarrError("Format", "the image has no level", { path: group.path });
  const { starts, isGray } = settingsOf(group.attrs);
  const { plane } = pyramid;
  const axes = sceneAxes(pyramid, starts);
  const integer = /int|bool/.test(level.array.dtype);
  return {
    pyramid,
    level,
    axes,
    plane,
    channels: async (signal) =>
      isRgb(pyramid, axes) ? rgbChannels() : imageChannels({ pyramid, axes, plane, isGray, signal }, integer),
  };
}

/** Channels for several images: each window contains the windows of all. */
export function sharedChannels(lists: readonly (readonly SceneChannel[])[]): SceneChannel[] {
  const [first = [], ...others] = lists;
  return first.map((channel, at) => {
    const windows = [channel, ...others.flatMap((list) => list[at] ?? [])].map(({ window }) => window);
    const low = Math.min(...windows.map(([from]) => from));
    const high = Math.max(...windows.map(([, to]) => to));
    return { ...channel, window: [low, high] };
  });
}

/** Reads the pixels of an image with these channels. */
export async function thumbnail(
  image: SmallImage,
  channels: readonly SceneChannel[],
  signal: AbortSignal,
): Promise<ImageData> {
  const { level, plane } = image;
  const [columns = 0, rows = 0] = [level.shape[plane.x], level.shape[plane.y]];
  if (columns * rows > MOST_ELEMENTS) {
    throw new zarr.ZarrError("Limit", "the coarsest level is too large for a thumbnail", {
      expected: `${MOST_ELEMENTS} elements`,
      actual: String(columns * rows),
    });
  }
  const step = Math.max(1, Math.ceil(Math.max(columns, rows) / SIDE));
  const size = { width: Math.ceil(columns / step), height: Math.ceil(rows / step) };
  const light = new Float32Array(size.width * size.height * 3);
  const visible = channels.filter((channel) => channel.visible);
  await Promise.all(visible.map((channel) => addLight(light, image, { channel, step, size, signal })));
  const out = new ImageData(size.width, size.height);
  // The array of bytes clamps and rounds the values.
  for (let pixel = 0; pixel < size.width * size.height; pixel += 1) {
    out.data.set(light.subarray(pixel * 3, pixel * 3 + 3), pixel * 4);
    out.data[pixel * 4 + 3] = 255;
  }
  return out;
}

interface Reading {
  channel: SceneChannel;
  /** The step in elements. */
  step: number;
  size: { width: number; height: number };
  signal: AbortSignal;
}

/** Reads a channel and adds it in its colour. */
async function addLight(light: Float32Array, image: SmallImage, reading: Reading): Promise<void> {
  const { pyramid, level, axes, plane } = image;
  const { channel, step, size, signal } = reading;
  const { window, gamma, color } = channel;
  const at = axes.map(({ role, start }) => (role === "c" ? channel.index : start));
  const selection = planeSelection(pyramid, level, { plane, at }, () => zarr.slice(null, null, step));
  const { data, stride } = await level.array.get(selection, { as: "uint8", window, gamma, signal });
  const isTransposed = plane.x < plane.y;
  const [down = 0, across = 0] = isTransposed ? [stride[1], stride[0]] : [stride[0], stride[1]];
  const parts = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255);
  for (let y = 0, at = 0; y < size.height; y += 1) {
    for (let x = 0; x < size.width; x += 1, at += 3) {
      const shade = data[y * down + x * across] ?? 0;
      for (let part = 0; part < 3; part += 1)
        light[at + part] = (light[at + part] ?? 0) + shade * (parts[part] ?? 0);
    }
  }
}
