/**
 * Errors of users' codecs, before they become a `CodecPipelineError`.
 */
import { asked, type ErrorReport, namesOfThrown } from "../model/errors.ts";
import type { CodecRequest } from "./site.ts";

/**
 * The failure of a part: the engine's error as JSON text, and the value that a user's codec threw.
 */
export interface Failure {
  report: string;
  cause?: unknown;
}

/** A codec returned an invalid value, or lacks a required member. */
export class CodecFault extends Error {
  readonly expected: string;
  readonly actual: string;
  readonly code: "Format" | "Unsupported";

  constructor(message: string, expected: string, actual: string, code: "Format" | "Unsupported" = "Format") {
    super(message);
    this.expected = expected;
    this.actual = actual;
    this.code = code;
  }
}

/** Makes the failure for a value that a codec threw, or for a fault. */
export function failureOf(
  { key, site, direction }: Pick<CodecRequest, "site" | "direction"> & { key?: string },
  thrown: unknown,
): Failure {
  const report: ErrorReport = {
    code: "Format",
    message: namesOfThrown(thrown).message,
    stage: direction,
    codec: site.codec,
    key,
  };
  if (asked(() => thrown instanceof CodecFault)) {
    const { expected, actual, code } = thrown as CodecFault;
    return { report: JSON.stringify({ ...report, code, expected, actual }) };
  }
  return {
    report: JSON.stringify({ ...report, message: `a codec failed: ${report.message}` }),
    cause: thrown,
  };
}
