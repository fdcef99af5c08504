/**
 * `createPyramid` writes a pyramid: the group, the finest level, and each coarser level from the
 * one before. The attributes that make the group a pyramid come last, so that no reader sees an
 * unfinished one. It is imported statically, for the reason in `dataset_writer.ts`.
 */
import type { AnyArray } from "../../api/array.ts";
import { createNode } from "../../api/create.ts";
import type { Group } from "../../api/group.ts";
import { consolidate, Location } from "../../api/location.ts";
import { open } from "../../api/open.ts";
import type { ElementSource } from "../../api/write/element_source.ts";
import { optionsOf, type Rules, refuse } from "../../model/argument.ts";
import { NotFoundError } from "../../model/errors.ts";
import { nameOf, parentOf } from "../../model/path.ts";
import type { Attributes, Readable } from "../../model/types.ts";
import { pyramid } from "../pyramid.ts";
import type { Pyramid } from "../pyramid_model.ts";
import { completeChannels } from "./channels.ts";
import { downsamplingFor, writeLevels } from "./level_arrays.ts";
import { type Described, pyramidAttributes } from "./pyramid_metadata.ts";
import type { CreatePyramidOptions } from "./pyramid_options.ts";
import { type Plan, planOf } from "./pyramid_plan.ts";

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
