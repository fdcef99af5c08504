/**
 * Finds the pyramid of which an array is a level, because its transform places the array in the
 * world. `pyramid` remembers its levels here. For other arrays the groups above are searched once.
 */
import type { AnyArray } from "../api/array.ts";
import { Location } from "../api/location.ts";
import { type ArrayFacts, FACTS } from "../api/node_facts.ts";
import { openerBeside } from "../api/open.ts";
import { ZarrError } from "../model/errors.ts";
import { once } from "../model/once.ts";
import { parentOf } from "../model/path.ts";
import type { AbsolutePath, Readable } from "../model/types.ts";
import { unlessAborted } from "../model/unless_aborted.ts";
import { isKnownAbsent, type KnownNodes, type PlacedNode } from "./known_nodes.ts";
import type { PyramidLevel } from "./pyramid_level.ts";
import type { Pyramid } from "./pyramid_model.ts";

/** A pyramid and one of its levels. */
export interface PlacedLevel {
  pyramid: Pyramid;
  level: PyramidLevel;
}

interface Remembered extends PlacedLevel {
  known: KnownNodes<Readable>;
}

const remembered = new WeakMap<AnyArray, Remembered>();

/** Searches by the array's facts, because `refresh` and every change replace these. */
const searches = new WeakMap<ArrayFacts, Promise<PlacedLevel | undefined>>();

/**
 * Remembers the levels of a pyramid with a transform. The first pyramid that contains an array
 * counts.
 */
export function rememberLevels(pyramid: Pyramid, known: KnownNodes<Readable>): void {
  if (!pyramid.isPlaced) return;
  for (const level of pyramid.levels) {
    if (!remembered.get(level.array)?.known.isCurrent) remembered.set(level.array, { pyramid, level, known });
  }
}

/** The remembered level of an array. */
export function rememberedLevel(array: AnyArray): PlacedLevel | undefined {
  const found = remembered.get(array);
  return found?.known.isCurrent ? found : undefined;
}

/** The level of a pyramid that has the array's path. */
export function levelIn(pyramid: Pyramid, array: AnyArray): PlacedLevel | undefined {
  const level = pyramid.levels.find(({ path }) => path === array.path);
  return level && pyramid.isPlaced ? { pyramid, level } : undefined;
}

/** Number of groups above an array that are searched. */
const MOST_PARENTS = 3;

/** Codes of errors that mean: this node has no pyramid with the array. */
const LEAVES_UNPLACED = ["NotFound", "Format", "Unsupported", "Argument"];

type PyramidOf = (node: PlacedNode<Readable>) => Promise<Pyramid>;

async function levelAt(
  array: AnyArray,
  path: string,
  pyramidOf: PyramidOf,
): Promise<PlacedLevel | undefined> {
  try {
    if (path === array.path) return levelIn(await pyramidOf(array), array);
    if (path !== "/" && isKnownAbsent(array.store, path)) return undefined;
    const place = new Location(array.store, path as AbsolutePath);
    return levelIn(await pyramidOf(await openerBeside(array)(place, { kind: "group" })), array);
  } catch (error) {
    if (error instanceof ZarrError && LEAVES_UNPLACED.includes(error.code)) return undefined;
    throw error;
  }
}

async function searched(array: AnyArray, pyramidOf: PyramidOf): Promise<PlacedLevel | undefined> {
  let path: string = array.path;
  for (let step = 0; step <= MOST_PARENTS; step += 1) {
    const found = await levelAt(array, path, pyramidOf);
    if (found || path === "/") return found;
    path = parentOf(path);
  }
  return undefined;
}

/** Remembers the level for another object of the same array. */
function rememberFor(array: AnyArray, found: PlacedLevel | undefined): void {
  const known = found && remembered.get(found.level.array);
  if (known && known.level === found.level) remembered.set(array, known);
}

/** Searches the array and the groups above it. Undefined if no pyramid has the array. */
export function placedLevel(
  array: AnyArray,
  pyramidOf: PyramidOf,
  signal: AbortSignal | undefined,
): Promise<PlacedLevel | undefined> {
  const known = rememberedLevel(array);
  if (known) return Promise.resolve(known);
  // A failed search is repeated at the next call, because the server may answer then.
  const search = once(searches, array[FACTS], () => searched(array, pyramidOf));
  search.then(
    (found) => rememberFor(array, found),
    () => {},
  );
  return unlessAborted(search, signal);
}
