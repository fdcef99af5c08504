/**
 * Findings: what is wrong, or worth knowing, in a node's attributes.
 */

export interface Finding {
  /** A stable name, such as `multiscales/asset-path`: branch on it, not on the message. */
  rule: string;
  /** Where, as a JSON pointer into the attributes; `""` is all of them. */
  path: string;
  /** `error`: against a "must"; `warning`: against a "should", or readable only by guessing; `info`: worth knowing. */
  severity: "error" | "warning" | "info";
  message: string;
  /** The label of the convention; absent where the list of declarations is meant. */
  convention?: string;
}
