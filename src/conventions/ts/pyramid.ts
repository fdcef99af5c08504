/**
 * `pyramid`: reads the multiscale image of a group or an array. The conventions module
 * (`src/conventions/rust/pyramid`) names the nodes that it needs and interprets them. This file
 * opens them (`known_nodes.ts`).
 *
 * It also finds the pyramid of which an array is a level, because its transform positions the array
 * in the world. The levels of pyramids that were read are remembered. For other arrays the groups
 * above are searched once.
 */

import type { AnyArray } from "../../api/array.ts";
import { Location } from "../../api/location.ts";
import { type ArrayFacts, FACTS } from "../../api/node_facts.ts";
import { openerBeside } from "../../api/open.ts";
import type { PyramidQuestion, Refusal } from "../../contract/contract.ts";
import { optionsOf, type Rules, SIGNAL } from "../../engine/ts/model/argument.ts";
import { ZarrError } from "../../engine/ts/model/errors.ts";
import { exactJson } from "../../engine/ts/model/json.ts";
import { needNode, parentOf } from "../../engine/ts/model/node_like.ts";
import { once } from "../../engine/ts/model/once.ts";
import { unproxied } from "../../engine/ts/model/proxies.ts";
import type { AbsolutePath, Readable } from "../../engine/ts/model/types.ts";
import { unlessAborted } from "../../engine/ts/model/waiting.ts";
import { ask } from "../../engine/ts/port/convention.ts";
import { warn } from "../../engine/ts/port/warnings.ts";
import { isKnownAbsent, type KnownNodes, knownNodesOf, type PlacedNode } from "./known_nodes.ts";
import type { PyramidLevel } from "./pyramid_level.ts";
import { Pyramid } from "./pyramid_model.ts";

export type { PlacedNode };

/** Options of `pyramid`. */
export interface PyramidOptions {
  /**
   * The image, for groups with several: its index in `series`, or its path, which may be relative
   * to the group. Default: the first, with a warning if there are more.
   */
  image?: number | string | undefined;
  /** Name of the array, for levels that are groups of arrays. Default: the first. */
  variable?: string | undefined;
  /**
   * Whether to look for label images. It costs one request, unless the store has consolidated
   * metadata. Default: true.
   */
  labels?: boolean | undefined;
  /** Aborts the call, which rejects at once with the signal's reason. */
  signal?: AbortSignal | undefined;
}

const RULES: Rules<PyramidOptions> = {
  ...SIGNAL,
  image: "a number or a text",
  variable: "a text",
  labels: "a boolean",
};

/**
 * Limit of rounds. A pyramid needs fewer: group, series (each round doubles those that are known),
 * levels, variables, labels, grid mapping.
 */
const MAX_ROUNDS = 24;

/** Returns the answer. Sets the first refusal as the cause of its error. */
async function because<T>(answer: Promise<T>, refused: ReadonlyMap<string, ZarrError>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    const [cause] = refused.values();
    if (!(error instanceof ZarrError) || !cause) throw error;
    Object.defineProperty(error, "cause", { value: cause, configurable: true, writable: true });
    throw error;
  }
}

/**
 * The question to the conventions module, with the facts of all known nodes. Paths in `skipped` are
 * listed as absent, although the store was not asked for them.
 */
function question(
  root: string,
  known: KnownNodes<Readable>,
  skipped: ReadonlySet<string>,
  { image, variable, own }: ReadOptions,
): { [Member in keyof Required<PyramidQuestion>]: string | undefined } {
  const refused = [...known.refused].map(([path, { code, message }]): [string, Refusal] => [
    path,
    { code, message },
  ]);
  const absent = [...skipped]
    .filter((path) => !known.has(path))
    .map((path) => `${JSON.stringify(path)}:null`);
  return {
    root: JSON.stringify(root),
    nodes: `{${[known.facts.slice(1, -1), ...absent].filter((part) => part !== "")}}`,
    refused: JSON.stringify(Object.fromEntries(refused)),
    image: image === undefined ? undefined : exactJson(image, "image"),
    own: JSON.stringify(own),
    variable: JSON.stringify(variable),
  };
}

/** `own`: only the images of the group itself count, and no others are looked for. */
type ReadOptions = PyramidOptions & { own?: boolean };

/** Warns that there are other images, unless the caller has chosen. */
function warnOfOthers({ series }: Pyramid, path: string, { image, own }: ReadOptions): void {
  if (series.length < 2 || image !== undefined || own) return;
  const choice = "`series` lists them, and `pyramid(group, { image })` chooses by index or path";
  warn(`the group has ${series.length} images, and this is the first: ${choice}`, path);
}

async function read<Store extends Readable>(
  node: PlacedNode<Store>,
  options: ReadOptions,
): Promise<Pyramid<Store>> {
  const known = knownNodesOf(node);
  const skipped = new Set<string>();
  for (let steps = 0; steps < MAX_ROUNDS; steps++) {
    options.signal?.throwIfAborted();
    const asked = question(node.path, known as KnownNodes<Readable>, skipped, options);
    const step = await because(ask("pyramid", asked), known.refused);
    if (!("nodes" in step)) {
      const pyramid = new Pyramid(step, known.arrays);
      warnOfOthers(pyramid as Pyramid, node.path, options);
      rememberLevels(pyramid as Pyramid, known as KnownNodes<Readable>);
      return pyramid;
    }
    await Promise.all([
      known.openAll(step.nodes),
      known.openAll(step.arrays, "array"),
      options.labels === false ? undefined : known.openOptional(step.optional),
    ]);
    for (const path of step.optional) skipped.add(path);
    for (const path of step.listings) await known.list(path);
  }
  throw new ZarrError("Unsupported", "the pyramid needs too many nodes to be understood", {
    path: node.path,
  });
}

/**
 * Reads the pyramid of a group: OME-Zarr, `multiscales`, ndpyramid or `tile_matrix_set`. For an
 * array it is a pyramid of one level, and for a group that leads to images
 * (`bioformats2raw.layout`, a plate, a well) that of one of them. Nodes are opened once for each
 * `Group` object; call `refresh` of the group to read them again.
 *
 *     const image = await pyramid(await open("https://host/image.zarr"));
 *     const { level, selection } = image.pick({ unitsPerPixel: 4 });
 *     const { data, shape } = await level.array.get(selection);
 *
 * @param node A group or an array, of this package or of zarrita.
 * @throws a `NotFoundError` for a group without a pyramid, and for an image that is not there.
 * @throws an `InvalidMetadataError` if its metadata cannot be used.
 * @throws an `Argument` error for what has no attributes.
 */
export async function pyramid<Store extends Readable>(
  node: PlacedNode<Store>,
  options: PyramidOptions = {},
): Promise<Pyramid<Store>> {
  needNode(node);
  optionsOf(options, RULES).signal?.throwIfAborted();
  return unlessAborted(read(node, options), options.signal);
}

/**
 * The pyramid of a node's own levels, without label images and other groups: what the transform of
 * a level depends on.
 */
export function pyramidAlone<Store extends Readable>(
  node: PlacedNode<Store>,
  signal?: AbortSignal,
): Promise<Pyramid<Store>> {
  return unlessAborted(read(node, { labels: false, own: true, signal }), signal);
}

/** As `pyramidAlone`, of one of the node's own images. */
export const pyramidOfOwn = (
  node: PlacedNode<Readable>,
  image: number,
  signal: AbortSignal | undefined,
): Promise<Pyramid> => unlessAborted(read(node, { labels: false, own: true, image, signal }), signal);

/** A pyramid and one of its levels. */
export interface FoundLevel {
  pyramid: Pyramid;
  level: PyramidLevel;
}

interface Remembered extends FoundLevel {
  known: KnownNodes<Readable>;
}

const remembered = new WeakMap<AnyArray, Remembered>();

/** Searches by the array's facts, because `refresh` and every change replace these. */
const searches = new WeakMap<ArrayFacts, Promise<FoundLevel | undefined>>();

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
export function rememberedLevel(array: AnyArray): FoundLevel | undefined {
  const found = remembered.get(unproxied(array));
  return found?.known.isCurrent ? found : undefined;
}

/** The level of a pyramid that has the array's path. */
export function levelIn(pyramid: Pyramid, array: AnyArray): FoundLevel | undefined {
  const level = pyramid.levels.find(({ path }) => path === array.path);
  return level && pyramid.isPlaced ? { pyramid, level } : undefined;
}

/** Number of groups above an array that are searched. */
const MAX_PARENTS = 3;

/** Codes of errors that mean: this node has no pyramid with the array. */
const MEANS_NO_LEVEL = ["NotFound", "Format", "Unsupported", "Argument"];

type PyramidOf = (node: PlacedNode<Readable>) => Promise<Pyramid>;

async function levelAt(array: AnyArray, path: string, pyramidOf: PyramidOf): Promise<FoundLevel | undefined> {
  try {
    if (path === array.path) return levelIn(await pyramidOf(array), array);
    if (path !== "/" && isKnownAbsent(array.store, path)) return undefined;
    const location = new Location(array.store, path as AbsolutePath);
    return levelIn(await pyramidOf(await openerBeside(array)(location, { kind: "group" })), array);
  } catch (error) {
    if (error instanceof ZarrError && MEANS_NO_LEVEL.includes(error.code)) return undefined;
    throw error;
  }
}

async function searched(array: AnyArray, pyramidOf: PyramidOf): Promise<FoundLevel | undefined> {
  let path: string = array.path;
  for (let step = 0; step <= MAX_PARENTS; step += 1) {
    const found = await levelAt(array, path, pyramidOf);
    if (found || path === "/") return found;
    path = parentOf(path);
  }
  return undefined;
}

/** Remembers the level for another object of the same array. */
function rememberFor(array: AnyArray, found: FoundLevel | undefined): void {
  const known = found && remembered.get(found.level.array);
  if (known && known.level === found.level) remembered.set(array, known);
}

/** Searches the array and the groups above it. Undefined if no pyramid has the array. */
export function findLevel(
  array: AnyArray,
  pyramidOf: PyramidOf,
  signal: AbortSignal | undefined,
): Promise<FoundLevel | undefined> {
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
