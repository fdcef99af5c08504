/**
 * The findings that `validate` reports about a node's attributes.
 */

export interface Finding {
  /** A stable identifier, such as `multiscales/asset-path`. Messages may change; this does not. */
  rule: string;
  /** JSON pointer into the attributes; `""` is all attributes. */
  path: string;
  /**
   * `error`: violates a "must" of the convention. `warning`: violates a "should", or is ambiguous.
   * `info`: a note.
   */
  severity: "error" | "warning" | "info";
  message: string;
  /** The label of the convention; absent if the finding is about the list of declarations. */
  convention?: string;
}
