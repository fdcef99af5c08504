/**
 * `createPyramid` writes a pyramid: the group, the finest level from the source, and each coarser
 * level from the one before, with its statistics. The attributes that make the group a pyramid come
 * last, so that no reader sees an unfinished one. It is imported statically, for the reason in
 * `dataset_writer.ts`.
 */
import type { AnyArray } from "../../../api/array.ts";
import { typeOf } from "../../../api/array_definitions.ts";
import { createNode } from "../../../api/create.ts";
import type { Group } from "../../../api/group.ts";
import { consolidate, Location } from "../../../api/location.ts";
import { open } from "../../../api/open.ts";
import {
  type Box,
  type ElementSource,
  type OpenedSource,
  writeBoxes,
  writeSource,
} from "../../../api/write/element_source.ts";
import { pyramid } from "../../../conventions/ts/pyramid.ts";
import type { Pyramid } from "../../../conventions/ts/pyramid_model.ts";
import { type FillValue, fillValueIn, missingIn } from "../../../conventions/ts/write/dataset.ts";
import type { PlannedLevel } from "../../../conventions/ts/write/pyramid_metadata.ts";
import { type Described, pyramidAttributes } from "../../../conventions/ts/write/pyramid_metadata.ts";
import { type CreatePyramidOptions, PYRAMID_RULES } from "../../../conventions/ts/write/pyramid_options.ts";
import { product } from "../../../engine/ts/elements/typed_arrays.ts";
import { optionsOf, refuse } from "../../../engine/ts/model/argument.ts";
import type { TypeDescription } from "../../../engine/ts/model/data_type.ts";
import { NotFoundError } from "../../../engine/ts/model/errors.ts";
import { exactJson } from "../../../engine/ts/model/json.ts";
import { nameOf, parentOf } from "../../../engine/ts/model/node_like.ts";
import type { Attributes, Readable } from "../../../engine/ts/model/types.ts";
import { call } from "../../../engine/ts/port/engine.ts";
import { type Downsampling, downsamplingOf, isOfType, readDownsampled } from "./downsample.ts";
import { createLevel } from "./levels.ts";
import { checkSource, completeChannels, type Plan, planOf } from "./plan.ts";
import {
  createGroups,
  describeStatistics,
  type ElementFacts,
  type PlannedStatistics,
  planStatistics,
  writeStatistics,
} from "./statistics.ts";

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

/** Resolves to the data type and the missing values: by the options, or by the attributes. */
async function elementsOf({ source, options }: Plan): Promise<ElementFacts> {
  const type = await typeOfSource(source, options.signal);
  const own = () => missingOf(source, options).filter((value) => isOfType(type, value));
  const missing = options.missing === undefined ? own() : Array.from(options.missing);
  return { type, missing, isSigned: signOf(source) };
}

/**
 * Returns whether integers have a sign by CF's attribute `_Unsigned`; undefined if it is absent.
 */
function signOf({ attributes }: OpenedSource): boolean | undefined {
  const word = String(attributes._Unsigned).toLowerCase();
  if (word === "true") return false;
  return word === "false" ? true : undefined;
}

/** What writing the levels needs, besides the plan. */
interface Contents {
  downsampling: Downsampling;
  statistics: PlannedStatistics | undefined;
}

/** Writes the elements of a level. */
async function writeLevel(
  { source, options: { signal } }: Plan,
  target: AnyArray,
  before: { array: AnyArray; factors: readonly number[] } | undefined,
  downsampling: Downsampling,
  onWritten: (count: number) => void,
): Promise<void> {
  if (!before) return writeSource(target, source, { signal, onWritten });
  const { array, factors } = before;
  const read = (box: Box) => readDownsampled(array, box, factors, downsampling, signal);
  return writeBoxes(target, { read: read as never, as: "bytes", signal, onWritten });
}

/** Returns, for a level, a function that counts what is written and tells the caller. */
function counterOf({ levels, existing, options }: Plan, statistics: PlannedStatistics | undefined) {
  const arraysAt = (level: number) =>
    level === 0 ? Number(existing === undefined) : 1 + (statistics?.names.length ?? 0);
  const totalElements = levels.reduce((sum, { shape }, at) => sum + arraysAt(at) * product(shape), 0);
  let elements = 0;
  return (level: number) => (count: number) => {
    elements += count;
    options.onProgress?.({ level, levels: levels.length, elements, totalElements });
  };
}

/** Writes all levels. Returns the arrays of the coarsest, and of its statistics. */
async function writeLevels(
  plan: Plan,
  { downsampling, statistics }: Contents,
): Promise<{ coarsest: AnyArray; reduced: AnyArray[] }> {
  const { existing, levels } = plan;
  const counter = counterOf(plan, statistics);
  const arrays: AnyArray[] = existing ? [existing] : [];
  let reduced: AnyArray[] = [];
  for (let level = arrays.length; level < levels.length; level += 1) {
    const onWritten = counter(level);
    const target = await createLevel(plan, level);
    const array = arrays.at(-1);
    const before = array && { array, factors: (levels[level] as PlannedLevel).factors };
    await writeLevel(plan, target, before, downsampling, onWritten);
    arrays.push(target);
    const finest = arrays[0] as AnyArray;
    if (statistics && level > 0)
      reduced = await writeStatistics(plan, statistics, level, { finest, onWritten });
  }
  return { coarsest: arrays.at(-1) as AnyArray, reduced };
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

const SOURCE_RULES = { dtype: "a text", shape: "a list", stride: "a list" } as const;

/**
 * Writes a multiscale image: OME-Zarr 0.4 or 0.5, or the convention `multiscales`. The source
 * becomes the finest level. An array that lies in the new group is that level already. Each other
 * level is computed from the one before, box by box, in the engine; only a few boxes are in memory.
 * The metadata that make the group an image are written last. `statistics` are pyramids beside it,
 * in the group `statistics`.
 *
 *     const source = { data: new Uint16Array(2 * 1024 * 1024), shape: [2, 1024, 1024] };
 *     await createPyramid(store, source, { axes: ["c", "y", "x"], scale: { y: 0.5, x: 0.5 } });
 *
 * @param place A location, a store or a URL.
 * @param source The elements of the finest level: an array, elements in memory, or an object that
 *   reads boxes.
 * @returns the pyramid, as `pyramid` reads it.
 * @throws an `Argument` error, before anything is written, if the metadata would break a rule of
 *   the convention, and if the group is a pyramid and `overwrite` is false.
 * @throws an `UnsupportedError` if the method does not know the data type, or the store cannot
 *   write.
 */
export async function createPyramid<Store extends Readable>(
  place: Location<Store> | Store | string | URL,
  source: ElementSource,
  options: CreatePyramidOptions = {},
): Promise<Pyramid<Store>> {
  optionsOf(source, SOURCE_RULES, "source", "anyone's");
  const {
    signal,
    convention = "ome",
    consolidated = convention === "multiscales",
  } = optionsOf(options, PYRAMID_RULES);
  signal?.throwIfAborted();
  const plan = planOf(place, source, options);
  await checkSource(plan);
  const { group, axes, levels, method } = plan;
  const name = options.name ?? (nameOf(group.path) || "image");
  const described: Described = { name, axes, levels, method };
  // Wrong options reject before anything is written.
  const facts = await elementsOf(plan);
  const downsampling = await downsamplingOf(facts.type, { ...facts, method, signal });
  const statistics = planStatistics(plan, facts);
  await checkAttributes(described, plan);
  const node = await createGroup(plan);
  checkGroup(node, options);
  const groups = statistics && (await createGroups(plan, statistics));
  const { coarsest, reduced } = await writeLevels(plan, { downsampling, statistics });
  if (statistics && groups) await describeStatistics(plan, statistics, groups, { name, coarsest: reduced });
  await describe(node, described, coarsest, plan);
  if (options.label && isInLabels(group.path) && convention === "ome") await listLabel(plan);
  if (consolidated) await consolidate(group, { signal });
  return pyramid(node as Group<Store>, { signal });
}
