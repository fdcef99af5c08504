/**
 * A node that is there and cannot be opened: it is listed nevertheless, with what is known of it
 * and the error that opening it gives.
 */
import { type ErrorReport, errorFromReport, type ZarrError } from "../model/errors.ts";
import { parseJsonText } from "../model/marked_json.ts";
import type { UnreadableSummary } from "../model/node_summary.ts";
import type { AbsolutePath, Attributes, Readable } from "../model/types.ts";
import { Location } from "./location.ts";

/** What is known of a node, as far as its documents tell. */
interface Known {
  kind?: "array" | "group";
  shape?: number[];
  dtype?: string;
  attrs?: Attributes;
}

/** `children()` gives it in place of an `Array` or a `Group`, which have no `error`. */
export class UnreadableNode<Store extends Readable> extends Location<Store> {
  /** What opening it rejects with. */
  readonly error: ZarrError;
  /** `"group"` where its documents do not say which of the two it is. */
  readonly kind: "array" | "group";
  /** Of an array, where its metadata tells. */
  readonly shape: number[] | undefined;
  /**
   * Of an array: the name of its data type as the metadata has it, which may be one that nobody
   * knows.
   */
  readonly dtype: string | undefined;
  readonly attrs: Attributes;

  constructor(store: Store, path: AbsolutePath, error: ZarrError, known: Known = {}) {
    super(store, path);
    const { kind = "group", shape, dtype, attrs = {} } = known;
    this.error = error;
    this.kind = kind;
    this.shape = shape;
    this.dtype = dtype;
    this.attrs = attrs;
  }
}

/** The node of a summary; `better` is the error that opening it gave. */
export function unreadableOf<S extends Readable>(
  store: S,
  { path, error, attributes, shape, ...known }: UnreadableSummary,
  better?: ZarrError,
): UnreadableNode<S> {
  const attrs = attributes === undefined ? undefined : (parseJsonText(attributes) as Attributes);
  return new UnreadableNode(store, path as AbsolutePath, better ?? errorFromReport(error as ErrorReport), {
    ...known,
    shape: shape?.map(Number),
    attrs,
  });
}
