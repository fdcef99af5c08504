/**
 * A group: a node with attributes and children. Opening its children is `open(group.resolve(name))`.
 */
import { Location } from "./location.ts";
import { documentOf, lazyAttributes, OpenedNode, textsOf } from "./node_facts.ts";
import type { AbsolutePath, Attributes, GroupMetadata, Readable } from "./types.ts";

export class Group<Store extends Readable> extends Location<Store> {
  readonly kind = "group";
  readonly #attributes: () => Attributes;
  readonly #warnings: readonly string[];
  readonly #document: string;
  /** The format of the metadata that counts; the drafts of v3 are 3. */
  readonly zarrFormat: 2 | 3;

  constructor(store: Store, path: AbsolutePath, metadata: GroupMetadata | OpenedNode) {
    super(store, path);
    if (metadata instanceof OpenedNode) {
      this.#attributes = lazyAttributes(metadata);
      this.#warnings = metadata.summary.warnings;
      this.#document = metadata.summary.document;
      this.zarrFormat = metadata.summary.format;
    } else {
      this.#attributes = () => metadata.attributes ?? {};
      this.#warnings = [];
      this.#document = documentOf(metadata);
      this.zarrFormat = 3;
    }
  }

  get attrs(): Attributes {
    return this.#attributes();
  }

  /** The metadata documents as they are stored, by key suffix. */
  get rawMetadata(): Record<string, string> {
    return textsOf(this.#document);
  }

  /** What was read although it bends the rules. */
  get warnings(): readonly string[] {
    return this.#warnings;
  }
}
