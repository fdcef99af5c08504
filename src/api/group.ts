/**
 * `Group`: a node with attributes and children. To open a child by name, call
 * `open(group.resolve(name))`.
 */
import { lazy } from "#lazy";
import type { NodeSummary } from "../contract/contract.ts";
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
  type Dialect,
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

/**
 * A group: its attributes, and the arrays and groups below it. `open` and `create` return it.
 * `open(group.resolve("name"))` opens a child by name.
 */
export class Group<Store extends Readable = Readable> extends Location<Store> {
  /** The name of the class, `"Group"`, also in minified code. */
  static override readonly name: string = "Group";
  /** Always `"group"`; an array has `"array"`. */
  readonly kind = "group";
  /** Always undefined; an `UnreadableNode` has an error here. */
  declare readonly error?: undefined;
  #facts: GroupFacts;
  /** How attributes are parsed. */
  readonly #options: AttributeOptions;

  /**
   * Makes a group from metadata that you have, as zarrita does. Most programs call `open`.
   *
   * @param store The store with the group.
   * @param path The path of the group in the store.
   * @param metadata The metadata document of v3, as an object.
   */
  constructor(store: Store, path: AbsolutePath, metadata: GroupMetadata);
  /** @internal */
  constructor(store: Store, path: AbsolutePath, metadata: GroupMetadata | OpenedNode);
  constructor(store: Store, path: AbsolutePath, metadata: GroupMetadata | OpenedNode) {
    super(store, path);
    object(metadata, "metadata");
    this.#options = metadata instanceof OpenedNode ? metadata.options : {};
    this.#facts = factsOf(metadata);
  }

  /** Parses the attributes again, with exact integers if that is wanted. */
  attributes(options: AttributesOptions = {}): Attributes {
    return this.#facts.attributesWith(optionsOf(options, ATTRIBUTES_RULES));
  }

  /**
   * The attributes. Integers beyond 2^53 are rounded, unless `exactIntegers` was given to `open`.
   */
  get attrs(): Attributes {
    return this.#facts.attributes();
  }

  /** The Zarr format of the metadata. The drafts of v3 count as 3. */
  get zarrFormat(): 2 | 3 {
    return this.#facts.format;
  }

  /** The version of the specification that the metadata follows, including drafts of v3. */
  get dialect(): Dialect {
    return this.#facts.dialect;
  }

  /**
   * The stored texts of the metadata documents, by their keys below the node, such as `zarr.json`.
   */
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
   *
   * @throws an `UnsupportedError` if the store cannot list and there is no consolidated metadata.
   */
  children(options: NodeOptions = {}): Children<Store> {
    return childrenOf(this, optionsOf(options, SIGNAL), nodeOf<Store>);
  }

  /**
   * The tree of all descendants. A node that cannot be opened has an `error`. `String(tree)` draws
   * it.
   *
   * @throws a `Limit` error for more nodes than `maxNodes`.
   * @throws an `UnsupportedError` if the store cannot list and there is no consolidated metadata.
   */
  async tree(options: TreeOptions = {}): Promise<Tree> {
    const { treeOf } = await lazy();
    return treeOf(this, options, nodeOf, FIRST_CODE);
  }

  /**
   * Merges attributes into the existing ones. With `replace`, only the new ones remain.
   *
   * @param attributes The attributes to write, which must be JSON.
   * @throws an `Argument` error for what is not an object of JSON.
   * @throws a `NotFoundError` if the group no longer exists.
   * @throws an `UnsupportedError` if the store cannot write.
   * @throws a `Store` error if the store or its server fails.
   */
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
   * Reads the metadata again, bypassing all caches.
   *
   * @throws a `NotFoundError` if the group no longer exists. Nothing is changed then.
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
