/**
 * The nodes around a node, each of which is opened once, also for concurrent calls: the groups and
 * arrays of one pyramid, which the conventions module interprets. Consolidated metadata is
 * preferred if the store has it.
 */
import { Array as ZarrArray } from "../../api/array.ts";
import { withMaybeConsolidatedMetadata } from "../../api/consolidated.ts";
import { consolidatedChildren } from "../../api/consolidated_children.ts";
import { Location } from "../../api/location.ts";
import type { Dialect } from "../../api/node_facts.ts";
import { open, openerBeside } from "../../api/open.ts";
import type { ChildFact, MemberKind } from "../../contract/contract.ts";
import { NotFoundError, ZarrError } from "../../engine/ts/model/errors.ts";
import { below, factsOf, type NodeLike, parentOf } from "../../engine/ts/model/node_like.ts";
import { once } from "../../engine/ts/model/once.ts";
import { unproxied } from "../../engine/ts/model/proxies.ts";
import type {
  AbsolutePath,
  AsyncReadable,
  Attributes,
  DataType,
  Readable,
} from "../../engine/ts/model/types.ts";

/** A group or array of this package or of zarrita. */
export interface PlacedNode<Store extends Readable> extends NodeLike {
  /** The store with the node. */
  readonly store: Store;
  /** The path of the node in the store. */
  readonly path: string;
  /** The version of the metadata format; only nodes of this package have it. */
  readonly dialect?: Dialect | undefined;
}

/** Number of nodes that are opened at the same time. */
const AT_ONCE = 16;

/** Codes of errors that concern one node only. */
const PASSED_OVER = ["NotFound", "Format", "Unsupported", "Limit"];

interface Contents {
  contents(): { path: string; kind: MemberKind }[];
}

const isListed = (store: unknown): store is Contents =>
  typeof (store as Partial<Contents>)?.contents === "function";

/** Whether the store has consolidated metadata that does not list this path. */
export function isKnownAbsent(store: object, path: string): boolean {
  const siblings = consolidatedChildren(store, parentOf(path));
  return siblings !== undefined && !siblings.includes(path as AbsolutePath);
}

export class KnownNodes<Store extends Readable> {
  readonly arrays = new Map<string, ZarrArray<DataType, Store>>();
  /** Errors of nodes that exist and cannot be opened, by path. */
  readonly refused = new Map<string, ZarrError>();
  readonly #root: PlacedNode<Store>;
  /** The nodes by path. Undefined for nodes that do not exist or cannot be opened. */
  readonly #nodes = new Map<string, NodeLike | undefined>();
  readonly #children = new Map<string, ChildFact[]>();
  readonly #opening = new Map<string, Promise<void>>();
  /** The attributes of the nodes when they were opened. */
  readonly #seen = new Map<NodeLike, Attributes>();
  #store: Readable;

  constructor(root: PlacedNode<Store>) {
    this.#root = root;
    this.#store = root.store;
    const isForeignArray = root.shape !== undefined && !(root instanceof ZarrArray);
    if (!isForeignArray) this.add(root.path, root);
  }

  /** Whether the attributes of all nodes are the same objects as when they were opened. */
  get isCurrent(): boolean {
    return [...this.#seen].every(([node, attributes]) => node.attrs === attributes);
  }

  /** Forgets nodes that did not exist or failed to open, because they may exist now. */
  forgetAbsent(): void {
    for (const [path, node] of this.#nodes) if (!node) this.#nodes.delete(path);
    this.refused.clear();
  }

  add(path: string, node: NodeLike | undefined): void {
    this.#nodes.set(path, node);
    if (node) this.#seen.set(node, node.attrs);
    if (node instanceof ZarrArray) this.arrays.set(path, node as ZarrArray<DataType, Store>);
  }

  has(path: string): boolean {
    return this.#nodes.has(path);
  }

  /** JSON text of the facts of all nodes by path; null for a node that does not exist. */
  get facts(): string {
    const factOf = (path: string, node: NodeLike | undefined) =>
      node ? factsOf(node, this.#children.get(path)).text : "null";
    const nodes = [...this.#nodes].map(([path, node]) => `${JSON.stringify(path)}:${factOf(path, node)}`);
    return `{${nodes.join(",")}}`;
  }

  /** Opens the nodes that are not in the cache, 16 at a time. */
  async openAll(paths: readonly string[], kind?: MemberKind): Promise<void> {
    for (let at = 0; at < paths.length; at += AT_ONCE) {
      await Promise.all(paths.slice(at, at + AT_ONCE).map((path) => this.#openOnce(path, kind)));
    }
  }

  /** Opens groups that may be missing, except those that consolidated metadata rules out. */
  async openOptional(paths: readonly string[]): Promise<void> {
    const mayExist = (path: string) => !isKnownAbsent(this.#root.store, path);
    await this.openAll(paths.filter(mayExist), "group");
  }

  #openOnce(path: string, kind: MemberKind | undefined): Promise<void> {
    if (this.#nodes.has(path)) return Promise.resolve();
    return once(
      this.#opening,
      path,
      () => this.#open(path, kind),
      () => false,
    );
  }

  /** Several callers may wait for the same node, so no caller's signal cancels this. */
  async #open(path: string, kind: MemberKind | undefined): Promise<void> {
    const location = new Location(this.#store, path as AbsolutePath);
    const { dialect } = this.#root;
    const opener = dialect ? openerBeside({ dialect }) : open;
    try {
      this.add(path, await opener(location, kind ? ({ kind } as { kind: "array" }) : {}));
    } catch (error) {
      if (!(error instanceof ZarrError) || !PASSED_OVER.includes(error.code)) throw error;
      this.add(path, undefined);
      if (!(error instanceof NotFoundError)) this.refused.set(path, error);
    }
  }

  /** Lists the children of a group. Does nothing if the store cannot list. */
  async list(path: string): Promise<void> {
    const node = this.#nodes.get(path);
    if (node && !this.#children.has(path))
      this.#children.set(path, (await this.#childrenOf(node, path)) ?? []);
  }

  async #childrenOf(node: NodeLike, path: string): Promise<ChildFact[] | undefined> {
    if (!isListed(this.#store)) {
      const { dialect } = this.#root;
      const format = dialect === "v3" || dialect === "v2" ? dialect : undefined;
      this.#store = await withMaybeConsolidatedMetadata(this.#store as AsyncReadable, format && { format });
    }
    if (isListed(this.#store)) {
      const base = below(path, "");
      const found = this.#store
        .contents()
        .filter((entry) => entry.path.startsWith(base) && entry.path !== base);
      if (found.length > 0) return found.map(({ path, kind }) => ({ path: path.slice(base.length), kind }));
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
    // The store cannot list. The caller then gets an error that asks for a variable.
    if (!(error instanceof ZarrError) || error.code === "Aborted") throw error;
    return undefined;
  }
  return found;
}

const known = new WeakMap<NodeLike, KnownNodes<Readable>>();

/**
 * The cache for a group or a single array. Changes through this package and `refresh` replace it.
 */
export function knownNodesOf<Store extends Readable>(root: PlacedNode<Store>): KnownNodes<Store> {
  const key = unproxied(root);
  const before = known.get(key);
  if (before?.isCurrent) {
    before.forgetAbsent();
    return before as KnownNodes<Store>;
  }
  const nodes = new KnownNodes(key);
  known.set(key, nodes);
  return nodes;
}
