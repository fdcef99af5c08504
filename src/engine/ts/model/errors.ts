/**
 * The error classes. `code` tells who must act (`ErrorKind` in Rust), `_tag` is zarrita's name for
 * the case, and the other fields tell where the error occurred. A failed call rejects with one of
 * these, or with `signal.reason` if it was aborted. No text of an error has a secret of a URL.
 */
import type { ErrorCode, ErrorRecord } from "../../../contract/contract.ts";
import { asked } from "./realms.ts";
import { causeWithoutSecrets, withoutSecrets } from "./secrets.ts";

export type { ErrorCode };

/** Where the error occurred, as far as it is known. */
export interface ErrorDetails {
  /** Absolute path of the node in the store; begins with `/`. */
  path?: string | undefined;
  /** Key in the store. */
  key?: string | undefined;
  /** Range of the key's value. */
  range?:
    | {
        /**
         * Where it begins.
         *
         * @unit bytes
         */
        offset: number;
        /**
         * How long it is.
         *
         * @unit bytes
         */
        length: number;
      }
    | undefined;
  /** Name of the codec. */
  codec?: string | undefined;
  /** Metadata field, such as `codecs[1].configuration.level`. */
  field?: string | undefined;
  /** What was expected. */
  expected?: string | undefined;
  /** What was found. */
  actual?: string | undefined;
  /** The value that the user's store, `fetch` or codec threw. */
  cause?: unknown;
}

/** A value as text for a message. Some lists and objects have no text. */
export function shown(value: unknown): string {
  try {
    return String(value);
  } catch {
    return typeof value;
  }
}

/**
 * The message of a wrong argument with those of its details that it lacks, as the engine's messages
 * have them: where, what was expected, and what was found.
 */
function whole(message: string, { field, path, expected, actual }: ErrorDetails): string {
  const lacks = (text: string | undefined) => text !== undefined && !message.includes(text);
  let all = message;
  if (lacks(field)) all += ` (field "${field}")`;
  if (lacks(path)) all += ` (node "${path}")`;
  if (lacks(expected)) all += `: expected ${expected}`;
  return actual === undefined ? all : `${all}, found ${actual}`;
}

/** The name and the message of a value that was thrown, whatever it is. */
export function namesOfThrown(thrown: unknown): { name: string; message: string } {
  const isError = asked(() => thrown instanceof Error);
  const member = (name: "name" | "message") => shown(asked(() => (thrown as Error)[name]) ?? "");
  return isError
    ? { name: member("name"), message: member("message") }
    : { name: "Error", message: shown(thrown) };
}

/**
 * The base class of every error that this package throws. The reasons of abort signals, and what a
 * user's store, `fetch` or codec loader throws, are thrown as they are.
 */
export class ZarrError extends Error {
  /** zarrita's name for the case; `"ZarrError"` for cases that zarrita does not have. */
  readonly _tag: string = "ZarrError";
  /** Who must act. */
  readonly code: ErrorCode;
  /** Absolute path of the node in the store, if it is known. */
  readonly path: string | undefined;
  /** Key in the store, if it is known. */
  readonly key: string | undefined;
  /** Range of the key's value, if one was read. */
  readonly range:
    | {
        /** Where it begins, in bytes. */
        offset: number;
        /** How long it is, in bytes. */
        length: number;
      }
    | undefined;
  /** Name of the codec, if it is known. */
  readonly codec: string | undefined;
  /** Metadata field, such as `codecs[1].configuration.level`, or the argument or option. */
  readonly field: string | undefined;
  /** What was expected. */
  readonly expected: string | undefined;
  /** What was found. */
  readonly actual: string | undefined;

  /**
   * @param code Who must act.
   * @param message What happened. Secrets of URLs in it are left out.
   * @param details Where it happened.
   */
  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(
      withoutSecrets(code === "Argument" ? whole(message, details) : message),
      "cause" in details ? { cause: causeWithoutSecrets(details.cause) } : undefined,
    );
    this.name = "ZarrError";
    this.code = code;
    this.range = details.range;
    const shown = (text: string | undefined) => text && withoutSecrets(text);
    this.path = shown(details.path);
    this.key = shown(details.key);
    this.codec = shown(details.codec);
    this.field = shown(details.field);
    this.expected = shown(details.expected);
    this.actual = shown(details.actual);
  }
}

/** There is no node, or a node of the other kind (`found`). */
export class NotFoundError extends ZarrError {
  /** Always `"NotFoundError"`. */
  override readonly _tag = "NotFoundError";
  /** Always `"NotFoundError"`. */
  override readonly name = "NotFoundError";
  /** The kind of node that is there, `"array"` or `"group"`, if another one was expected. */
  readonly found: "array" | "group" | undefined;

  /**
   * @param context What was not found.
   * @param options Details of the error. `found` is the kind of node that was found instead.
   */
  constructor(
    context: string,
    options: ErrorDetails & {
      /** The kind of node that is there, `"array"` or `"group"`. Default: none. */
      found?: "array" | "group" | undefined;
    } = {},
  ) {
    super("NotFound", `Not found: ${context}`, options);
    this.found = options.found;
  }
}

/** The metadata violates the specification. */
export class InvalidMetadataError extends ZarrError {
  /** Always `"InvalidMetadataError"`. */
  override readonly _tag = "InvalidMetadataError";
  /** Always `"InvalidMetadataError"`. */
  override readonly name = "InvalidMetadataError";

  /**
   * @param message What is wrong.
   * @param options Where.
   */
  constructor(message: string, options: ErrorDetails = {}) {
    super("Format", message, options);
  }
}

/** The metadata names a codec that is not registered. */
export class UnknownCodecError extends ZarrError {
  /** Always `"UnknownCodecError"`. */
  override readonly _tag = "UnknownCodecError";
  /** Always `"UnknownCodecError"`. */
  override readonly name = "UnknownCodecError";
  /** The name of the codec. */
  declare readonly codec: string;

  /**
   * @param codec The name of the codec.
   * @param options Where.
   */
  constructor(codec: string, options: ErrorDetails = {}) {
    super("Unsupported", `Unknown codec: ${codec}`, { ...options, codec });
  }
}

/** A chunk could not be decoded or encoded. */
export class CodecPipelineError extends ZarrError {
  /** Always `"CodecPipelineError"`. */
  override readonly _tag = "CodecPipelineError";
  /** Always `"CodecPipelineError"`. */
  override readonly name = "CodecPipelineError";
  /** What failed: to `"encode"` or to `"decode"`. */
  readonly direction: "encode" | "decode";
  /** The key of the chunk, if it is known. */
  readonly chunkPath: string | undefined;

  /** @param options What failed, and where. */
  constructor(
    options: ErrorDetails & {
      /** What failed: to `"encode"` or to `"decode"`. */
      direction: "encode" | "decode";
      /** The key of the chunk. */
      chunkPath?: string | undefined;
    },
  ) {
    const via = options.codec ? ` via codec "${options.codec}"` : "";
    const at = options.chunkPath ? ` at ${options.chunkPath}` : "";
    super("Format", `Failed to ${options.direction} chunk${via}${at}`, options);
    this.direction = options.direction;
    this.chunkPath = options.chunkPath && withoutSecrets(options.chunkPath);
  }
}

/** The selection does not fit the array. */
export class InvalidSelectionError extends ZarrError {
  /** Always `"InvalidSelectionError"`. */
  override readonly _tag = "InvalidSelectionError";
  /** Always `"InvalidSelectionError"`. */
  override readonly name = "InvalidSelectionError";

  /**
   * @param message What is wrong.
   * @param options Where.
   */
  constructor(message: string, options: ErrorDetails = {}) {
    super("Argument", message, options);
  }
}

/** The data are valid, but this build or this environment cannot process them. */
export class UnsupportedError extends ZarrError {
  /** Always `"UnsupportedError"`. */
  override readonly _tag = "UnsupportedError";
  /** Always `"UnsupportedError"`. */
  override readonly name = "UnsupportedError";
  /** What is not supported. */
  readonly feature: string;

  /**
   * @param feature What is not supported.
   * @param options Where.
   */
  constructor(feature: string, options: ErrorDetails = {}) {
    super("Unsupported", `Unsupported: ${feature}`, options);
    this.feature = withoutSecrets(feature);
  }
}

/** The engine's wasm instance trapped and was replaced. The call may be repeated. */
export class TrapError extends ZarrError {}

type TaggedError =
  | NotFoundError
  | InvalidMetadataError
  | UnknownCodecError
  | CodecPipelineError
  | InvalidSelectionError
  | UnsupportedError;

/**
 * Whether this package threw an error, as zarrita tells it.
 *
 *     if (isZarritaError(error, "NotFoundError")) create(store, options);
 *
 * @param error What was thrown, whatever it is.
 * @param tags The names of classes, one of which it must be. Default: any.
 */
export function isZarritaError<T extends TaggedError["_tag"]>(
  error: unknown,
  ...tags: T[]
): error is Extract<TaggedError, { _tag: T }> {
  return isOurs(error) && (tags.length === 0 || tags.includes(error._tag as T));
}

const kindOfNode = (word: string | undefined) => (word === "array" || word === "group" ? word : undefined);

/** What the classes are made of. */
type ClassDetails = ErrorDetails & {
  code: ErrorCode;
  found?: "array" | "group" | undefined;
  direction: "encode" | "decode";
  chunkPath?: string | undefined;
  feature: string;
};

/** The tag of the class for a record. */
function tagOf({ code, context: { stage, field } }: ErrorRecord): string {
  if (code === "NotFound") return "NotFoundError";
  if (stage === "codec-name") return "UnknownCodecError";
  if (code === "Unsupported") return "UnsupportedError";
  if (code === "Argument" && stage === "selection") return "InvalidSelectionError";
  if (code !== "Format") return "ZarrError";
  // Codecs parse their configurations when the array is first read. A `field` tells that the
  // metadata is to blame.
  const isMetadata = stage === "metadata" || (stage === undefined && field !== undefined);
  return isMetadata ? "InvalidMetadataError" : "CodecPipelineError";
}

/** Converts a record to the error class that callers check for, with the whole message. */
export function errorFromRecord(record: ErrorRecord): ZarrError {
  const { code, message, text: feature = message, context, cause } = record;
  const { node, range, stage, key, actual } = context;
  const error = zarrErrorOf(tagOf(record), {
    ...context,
    code,
    feature,
    path: node?.replace(/^\/?/, "/"),
    range: range && { offset: range[0], length: range[1] },
    found: kindOfNode(actual),
    direction: stage === "encode" ? stage : "decode",
    chunkPath: key,
    ...(cause !== undefined && { cause }),
  });
  error.message = withoutSecrets(error instanceof NotFoundError ? `Not found: ${feature}` : feature);
  return error;
}

/** An error as it crosses the port between the page and the engine. */
export type ErrorFields =
  /** On one thread: an error that is not of this package, itself. */
  | { original: unknown }
  | {
      /**
       * The class of a `ZarrError`, given by zarrita's tag if it has one; absent for other errors.
       */
      tag?: string;
      name: string;
      message: string;
      details?: Record<string, unknown>;
      cause?: ErrorFields | { thrown: number };
    };

/** The property with the number of a value that the user's code threw on the page. */
export const THROWN: unique symbol = Symbol("zarr-wasm.thrown");

/** The fields of a `ZarrError` that cross the port. */
const CROSSING = [
  ...(["code", "path", "key", "range", "codec", "field", "expected", "actual"] as const),
  ...(["found", "direction", "chunkPath", "feature"] as const),
];

/** The most causes of causes that cross. An error may be its own cause. */
const MAX_CAUSES = 16;

/** Converts an error to cloneable fields. `causes` is the number of its causes that cross. */
export function fieldsOfError(error: unknown, causes = MAX_CAUSES): ErrorFields {
  const cause = causes > 0 ? asked(() => (error as Error).cause) : undefined;
  return { ...ownFields(error), cause: causeFields(cause, causes - 1) };
}

function ownFields(error: unknown): Exclude<ErrorFields, { original: unknown }> {
  const { name, message: text } = namesOfThrown(error);
  const fields = { name, message: withoutSecrets(text) };
  if (!isOurs(error)) return fields;
  const details: Record<string, unknown> = {};
  for (const name of CROSSING) {
    const value = (error as unknown as Record<string, unknown>)[name];
    if (value !== undefined) details[name] = value;
  }
  return { ...fields, tag: error instanceof TrapError ? "TrapError" : error._tag, details };
}

/** Whether this is an error of this package. */
export const isOurs = (error: unknown): error is ZarrError =>
  asked(() => error instanceof ZarrError) ?? false;

/**
 * As `fieldsOfError`, where page and engine are on one thread: values of the user stay themselves.
 * Errors of this package cross as fields nevertheless, because the engine of the caller's thread
 * has classes of its own.
 */
export function localFieldsOfError(error: unknown, causes = MAX_CAUSES): ErrorFields {
  if (!isOurs(error)) return { original: error };
  const fields = ownFields(error);
  if (error.cause === undefined || causes === 0) return fields;
  return { ...fields, cause: localFieldsOfError(error.cause, causes - 1) };
}

function causeFields(cause: unknown, causes: number): ErrorFields | { thrown: number } | undefined {
  if (cause === undefined) return undefined;
  const thrown = asked(() => (cause as { [THROWN]?: number } | null)?.[THROWN]);
  return thrown === undefined ? fieldsOfError(cause, causes) : { thrown };
}

const OTHER_ERRORS: Record<string, new (message: string) => Error> = { TypeError, RangeError };

/** Remakes an error from its fields. `thrownOf` returns a value that the user's code threw. */
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
  const error = zarrErrorOf(tag, { ...(details as unknown as ClassDetails), ...options });
  error.message = message;
  return error;
}

/** The classes that are made from a message and details alone. */
const PLAIN: Record<string, new (message: string, details: ClassDetails) => ZarrError> = {
  NotFoundError,
  InvalidMetadataError,
  InvalidSelectionError,
};

function zarrErrorOf(tag: string, details: ClassDetails): ZarrError {
  const Plain = PLAIN[tag];
  if (Plain) return new Plain("", details);
  if (tag === "UnknownCodecError") return new UnknownCodecError(details.codec ?? "", details);
  if (tag === "CodecPipelineError") return new CodecPipelineError(details);
  if (tag === "UnsupportedError") return new UnsupportedError(details.feature, details);
  return new (tag === "TrapError" ? TrapError : ZarrError)(details.code, "", details);
}

/** The start of the message of an internal error: a defect of this package, whatever the data. */
export const INTERNAL = "internal error of zarr-wasm";
