/**
 * `pyramid`: reads the multiscale image of a group or an array. The conventions module
 * (`src/conventions/pyramid`) names the nodes that it needs and interprets them. This file opens
 * them (`known_nodes.ts`) and remembers the levels of arrays (`placing.ts`).
 */

import { need, needReadable, optionsOf, type Rules } from "../model/argument.ts";
import { ZarrError } from "../model/errors.ts";
import { exactJson } from "../model/json.ts";
import type { Readable } from "../model/types.ts";
import { unlessAborted } from "../model/unless_aborted.ts";
import { ask } from "../port/convention.ts";
import { type KnownNodes, knownNodesOf, type PlacedNode } from "./known_nodes.ts";
import { rememberLevels } from "./placing.ts";
import { Pyramid, type PyramidFacts } from "./pyramid_model.ts";

export type { PlacedNode };

export interface PyramidOptions {
  /** Index of the image, for groups with several. Default: 0. */
  image?: number;
  /** Name of the array, for levels that are groups of arrays. */
  variable?: string;
  /**
   * Whether to look for label images. Default: true. It costs one request, unless the store has
   * consolidated metadata.
   */
  labels?: boolean;
  signal?: AbortSignal | undefined;
}

interface Needed {
  nodes: string[];
  arrays: string[];
  optional: string[];
  listings: string[];
}

type Step = PyramidFacts | Needed;

const RULES: Rules = { image: "a number", variable: "a text" };

/** Limit of rounds. A pyramid needs fewer: group, levels, variables, labels, grid mapping. */
const MOST_STEPS = 12;

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
 * The request to the conventions module, with the facts of all known nodes. Paths in `skipped` are
 * listed as absent, although the store was not asked for them.
 */
function question(
  root: string,
  known: KnownNodes<Readable>,
  skipped: ReadonlySet<string>,
  { image = 0, variable }: PyramidOptions,
): string {
  const refused = Object.fromEntries(
    [...known.refused].map(([path, { code, message }]) => [path, { code, message }]),
  );
  const head = exactJson({ operation: "pyramid", root, image, variable, refused }, "image");
  const absent = [...skipped]
    .filter((path) => !known.has(path))
    .map((path) => `${JSON.stringify(path)}:null`);
  const nodes = [known.facts.slice(1, -1), ...absent].filter((part) => part !== "").join(",");
  return `${head.slice(0, -1)},"nodes":{${nodes}}}`;
}

async function read<Store extends Readable>(
  node: PlacedNode<Store>,
  options: PyramidOptions,
): Promise<Pyramid<Store>> {
  const known = knownNodesOf(node);
  const skipped = new Set<string>();
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    options.signal?.throwIfAborted();
    const asked = question(node.path, known as KnownNodes<Readable>, skipped, options);
    const step = await because(ask<Step>(asked), known.refused);
    if (!("nodes" in step)) {
      const pyramid = new Pyramid(step, known.arrays);
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
 * array it is a pyramid of one level. Nodes are opened once for each `Group` object; call `refresh`
 * of the group to read them again. Rejects with a `NotFoundError` for a group without a pyramid.
 *
 *     const image = await pyramid(await open("https://host/image.zarr"));
 *     const { level, selection } = image.pick({ unitsPerPixel: 4 });
 *     const { data, shape } = await level.array.get(selection);
 */
export async function pyramid<Store extends Readable>(
  node: PlacedNode<Store>,
  options: PyramidOptions = {},
): Promise<Pyramid<Store>> {
  needReadable(node, "node");
  need("attrs" in Object(node), "node", "an array or a group");
  optionsOf(options, RULES).signal?.throwIfAborted();
  return unlessAborted(read(node, options), options.signal);
}
