/**
 * Which channels of an image are drawn if the caller has not chosen, and how. The viewer and the
 * pictures of tiles share it.
 */
import { need, needList } from "../../engine/ts/model/argument.ts";
import { channelAxisOf, pyramidOf } from "./axis_indices.ts";
import type { Pyramid } from "./pyramid_model.ts";

/** Channels that are drawn of those of which the metadata do not say it. */
const FIRST = 4;

/**
 * Maximum number of channels that are mixed. Metadata of a few bytes may describe thousands, and
 * each is read for each tile in view.
 */
const MAX_MIXED = 64;

/**
 * Colours of channels without one, in the order that microscopists use. They also differ for users
 * who cannot distinguish red and green.
 */
const COLORS = ["#00d0ff", "#ff9f1c", "#ff4fa3", "#7dff5a", "#b38bff", "#ffee58", "#ff5252", "#ffffff"];

type Image = Pick<Pyramid, "axes" | "levels" | "channels">;

/** The channels in the metadata. Throws an `Argument` error for what is no pyramid. */
function channelsOf(pyramid: Image): Pyramid["channels"] {
  const { channels } = pyramidOf(pyramid);
  needList(channels, "channels");
  return channels;
}

/** The number of channels that an image has. Its metadata may describe more. */
function countOf({ axes, levels }: Image): number {
  const axis = channelAxisOf(axes);
  return axis === undefined ? 1 : (levels[0]?.shape[axis] ?? 1);
}

/**
 * Tells which channels to draw before the user has chosen any. OME's metadata mark channels as
 * active or not. Of channels without a mark, the first four are drawn. At least one channel is
 * drawn, and at most 64.
 *
 * @param pyramid The image: a `Pyramid`, or an object with its `axes`, `levels` and `channels`.
 * @returns the indices of the channels.
 */
export function shownChannels(pyramid: Image): number[] {
  const channels = channelsOf(pyramid);
  const count = countOf(pyramid);
  const shown: number[] = [];
  for (let channel = 0; channel < count && shown.length < MAX_MIXED; channel += 1) {
    const active = channels[channel]?.active;
    if (active ?? channel < FIRST) shown.push(channel);
    else if (channel >= channels.length) break;
  }
  return shown.length > 0 ? shown : [0];
}

/** How a channel is drawn if the caller has not chosen. */
export interface ChannelLook {
  /** The colour, as `#rrggbb`. */
  color: string;
  /** The numbers that are black and fully coloured. Undefined if the metadata do not say it. */
  window: readonly [low: number, high: number] | undefined;
}

/**
 * Tells how to draw a channel before the user has chosen: as OME's metadata say, else in a colour
 * that differs from those of the other channels.
 *
 * @param pyramid The image: a `Pyramid`, or an object with its `axes`, `levels` and `channels`.
 * @param channel The index of the channel.
 * @throws an `Argument` error for what is not an index.
 */
export function channelLook(pyramid: Image, channel: number): ChannelLook {
  need(Number.isInteger(channel) && channel >= 0, "channel", "an index", channel);
  const { color, window } = channelsOf(pyramid)[channel] ?? {};
  const other = countOf(pyramid) === 1 ? "#ffffff" : (COLORS[channel % COLORS.length] ?? "#ffffff");
  return {
    color: color === undefined ? other : `#${color.toLowerCase()}`,
    window: window && window.start < window.end ? [window.start, window.end] : undefined,
  };
}
