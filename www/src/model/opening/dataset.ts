/**
 * An open data set: its root, nodes by path, the children of groups, and the node to show first.
 * The names of children are from consolidated metadata, from a listing if the store can list, or
 * from attributes. Each node is opened once.
 */

import * as zarr from "zarr-wasm";
import { isSeries, type NamedNode, namedBelow, namesItsNodes, roleOf } from "../scene/ome.js";
import type { ArrayNode, GroupNode } from "../scene/scene.js";
import { parentOf, plainPath } from "../text/paths.js";
import { NO_OTHER_SERVER, type Source } from "./source.js";

export type { ArrayNode, GroupNode };
export type DatasetNode = ArrayNode | GroupNode;

/** The promise of a key, which callers share. A failed one is made again at the next call. */
export function remembered<Key, T>(
  known: Map<Key, Promise<T>>,
  key: Key,
  make: () => Promise<T>,
): Promise<T> {
  const before = known.get(key);
  if (before) return before;
  const made = make();
  known.set(key, made);
  made.catch(() => known.delete(key));
  return made;
}

export class Dataset {
  readonly #nodes = new Map<string, Promise<DatasetNode>>();
  readonly #children = new Map<string, Promise<NamedNode[] | null>>();

  constructor(
    readonly source: Source,
    readonly root: DatasetNode,
    /** All nodes, if there is consolidated metadata. */
    readonly all: readonly NamedNode[] | null,
  ) {
    this.#nodes.set("", Promise.resolve(root));
  }

  /** Opens the node at a path. A failed attempt is repeated at the next call. */
  node(path: string): Promise<DatasetNode> {
    return remembered(this.#nodes, path, () => this.#open(path));
  }

  /**
   * Nodes nearly always have the format of the root, so requests for the other format are avoided.
   */
  async #open(path: string): Promise<DatasetNode> {
    const { store, zarrFormat } = this.root;
    try {
      return await (zarrFormat === 3 ? zarr.open.v3(store, { path }) : zarr.open.v2(store, { path }));
    } catch (error) {
      if (!zarr.isZarritaError(error, "NotFoundError")) throw error;
      return zarr.open(store, { path });
    }
  }

  /** The children of a group; null if they cannot be listed. */
  children(path: string): Promise<NamedNode[] | null> {
    return remembered(this.#children, path, () => this.#below(path));
  }

  async #below(path: string): Promise<NamedNode[] | null> {
    const group = await this.node(path);
    if (group.kind === "array") return [];
    const named = namedBelow(group);
    if (named.length > 0) return named;
    if (isSeries(group.attrs)) return this.#series(group);
    return this.#listed(group);
  }

  /** The images of a file with several series. */
  async #series(group: GroupNode): Promise<NamedNode[]> {
    const { series } = await zarr.pyramid(group, { labels: false, image: 0 });
    return series.map(({ path }) => ({ path: plainPath(path), kind: "group", role: "image" }));
  }

  async #listed(group: GroupNode): Promise<NamedNode[] | null> {
    const found: NamedNode[] = [];
    try {
      for await (const child of group.children()) {
        const path = plainPath(child.path);
        const isNode = child instanceof zarr.Array || child instanceof zarr.Group;
        if (isNode) this.#nodes.set(path, Promise.resolve(child as DatasetNode));
        const role = isNode && child.kind === "group" ? roleOf(child.attrs) : undefined;
        found.push({ path, kind: child.kind === "array" ? "array" : "group", role });
      }
    } catch (error) {
      // The store cannot list, so the user has to type the path.
      if (error instanceof zarr.ZarrError && error.code !== "Aborted") return null;
      throw error;
    }
    return found.sort((a, b) => byName(a.path, b.path));
  }

  /** The warnings about the server's responses. */
  get warnings(): readonly string[] {
    const { warnings } = this.source.store as { warnings?: readonly string[] };
    return warnings ?? this.root.warnings;
  }
}

const order = new Intl.Collator("en", { numeric: true });
const byName = (a: string, b: string) => order.compare(a, b);

export async function openDataset(source: Source, signal: AbortSignal): Promise<Dataset> {
  const { root, consolidated } = await openRoot(source.store, signal);
  signal.throwIfAborted();
  if (root.kind === "array") return new Dataset(source, root, [{ path: "", kind: "array" }]);
  const store = consolidated ?? (await consolidatedV2(root, source.store));
  signal.throwIfAborted();
  if (!store) return new Dataset(source, root, null);
  const { zarrFormat } = root;
  const known = await (zarrFormat === 3 ? zarr.open.v3(store, { signal }) : zarr.open.v2(store, { signal }));
  return new Dataset(source, known, sorted(store.contents()));
}

type Consolidated = zarr.Listable<zarr.AsyncReadable>;

/** The store with its consolidated metadata; null if it has none. */
async function consolidatedStore(store: zarr.Readable, format: "v2" | "v3"): Promise<Consolidated | null> {
  const found = await zarr.withMaybeConsolidatedMetadata(store as zarr.AsyncReadable, { format });
  return "contents" in found ? found : null;
}

/**
 * Opens v3 first, and v2 only if there is no v3, because browsers log each absent document. In v3
 * the root's document has the consolidated metadata: both calls share one request.
 */
async function openRoot(
  store: zarr.Readable,
  signal: AbortSignal,
): Promise<{ root: DatasetNode; consolidated: Consolidated | null }> {
  const consolidated = consolidatedStore(store, "v3").catch(() => null);
  try {
    return {
      root: await zarr.open.v3(store, { signal, ...NO_OTHER_SERVER }),
      consolidated: await consolidated,
    };
  } catch {
    signal.throwIfAborted();
    // Drafts of v3, and servers that refuse requests for absent documents.
    return { root: await zarr.open(store, { signal, ...NO_OTHER_SERVER }), consolidated: null };
  }
}

/**
 * The store with the consolidated metadata of v2, which is a document of its own. It is not
 * requested if the attributes name the children.
 */
async function consolidatedV2(root: GroupNode, store: zarr.Readable): Promise<Consolidated | null> {
  if (root.zarrFormat === 3 || namesItsNodes(root.attrs)) return null;
  return consolidatedStore(store, "v2");
}

function sorted(contents: { path: string; kind: "array" | "group" }[]): NamedNode[] {
  const entries: NamedNode[] = contents.map(({ path, kind }) => ({ path: plainPath(path), kind }));
  if (!entries.some((entry) => entry.path === "")) entries.push({ path: "", kind: "group" });
  return entries.sort((a, b) => byName(a.path, b.path));
}

/** Maximum depth at which an image or an array is searched. */
const DEPTH = 3;

/**
 * The path of the node to show first: the root if it is an array, an image, a plate or a group of
 * variables, else the first image or array below it.
 */
export async function firstPath(dataset: Dataset, signal: AbortSignal): Promise<string> {
  let path = "";
  for (let depth = 0; depth < DEPTH; depth += 1) {
    const node = await dataset.node(path);
    signal.throwIfAborted();
    if (node.kind === "array" || roleOf(node.attrs) !== undefined) return path;
    const listed = dataset.all?.filter((entry) => entry.path !== "" && parentOf(entry.path) === path);
    if (listed?.some(({ kind }) => kind === "array")) return path;
    const below = isSeries(node.attrs) || !listed ? await dataset.children(path) : listed;
    signal.throwIfAborted();
    // A group of arrays selects the array to show.
    if (!below || below.length === 0 || below.some(({ kind }) => kind === "array")) return path;
    path = below[0]?.path ?? path;
  }
  return path;
}

/** The path of the image of which an array is a level. */
export async function imageAround(dataset: Dataset, path: string): Promise<string | null> {
  // A level need not be a direct child of its image.
  for (const depth of [-1, -2]) {
    const above = path.split("/").slice(0, depth).join("/");
    const group = await dataset.node(above).catch(() => null);
    const nodes = group?.kind === "group" ? namedBelow(group) : [];
    if (nodes.some((node) => node.role === "level" && node.path === path)) return above;
  }
  return null;
}
