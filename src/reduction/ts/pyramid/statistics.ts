/**
 * The statistics of a new pyramid: for each, a pyramid beside the levels that has the minimum, the
 * standard deviation or the count of all elements of the finest level that an element covers.
 * `reduce` computes them (`src/reduction/ts/`), each level from the finest one: a deviation does
 * not follow from the deviations of the level before.
 */
import { type AnyArray, FACTS } from "../../../api/array.ts";
import { createNode } from "../../../api/create.ts";
import type { Group } from "../../../api/group.ts";
import { Location } from "../../../api/location.ts";
import { type Box, boxes, boxShape, inTurn, shapeOfBox } from "../../../api/write/element_source.ts";
import { type FillValue, fillAttribute } from "../../../conventions/ts/write/dataset.ts";
import type { PlannedLevel } from "../../../conventions/ts/write/pyramid_metadata.ts";
import { pyramidAttributes } from "../../../conventions/ts/write/pyramid_metadata.ts";
import type { PyramidStatistic } from "../../../conventions/ts/write/pyramid_options.ts";
import { product } from "../../../engine/ts/elements/typed_arrays.ts";
import { refuse } from "../../../engine/ts/model/argument.ts";
import { NUMBER_VIEWS, type TypeDescription } from "../../../engine/ts/model/data_type.ts";
import { UnsupportedError } from "../../../engine/ts/model/errors.ts";
import { viewBytes } from "../../../engine/ts/model/memory.ts";
import { below } from "../../../engine/ts/model/node_like.ts";
import type { Attributes, Readable } from "../../../engine/ts/model/types.ts";
import { reduce } from "../reduce.ts";
import { checkMissing } from "./downsample.ts";
import { chosenFor, createArray, type Given, omeFill } from "./levels.ts";
import { completeChannels, type Plan } from "./plan.ts";

const NAMES: readonly string[] = ["min", "max", "std", "count"] satisfies PyramidStatistic[];

/** The path below the pyramid's group of the group with a pyramid for each statistic. */
const FOLDER = "statistics";

/** The most elements of a level that are computed in one turn. Each takes about 100 bytes. */
const MAX_ELEMENTS_A_TURN = 1 << 18;

/** What the source's elements are. */
export interface ElementFacts {
  type: TypeDescription;
  /** The values that do not count. */
  missing: readonly FillValue[];
  /** Whether integers have a sign, if it is not what the data type says. */
  isSigned: boolean | undefined;
}

/** The statistics before they are written. */
export interface PlannedStatistics {
  names: readonly PyramidStatistic[];
  /** CF's attributes that say which elements are missing, and how the others are unpacked. */
  packing: Attributes;
  /** The data type of minimum and maximum. */
  extremes: string;
  /** All levels but the finest. */
  levels: readonly PlannedLevel[];
}

/** The attributes by which elements are decoded; none if they count as they are stored. */
function packingOf({ source, options }: Plan, { type, missing, isSigned }: ElementFacts): Attributes {
  const values = missing.filter((value) => !Number.isNaN(value));
  const keys = options.convention === "multiscales" ? ["scale_factor", "add_offset"] : [];
  const given = keys.filter((key) => source.attributes[key] !== undefined);
  return {
    ...Object.fromEntries(given.map((key) => [key, source.attributes[key]])),
    ...(isSigned !== undefined && { _Unsigned: String(!isSigned) }),
    ...(values.length > 0 && {
      missing_value: values.map((value) => fillAttribute(value, type.name, 3)._FillValue),
    }),
  };
}

/** The levels of statistics. The first of them has no level before it. */
function levelsOf({ levels }: Plan): PlannedLevel[] {
  const [first, ...others] = levels.slice(1);
  if (!first) return refuse("a pyramid of one level has no statistics", "levels: 2 or more", levels.length);
  return [{ ...first, factors: first.factors.map(() => 1) }, ...others];
}

/**
 * Plans the statistics that the options name; undefined for none. Throws an `Argument` error for
 * options that do not fit them, and an `UnsupportedError` for elements that are no numbers.
 */
export function planStatistics(plan: Plan, facts: ElementFacts): PlannedStatistics | undefined {
  const { options, existing, levels } = plan;
  const names = [...new Set(Array.from(options.statistics ?? []))];
  if (names.length === 0) return undefined;
  if (!names.every((name) => NAMES.includes(name)))
    refuse("a statistic is not known", NAMES.join(", "), names);
  if (options.label) refuse("labels have no statistics", "statistics, or label", "both");
  const finest = (levels[0] as PlannedLevel).path;
  if (existing && finest.startsWith(`${FOLDER}/`))
    refuse("the statistics would replace the source", `a source outside of ${FOLDER}`, finest);
  const { type, missing } = facts;
  if (type.name !== "bool" && !Object.hasOwn(NUMBER_VIEWS, type.name))
    throw new UnsupportedError(`statistics of elements of the data type ${type.name}`);
  checkMissing(type, missing);
  const packing = packingOf(plan, facts);
  const own = type.name === "float16" ? "float32" : type.name;
  const extremes = Object.keys(packing).length > 0 ? "float64" : own;
  return { names, packing, extremes, levels: levelsOf(plan) };
}

/** The options of `create` for an array of a statistic. Its codecs are those of the levels. */
function contentsOf(
  { source, zarrFormat, options }: Plan,
  name: PyramidStatistic,
  chosen: Given,
  extremes: string,
): Given {
  const dtype = name === "min" || name === "max" ? extremes : "float64";
  const entries = Object.entries(chosen).filter(([key]) => !/^(fill_?value|attributes)$/i.test(key));
  const layout = Object.fromEntries(entries);
  if (options.convention !== "multiscales") return { dtype, ...omeFill(dtype, zarrFormat), ...layout };
  const { units, standard_name, long_name } = source.attributes;
  const attributes = name === "count" ? { long_name } : { units, standard_name, long_name };
  return { dtype, attributes, ...layout };
}

/**
 * The finest level with the attributes by which elements are decoded, and names of its axes. These
 * are not the metadata in the store, so they are not compared with them.
 */
function decodable(finest: AnyArray, { axes }: Plan, packing: Attributes): AnyArray {
  const dimensionNames = axes.map(({ name }) => name);
  const facts = { ...finest[FACTS], dimensionNames, attributesWith: () => packing, isCallers: true };
  return Object.create(finest, { [FACTS]: { value: facts } });
}

/** A level that is being computed from the finest one. */
interface Computed {
  finest: AnyArray;
  level: PlannedLevel;
  statistics: PlannedStatistics;
  signal: AbortSignal | undefined;
}

/** The statistics of a box of a level, each packed in C order. */
async function reduced(box: Box, { finest, level, statistics, signal }: Computed): Promise<Uint8Array[]> {
  const { names, packing } = statistics;
  const selection = box.map(({ start, stop }, axis) => {
    const [covered, extent] = [level.covers[axis] as number, finest.shape[axis] as number];
    return { start: start * covered, stop: Math.min(stop * covered, extent), step: 1 };
  });
  const isPacked = Object.keys(packing).length > 0;
  const found = await reduce(finest, selection, {
    op: names,
    coarsen: Object.fromEntries(
      level.covers.map((covered, axis) => [finest.dimensionNames?.[axis], covered]),
    ),
    edges: "pad",
    ...(isPacked && { decode: { convention: "cf", valid: false, zarrFillValue: false } as const }),
    signal,
  });
  return names.map((name) => viewBytes(found[name].data));
}

/** The statistics of a box of stored chunks. They are computed slab by slab, in C order. */
async function reducedBySlabs(box: Box, computed: Computed): Promise<Uint8Array[]> {
  const extents = shapeOfBox(box);
  const slabs: Uint8Array[][] = [];
  for (const slab of boxes(extents, boxShape(extents, [], MAX_ELEMENTS_A_TURN))) {
    const moved = slab.map(({ start, stop }, axis) => {
      const first = box[axis]?.start ?? 0;
      return { start: first + start, stop: first + stop, step: 1 as const };
    });
    slabs.push(await reduced(moved, computed));
  }
  return computed.statistics.names.map((_, at) => joinedBytes(slabs.map((slab) => slab[at] as Uint8Array)));
}

/** Bytes one behind the other. */
function joinedBytes(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Creates the groups of the statistics. */
export async function createGroups(
  { group, zarrFormat, options }: Plan,
  { names }: PlannedStatistics,
): Promise<Group<Readable>[]> {
  const { signal, overwrite } = options;
  const create = (path: string, overwrite: boolean) =>
    createNode(new Location(group.store, below(group.path, path)), {
      kind: "group",
      zarrFormat,
      overwrite,
      signal,
    }) as Promise<Group<Readable>>;
  await create(FOLDER, overwrite === true);
  const groups: Group<Readable>[] = [];
  for (const name of names) groups.push(await create(`${FOLDER}/${name}`, false));
  return groups;
}

interface LevelWriting {
  /** The array of the finest level, which has all its elements. */
  finest: AnyArray;
  /** Called with the number of elements of each box that is written. */
  onWritten: (elements: number) => void;
}

/** Writes the statistics of the level `index`, and returns their arrays. */
export async function writeStatistics(
  plan: Plan,
  statistics: PlannedStatistics,
  index: number,
  { finest, onWritten }: LevelWriting,
): Promise<AnyArray[]> {
  const level = statistics.levels[index - 1] as PlannedLevel;
  const chosen = chosenFor(plan.options, index, level);
  const { signal } = plan.options;
  const arrays: AnyArray[] = [];
  for (const name of statistics.names) {
    const contents = contentsOf(plan, name, chosen, statistics.extremes);
    arrays.push(await createArray(plan, level, `${FOLDER}/${name}/${level.path}`, contents));
  }
  const { shards, chunks } = (arrays[0] as AnyArray)[FACTS];
  const computed = { finest: decodable(finest, plan, statistics.packing), level, statistics, signal };
  const write = async (box: Box, found: Uint8Array[]) => {
    const sets = arrays.map((array, at) =>
      array.set(box, found[at] as never, { as: "bytes", signal } as object),
    );
    await Promise.all(sets);
    onWritten(arrays.length * product(shapeOfBox(box)));
  };
  const list = boxes(level.shape, boxShape(level.shape, shards ?? chunks, MAX_ELEMENTS_A_TURN));
  await inTurn(list, (box) => reducedBySlabs(box, computed), write, signal);
  return arrays;
}

/** Writes the attributes that make the group of each statistic a pyramid. */
export async function describeStatistics(
  { axes, options }: Plan,
  { names, levels }: PlannedStatistics,
  groups: readonly Group<Readable>[],
  { name: image, coarsest }: { name: string; coarsest: readonly AnyArray[] },
): Promise<void> {
  const { signal } = options;
  for (const [at, method] of names.entries()) {
    // A window of the image is none of the statistic.
    const plain = options.channels?.map(({ window: _, ...channel }) => channel);
    const channels = plain && (await completeChannels(plain, axes, coarsest[at] as AnyArray, signal));
    const described = { name: `${image} ${method}`, axes, levels, method, channels };
    const attributes = await pyramidAttributes(described, { ...options, attributes: undefined }, false);
    await groups[at]?.updateAttributes(attributes, { signal });
  }
}
