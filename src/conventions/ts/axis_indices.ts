/**
 * The indices that a caller gives the axes of a pyramid: which axis a name means, whether it has
 * such an index, and which index of a level that is. Everything that reads a plane of a pyramid
 * asks here.
 *
 * Indices are those of the finest level, because levels may be coarser along every axis.
 */
import type { PyramidAxis as AxisFacts } from "../../contract/contract.ts";
import { isReadable, need, needList, object } from "../../engine/ts/model/argument.ts";
import { InvalidSelectionError, shown } from "../../engine/ts/model/errors.ts";
import type { Slice } from "../../engine/ts/model/types.ts";
import { inPlane, type Plane } from "./geometry.ts";

/**
 * An axis of a pyramid: a dimension of its arrays. Its `role` is `"x"`, `"y"`, `"z"`, `"t"` (time),
 * `"c"` (channel) or `"other"`.
 */
export type PyramidAxis = Readonly<AxisFacts>;

/**
 * Indices of the axes other than x and y, in the finest level. A key is the name of an axis, or its
 * role: `z`, `t` or `time`, `c` or `channel`. Capitals do not matter unless names differ by them. A
 * negative index counts from the end. Null selects all of an axis. An axis without an index has 0.
 */
export type At = Record<string, number | null>;

/** As `At`, or a list with an entry for each axis, x and y included. Theirs do not count. */
export type AtIndices = At | readonly (number | null | undefined)[];

/** What an axis has, or undefined if it was given nothing. */
type Given = (number | null | undefined)[];

/** Words for roles, besides their letters. */
const ROLES: Record<string, string> = { time: "t", channel: "c" };

/** The axis that a key means; -1 for none. Names come first, because a name may be another role. */
function axisOf(axes: readonly PyramidAxis[], key: string): number {
  const lower = key.toLowerCase();
  const role = ROLES[lower] ?? lower;
  const tests: ((axis: PyramidAxis) => boolean)[] = [
    ({ name }) => name === key,
    ({ name }) => name.toLowerCase() === lower,
    (axis) => axis.role === role && role !== "other",
  ];
  for (const test of tests) {
    const found = axes.findIndex(test);
    if (found >= 0) return found;
  }
  return -1;
}

const quoted = (text: string) => JSON.stringify(text);

/** Refuses a key that no axis has. */
function unknownAxis(axes: readonly PyramidAxis[], key: string): never {
  const known = axes.map(({ name, role }) =>
    role === "other" || role === name.toLowerCase() ? quoted(name) : `${quoted(name)} (or ${quoted(role)})`,
  );
  const expected = known.length > 0 ? `one of ${known.join(", ")}` : "no index: there are no axes";
  throw new InvalidSelectionError(`at: there is no axis ${quoted(key)}; expected ${expected}`, {
    field: "at",
    expected,
    actual: quoted(key),
  });
}

function ofList(axes: readonly PyramidAxis[], list: readonly (number | null | undefined)[]): Given {
  if (list.length === axes.length) return [...list];
  throw new InvalidSelectionError("at: the list must have an index for each axis", {
    field: "at",
    expected: `${axes.length}: ${axes.map(({ name }) => name).join(", ")}`,
    actual: String(list.length),
  });
}

/**
 * What each axis is given. Throws an `InvalidSelectionError` for a name that no axis has, and for
 * two names of one axis with different indices.
 */
function givenTo(axes: readonly PyramidAxis[], at: AtIndices): Given {
  need(Object(at) === at && isReadable(at), "at", "an object", at);
  if (Array.isArray(at) || ArrayBuffer.isView(at)) return ofList(axes, Array.from(at as []));
  const given: Given = axes.map(() => undefined);
  for (const [key, index] of Object.entries(at as At)) {
    if (index === undefined) continue;
    const axis = axisOf(axes, key);
    if (axis < 0) unknownAxis(axes, key);
    if (given[axis] !== undefined && given[axis] !== index) {
      throw new InvalidSelectionError(`at: the axis ${quoted(axes[axis]?.name ?? key)} has two indices`, {
        field: "at",
        expected: "one",
        actual: `${shown(given[axis])} and ${shown(index)}`,
      });
    }
    given[axis] = index;
  }
  return given;
}

/** `at` with the indices of `over`, which take precedence, whatever names either uses. */
export function atWith(axes: readonly PyramidAxis[], at: AtIndices, over: AtIndices): AtIndices {
  const above = givenTo(axes, over);
  return givenTo(axes, at).map((index, axis) => (above[axis] === undefined ? index : above[axis]));
}

/** As `atWith`, with the names that the caller used. */
export function namedAtWith<A extends Readonly<At>>(axes: readonly PyramidAxis[], at: A, over: A): A {
  const above = givenTo(axes, over);
  const kept = Object.entries(at).filter(([key]) => above[axisOf(axes, key)] === undefined);
  return { ...Object.fromEntries(kept), ...over } as A;
}

/** The index that `at` gives an axis. Undefined if it gives none. */
export const givenAlong = (axes: readonly PyramidAxis[], at: AtIndices, axis: number) =>
  givenTo(axes, at)[axis];

/** The index of the axis of channels; undefined if there is none. */
export function channelAxisOf(axes: readonly PyramidAxis[]): number | undefined {
  const axis = axes.findIndex(({ role }) => role === "c");
  return axis < 0 ? undefined : axis;
}

/**
 * Returns an index of an axis of this length, from its start. Refuses one that it does not have.
 */
function indexIn(index: number, length: number, name: string): number {
  const own = Number.isInteger(index) && index < 0 ? index + length : index;
  if (Number.isInteger(own) && own >= 0 && own < length) return own;
  throw new InvalidSelectionError(`at: the axis ${quoted(name)} has no index ${shown(index)}`, {
    field: "at",
    expected: length > 0 ? `an integer from 0 to ${length - 1}` : "no index: the axis has no elements",
    actual: shown(index),
  });
}

/**
 * Indices of channels, from the first one. `axis` is that of channels; without one there is a
 * single channel, whose index is 0. Throws an `InvalidSelectionError` for a channel that is not
 * there.
 */
export function channelIndices(
  { axes, levels }: Pick<Indexed, "axes" | "levels">,
  axis: number | undefined,
  channels: readonly number[],
): number[] {
  const name = axis === undefined ? "channel" : (axes[axis]?.name ?? "channel");
  const length = axis === undefined ? 1 : (levels[0]?.shape[axis] ?? 0);
  return channels.map((channel) => indexIn(channel, length, name));
}

/** Throws an `Argument` error unless an argument has the axes and levels of a pyramid. */
export function pyramidOf<P extends Pick<Indexed, "axes" | "levels">>(pyramid: P): P {
  const { axes, levels } = object(pyramid, "pyramid");
  for (const axis of listOf(axes, "axes")) need(typeof Object(axis).name === "string", "axes", "axes", axis);
  for (const level of listOf(levels, "levels")) listOf(Object(level).shape, "levels");
  return pyramid;
}

function listOf<T>(list: readonly T[], field: string): readonly T[] {
  needList(list, field);
  return list;
}

/** The index of an axis with `here` elements that lies where an index does of one with `all`. */
const coarser = (index: number, all: number, here: number): number =>
  all === here ? index : Math.max(0, Math.min(Math.floor(((index + 0.5) * here) / all), here - 1));

/** The facts of a pyramid that tell which index of a level is meant. */
export interface Indexed {
  readonly axes: readonly PyramidAxis[];
  /** Finest first. */
  readonly levels: readonly { readonly shape: readonly number[] }[];
  /** The axes that are drawn, which have no index. */
  readonly plane: Plane;
}

/**
 * The index of each axis in a level, for indices of the finest level: `floor((i + ½) · here /
 * finest)`, because levels may be coarser along every axis. Null for the axes of the plane, and
 * where `at` has null.
 *
 *     levelIndices(image, 2, { z: 7 }); // [0, 1, null, null]
 *
 * @param pyramid The pyramid, or an object with its axes, levels and plane.
 * @param level The index of the level in `levels`.
 * @param at Indices of the finest level. Default: 0 along each axis.
 * @returns an index for each axis of the level's array.
 * @throws an `InvalidSelectionError` for a name or an index that is not there.
 * @throws an `Argument` error for a level that is not there.
 */
export function levelIndices(pyramid: Indexed, level: number, at: AtIndices = {}): (number | null)[] {
  const { axes, levels, plane } = pyramidOf(pyramid);
  object(plane, "plane");
  const finest = levels[0]?.shape ?? [];
  const own = Number.isInteger(level) ? levels[level]?.shape : undefined;
  need(own, "level", `an index below ${levels.length}`, level);
  const given = givenTo(axes, at);
  return axes.map(({ name }, axis) => {
    const index = given[axis];
    if (axis === plane.x || axis === plane.y || index === null) return null;
    const [all = 0, here = 0] = [finest[axis], own[axis]];
    return index === undefined ? 0 : coarser(indexIn(index, all, name), all, here);
  });
}

/** First element, and the one after the last. */
type Span = readonly [start: number, stop: number];

/**
 * Selects ranges of the axes x and y of a level, and one index of each other axis. Throws an
 * `InvalidSelectionError` where `at` has null, because a picture has one plane.
 */
export function planeSelection(
  indexed: Indexed,
  level: number,
  at: AtIndices,
  [x, y]: readonly [x: Span, y: Span],
): (number | Slice)[] {
  const { axes, plane } = indexed;
  return levelIndices(indexed, level, at).map((index, axis) => {
    const span = inPlane(plane, axis, [x, y], undefined);
    if (span) return { start: span[0], stop: span[1], step: null };
    if (index !== null) return index;
    throw new InvalidSelectionError(`at: the axis ${quoted(axes[axis]?.name ?? "")} needs an index`, {
      field: "at",
      expected: "an integer: a picture has one index of each other axis",
      actual: "null",
    });
  });
}
