/**
 * Hands JSON schemas to the caller's validator: those of registered conventions, and with
 * `loadSchema` those that declarations name. This package interprets no schema. A schema that
 * nothing examined is a finding, as all that `validate` reports about a node's attributes.
 */

import type { Finding as ModuleFinding } from "../../contract/contract.ts";
import { need } from "../../engine/ts/model/argument.ts";
import { bodyOf } from "../../engine/ts/model/body.ts";
import { documentOf, type NodeLike } from "../../engine/ts/model/node_like.ts";
import { once } from "../../engine/ts/model/once.ts";
import { withoutSecrets } from "../../engine/ts/model/secrets.ts";
import { newDecoder } from "../../engine/ts/model/utf8.ts";
import { unlessAborted } from "../../engine/ts/model/waiting.ts";
import { warn } from "../../engine/ts/port/warnings.ts";

/** Something that `validate` has found. */
export interface Finding extends ModuleFinding {
  /** The label of the convention; absent if the finding is about the list of declarations. */
  convention?: string;
}

/** A JSON schema: an object, or true or false. */
export type JsonSchema = Record<string, unknown> | boolean;

/** Something in a document that a schema does not allow. */
export interface SchemaError {
  /** What is wrong, for people. */
  message: string;
  /** JSON pointer into the document, such as `/sensor/gain`. Default: the whole document. */
  path?: string | undefined;
  /** The keyword of the schema, such as `minimum`. The finding has the rule `schema/minimum`. */
  keyword?: string | undefined;
}

/**
 * Checks a document against a JSON schema. Returns what the schema does not allow; an empty list if
 * the document is valid. A schema that cannot be used is an error that it throws.
 */
export type SchemaValidator = (
  schema: JsonSchema,
  document: unknown,
) => readonly SchemaError[] | Promise<readonly SchemaError[]>;

/** Maximum length of a schema in bytes. Schemas are small; longer texts are not schemas. */
const LONGEST_SCHEMA = 2 ** 20;
/** Time limit of a download. */
const LOADING_MS = 15_000;
/** Maximum number of schemas that are kept. The one that was loaded first goes first. */
const MAX_KEPT_SCHEMAS = 64;
/** Maximum number of findings per schema. */
const KEPT = 200;

/** Maximum length of a finding's message in characters. */
const LONGEST_MESSAGE = 1000;

const loaded = new Map<string, Promise<JsonSchema>>();

async function download(url: string): Promise<JsonSchema> {
  const { protocol } = new URL(url);
  if (protocol !== "https:" && protocol !== "http:") throw new Error(`${protocol} is not a web address`);
  const response = await fetch(url, { signal: AbortSignal.timeout(LOADING_MS) });
  const body = await bodyOf(response, [LONGEST_SCHEMA, LONGEST_SCHEMA]);
  if (!response.ok) throw new Error(`HTTP status ${response.status}`);
  const schema = JSON.parse(newDecoder().decode(body));
  if (
    typeof schema !== "boolean" &&
    (typeof schema !== "object" || schema === null || globalThis.Array.isArray(schema))
  ) {
    throw new Error("this is no schema");
  }
  return schema;
}

/**
 * Downloads the schema at a URL once, for all callers: no caller's signal ends it. A failed
 * download is repeated at the next call.
 */
function load(url: string): Promise<JsonSchema> {
  const [oldest] = loaded.keys();
  if (oldest !== undefined && loaded.size >= MAX_KEPT_SCHEMAS && !loaded.has(url)) loaded.delete(oldest);
  return once(loaded, url, () => download(url));
}

const describesNode = (schema: JsonSchema) =>
  typeof schema === "object" && typeof schema.properties === "object" && schema.properties !== null
    ? Object.hasOwn(schema.properties, "attributes")
    : false;

/** A schema, and what is needed to check a node against it. */
interface Checked {
  schema: JsonSchema;
  validate: SchemaValidator;
  /** Whether the schema describes the metadata document or the attributes. */
  of?: "node" | "attributes";
  /** The convention's label. */
  convention: string;
  signal?: AbortSignal;
}

const note = (convention: string, rule: string, severity: Finding["severity"], message: string): Finding => ({
  rule: `schema/${rule}`,
  path: "",
  severity,
  message: shortened(message),
  convention,
});

/** The finding that a schema was not examined. */
export const notValidated = (convention: string, severity: Finding["severity"], reason: string): Finding =>
  note(convention, "not-validated", severity, `not validated by its JSON schema: ${reason}`);

/** A message without secrets of URLs. Validators repeat values in their messages. */
function shortened(message: string): string {
  const safe = withoutSecrets(message);
  return safe.length > LONGEST_MESSAGE ? `${safe.slice(0, LONGEST_MESSAGE)}…` : safe;
}

/** The findings of what the caller's validator returned. Throws an `Argument` error for others. */
function findingsOf(errors: readonly SchemaError[], ofNode: boolean, convention: string): Finding[] {
  const isList = globalThis.Array.isArray(errors);
  const isError = (error: unknown) => typeof Object(error).message === "string";
  need(isList && errors.every(isError), "validate", "a function that returns a list of {message}");
  const findings = errors.slice(0, KEPT).map(({ keyword = "invalid", path = "", message }): Finding => {
    const pointer = ofNode ? String(path).replace(/^\/attributes(?=\/|$)/, "") : String(path);
    return { ...note(convention, String(keyword), "error", message), path: pointer };
  });
  const more = errors.length - findings.length;
  return more > 0 ? [...findings, note(convention, "more", "info", `${more} more findings`)] : findings;
}

/** Checks a node against a schema. What the caller's validator throws becomes a finding. */
export async function checkSchema(node: NodeLike, checked: Checked): Promise<Finding[]> {
  const { schema, validate, convention, signal } = checked;
  const ofNode = (checked.of ?? (describesNode(schema) ? "node" : "attributes")) === "node";
  const document = documentOf(node);
  let errors: readonly SchemaError[];
  try {
    errors = await validate(schema, ofNode ? document : document.attributes);
  } catch (error) {
    signal?.throwIfAborted();
    return [note(convention, "not-checked", "warning", `the schema cannot be checked: ${String(error)}`)];
  }
  return findingsOf(errors, ofNode, convention);
}

/** Downloads a schema and checks the node against it. A failed download becomes a finding. */
export async function checkLoaded(
  node: NodeLike,
  url: string,
  checked: Omit<Checked, "schema">,
): Promise<Finding[]> {
  const { convention, signal } = checked;
  let schema: JsonSchema;
  try {
    schema = await unlessAborted(load(url), signal);
  } catch (error) {
    signal?.throwIfAborted();
    warn(`the schema ${url} cannot be loaded`, node.path ?? "/");
    return [note(convention, "not-loaded", "warning", `${url} cannot be loaded: ${String(error)}`)];
  }
  return checkSchema(node, { ...checked, schema });
}
