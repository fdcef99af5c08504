/**
 * Plans a new pyramid: its group, axes, levels and format. It checks that they fit the source, and
 * writes nothing.
 */
import type { Array as ZarrArray } from "../../api/array.ts";
import { Location, locationOf } from "../../api/location.ts";
import { type ElementSource, type OpenedSource, openSource } from "../../api/write/element_source.ts";
import type { AbsolutePath, DataType, Readable } from "../../model/types.ts";
import { checkChannels } from "./channels.ts";
import { type PlannedLevel, planLevels } from "./pyramid_levels.ts";
import {
  axesOf,
  type CreatePyramidOptions,
  type DownsampleMethod,
  type NewAxis,
  refuse,
} from "./pyramid_options.ts";

type AnyArray = ZarrArray<DataType, Readable>;

/** Returns the path of a node below a group. */
export const below = (path: string, name: string) => `${path === "/" ? "" : path}/${name}` as AbsolutePath;

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

const lockNameOf = (store: unknown) => (store as { lockName?: unknown }).lockName;

function isSameStore(one: unknown, other: unknown): boolean {
  return one === other || (lockNameOf(one) !== undefined && lockNameOf(one) === lockNameOf(other));
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
    refuse("the convention is not known", "ome, multiscales", convention);
  if (version !== undefined && !["0.4", "0.5"].includes(version))
    refuse("the version of OME-Zarr is not known", "0.4, 0.5", version);
  if (existing && existing.zarrFormat !== format)
    refuse("the finest level has another Zarr format", `Zarr v${format}`, `Zarr v${existing.zarrFormat}`);
  return format;
}

export function planOf(place: unknown, given: ElementSource, options: CreatePyramidOptions): Plan {
  const at = locationOf(place) as Location<Readable>;
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
  return /^(u?int(8|16|32|64)|float(16|32|64))$/.test(dtype) ? "mean" : "nearest";
}
