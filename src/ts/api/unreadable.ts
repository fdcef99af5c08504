/**
 * `UnreadableNode`: a node that exists but cannot be opened. It is listed with its error and with
 * what is known of it.
 */
import { type ErrorReport, errorFromReport, type ZarrError } from "../model/errors.ts";
import { parseJsonText } from "../model/marked_json.ts";
import type { UnreadableSummary } from "../model/node_summary.ts";
import type { AbsolutePath, Attributes, Readable } from "../model/types.ts";
import { Location } from "./location.ts";

/** The known data of a node. */
interface Known {
  kind?: "array" | "group";
  shape?: number[];
  dtype?: string;
  attrs?: Attributes;
}

/** `children()` returns it in place of an `Array` or a `Group`, whose `error` is undefined. */
export class UnreadableNode<Store extends Readable> extends Location<Store> {
  /** The error with which opening the node rejects. */
  readonly error: ZarrError;
  /** The kind of node; `"group"` if its documents do not tell. */
  readonly kind: "array" | "group";
  /** Shape in elements, if it is an array and its metadata has it. */
  readonly shape: number[] | undefined;
  /** Name of the data type in the metadata, which may be unknown; only of arrays. */
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

/** Makes the node of a summary. `better` is the error that opening it threw, if it was tried. */
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
