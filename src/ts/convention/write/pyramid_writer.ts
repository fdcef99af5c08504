/**
 * `createPyramid` writes a pyramid: the group, the finest level from the source, and each coarser
 * level from the one before. The attributes that make the group a pyramid come last, so that no
 * reader sees an unfinished one. It is imported statically, for the reason in `dataset_writer.ts`.
 */
import type { AnyArray } from "../../api/array.ts";
import { typeOf } from "../../api/arrays.ts";
import { createNode } from "../../api/create.ts";
import type { Group } from "../../api/group.ts";
import { consolidate, Location } from "../../api/location.ts";
import { open } from "../../api/open.ts";
import {
  type Box,
  type ElementSource,
  type OpenedSource,
  writeBoxes,
  writeSource,
} from "../../api/write/element_source.ts";
import { product } from "../../elements/typed_arrays.ts";
import { optionsOf, type Rules, refuse } from "../../model/argument.ts";
import type { TypeDescription } from "../../model/data_type.ts";
import { NotFoundError } from "../../model/errors.ts";
import { exactJson } from "../../model/json.ts";
import { below, nameOf, parentOf } from "../../model/node_like.ts";
import type { Attributes, Readable } from "../../model/types.ts";
import { call } from "../../port/engine.ts";
import { pyramid } from "../pyramid.ts";
import type { Pyramid } from "../pyramid_model.ts";
import { type FillValue, fillAttribute, fillValueIn, missingIn, withoutFill } from "./dataset.ts";
import { type Downsampling, downsamplingOf, isOfType, readDownsampled } from "./downsample.ts";
import { type Described, pyramidAttributes } from "./pyramid_metadata.ts";
import { type CreatePyramidOptions, type NewAxis, planeAxes } from "./pyramid_options.ts";
import { completeChannels, type Plan, type PlannedLevel, planOf } from "./pyramid_plan.ts";

type Given = Record<string, unknown>;

/** The extent of a chunk along x and y. */
const CHUNK = 512;

/**
 * The values that do not count. A `multiscales` pyramid takes the fill value of v2 for one, as
 * xarray does; for an image it is a value as any other.
 */
function missingOf(source: OpenedSource, { convention }: CreatePyramidOptions): FillValue[] {
  const fill = convention === "multiscales" ? fillValueIn(source) : undefined;
  return [...new Set([...missingIn(source), ...(fill === undefined ? [] : [fill])])];
}

async function typeOfSource({ array, dtype }: OpenedSource, signal?: AbortSignal): Promise<TypeDescription> {
  if (array) return typeOf(array, signal);
  return call("describeTypeName", () => ({ text: exactJson(dtype, "dtype"), like: undefined }), { signal });
}

/** Throws an `Argument` error for missing values that the data type does not have. */
export async function downsamplingFor({ source, method, options }: Plan): Promise<Downsampling> {
  const { missing, signal } = options;
  const type = await typeOfSource(source, signal);
  const isSigned = signOf(source);
  if (missing) return downsamplingOf(type, { method, missing, isSigned, signal });
  const fits = missingOf(source, options).filter((value) => isOfType(type, value));
  return downsamplingOf(type, { method, missing: fits, isSigned, signal });
}

/**
 * Returns whether integers have a sign by CF's attribute `_Unsigned`; undefined if it is absent.
 */
function signOf({ attributes }: OpenedSource): boolean | undefined {
  const word = String(attributes._Unsigned).toLowerCase();
  return word === "true" ? false : word === "false" ? true : undefined;
}

/** Returns the chunk shape of a level: planes of x and y. */
function chunkOf(axes: readonly NewAxis[], { shape }: PlannedLevel): number[] {
  const plane = planeAxes(axes);
  return shape.map((extent, axis) => (plane.includes(axis) ? Math.max(1, Math.min(CHUNK, extent)) : 1));
}

/** Writers of OME-Zarr fill with zero. In v2, `create` would leave the fill value undefined. */
function omeFill(dtype: string, zarrFormat: 2 | 3): Given {
  if (zarrFormat === 3) return {};
  return /^(u?int|float)\d+$/.test(dtype) ? { fillValue: 0 } : {};
}

/** Levels have the attributes of the source, so that they are decoded alike. */
function sourceFill(source: OpenedSource, zarrFormat: 2 | 3): Given {
  const fillValue = fillValueIn(source);
  const attribute = fillAttribute(fillValue, source.dtype, zarrFormat);
  return { fillValue, attributes: { ...withoutFill(source.attributes), ...attribute } };
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
    ...(isOme ? omeFill(source.dtype, zarrFormat) : sourceFill(source, zarrFormat)),
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
export async function writeLevels(plan: Plan, downsampling: Downsampling): Promise<AnyArray[]> {
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
      const read = (box: Box) => readDownsampled(before, box, factors, downsampling, signal);
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
  const name = nameOf(group.path);
  const node = await open(new Location(group.store, path), { kind: "group", signal });
  const ome = (zarrFormat === 2 ? node.attrs : (node.attrs.ome ?? {})) as { labels?: unknown };
  const before = Array.isArray(ome.labels) ? ome.labels : [];
  const labels = [...before.filter((other) => other !== name), name];
  const attributes = zarrFormat === 2 ? { labels } : { ome: { version: "0.5", ...ome, labels } };
  await node.updateAttributes(attributes, { signal });
}

const isInLabels = (path: string) => /(^|\/)labels$/.test(parentOf(path)) && path !== "/";

/** Creates the group, or keeps the one that holds the source. */
async function createGroup({ group, existing, zarrFormat, options }: Plan): Promise<Group<Readable>> {
  const { signal, overwrite } = options;
  if (existing) {
    try {
      return await open(group, { kind: "group", signal });
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

/** Rejects with an `Argument` error if the attributes would not be valid. */
async function checkAttributes(described: Described, { options, group }: Plan): Promise<void> {
  // Windows are known when the levels are written.
  const window = { start: 0, end: 1, min: 0, max: 1 };
  const channels = options.channels?.map((channel) => ({ color: "FFFFFF", window, ...channel }));
  await pyramidAttributes({ ...described, channels }, options, isInLabels(group.path));
}

/** Writes the attributes, which make the group a pyramid. */
async function describe(
  node: Group<Readable>,
  described: Described,
  coarsest: AnyArray,
  { options }: Plan,
): Promise<void> {
  const { channels, signal } = options;
  const complete = channels && (await completeChannels(channels, described.axes, coarsest, signal));
  const kept = { ...options, attributes: { ...node.attrs, ...options.attributes } };
  const inLabels = isInLabels(node.path);
  const attributes = await pyramidAttributes({ ...described, channels: complete }, kept, inLabels);
  await node.updateAttributes(attributes, { signal });
}

const SOURCE_RULES: Rules = { dtype: "a text", shape: "a list", stride: "a list" };

const RULES: Rules = { axes: "a list", channels: "a list", missing: "a list" };

/**
 * Writes a multiscale image: OME-Zarr 0.4 or 0.5, or the convention `multiscales`. The source
 * becomes the finest level. An array that lies in the new group is that level already. Each other
 * level is computed from the one before, box by box, in the engine; only a few boxes are in memory.
 * The metadata that make the group an image are written last.
 *
 * Resolves to the pyramid. Rejects with an `Argument` error, before anything is written, if the
 * metadata would break a rule of the convention; and with an `UnsupportedError` if the method does
 * not know the data type.
 *
 *     const source = { data: new Uint16Array(2 * 1024 * 1024), shape: [2, 1024, 1024] };
 *     await createPyramid(store, source, { axes: ["c", "y", "x"], scale: { y: 0.5, x: 0.5 } });
 */
export async function createPyramid<Store extends Readable>(
  place: Location<Store> | Store | string | URL,
  source: ElementSource,
  options: CreatePyramidOptions = {},
): Promise<Pyramid<Store>> {
  optionsOf(source, SOURCE_RULES, "source");
  const {
    signal,
    convention = "ome",
    consolidated = convention === "multiscales",
  } = optionsOf(options, RULES);
  signal?.throwIfAborted();
  const plan = planOf(place, source, options);
  const { group, axes, levels, method } = plan;
  const name = options.name ?? (nameOf(group.path) || "image");
  const described: Described = { name, axes, levels, method };
  // Wrong options reject before anything is written.
  const downsampling = await downsamplingFor(plan);
  await checkAttributes(described, plan);
  const node = await createGroup(plan);
  checkGroup(node, options);
  const arrays = await writeLevels(plan, downsampling);
  await describe(node, described, arrays.at(-1) as AnyArray, plan);
  if (options.label && isInLabels(group.path) && convention === "ome") await listLabel(plan);
  if (consolidated) await consolidate(group, { signal });
  return pyramid(node as Group<Store>, { signal });
}
