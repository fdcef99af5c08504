/**
 * Plans a new pyramid: its group, axes and format, and its levels with the number of elements of
 * the level before that become one. It checks that they fit the source, and writes nothing. OME's
 * channels are checked first, and completed when the levels are there: each gets a colour, and a
 * window that shows what the channel has.
 */

import type { AnyArray } from "../../../api/array.ts";
import { Location, locationOf } from "../../../api/location.ts";
import { type ElementSource, type OpenedSource, openSource } from "../../../api/write/element_source.ts";
import { isIn } from "../../../api/write/same_location.ts";
import { histogram } from "../../../conventions/ts/histogram.ts";
import type { PyramidChannel } from "../../../conventions/ts/pyramid_model.ts";
import type { PlannedLevel } from "../../../conventions/ts/write/pyramid_metadata.ts";
import {
  axesOf,
  type CreatePyramidOptions,
  type DownsampleMethod,
  type NewAxis,
  perAxis,
  planeAxes,
} from "../../../conventions/ts/write/pyramid_options.ts";
import { object, refuse, refuseField } from "../../../engine/ts/model/argument.ts";
import { isNumberType } from "../../../engine/ts/model/data_type.ts";
import { below } from "../../../engine/ts/model/node_like.ts";
import { integerRange } from "../../../engine/ts/model/number_types.ts";
import type { Readable } from "../../../engine/ts/model/types.ts";
import { lockNameOf } from "../../../engine/ts/port/definitions.ts";

/** Everything that writing needs to know. */
export interface Plan {
  group: Location<Readable>;
  source: OpenedSource;
  /** The existing array that is the finest level; undefined if the source is copied. */
  existing: AnyArray | undefined;
  axes: NewAxis[];
  levels: PlannedLevel[];
  method: DownsampleMethod;
  zarrFormat: 2 | 3;
  options: CreatePyramidOptions;
}

function isSameStore(one: unknown, other: unknown): boolean {
  return one === other || (lockNameOf(one) !== undefined && lockNameOf(one) === lockNameOf(other));
}

/** Throws an `Argument` error if the source is in the new group, but in another store. */
export async function checkSource({ group, source: { array }, existing }: Plan): Promise<void> {
  if (!array || existing || array.store === group.store) return;
  if ((await isIn(array, group)) || (await isIn(group, array)))
    refuse("the source is in the new pyramid, through another store", "both in one store", array.path);
}

/** Returns the source, if it lies in the new group and therefore is its finest level. */
function existingIn(group: Location<Readable>, { array }: OpenedSource): AnyArray | undefined {
  if (!array || !isSameStore(array.store, group.store)) return undefined;
  if (array.path === group.path || group.path.startsWith(`${array.path}/`))
    return refuse("the pyramid would replace its own source", "a group beside the array", group.path);
  return array.path.startsWith(below(group.path, "")) ? array : undefined;
}

function formatOf(
  { convention = "ome", version, zarrFormat }: CreatePyramidOptions,
  existing: AnyArray | undefined,
): 2 | 3 {
  const ome = version === "0.4" ? 2 : 3;
  const format = convention === "ome" ? ome : (zarrFormat ?? existing?.zarrFormat ?? 3);
  if (!["ome", "multiscales"].includes(convention))
    refuseField("convention", "ome or multiscales", convention);
  if (version !== undefined && !["0.4", "0.5"].includes(version))
    refuseField("version", "0.4 or 0.5", version);
  if (existing && existing.zarrFormat !== format)
    refuse("the finest level has another Zarr format", `Zarr v${format}`, `Zarr v${existing.zarrFormat}`);
  return format;
}

export function planOf(location: unknown, given: ElementSource, options: CreatePyramidOptions): Plan {
  const at = locationOf(location) as Location<Readable>;
  const path = options.path === undefined ? at.path : below(at.path, options.path.replace(/^\/|\/$/g, ""));
  const group = new Location(at.store, path);
  const source = openSource(given);
  const existing = existingIn(group, source);
  const axes = axesOf(options, source);
  checkChannels(options, axes, source.shape);
  const finest = existing?.path.slice(below(path, "").length);
  if (options.variable !== undefined && options.convention !== "multiscales")
    refuse("levels are groups", "levels that are arrays, or multiscales", options.variable);
  return {
    group,
    source,
    existing,
    axes,
    levels: planLevels(source.shape, axes, options, finest),
    method: options.method ?? methodOf(source.dtype, options),
    zarrFormat: formatOf(options, existing),
    options,
  };
}

function methodOf(dtype: string, { label }: CreatePyramidOptions): DownsampleMethod {
  if (label) return "mode";
  return isNumberType(dtype) ? "mean" : "nearest";
}

/** Without other options, there are levels until the axes that shrink have at most this length. */
const COARSEST = 256;
const MAX_LEVELS = 64;

function factorsAt(
  { factors }: CreatePyramidOptions,
  axes: readonly NewAxis[],
  level: number,
): number[] | undefined {
  const given = Array.isArray(factors) ? factors[level - 1] : factors;
  if (factors !== undefined && given === undefined) return undefined;
  const plane = Object.fromEntries(
    planeAxes(axes)
      .flatMap((axis) => axes[axis] ?? [])
      .map(({ name }) => [name, 2]),
  );
  const found = perAxis(axes, object(given ?? plane, "factors"), 1, "a factor");
  if (found.every((factor) => Number.isSafeInteger(factor) && factor > 0)) return found;
  return refuseField("factors", "integers from 1 up", found);
}

/** Returns the number of levels that the options ask for; undefined if the shape decides. */
function countOf({ levels, factors }: CreatePyramidOptions): number | undefined {
  const count = levels ?? (Array.isArray(factors) ? factors.length + 1 : undefined);
  if (count === undefined || (Number.isInteger(count) && count > 0 && count <= MAX_LEVELS)) return count;
  return refuseField("levels", `a number from 1 to ${MAX_LEVELS}`, count);
}

/**
 * The levels of a pyramid, the finest first. `existing` is the path below the group of an array
 * that is the finest level already.
 */
export function planLevels(
  shape: readonly number[],
  axes: readonly NewAxis[],
  options: CreatePyramidOptions,
  existing: string | undefined,
): PlannedLevel[] {
  const ones = shape.map(() => 1);
  const named = (asset: string) => ({ asset, path: pathOf(asset, options) });
  const finest = existing === undefined ? named("0") : { asset: existing, path: existing };
  const levels: PlannedLevel[] = [{ ...finest, shape: [...shape], factors: ones, covers: ones }];
  const count = countOf(options);
  while (levels.length < (count ?? MAX_LEVELS)) {
    const before = levels.at(-1) as PlannedLevel;
    const wanted = factorsAt(options, axes, levels.length);
    if (!wanted) break;
    // An axis of one element does not shrink.
    const factors = wanted.map((factor, axis) => ((before.shape[axis] ?? 0) > 1 ? factor : 1));
    const shrinks = (least: number) =>
      before.shape.some((extent, axis) => extent > least && (factors[axis] ?? 1) > 1);
    if (!shrinks(count === undefined ? COARSEST : 1)) break;
    levels.push({
      ...named(nameOf(levels.length, finest.asset)),
      shape: before.shape.map((extent, axis) => Math.ceil(extent / (factors[axis] as number))),
      factors,
      covers: before.covers.map((covered, axis) => covered * (factors[axis] as number)),
    });
  }
  return levels;
}

/** Returns the path of an array: levels are arrays, or groups with an array of one name. */
const pathOf = (asset: string, { variable }: CreatePyramidOptions) =>
  variable === undefined ? asset : `${asset}/${variable}`;

/** The number of a level is its name, unless the existing finest level has that name. */
const nameOf = (level: number, finest: string) =>
  String(level) === finest ? `level${level}` : String(level);

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
    refuseField("channels", `${count} channels, as the axes have`, channels.length);
  for (const [at, channel] of Array.from(channels).entries()) object(channel, `channels[${at}]`);
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
