/**
 * What a reduction asks of the engine: what happens to each dimension of the selection, and what
 * lies over it.
 */

import type { AnyArray } from "../../api/array.ts";
import { typeNameOf } from "../../api/array_definitions.ts";
import { type ArrayNode, FACTS } from "../../api/node_facts.ts";
import { type CfOptions, type Conversion, conversionOf } from "../../api/read/conversion.ts";
import { locatedRequest, type ReadOptions, requestWith } from "../../api/read/request.ts";
import { type AnySelection, dimensionNamesOf } from "../../api/selection.ts";
import type { ReductionAnswer, ReductionRequest } from "../../contract/contract.ts";
import type { Places } from "../../conventions/ts/coordinates.ts";
import { product } from "../../engine/ts/elements/typed_arrays.ts";
import { need, needReadable, object, refuse } from "../../engine/ts/model/argument.ts";
import { ZarrError } from "../../engine/ts/model/errors.ts";
import type { EngineDimension, Growth } from "../../engine/ts/model/read_request.ts";
import type { ChunkCounts } from "../../engine/ts/port/operations.ts";
import { axesOf, type Over, type Reduced, spreadOf } from "./beside.ts";
import { type Grouping, type Groups, groupingOf, indicesAmong, withGroups } from "./groups.ts";
import {
  askedOf,
  ELEMENTS_TO_COME,
  type QuantileOptions,
  questionsOf,
  type ReduceOp,
  type ResultLayout,
  resultsOf,
  sketchSize,
  VIEWS,
} from "./questions.ts";
import { type Along, measuresOf, requestOf, type Spread } from "./request.ts";
import { type SelectedAxis, selectedAxes } from "./selected_axes.ts";
import { needSame, type State } from "./state.ts";
import { type Weights, weightsOf } from "./weights.ts";

/** Options of `reduce` and `statistics`, besides those of reads. */
export interface StatisticsOptions extends ReadOptions, QuantileOptions {
  /** The dimensions that go, by name or index. Default: all; with `coarsen` none. */
  over?: string | number | readonly (string | number)[] | undefined;
  /**
   * Along these dimensions, so many elements become one. Blocks begin where the selection does.
   * Default: no blocks.
   *
   * @unit elements
   */
  coarsen?: Record<string, number> | undefined;
  /**
   * What happens to the last block if it is not whole: with `"exact"` it is an `Argument` error,
   * with `"trim"` it is left out, with `"pad"` it is a smaller block. Default: `"exact"`.
   */
  edges?: "exact" | "trim" | "pad" | undefined;
  /**
   * Elements of a group become one. The dimensions that are grouped go. Default: no groups.
   *
   * @throws an `Argument` error together with `coarsen`.
   */
  groups?: Groups | undefined;
  /** How much each element counts in `sum`, `mean`, `var` and `std`. Default: equally. */
  weights?: Weights | undefined;
  /**
   * Which elements count: a range, both ends included, or true where an element counts. Numbers are
   * compared exactly; beyond 2^53 bigints say which integer is meant. Default: all.
   */
  where?:
    | {
        /** The least number that counts. Default: no bound. */
        min?: number | bigint | undefined;
        /** The greatest number that counts. Default: no bound. */
        max?: number | bigint | undefined;
      }
    | Over
    | undefined;
  /**
   * `"cf"` unpacks the elements by CF's attributes, and leaves out missing ones. Default: elements
   * as stored.
   */
  decode?: "cf" | CfOptions | undefined;
  /** Whether NaN is left out. If not, a single one makes the answer NaN. Default: true. */
  skipMissing?: boolean | undefined;
  /** The divisor of `var` and `std` is the count minus this. Default: 0. */
  ddof?: number | undefined;
}

/** The dimensions that go. */
function axesOver(reduced: Reduced, { over, coarsen }: StatisticsOptions): Set<number> {
  const all = reduced.array.shape.keys();
  if (over === undefined) return new Set(coarsen ? [] : all);
  needReadable(over, "over");
  const named = Array.isArray(over) ? Array.from(over) : [over];
  return new Set(axesOf(reduced, named as (string | number)[], "over"));
}

/** The selected places, without those of a block that is not whole. */
function trimmed(
  axis: SelectedAxis,
  size: number,
  edges: StatisticsOptions["edges"],
  name: string,
): SelectedAxis {
  const { length } = axis.indices;
  if (length % size === 0 || edges === "pad") return axis;
  if (edges === "trim") return { ...axis, indices: axis.indices.slice(0, length - (length % size)) };
  return refuse(
    `blocks of the dimension ${JSON.stringify(name)} are not whole`,
    `a multiple of ${size} elements, or edges: "trim" or "pad"`,
    length,
  );
}

/** The engine's form of the selected places. */
const dimensionOf = ({ indices, isIndex }: SelectedAxis): EngineDimension =>
  isIndex ? { Index: indices.at(0) } : indices.toEngine();

/** Options of `prepare`. */
interface PrepareOptions extends StatisticsOptions {
  /** The earlier reduction, from which this one goes on. */
  before?: State | undefined;
  /** Whether a later reduction may go on from this one. */
  keepsWords?: boolean | undefined;
  spread?: boolean | undefined;
}

/** What happens to each dimension of the selection. */
interface Shape {
  axes: SelectedAxis[];
  along: Along[];
  grouping: Grouping | undefined;
}

/** What happens to each dimension, by the options. */
export async function shapeOf(reduced: Reduced, options: PrepareOptions): Promise<Shape> {
  const { coarsen = {}, edges, groups, signal, before } = options;
  const over = axesOver(reduced, options);
  const blocks = new Map<number, number>();
  const axes = [...reduced.axes];
  const coarsened = axesOf(reduced, Object.keys(coarsen), "coarsen");
  for (const [at, [name, size]] of Object.entries(coarsen).entries()) {
    const axis = coarsened[at] as number;
    need(Number.isSafeInteger(size) && size > 0, "coarsen", "sizes of blocks, from 1 on", size);
    if (over.has(axis)) refuse("a dimension is in over and in coarsen", "one of them", name);
    blocks.set(axis, size);
    axes[axis] = trimmed(axes[axis] as SelectedAxis, size, edges, name);
  }
  if (groups !== undefined && blocks.size > 0)
    refuse("groups cannot be combined with coarsen", "one of them", "both");
  const found = groups === undefined ? undefined : await groupingOf(reduced, groups, signal);
  const grouping = found && before?.groups ? withGroups(found, before.groups) : found;
  const along = axes.map(({ isIndex }, axis): Along => {
    if (grouping?.labels.axes.includes(axis)) return "group";
    const block = blocks.get(axis);
    if (block !== undefined) return isIndex ? "reduce" : { block };
    return isIndex || over.has(axis) ? "reduce" : "keep";
  });
  return { axes, along, grouping };
}

/** The range, or the elements that count. */
async function whereOf(reduced: Reduced, { where, signal }: StatisticsOptions) {
  if (where === undefined) return {};
  object(where, "where");
  if ("shape" in where) return { mask: await spreadOf(reduced, where, "where", signal) };
  const members = Object.keys(where);
  need("min" in where || "max" in where, "where", "min, max or both; or an array of truths", members);
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = where;
  const areNumbers = [min, max].every((bound) => typeof bound === "number" || typeof bound === "bigint");
  need(areNumbers && min <= max, "where", "a range of numbers", [min, max]);
  return { range: [min, max] as const };
}

/** The index of the dimension whose indices `argmin` and `argmax` tell. */
function argAxis(ops: readonly ReduceOp[], { along, axes }: Shape): number | undefined {
  if (!ops.some((op) => op.startsWith("arg"))) return undefined;
  const gone = [...along.keys()].filter((axis) => along[axis] === "reduce" && !axes[axis]?.isIndex);
  const [axis, ...others] = gone;
  const isOne = axis !== undefined && others.length === 0 && along.every((one) => typeof one === "string");
  if (isOne) return axis;
  return refuse("argmin and argmax require one dimension that goes", "over: one dimension", gone.length);
}

/** The most places along a dimension whose indices `argmin` and `argmax` tell. */
const MAX_INDICES = 2 ** 26;

function indicesAlong(axis: number, { axes }: Shape): Spread {
  const { indices } = axes[axis] as SelectedAxis;
  if (indices.length > MAX_INDICES)
    throw new ZarrError("Limit", "argmin and argmax go over too many elements", {
      expected: `at most ${MAX_INDICES} along the dimension`,
      actual: String(indices.length),
    });
  return { axes: [axis], values: indices.map((index) => index) };
}

/** The type in which elements are reduced, and how they become it. */
export async function elementsOf(
  array: ArrayNode,
  { decode }: StatisticsOptions,
): Promise<{ source: string; conversion: Conversion | undefined }> {
  const type = await typeNameOf(array);
  if (decode === undefined && type in VIEWS) return { source: type, conversion: undefined };
  const as = decode === undefined && type === "float16" ? "float32" : "float64";
  return { source: as, conversion: await conversionOf(array, { decode, as }) };
}

/** Parts are long along the dimensions that go, so that less is merged. */
function growthOf({ along }: Shape): Pick<Growth, "order" | "apart"> {
  const rank = (axis: number) => ["keep", "group", "reduce"].indexOf(along[axis] as string);
  const axes = [...along.keys()];
  const apart = axes.filter((axis) => along[axis] === "keep");
  return { order: axes.sort((one, other) => rank(one) - rank(other)), apart };
}

/** The chunks of the selection, and those whose elements go into the same cell. */
function chunkCounts({ axes, along }: Shape, chunks: readonly number[]): Omit<ChunkCounts, "inBulk"> {
  const of = axes.map(({ indices }, axis) => {
    const { length } = indices;
    const ends = length > 0 ? Math.abs(indices.at(length - 1) - indices.at(0)) + 1 : 0;
    return Math.max(1, Math.min(length, Math.ceil(ends / (chunks[axis] ?? 1))));
  });
  return { all: product(of), ofCell: product(of.filter((_, axis) => along[axis] === "reduce")) };
}

/** The elements of each dimension of the result; undefined for the groups. */
function placesLeft({ axes, along }: Shape): (Places | undefined)[] {
  const left: (Places | undefined)[] = [];
  for (const [axis, one] of along.entries()) {
    if (one === "reduce" || (one === "group" && left.includes(undefined))) continue;
    const { indices } = axes[axis] as SelectedAxis;
    left.push(one === "group" ? undefined : { axis, indices, block: one === "keep" ? 1 : one.block });
  }
  return left;
}

/** The shape and the names of the result. */
function resultShape({ names }: Reduced, places: readonly (Places | undefined)[], groups: number) {
  const shape = places.map((one) => (one ? Math.ceil(one.indices.length / one.block) : groups));
  const dimensionNames = places.map((one) => (one ? (names?.[one.axis] ?? null) : "group"));
  return { shape, dimensionNames };
}

/** The array, and the places that a selection takes. */
export async function reducedOf(
  array: AnyArray,
  selection: AnySelection | null | undefined,
  signal: AbortSignal | undefined,
): Promise<Reduced> {
  const located = await locatedRequest(array, selection, signal);
  return {
    array,
    axes: selectedAxes(located.selection, array.shape),
    names: dimensionNamesOf(array[FACTS]),
  };
}

/** The result's shape, and where its dimensions come from. */
function layoutOf(reduced: Reduced, shape: Shape): ResultLayout {
  const places = placesLeft(shape);
  const groups = shape.grouping?.keys;
  const origin = { array: reduced.array, places };
  return { ...resultShape(reduced, places, groups?.length ?? 0), groups, origin };
}

/** What is remembered of each cell. */
interface Remembered {
  ops: readonly ReduceOp[];
  /** The type of the elements. */
  source: string;
  sketch: number;
}

/** The reduction in the form that the engine takes. */
async function reductionOf(
  reduced: Reduced,
  shape: Shape,
  { ops, source, sketch }: Remembered,
  options: PrepareOptions,
): Promise<ReductionRequest> {
  const arg = argAxis(ops, shape);
  const { mask, range } = await whereOf(reduced, options);
  const extentOf = (axis: number) => shape.axes[axis]?.indices.length ?? 0;
  return requestOf({
    source,
    measures: measuresOf(ops),
    sketch,
    dimensions: shape.along.map((along, axis) => ({ extent: extentOf(axis), along })),
    groups: shape.grouping?.keys.length ?? 0,
    labels: shape.grouping?.labels,
    weights: await weightsOf(reduced, options.weights, options.signal),
    mask,
    range,
    indices: arg === undefined ? undefined : indicesAlong(arg, shape),
  });
}

/** What a reduction must have in common with an earlier one to go on from it. */
function signatureOf(
  { shape, origin }: ResultLayout,
  { ops, source }: Remembered,
  { weights }: PrepareOptions,
): string {
  const cells = origin.places.map((place, at) => (place ? shape[at] : "group"));
  return JSON.stringify({ cells, ops, source, isWeighted: weights !== undefined });
}

interface EarlierAnswers {
  words: Uint8Array;
  groups: number[];
}

/** What an earlier reduction found, for one that goes on with it. */
function earlierOf(
  before: PrepareOptions["before"],
  groups: ResultLayout["groups"],
): EarlierAnswers | undefined {
  return before && { words: before.words, groups: indicesAmong(before.groups ?? [], groups ?? []) };
}

/** A reduction that is ready: its operation's arguments, and how its answers become results. */
export async function prepare(reduced: Reduced, ops: readonly ReduceOp[], options: PrepareOptions) {
  const { skipMissing = true, ddof = 0, before, spread = false, keepsWords } = options;
  if (spread && ops.some((op) => op.startsWith("arg")))
    refuse("argmin and argmax cannot be combined with spread", "one of them", "both");
  const shape = await shapeOf(reduced, options);
  const elements = await elementsOf(reduced.array, options);
  const { source } = elements;
  const count = product(shape.axes.map(({ indices }) => indices.length));
  const sketch = before?.sketch ?? sketchSize(ops, options, keepsWords ? ELEMENTS_TO_COME : count);
  const remembered = { ops, source, sketch };
  const reduction = await reductionOf({ ...reduced, axes: shape.axes }, shape, remembered, options);
  const layout = layoutOf(reduced, shape);
  const { groups } = layout;
  const asked = ops.map((op) => askedOf(op, options));
  const signature = signatureOf(layout, remembered, options);
  if (before) needSame(before, signature);
  const engine = {
    reduction,
    growth: growthOf(shape),
    counts: {
      ...chunkCounts(shape, reduced.array.chunks),
      inBulk: reduced.array.shards !== undefined && !spread,
    },
    before: earlierOf(before, groups),
    questions: questionsOf(asked),
    settings: { source, freedom: ddof, skipsMissing: skipMissing },
  };
  const selection = { Orthogonal: shape.axes.map(dimensionOf) };
  const read = requestWith({ selection, streamed: true, spreads: spread }, options);
  return {
    engine,
    shape: [...layout.shape],
    resultsOf: (answers: readonly ReductionAnswer[]) => resultsOf(asked, answers, layout),
    request: { ...read, conversion: elements.conversion?.request },
    type: elements.conversion?.type,
    elements,
    state: { signature, sketch, groups },
  };
}

export type Prepared = Awaited<ReturnType<typeof prepare>>;
