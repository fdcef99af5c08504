/**
 * Which channels of an image are drawn if nobody has chosen. The viewer and the pictures of tiles
 * share it.
 */
import { channelAxisOf } from "./axis_indices.ts";
import type { Pyramid } from "./pyramid_model.ts";

/** Channels that are drawn of those of which the metadata do not say it. */
const FIRST = 4;

/**
 * Maximum number of channels that are mixed. Metadata of a few bytes may describe thousands, and
 * each is read for each tile in view.
 */
const MOST = 64;

/**
 * The indices of the channels that are drawn if nobody has chosen: those that OME's metadata call
 * active, of others the first four, and of none the first one. Never more than 64.
 */
export function shownChannels({
  axes,
  levels,
  channels,
}: Pick<Pyramid, "axes" | "levels" | "channels">): number[] {
  const axis = channelAxisOf(axes);
  // The metadata may describe more channels than there are.
  const count = axis === undefined ? 1 : (levels[0]?.shape[axis] ?? 1);
  const shown: number[] = [];
  for (let channel = 0; channel < count && shown.length < MOST; channel += 1) {
    const active = channels[channel]?.active;
    if (active ?? channel < FIRST) shown.push(channel);
    else if (channel >= channels.length) break;
  }
  return shown.length > 0 ? shown : [0];
}
