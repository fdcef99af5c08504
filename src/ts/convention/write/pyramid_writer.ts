/**
 * Writes a pyramid: the group, the finest level, and each coarser level from the one before. The
 * attributes that make the group a pyramid come last, so that no reader sees an unfinished one.
 */
import type { Array as ZarrArray } from "../../api/array.ts";
import { typeOf } from "../../api/arrays.ts";
import { createNode } from "../../api/create.ts";
import type { Group } from "../../api/group.ts";
import { Location, locationOf } from "../../api/location.ts";
import { consolidate } from "../../api/nodes.ts";
import { open } from "../../api/open.ts";
import { writeBoxes } from "../../api/write/boxes.ts";
import {
  type ElementSource,
  type OpenedSource,
  openSource,
  writeSource,
} from "../../api/write/element_source.ts";
import type { TypeDescription } from "../../model/data_type.ts";
import { NotFoundError } from "../../model/errors.ts";
import { exactJson } from "../../model/exact_json.ts";
import type { AbsolutePath, Attributes, DataType, Readable } from "../../model/types.ts";
import { call } from "../../port/engine.ts";
import { pyramid } from "../pyramid.ts";
import type { Pyramid } from "../pyramid_model.ts";
import { checkChannels, completeChannels } from "./channels.ts";
import { type Downsampling, downsamplingOf, readDownsampled } from "./downsample.ts";
import { type PlannedLevel, planLevels } from "./pyramid_levels.ts";
import { type Described, pyramidAttributes } from "./pyramid_metadata.ts";
import {
  axesOf,
  type CreatePyramidOptions,
  type DownsampleMethod,
  type NewAxis,
  refuse,
} from "./pyramid_options.ts";

type AnyArray = ZarrArray<DataType, Readable>;
type Given = Record<string, unknown>;

/** The extent of a chunk along x and y. */
const CHUNK = 512;

const product = (extents: readonly number[]) => extents.reduce((total, extent) => total * extent, 1);

const below = (path: string, name: string) => `${path === "/" ? "" : path}/${name}` as AbsolutePath;

/** Everything that writing needs to know. */
interface Plan {
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

/** The source, if it lies in the new group and therefore is its finest level. */
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

function planOf(place: unknown, given: ElementSource, options: CreatePyramidOptions): Plan {
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

async function typeOfSource({ array, dtype }: OpenedSource, signal?: AbortSignal): Promise<TypeDescription> {
  if (array) return typeOf(array, signal);
  return call("describeTypeName", () => ({ text: exactJson(dtype), like: undefined }), { signal });
}

/** The values of `_FillValue` and `missing_value` that are numbers. */
function missingIn({ attributes, dtype }: OpenedSource): (number | bigint)[] {
  const numbers = ["_FillValue", "missing_value"].flatMap((key) => attributes[key] ?? []).map(numberOf);
  const isFloat = dtype.startsWith("float");
  const fits = (value: unknown): value is number | bigint =>
    typeof value === "bigint" || (isFloat ? typeof value === "number" : Number.isInteger(value));
  return numbers.filter(fits).filter((value) => !Number.isNaN(value));
}

/** A number; in v3 xarray writes floats as the base64 of a double. */
function numberOf(value: unknown): unknown {
  if (typeof value !== "string" || !/^[A-Za-z0-9+/]{11}=$/.test(value)) return value;
  const bytes = Uint8Array.from(atob(value), (letter) => letter.charCodeAt(0));
  return new DataView(bytes.buffer).getFloat64(0, true);
}

/** The chunk shape of a level: planes of x and y. */
const chunkOf = (axes: readonly NewAxis[], { shape }: PlannedLevel): number[] =>
  axes.map(({ name }, axis) =>
    ["x", "y"].includes(name.toLowerCase()) ? Math.max(1, Math.min(CHUNK, shape[axis] as number)) : 1,
  );

/** Writers of OME-Zarr fill with zero. In v2, `create` would leave the fill value undefined. */
function omeFill(dtype: string, zarrFormat: 2 | 3): Given {
  if (zarrFormat === 3) return {};
  return /^(u?int|float)\d+$/.test(dtype) ? { fillValue: 0 } : {};
}

/** Creates the array of a level. */
async function createLevel(
  { group, source, axes, existing, levels, zarrFormat, options }: Plan,
  index: number,
): Promise<AnyArray> {
  const level = levels[index] as PlannedLevel;
  const { array, convention = "ome", signal, overwrite } = options;
  const chosen: Given = { ...((typeof array === "function" ? array(index, level.shape) : array) ?? {}) };
  const isOme = convention === "ome";
  const created = await createNode(new Location(group.store, below(group.path, level.path)), {
    dtype: source.dtype,
    chunkShape: chunkOf(axes, level),
    dimensionNames: axes.map(({ name }) => name),
    ...(zarrFormat === 2 && { dimensionSeparator: "/" }),
    ...(isOme ? omeFill(source.dtype, zarrFormat) : { attributes: source.attributes }),
    ...chosen,
    kind: "array",
    shape: level.shape,
    zarrFormat,
    // The group has been erased already, unless it holds the source.
    overwrite: overwrite === true && existing !== undefined,
    signal,
  });
  return created as AnyArray;
}

/** Writes all levels, and returns their arrays. */
async function writeLevels(plan: Plan, downsampling: Downsampling): Promise<AnyArray[]> {
  const { source, existing, levels, options } = plan;
  const { signal, onProgress } = options;
  const written = existing ? levels.slice(1) : levels;
  const totalElements = written.reduce((sum, { shape }) => sum + product(shape), 0);
  let elements = 0;
  const arrays: AnyArray[] = existing ? [existing] : [];
  for (let level = arrays.length; level < levels.length; level += 1) {
    const target = await createLevel(plan, level);
    const onWritten = (count: number) => {
      elements += count;
      onProgress?.({ level, levels: levels.length, elements, totalElements });
    };
    const before = arrays.at(-1);
    const { factors } = levels[level] as PlannedLevel;
    if (before) {
      const read = (box: Parameters<typeof readDownsampled>[1]) =>
        readDownsampled(before, box, factors, downsampling, signal);
      await writeBoxes(target, { read: read as never, as: "bytes", signal, onWritten });
    } else {
      await writeSource(target, source, { signal, onWritten });
    }
    arrays.push(target);
  }
  return arrays;
}

/** Adds a label image to the list of the group `labels` that holds it. */
async function listLabel({ group, options, zarrFormat }: Plan): Promise<void> {
  const { signal } = options;
  const path = parentOf(group.path);
  const name = group.path.slice(group.path.lastIndexOf("/") + 1);
  const node = await open(new Location(group.store, path), { kind: "group", ...(signal && { signal }) });
  const ome = (zarrFormat === 2 ? node.attrs : (node.attrs.ome ?? {})) as { labels?: unknown };
  const before = Array.isArray(ome.labels) ? ome.labels : [];
  const labels = [...before.filter((other) => other !== name), name];
  const attributes = zarrFormat === 2 ? { labels } : { ome: { version: "0.5", ...ome, labels } };
  await node.updateAttributes(attributes, { ...(signal && { signal }) });
}

const parentOf = (path: string) => (path.slice(0, path.lastIndexOf("/")) || "/") as AbsolutePath;

const isInLabels = (path: string) => /(^|\/)labels$/.test(parentOf(path)) && path !== "/";

/** Creates the group, or keeps the one that holds the source. */
async function createGroup({ group, existing, zarrFormat, options }: Plan): Promise<Group<Readable>> {
  const { signal, overwrite } = options;
  if (existing) {
    try {
      return await open(group, { kind: "group", ...(signal && { signal }) });
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
    }
  }
  const created = await createNode(group, {
    kind: "group",
    zarrFormat,
    overwrite: overwrite === true && !existing,
    signal,
  });
  return created as Group<Readable>;
}

/** Throws an `Argument` error if there is a pyramid already that may not be replaced. */
function checkGroup({ attrs, path }: Group<Readable>, { overwrite }: CreatePyramidOptions): void {
  const ome = attrs.ome as Attributes | undefined;
  const isPyramid = attrs.multiscales !== undefined || ome?.multiscales !== undefined;
  if (isPyramid && overwrite !== true)
    refuse("the group is a pyramid already", "overwrite: true, or another path", path);
}

/** Implements `createPyramid`. */
export async function writePyramid(
  place: unknown,
  given: ElementSource,
  options: CreatePyramidOptions,
): Promise<Pyramid> {
  const { signal, convention = "ome", name, channels, consolidated = convention === "multiscales" } = options;
  signal?.throwIfAborted();
  const plan = planOf(place, given, options);
  const { group, axes, levels, method, source } = plan;
  const described: Described = {
    name: name ?? (group.path.slice(group.path.lastIndexOf("/") + 1) || "image"),
    axes,
    levels,
    method,
  };
  const inLabels = isInLabels(group.path);
  // Wrong options reject before anything is written.
  const missing = options.missing ?? missingIn(source);
  const downsampling = await downsamplingOf(await typeOfSource(source, signal), method, missing, signal);
  const window = { start: 0, end: 1, min: 0, max: 1 };
  const drafts = channels?.map((channel) => ({ color: "FFFFFF", window, ...channel }));
  await pyramidAttributes({ ...described, channels: drafts }, options, inLabels);
  const node = await createGroup(plan);
  checkGroup(node, options);
  const arrays = await writeLevels(plan, downsampling);
  const coarsest = arrays.at(-1) as AnyArray;
  const complete = channels && (await completeChannels(channels, axes, coarsest, signal));
  const kept = { ...options, attributes: { ...node.attrs, ...options.attributes } };
  const attributes = await pyramidAttributes({ ...described, channels: complete }, kept, inLabels);
  await node.updateAttributes(attributes, { ...(signal && { signal }) });
  if (options.label && inLabels && convention === "ome") await listLabel(plan);
  if (consolidated) await consolidate(group, { ...(signal && { signal }) });
  return pyramid(node, { signal });
}
