/**
 * Completes OME's channels: each gets a colour, and a window that shows what the channel has.
 */

import type { AnyArray } from "../../api/array.ts";
import { refuse } from "../../model/argument.ts";
import { integerRange } from "../../model/data_type.ts";
import { histogram } from "../histogram.ts";
import type { PyramidChannel } from "../pyramid_model.ts";
import type { CreatePyramidOptions, NewAxis } from "./pyramid_options.ts";

type Window = NonNullable<PyramidChannel["window"]>;

const COLORS = ["00FF00", "FF00FF", "0000FF", "FFFF00", "00FFFF", "FF0000"];

/** Resolves to the window that shows all values of a channel. */
async function windowOf(
  array: AnyArray,
  axis: number,
  channel: number,
  signal: AbortSignal | undefined,
): Promise<Window> {
  const selection = array.shape.map((_, other) => (other === axis ? channel : null));
  const { min, max } = await histogram(array, { selection, bins: 1, window: [0, 1], signal } as object);
  const [start, end] = Number.isFinite(min) && Number.isFinite(max) ? [min, max] : [0, 1];
  const [least, most] = integerRange(array.dtype) ?? [start, end];
  return { start, end, min: least, max: most };
}

/** Throws an `Argument` error if the channels are not as many as their axis has elements. */
export function checkChannels(
  { channels }: CreatePyramidOptions,
  axes: readonly NewAxis[],
  shape: readonly number[],
): void {
  if (channels === undefined) return;
  const axis = axes.findIndex(({ type }) => type === "channel");
  const count = axis < 0 ? 1 : shape[axis];
  if (channels.length !== count)
    refuse("the channels do not fit the axes", `${count} channels`, channels.length);
}

/** Resolves to the channels with a colour and a window each. `coarsest` gives the windows. */
export function completeChannels(
  channels: readonly PyramidChannel[],
  axes: readonly NewAxis[],
  coarsest: AnyArray,
  signal: AbortSignal | undefined,
): Promise<PyramidChannel[]> {
  const axis = axes.findIndex(({ type }) => type === "channel");
  const colors = channels.length === 1 ? ["FFFFFF"] : COLORS;
  return Promise.all(
    channels.map(async (channel, index) => ({
      active: true,
      color: colors[index % colors.length] as string,
      ...channel,
      window: channel.window ?? (await windowOf(coarsest, axis, index, signal)),
    })),
  );
}
