/**
 * `Group`: a node with attributes and children. To open a child by name, call
 * `open(group.resolve(name))`.
 */
import { lazy } from "#lazy";
import type { Dialect, NodeSummary } from "../contract/contract.ts";
import { object, optionsOf, SIGNAL, signalOf } from "../engine/ts/model/argument.ts";
import { worksBehindProxies } from "../engine/ts/model/proxies.ts";
import type {
  AbsolutePath,
  Attributes,
  DataType,
  GroupMetadata,
  Readable,
} from "../engine/ts/model/types.ts";
import { warn, warningsOfStore } from "../engine/ts/port/warnings.ts";
import { Array as ZarrArray } from "./array.ts";
import { childrenOf, FIRST_CODE, type UnreadableNode } from "./children.ts";
import { Location, type NodeOptions } from "./location.ts";
import {
  ATTRIBUTES_RULES,
  type AttributeOptions,
  type AttributesOptions,
  attributesOf,
  documentOf,
  lazyAttributes,
  OpenedNode,
  textsOf,
} from "./node_facts.ts";
import { readSummaryAnew, rememberOpen, UPDATE, updateAll } from "./opened_nodes.ts";
import type { Tree, TreeOptions } from "./tree.ts";
import type { UpdateAttributesOptions } from "./update_attributes.ts";

export type Node<S extends Readable> = ZarrArray<DataType, S> | Group<S>;
export type Children<S extends Readable> = AsyncIterableIterator<Node<S> | UnreadableNode<S>>;

/** The data of a group. */
interface GroupFacts {
  attributes: () => Attributes;
  attributesWith: (options: AttributesOptions) => Attributes;
  warnings: readonly string[];
  texts: () => Record<string, string>;
  format: 2 | 3;
  dialect: Dialect;
}

function factsOf(metadata: GroupMetadata | OpenedNode): GroupFacts {
  if (metadata instanceof OpenedNode) {
    const { warnings, format, dialect } = metadata.summary;
    const texts = () => textsOf(metadata.summary);
    const attributesWith = (options: AttributesOptions) => attributesOf(metadata, options);
    return { attributes: lazyAttributes(metadata), attributesWith, warnings, texts, format, dialect };
  }
  const attributes = () => metadata.attributes ?? {};
  return {
    attributes,
    attributesWith: attributes,
    warnings: [],
    texts: () => textsOf({ document: documentOf(metadata) }),
    format: 3,
    dialect: "v3",
  };
}

export class Group<Store extends Readable = Readable> extends Location<Store> {
  /** As in `Location`. */
  static override readonly name: string = "Group";
  readonly kind = "group";
  /** Always undefined; an `UnreadableNode` has an error here. */
  declare readonly error?: undefined;
  #facts: GroupFacts;
  /** How attributes are parsed. */
  readonly #options: AttributeOptions;

  constructor(store: Store, path: AbsolutePath, metadata: GroupMetadata | OpenedNode) {
    super(store, path);
    object(metadata, "metadata");
    this.#options = metadata instanceof OpenedNode ? metadata.options : {};
    this.#facts = factsOf(metadata);
  }

  /**
   * Parses the attributes again. With `bigint: true`, integers beyond 2^53 of up to 4300 digits are
   * exact bigints.
   */
  attributes(options: AttributesOptions = {}): Attributes {
    return this.#facts.attributesWith(optionsOf(options, ATTRIBUTES_RULES));
  }

  get attrs(): Attributes {
    return this.#facts.attributes();
  }

  /** The Zarr format of the node's metadata. The drafts of v3 count as 3. */
  get zarrFormat(): 2 | 3 {
    return this.#facts.format;
  }

  /** The version of the specification that the metadata follows, including drafts of v3. */
  get dialect(): Dialect {
    return this.#facts.dialect;
  }

  /** The stored texts of the metadata documents, by key suffix. */
  get rawMetadata(): Record<string, string> {
    return this.#facts.texts();
  }

  /**
   * Warnings about metadata that breaks a rule but could be read, and about the server's responses.
   */
  get warnings(): readonly string[] {
    return [...this.#facts.warnings, ...warningsOfStore(this.store)];
  }

  /**
   * The arrays and groups directly below, sorted by name. Requires a store that can list, or
   * consolidated metadata. A node that cannot be opened is an `UnreadableNode`, which has an
   * `error`.
   */
  children(options: NodeOptions = {}): Children<Store> {
    return childrenOf(this, optionsOf(options, SIGNAL), nodeOf<Store>);
  }

  /** The tree of all descendants. A node that cannot be opened has an `error`. */
  async tree(options: TreeOptions = {}): Promise<Tree> {
    const { treeOf } = await lazy();
    return treeOf(this, options, nodeOf, FIRST_CODE);
  }

  /** Merges attributes into the existing ones. With `replace`, only the new ones remain. */
  async updateAttributes(attributes: Attributes, options: UpdateAttributesOptions = {}): Promise<void> {
    const signal = signalOf(options);
    const { attributesChange } = await lazy();
    const change = attributesChange(this, attributes, options);
    try {
      updateAll(this, await change());
    } catch (error) {
      // The store may have acted before it failed.
      const reading = this.refresh().catch(() => {});
      if (!signal?.aborted) await reading;
      throw error;
    }
  }

  /**
   * Reads the metadata again, bypassing all caches. Rejects with a `NotFoundError`, and changes
   * nothing, if the group no longer exists.
   */
  async refresh(options: NodeOptions = {}): Promise<void> {
    const { signal } = optionsOf(options, SIGNAL);
    const { format } = this.#facts;
    updateAll(this, await readSummaryAnew(this, { kind: "group", format, signal }));
  }

  /** @internal */
  [UPDATE](summary: NodeSummary): void {
    this.#facts = factsOf(new OpenedNode(summary, this.#options));
  }
}
worksBehindProxies(Group);

/** Makes the node for a summary from the engine. */
export function nodeOf<S extends Readable>(
  store: S,
  summary: NodeSummary,
  options: AttributeOptions = {},
): Node<S> {
  for (const warning of summary.warnings) warn(warning, summary.path);
  const opened = new OpenedNode(summary, options);
  const at = summary.path as AbsolutePath;
  const node =
    summary.kind === "array"
      ? new ZarrArray<DataType, S>(store, at, opened)
      : new Group<S>(store, at, opened);
  rememberOpen(node);
  return node;
}
