/**
 * What is on the screen as reads, one for each picture: the store, the array of the drawn level,
 * and for each of its axes an index or the ranges in view. They are the input of the code that
 * other libraries run, so they have plain values only.
 */

import type { ViewBox } from "../../map/view_box.js";
import type { Source } from "../../model/opening/source.js";
import type { Scene, SceneAxis } from "../../model/scene/scene.js";
import { parentOf, plainPath } from "../../model/text/paths.js";
import { type Unpacking, unpackingOf } from "./unpacking.js";
import { type InView, inFirstView, picturesOf, type ViewSnapshot } from "./view_snapshot.js";

/** How a library has to open the store. */
export type StoreKind = "folder" | "zip" | "references" | "icechunk";

export interface StoreLocation {
  kind: StoreKind;
  /** The absolute URL, or the name of a folder or file of this computer. */
  address: string;
  isLocal: boolean;
  /** The state of an Icechunk repository. */
  version?: { kind: string; name: string };
}

/** The first index, and the one after the last. */
export type Run = readonly [start: number, stop: number];

/** What is read along an axis, in the order of the array. */
export interface AxisRead {
  /** Empty if the metadata has no name. */
  name: string;
  /** An index, or ranges in the order of the screen. Several are read one after the other. */
  read: number | readonly Run[];
}

export interface ViewRead {
  /** What the picture shows, in words. */
  title: string;
  store: StoreLocation;
  /** The path of the array, without a slash at its ends. */
  path: string;
  zarrFormat: number;
  /** The drawn level, if there are several. */
  level: number | null;
  axes: readonly AxisRead[];
  /** How the viewer unpacks values by CF's attributes. Null if it shows them as stored. */
  unpacking: Unpacking | null;
  /** Whether xarray can open the group of the array as a data set. */
  isInDataset: boolean;
  /** Whether the rows and columns are not those of the map, so that the whole plane is read. */
  isWarped: boolean;
}

/** The reads of all pictures, or of the two scenes that a difference is made of. */
export interface ViewReads {
  reads: readonly ViewRead[];
  /** Null if nothing is subtracted. */
  difference: Difference | null;
}

/** The elements of the first read minus those of the second. */
interface Difference {
  /** Whether the second array has rows where the first has columns. */
  isTransposed: boolean;
}

/** What the first picture reads. */
export const viewRead = (snapshot: ViewSnapshot): ViewRead => readOf(inFirstView(snapshot));

export function viewReads(snapshot: ViewSnapshot): ViewReads {
  const pictures = picturesOf(snapshot);
  const subtracted = pictures.find(({ elements }) => elements.length > 1);
  const elements = subtracted?.elements ?? pictures.flatMap((picture) => picture.elements);
  const [first, second] = elements.map(({ scene: { plane } }) => plane.y < plane.x);
  const reads = elements.map(readOf);
  return { reads, difference: subtracted ? { isTransposed: first !== second } : null };
}

function readOf({ source, isConsolidated, scene, box }: InView): ViewRead {
  const { pyramid, axes, warped, decode } = scene;
  const array = pyramid.levels[box.level]?.array ?? scene.array;
  const path = plainPath(array.path);
  const names = array.dimensionNames ?? [];
  const isNamed = names.length === axes.length && names.every((name) => name);
  return {
    title: scene.title,
    store: storeLocationOf(source),
    path,
    zarrFormat: array.zarrFormat,
    level: pyramid.levels.length > 1 ? box.level : null,
    axes: axes.map((axis) => ({
      name: names[axis.axis] ?? "",
      read: readAlong(axis, array.shape, scene, box),
    })),
    unpacking: decode ? unpackingOf(array, decode) : null,
    isInDataset: isConsolidated && isNamed && path !== "" && isVariable(scene, path),
    isWarped: warped !== undefined,
  };
}

/** Levels beside each other have different shapes, so their group is no data set of xarray. */
function isVariable({ pyramid }: Scene, path: string): boolean {
  const beside = pyramid.levels.filter((level) => parentOf(plainPath(level.path)) === parentOf(path));
  return beside.length === 1;
}

/** Where the store of a source is, by its address. */
export function storeLocationOf({ key, name, url }: Source): StoreLocation {
  const [, kind, version] = /#(branch|tag|snapshot)=(.+)$/s.exec(key.trim()) ?? [];
  const path = url?.pathname ?? name;
  return {
    kind: version ? "icechunk" : kindOf(path),
    address: url?.href ?? name,
    isLocal: url === null,
    ...(kind && version && { version: { kind, name: version } }),
  };
}

function kindOf(path: string): StoreKind {
  if (/\.(zip|ozx)$/i.test(path)) return "zip";
  return /\.(json|parq|parquet)\/?$/i.test(path) ? "references" : "folder";
}

function readAlong(
  { axis, role }: SceneAxis,
  shape: readonly number[],
  scene: Scene,
  { level, corners: [first, last] }: ViewBox,
): number | readonly Run[] {
  const { plane, warped, channels, places } = scene;
  const length = shape[axis] ?? 1;
  const [from = 0, to = 0] = [first[axis], last[axis]];
  if (axis === plane.x || axis === plane.y) {
    if (warped) return [[0, length]];
    const isRolled = axis === plane.x && (places[level]?.roll ?? 0) > 0;
    return isRolled ? rolledRuns(from, to, length) : [[Math.min(from, to), Math.max(from, to) + 1]];
  }
  const visible = channels.filter((channel) => channel.visible).map(({ index }) => index);
  if (role !== "c" || from >= 0) return from;
  return visible.length > 0 ? runsOf(visible) : 0;
}

/** The columns of a world that is drawn from a column in its middle. */
function rolledRuns(from: number, to: number, length: number): Run[] {
  if (from <= to) return [[from, to + 1]];
  if (from === to + 1) return [[0, length]];
  return [
    [from, length],
    [0, to + 1],
  ];
}

/** Indices as ranges, in ascending order. */
export function runsOf(indices: readonly number[]): Run[] {
  const runs: Run[] = [];
  for (const index of [...new Set(indices)].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last && last[1] === index) runs[runs.length - 1] = [last[0], index + 1];
    else runs.push([index, index + 1]);
  }
  return runs;
}

/** The reads of one range per axis that a read with several ranges is made of, in C order. */
export function partsOf(axes: readonly AxisRead[]): (number | Run)[][] {
  return axes.reduce<(number | Run)[][]>(
    (parts, { read }) => {
      const choices = typeof read === "number" ? [read] : read;
      return parts.flatMap((part) => choices.map((choice) => [...part, choice]));
    },
    [[]],
  );
}
