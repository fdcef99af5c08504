/**
 * Errors of users' codecs, before they become a `CodecPipelineError`.
 */
import type { ErrorContext, ErrorRecord } from "../../../contract/contract.ts";
import { namesOfThrown } from "../model/errors.ts";
import { asked } from "../model/realms.ts";
import type { CodecRequest } from "./site.ts";

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

/** The record for a value that a codec threw, or for a fault. */
export function codecFailed(
  { key, site, direction }: Pick<CodecRequest, "site" | "direction"> & { key?: string },
  thrown: unknown,
): ErrorRecord {
  const { message } = namesOfThrown(thrown);
  const context: ErrorContext = { stage: direction, codec: site.codec, key };
  if (asked(() => thrown instanceof CodecFault)) {
    const { expected, actual, code } = thrown as CodecFault;
    return { code, message, context: { ...context, expected, actual } };
  }
  return { code: "Format", message: `a codec failed: ${message}`, context, cause: thrown };
}
