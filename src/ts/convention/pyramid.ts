/**
 * `pyramid`: from a group (or an array) to the one model of its levels. The conventions' module says which nodes it needs; here
 * they are opened (`known_nodes.ts`), and the arrays of levels learn where they are (`placing.ts`).
 */
import { ZarrError } from "../model/errors.ts";
import type { Readable } from "../model/types.ts";
import { unlessAborted } from "../model/unless_aborted.ts";
import { ask } from "../port/convention.ts";
import { type KnownNodes, knownNodesOf, type PlacedNode } from "./known_nodes.ts";
import { rememberLevels } from "./placing.ts";
import { Pyramid, type PyramidFacts } from "./pyramid_model.ts";

export type { PlacedNode };

export interface PyramidOptions {
  /** Which image, where a group has several; the first unless given. */
  image?: number;
  /** Which array, where levels are groups of several. */
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

/** More questions than any pyramid asks: its group, levels, variables, labels, a grid mapping. */
const MOST_STEPS = 12;

/** An answer; of an error, the first refusal is the cause. */
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
 * The question for the conventions' module: what is known of the nodes so far. Paths in `skipped`
 * are called absent in this question only, because the store was not asked for them.
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
  const head = JSON.stringify({ verb: "pyramid", root, image, variable, refused });
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
 * The pyramid of a group: OME-Zarr, `multiscales`, ndpyramid or `tile_matrix_set`; of an array, a
 * pyramid of one level. Its nodes are opened once for each `Group` object: `refresh` of the group
 * looks again. Rejects with a `NotFoundError` for a group that has none.
 */
export async function pyramid<Store extends Readable>(
  node: PlacedNode<Store>,
  options: PyramidOptions = {},
): Promise<Pyramid<Store>> {
  options.signal?.throwIfAborted();
  return unlessAborted(read(node, options), options.signal);
}
