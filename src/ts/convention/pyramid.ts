/**
 * `pyramid`: from a group (or an array) to the one model of its levels. The conventions' module says which nodes it needs; here
 * they are opened, the consolidated metadata first where the store has them.
 */
import { Array as ZarrArray } from "../array.ts";
import { withMaybeConsolidatedMetadata } from "../consolidated.ts";
import { NotFoundError, ZarrError } from "../errors.ts";
import { Location } from "../location.ts";
import { open } from "../open.ts";
import type { AbsolutePath, AsyncReadable, DataType, Readable } from "../types.ts";
import { type ChildFact, factsOf, type NodeLike } from "./facts.ts";
import { ask } from "./module.ts";
import { Pyramid, type PyramidFacts } from "./pyramid_model.ts";

export interface PyramidOptions {
  /** Which image, where a group has several; the first unless given. */
  image?: number;
  /** Which array, where levels are groups of several. */
  variable?: string;
  signal?: AbortSignal;
}

type Step = PyramidFacts | { nodes: string[]; listings: string[] };

/** A group or array, ours or zarrita's. */
export interface PlacedNode<Store extends Readable> extends NodeLike {
  readonly store: Store;
  readonly path: string;
}

/** More questions than any pyramid asks: its group, levels, variables, labels, a grid mapping. */
const MOST_STEPS = 12;

/** How many nodes are opened at a time. */
const AT_ONCE = 16;

/** Errors of one node that leave the others usable. */
const PASSED_OVER = ["NotFound", "Format", "Unsupported", "Limit"];

interface Contents {
  contents(): { path: string; kind: "array" | "group" }[];
}

const isListed = (store: unknown): store is Contents =>
  typeof (store as Partial<Contents>)?.contents === "function";

class Reader<Store extends Readable> {
  /** JSON text of the facts of each node, `null` for one that is not there. */
  readonly facts = new Map<string, string>();
  readonly arrays = new Map<string, ZarrArray<DataType, Store>>();
  /** Of nodes that are there and cannot be opened. */
  readonly refused = new Map<string, ZarrError>();
  readonly #nodes = new Map<string, NodeLike>();
  #store: Readable;
  readonly #signal: AbortSignal | undefined;

  constructor(store: Store, signal?: AbortSignal) {
    this.#store = store;
    this.#signal = signal;
  }

  add(path: string, node: NodeLike, children?: ChildFact[]): void {
    this.#nodes.set(path, node);
    if (node instanceof ZarrArray) this.arrays.set(path, node as ZarrArray<DataType, Store>);
    this.facts.set(path, factsOf(node, children).text);
  }

  async open(path: string): Promise<void> {
    const place = new Location(this.#store, path as AbsolutePath);
    try {
      this.add(path, await open(place, { signal: this.#signal }));
    } catch (error) {
      if (!(error instanceof ZarrError) || !PASSED_OVER.includes(error.code)) throw error;
      this.facts.set(path, "null");
      if (!(error instanceof NotFoundError)) this.refused.set(path, error);
    }
  }

  async openAll(paths: string[]): Promise<void> {
    for (let at = 0; at < paths.length; at += AT_ONCE) {
      await Promise.all(paths.slice(at, at + AT_ONCE).map((path) => this.open(path)));
    }
  }

  /** An answer; of an error, the first refusal is the cause. */
  async because<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      const [cause] = this.refused.values();
      if (!(error instanceof ZarrError) || !cause) throw error;
      Object.defineProperty(error, "cause", { value: cause, configurable: true, writable: true });
      throw error;
    }
  }

  /** What is below a group; nothing where nobody can tell. */
  async list(path: string): Promise<void> {
    const node = this.#nodes.get(path);
    if (node) this.add(path, node, (await this.#children(node, path)) ?? []);
  }

  async #children(node: NodeLike, path: string): Promise<ChildFact[] | undefined> {
    if (!isListed(this.#store)) {
      this.#store = await withMaybeConsolidatedMetadata(this.#store as AsyncReadable);
    }
    if (isListed(this.#store)) {
      const base = path === "/" ? "/" : `${path}/`;
      const below = this.#store
        .contents()
        .filter((entry) => entry.path.startsWith(base) && entry.path !== base);
      if (below.length > 0) return below.map(({ path, kind }) => ({ path: path.slice(base.length), kind }));
    }
    return childrenOf(node, path);
  }
}

/** The children of a group that can list them. */
async function childrenOf(node: NodeLike, path: string): Promise<ChildFact[] | undefined> {
  const { children } = node as { children?: () => AsyncIterable<{ path: string; kind?: string }> };
  if (typeof children !== "function") return undefined;
  const found: ChildFact[] = [];
  try {
    for await (const child of children.call(node)) {
      const name = child.path.slice(path === "/" ? 1 : path.length + 1);
      if (child.kind === "array" || child.kind === "group") found.push({ path: name, kind: child.kind });
    }
  } catch (error) {
    // A store that cannot list says so; then the caller has to name the variable.
    if (!(error instanceof ZarrError) || error.code === "Aborted") throw error;
    return undefined;
  }
  return found;
}

function question<S extends Readable>(
  root: string,
  reader: Reader<S>,
  { image = 0, variable }: PyramidOptions,
): string {
  const nodes = [...reader.facts].map(([path, facts]) => `${JSON.stringify(path)}:${facts}`).join(",");
  const refused = Object.fromEntries(
    [...reader.refused].map(([path, { code, message }]) => [path, { code, message }]),
  );
  const head = JSON.stringify({ verb: "pyramid", root, image, variable, refused });
  return `${head.slice(0, -1)},"nodes":{${nodes}}}`;
}

/**
 * The pyramid of a group: OME-Zarr, `multiscales`, ndpyramid or `tile_matrix_set`; of an array, a pyramid of one level.
 * Rejects with a `NotFoundError` for a group that has none.
 */
export async function pyramid<Store extends Readable>(
  node: PlacedNode<Store>,
  options: PyramidOptions = {},
): Promise<Pyramid<Store>> {
  const { signal } = options;
  const reader = new Reader(node.store, signal);
  const isForeignArray = node.shape !== undefined && !(node instanceof ZarrArray);
  if (isForeignArray) await reader.open(node.path);
  else reader.add(node.path, node);
  for (let steps = 0; steps < MOST_STEPS; steps++) {
    signal?.throwIfAborted();
    const step = await reader.because(ask<Step>(question(node.path, reader, options)));
    if (!("nodes" in step)) return new Pyramid(step, reader.arrays);
    await reader.openAll(step.nodes);
    for (const path of step.listings) await reader.list(path);
  }
  throw new ZarrError("Unsupported", "the pyramid needs too many nodes to be understood", {
    path: node.path,
  });
}
