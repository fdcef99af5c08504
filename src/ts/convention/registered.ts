/**
 * Conventions that a user made known, in one call each.
 */
import { ZarrError } from "../model/errors.ts";

export type JsonSchema = Record<string, unknown> | boolean;

/** A convention of one's own. At least one of `uuid`, `schemaUrl`, `specUrl` identifies it in data. */
export interface RegisteredConvention {
  uuid?: string;
  schemaUrl?: string;
  specUrl?: string;
  name?: string;
  description?: string;
  /** The beginning of its attributes' names, such as `"sensor:"`. */
  prefix?: string;
  /** The attribute that holds all of it. */
  key?: string;
  /** Checked by `validate`. Drafts 4, 7, 2019-09 and 2020-12, by its `$schema`; 2020-12 without one. */
  schema?: JsonSchema;
  /** What the schema describes: the node's whole metadata document, or its attributes. Found out unless given. */
  schemaOf?: "node" | "attributes";
}

const registered: RegisteredConvention[] = [];

export const registeredConventions = (): readonly RegisteredConvention[] => registered;

/** Makes a convention known; the function that is returned forgets it. */
export function registerConvention(convention: RegisteredConvention): () => void {
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
