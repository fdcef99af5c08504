/** What goes wrong in codecs of the user's, on its way to becoming a `CodecPipelineError`. */
import type { ErrorReport } from "../model/errors.ts";
import type { CodecRequest } from "./site.ts";

/** A codec gave what it must not, or lacks what it would have to have. */
/** A failed part: the engine's error as JSON, and what a codec of the user's threw. */
export interface Failure {
  report: string;
  cause?: unknown;
}

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

const messageOf = (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown));

/** The report of what a codec threw, or of a fault. */
export function failureOf(
  { key, site, direction }: Pick<CodecRequest, "site" | "direction"> & { key?: string },
  thrown: unknown,
): Failure {
  const report: ErrorReport = {
    code: "Format",
    message: messageOf(thrown),
    stage: direction,
    codec: site.codec,
    key,
  };
  if (thrown instanceof CodecFault) {
    const { expected, actual, code } = thrown;
    return { report: JSON.stringify({ ...report, code, expected, actual }) };
  }
  return {
    report: JSON.stringify({ ...report, message: `a codec failed: ${report.message}` }),
    cause: thrown,
  };
}
