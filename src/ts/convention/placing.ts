/**
 * Where an array is in the world, by the pyramid that has it as a level: what `pyramid` has found
 * is remembered for the arrays of its levels, and of others the groups above are asked, once.
 */
import type { Array as ZarrArray } from "../api/array.ts";
import { Location } from "../api/location.ts";
import { type ArrayFacts, FACTS } from "../api/node_facts.ts";
import { openerBeside } from "../api/open.ts";
import { ZarrError } from "../model/errors.ts";
import type { AbsolutePath, DataType, Readable } from "../model/types.ts";
import { unlessAborted } from "../model/unless_aborted.ts";
import { isKnownAbsent, type KnownNodes, type PlacedNode, parentOf } from "./known_nodes.ts";
import type { PyramidLevel } from "./pyramid_level.ts";
import type { Pyramid } from "./pyramid_model.ts";

type AnyArray = ZarrArray<DataType, Readable>;

/** A pyramid, and the array among its levels. */
export interface PlacedLevel {
  pyramid: Pyramid;
  level: PyramidLevel;
}

interface Remembered extends PlacedLevel {
  known: KnownNodes<Readable>;
}

const remembered = new WeakMap<AnyArray, Remembered>();

/** By what is known of an array, which `refresh` and every change replace. */
const searches = new WeakMap<ArrayFacts, Promise<PlacedLevel | undefined>>();

/**
 * Keeps for the arrays of a placed pyramid where they are; the first one that has an array counts.
 */
export function rememberLevels(pyramid: Pyramid, known: KnownNodes<Readable>): void {
  if (!pyramid.isPlaced) return;
  for (const level of pyramid.levels) {
    if (!remembered.get(level.array)?.known.isCurrent) remembered.set(level.array, { pyramid, level, known });
  }
}

/** What is known already. */
export function rememberedLevel(array: AnyArray): PlacedLevel | undefined {
  const found = remembered.get(array);
  return found?.known.isCurrent ? found : undefined;
}

/** The level of a pyramid that an array is. */
export function levelIn(pyramid: Pyramid, array: AnyArray): PlacedLevel | undefined {
  const level = pyramid.levels.find(({ path }) => path === array.path);
  return level && pyramid.isPlaced ? { pyramid, level } : undefined;
}

/** How far above an array the group may be whose pyramid has it as a level. */
const MOST_PARENTS = 3;

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

/** Keeps for an array what is remembered of another object of the same one. */
function rememberFor(array: AnyArray, found: PlacedLevel | undefined): void {
  const known = found && remembered.get(found.level.array);
  if (known && known.level === found.level) remembered.set(array, known);
}

/**
 * The level that an array is, looked for in the groups above it; undefined where no pyramid places
 * it.
 */
export function placedLevel(
  array: AnyArray,
  pyramidOf: PyramidOf,
  signal: AbortSignal | undefined,
): Promise<PlacedLevel | undefined> {
  const known = rememberedLevel(array);
  if (known) return Promise.resolve(known);
  const facts = array[FACTS];
  const search = searches.get(facts) ?? searched(array, pyramidOf);
  searches.set(facts, search);
  // A server that fails today may answer tomorrow.
  search.then(
    (found) => rememberFor(array, found),
    () => searches.delete(facts),
  );
  return unlessAborted(search, signal);
}
