/**
 * Writes a pyramid: the group, the finest level, and each coarser level from the one before. The
 * attributes that make the group a pyramid come last, so that no reader sees an unfinished one.
 */
import type { Array as ZarrArray } from "../../api/array.ts";
import { createNode } from "../../api/create.ts";
import type { Group } from "../../api/group.ts";
import { Location } from "../../api/location.ts";
import { consolidate } from "../../api/nodes.ts";
import { open } from "../../api/open.ts";
import type { ElementSource } from "../../api/write/element_source.ts";
import { NotFoundError } from "../../model/errors.ts";
import type { AbsolutePath, Attributes, DataType, Readable } from "../../model/types.ts";
import { pyramid } from "../pyramid.ts";
import type { Pyramid } from "../pyramid_model.ts";
import { completeChannels } from "./channels.ts";
import { downsamplingFor, writeLevels } from "./level_arrays.ts";
import { type Described, pyramidAttributes } from "./pyramid_metadata.ts";
import { type CreatePyramidOptions, refuse } from "./pyramid_options.ts";
import { type Plan, planOf } from "./pyramid_plan.ts";

type AnyArray = ZarrArray<DataType, Readable>;

/** Adds a label image to the list of the group `labels` that holds it. */
async function listLabel({ group, options, zarrFormat }: Plan): Promise<void> {
  const { signal } = options;
  const path = parentOf(group.path);
  const name = lastPart(group.path);
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
  await node.updateAttributes(attributes, { ...(signal && { signal }) });
}

const lastPart = (path: string) => path.slice(path.lastIndexOf("/") + 1);

/** Implements `createPyramid`. */
export async function writePyramid(
  place: unknown,
  given: ElementSource,
  options: CreatePyramidOptions,
): Promise<Pyramid> {
  const { signal, convention = "ome", consolidated = convention === "multiscales" } = options;
  signal?.throwIfAborted();
  const plan = planOf(place, given, options);
  const { group, axes, levels, method } = plan;
  const name = options.name ?? (lastPart(group.path) || "image");
  const described: Described = { name, axes, levels, method };
  // Wrong options reject before anything is written.
  const downsampling = await downsamplingFor(plan);
  await checkAttributes(described, plan);
  const node = await createGroup(plan);
  checkGroup(node, options);
  const arrays = await writeLevels(plan, downsampling);
  await describe(node, described, arrays.at(-1) as AnyArray, plan);
  if (options.label && isInLabels(group.path) && convention === "ome") await listLabel(plan);
  if (consolidated) await consolidate(group, { ...(signal && { signal }) });
  return pyramid(node, { signal });
}
