/**
 * A group: a node with attributes and children. A child whose name is known opens by
 * `open(group.resolve(name))`.
 */
import type { Dialect, NodeSummary } from "../model/node_summary.ts";
import type { AbsolutePath, Attributes, DataType, GroupMetadata, Readable } from "../model/types.ts";
import { warn, warningsOfStore } from "../port/warnings.ts";
import { Array as ZarrArray } from "./array.ts";
import { childrenOf, type Tree, treeOf } from "./children.ts";
import { Location } from "./location.ts";
import {
  type AttributeOptions,
  type AttributesOptions,
  attributesOf,
  documentOf,
  lazyAttributes,
  OpenedNode,
  textsOf,
  textsOfGroup,
} from "./node_facts.ts";
import type { NodeOptions } from "./nodes.ts";
import { BECOME, becomeAll, rememberOpen } from "./open_nodes.ts";
import { readSummaryAnew } from "./summary.ts";
import type { UnreadableNode } from "./unreadable.ts";
import { type UpdateAttributesOptions, updateAttributes } from "./update_attributes.ts";

export type Node<S extends Readable> = ZarrArray<DataType, S> | Group<S>;
export type Children<S extends Readable> = AsyncIterableIterator<Node<S> | UnreadableNode<S>>;

/** What is known of a group. */
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
    const texts = () => textsOfGroup(metadata.summary);
    const attributesWith = (options: AttributesOptions) => attributesOf(metadata, options);
    return { attributes: lazyAttributes(metadata), attributesWith, warnings, texts, format, dialect };
  }
  const attributes = () => metadata.attributes ?? {};
  return {
    attributes,
    attributesWith: attributes,
    warnings: [],
    texts: () => textsOf(documentOf(metadata)),
    format: 3,
    dialect: "v3",
  };
}

export class Group<Store extends Readable> extends Location<Store> {
  readonly kind = "group";
  /** An `UnreadableNode` has one. */
  declare readonly error?: undefined;
  #facts: GroupFacts;
  /** How attributes are read. */
  readonly #options: AttributeOptions;

  constructor(store: Store, path: AbsolutePath, metadata: GroupMetadata | OpenedNode) {
    super(store, path);
    this.#options = metadata instanceof OpenedNode ? metadata.options : {};
    this.#facts = factsOf(metadata);
  }

  /** The attributes, read anew: with `bigint: true` every 64-bit integer in them is exact. */
  attributes(options: AttributesOptions = {}): Attributes {
    return this.#facts.attributesWith(options);
  }

  get attrs(): Attributes {
    return this.#facts.attributes();
  }

  /** The format of the metadata that counts; the drafts of v3 are 3. */
  get zarrFormat(): 2 | 3 {
    return this.#facts.format;
  }

  /** Which text the metadata follows: of the drafts of v3 too. */
  get dialect(): Dialect {
    return this.#facts.dialect;
  }

  /** The metadata documents as they are stored, by key suffix. */
  get rawMetadata(): Record<string, string> {
    return this.#facts.texts();
  }

  /** What was read although it bends the rules, and what was odd about the server's answers. */
  get warnings(): readonly string[] {
    return [...this.#facts.warnings, ...warningsOfStore(this.store)];
  }

  /**
   * The arrays and groups directly below, by name. Needs a store that lists, or consolidated
   * metadata. What cannot be opened is an `UnreadableNode`, which has an `error`.
   */
  children(options: NodeOptions = {}): Children<Store> {
    return childrenOf(this, options, nodeOf<Store>);
  }

  /** Everything below, as far as it goes. What cannot be opened has an `error`. */
  tree(options: NodeOptions = {}): Promise<Tree> {
    return treeOf(this, options, nodeOf);
  }

  /** Merges attributes into those there are; with `replace` they alone remain. */
  async updateAttributes(attributes: Attributes, options: UpdateAttributesOptions = {}): Promise<void> {
    becomeAll(this, await updateAttributes(this, attributes, options));
  }

  /**
   * Reads the metadata again, past all caches. Rejects, and stays as it is, when there is no such
   * group any more.
   */
  async refresh({ signal }: NodeOptions = {}): Promise<void> {
    const { format } = this.#facts;
    becomeAll(this, await readSummaryAnew(this, { kind: "group", format, signal }));
  }

  /** @internal */
  [BECOME](summary: NodeSummary): void {
    this.#facts = factsOf(new OpenedNode(summary, this.#options));
  }
}

/** The node that the engine has opened or made. */
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
