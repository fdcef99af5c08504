/**
 * The conventions that the user registered with `registerConvention`.
 */
import { object } from "../model/argument.ts";
import { ZarrError } from "../model/errors.ts";

export type JsonSchema = Record<string, unknown> | boolean;

/** A convention of the user. At least one of `uuid`, `schemaUrl` and `specUrl` identifies it. */
export interface RegisteredConvention {
  uuid?: string;
  schemaUrl?: string;
  specUrl?: string;
  name?: string;
  description?: string;
  /** Prefix of the names of its attributes, such as `"sensor:"`. */
  prefix?: string;
  /** Name of the attribute that holds all its properties. */
  key?: string;
  /** The JSON schema that `validate` hands to the validator of its options. */
  schema?: JsonSchema;
  /**
   * Whether the schema describes the metadata document or the attributes. Default: the document, if
   * the schema has a property `attributes`.
   */
  schemaOf?: "node" | "attributes";
}

const registered: RegisteredConvention[] = [];

export const registeredConventions = (): readonly RegisteredConvention[] => registered;

/**
 * Registers a convention, so that `conventions` recognises it. Returns a function that removes it.
 * Throws an `Argument` error if it has no `uuid`, `schemaUrl` or `specUrl`.
 */
export function registerConvention(convention: RegisteredConvention): () => void {
  object(convention, "convention");
  if (!convention.uuid && !convention.schemaUrl && !convention.specUrl) {
    throw new ZarrError(
      "Argument",
      "a convention is identified by its uuid, schemaUrl or specUrl, not by its name",
    );
  }
  const own = { ...convention };
  registered.push(own);
  return () => {
    const at = registered.indexOf(own);
    if (at >= 0) registered.splice(at, 1);
  };
}
