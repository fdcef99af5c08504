/**
 * The error classes. `code` says who must act (the engine's `ErrorKind`), `_tag` is zarrita's name
 * for the case, and the other fields say where and what. A failed call rejects with one of these,
 * or with `signal.reason` when it was aborted.
 */

export type ErrorCode = "NotFound" | "Store" | "Format" | "Unsupported" | "Argument" | "Limit" | "Aborted";

/** Where and what, as far as it is known. */
export interface ErrorDetails {
  /** Path of the node, from the store's root, with a leading "/". */
  path?: string;
  /** Store key. */
  key?: string;
  /** The byte range of the key. */
  range?: { offset: number; length: number };
  /** Name of the codec. */
  codec?: string;
  /** Metadata field, such as `codecs[1].configuration.level`. */
  field?: string;
  expected?: string;
  actual?: string;
  /** What a store, `fetch` or codec of the caller threw. */
  cause?: unknown;
}

/** Everything this package throws, apart from the reasons of abort signals. */
export class ZarrError extends Error {
  readonly _tag: string = "ZarrError";
  readonly code: ErrorCode;
  readonly path: string | undefined;
  readonly key: string | undefined;
  readonly range: { offset: number; length: number } | undefined;
  readonly codec: string | undefined;
  readonly field: string | undefined;
  readonly expected: string | undefined;
  readonly actual: string | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, "cause" in details ? { cause: details.cause } : undefined);
    this.name = "ZarrError";
    this.code = code;
    this.path = details.path;
    this.key = details.key;
    this.range = details.range;
    this.codec = details.codec;
    this.field = details.field;
    this.expected = details.expected;
    this.actual = details.actual;
  }
}

/** Nothing is there, or a node of the other kind. */
export class NotFoundError extends ZarrError {
  override readonly _tag = "NotFoundError";
  override readonly name = "NotFoundError";
  readonly found: "array" | "group" | undefined;

  constructor(context: string, options: ErrorDetails & { found?: "array" | "group" } = {}) {
    super("NotFound", `Not found: ${context}`, options);
    this.found = options.found;
  }
}

/** There is metadata, and it is not what the specification allows. */
export class InvalidMetadataError extends ZarrError {
  override readonly _tag = "InvalidMetadataError";
  override readonly name = "InvalidMetadataError";

  constructor(message: string, options: ErrorDetails = {}) {
    super("Format", message, options);
  }
}

/** The metadata names a codec that nobody knows. */
export class UnknownCodecError extends ZarrError {
  override readonly _tag = "UnknownCodecError";
  override readonly name = "UnknownCodecError";
  declare readonly codec: string;

  constructor(codec: string, options: ErrorDetails = {}) {
    super("Unsupported", `Unknown codec: ${codec}`, { ...options, codec });
  }
}

/** The bytes of a chunk are not what its codecs could have written. */
export class CodecPipelineError extends ZarrError {
  override readonly _tag = "CodecPipelineError";
  override readonly name = "CodecPipelineError";
  readonly direction: "encode" | "decode";
  readonly chunkPath: string | undefined;

  constructor(options: ErrorDetails & { direction: "encode" | "decode"; chunkPath?: string }) {
    const via = options.codec ? ` via codec "${options.codec}"` : "";
    const at = options.chunkPath ? ` at ${options.chunkPath}` : "";
    super("Format", `Failed to ${options.direction} chunk${via}${at}`, options);
    this.direction = options.direction;
    this.chunkPath = options.chunkPath;
  }
}

/** The selection does not fit the array. */
export class InvalidSelectionError extends ZarrError {
  override readonly _tag = "InvalidSelectionError";
  override readonly name = "InvalidSelectionError";

  constructor(message: string, options: ErrorDetails = {}) {
    super("Argument", message, options);
  }
}

/** Valid, but this build or this machine cannot do it. */
export class UnsupportedError extends ZarrError {
  override readonly _tag = "UnsupportedError";
  override readonly name = "UnsupportedError";
  readonly feature: string;

  constructor(feature: string, options: ErrorDetails = {}) {
    super("Unsupported", `Unsupported: ${feature}`, options);
    this.feature = feature;
  }
}

/**
 * The engine's instance trapped, and another has taken its place: what was asked of it may be asked
 * again.
 */
export class TrapError extends ZarrError {}

type TaggedError =
  | NotFoundError
  | InvalidMetadataError
  | UnknownCodecError
  | CodecPipelineError
  | InvalidSelectionError
  | UnsupportedError;

/** Whether this package threw it, and with one of these tags if any are given. */
export function isZarritaError<T extends TaggedError["_tag"]>(
  error: unknown,
  ...tags: T[]
): error is Extract<TaggedError, { _tag: T }> {
  return error instanceof ZarrError && (tags.length === 0 || tags.includes(error._tag as T));
}

/** An error as the engine reports it; see `src/js/error.rs`. */
export interface ErrorReport {
  code: ErrorCode;
  message: string;
  stage?: "metadata" | "codec-name" | "decode" | "encode" | "selection" | "worker" | "full";
  node?: string;
  key?: string;
  range?: [offset: number, length: number];
  codec?: string;
  field?: string;
  expected?: string;
  actual?: string;
  cause?: unknown;
}

const kindOfNode = (word: string | undefined) => (word === "array" || word === "group" ? word : undefined);

function detailsOf(report: ErrorReport): ErrorDetails {
  const { node, key, range, codec, field, expected, actual } = report;
  const details: ErrorDetails = { key, codec, field, expected, actual };
  if (node !== undefined) details.path = node.startsWith("/") ? node : `/${node}`;
  if (range) details.range = { offset: range[0], length: range[1] };
  if (report.cause !== undefined) details.cause = report.cause;
  return details;
}

function classify(report: ErrorReport): ZarrError {
  const details = detailsOf(report);
  const { code, stage, message, codec = "" } = report;
  const direction = stage === "encode" ? "encode" : "decode";
  if (code === "NotFound")
    return new NotFoundError(message, { ...details, found: kindOfNode(report.actual) });
  if (stage === "codec-name") return new UnknownCodecError(codec, details);
  if (code === "Unsupported") return new UnsupportedError(message, details);
  if (code === "Argument" && stage === "selection") return new InvalidSelectionError(message, details);
  // Codecs read their configurations when the array is first read: the field tells that metadata is
  // to blame.
  const isMetadata = stage === "metadata" || (stage === undefined && report.field !== undefined);
  if (code === "Format" && isMetadata) return new InvalidMetadataError(message, details);
  if (code === "Format") return new CodecPipelineError({ ...details, direction, chunkPath: details.key });
  return new ZarrError(code, message, details);
}

/** The engine's report as the class that callers branch on, with the engine's sentence. */
export function errorFromReport(report: ErrorReport): ZarrError {
  const error = classify(report);
  if (!(error instanceof NotFoundError)) error.message = report.message;
  return error;
}

/** An error as it crosses the port between the page and the engine. */
export type ErrorFields =
  /** On one thread: the error itself. */
  | { original: unknown }
  | {
      /** The class of a `ZarrError`, by zarrita's tag where it has one; absent for other errors. */
      tag?: string;
      name: string;
      message: string;
      details?: Record<string, unknown>;
      cause?: ErrorFields | { thrown: number };
    };

/** What a user's code threw on the page, as the engine refers to it. */
export const THROWN: unique symbol = Symbol("zarr-wasm.thrown");

/** Own fields of a `ZarrError` that cross. */
const CROSSING = [
  ...(["code", "path", "key", "range", "codec", "field", "expected", "actual"] as const),
  ...(["found", "direction", "chunkPath", "feature"] as const),
];

/** Turns an error into fields that can be cloned. */
export function fieldsOfError(error: unknown): ErrorFields {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  const cause = causeFields(error.cause);
  const fields = { name: error.name, message: error.message, ...(cause && { cause }) };
  if (!(error instanceof ZarrError)) return fields;
  const details: Record<string, unknown> = {};
  for (const name of CROSSING) {
    const value = (error as unknown as Record<string, unknown>)[name];
    if (value !== undefined) details[name] = value;
  }
  return { ...fields, tag: error instanceof TrapError ? "TrapError" : error._tag, details };
}

function causeFields(cause: unknown): ErrorFields | { thrown: number } | undefined {
  if (cause === undefined) return undefined;
  const thrown =
    typeof cause === "object" && cause !== null ? (cause as { [THROWN]?: number })[THROWN] : undefined;
  return thrown === undefined ? fieldsOfError(cause) : { thrown };
}

const OTHER_ERRORS: Record<string, new (message: string) => Error> = { TypeError, RangeError };

/** The error that fields stand for; `thrownOf` finds what a user's code threw. */
export function errorOfFields(fields: ErrorFields, thrownOf: (thrown: number) => unknown): unknown {
  if ("original" in fields) return fields.original;
  const { tag, name, message, cause, details = {} } = fields;
  const options = cause && {
    cause: "thrown" in cause ? thrownOf(cause.thrown) : errorOfFields(cause, thrownOf),
  };
  if (tag === undefined) {
    const made = new (OTHER_ERRORS[name] ?? Error)(message);
    if (!(name in OTHER_ERRORS)) made.name = name;
    return options ? Object.assign(made, options) : made;
  }
  const error = zarrErrorOf(tag, { ...(details as unknown as ReportedDetails), ...options });
  error.message = message;
  return error;
}

type ReportedDetails = ErrorDetails & {
  code: ErrorCode;
  found?: "array" | "group";
  direction: "encode" | "decode";
  chunkPath?: string;
  feature: string;
};

function zarrErrorOf(tag: string, details: ReportedDetails): ZarrError {
  switch (tag) {
    case "NotFoundError":
      return new NotFoundError("", details);
    case "InvalidMetadataError":
      return new InvalidMetadataError("", details);
    case "UnknownCodecError":
      return new UnknownCodecError(details.codec ?? "", details);
    case "CodecPipelineError":
      return new CodecPipelineError(details);
    case "InvalidSelectionError":
      return new InvalidSelectionError("", details);
    case "UnsupportedError":
      return new UnsupportedError(details.feature, details);
    case "TrapError":
      return new TrapError(details.code, "", details);
    default:
      return new ZarrError(details.code, "", details);
  }
}

/** How the message of an error begins that is our fault, whatever the data. */
export const INTERNAL = "internal error of zarr-wasm";
