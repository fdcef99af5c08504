/**
 * Checks nodes against JSON schemas: those of registered conventions, and with `loadSchema` those
 * of declarations. The validator is @cfworker/json-schema. It interprets schemas, so it needs no
 * `unsafe-eval`, and supports drafts 4, 7, 2019-09 and 2020-12. Patterns are matched by RE2JS, in
 * linear time. Both are separate chunks that are loaded when there is something to check.
 */
import type { Validator } from "@cfworker/json-schema";
import { bodyOf } from "../model/body.ts";
import { documentOf, type NodeLike } from "../model/node_like.ts";
import { withoutSecrets } from "../model/secrets.ts";
import { chunkFailed } from "../port/chunk_failed.ts";
import { warn } from "../port/warnings.ts";
import type { Finding } from "./findings.ts";
import type { JsonSchema } from "./registered.ts";
import { hasPatterns, SchemaBudget } from "./schema_budget.ts";

/** Maximum length of a schema in bytes. Schemas are small; longer texts are not schemas. */
const LONGEST_SCHEMA = 2 ** 20;
/**
 * Maximum number of values in a checked document. The validator compares each pair of an array's
 * items for `uniqueItems`.
 */
const MOST_VALUES = 10_000;
/** Time limit of a download. */
const LOADING_MS = 15_000;
/** Maximum number of schemas that one schema may load by `$ref`. */
const MOST_REFERENCES = 16;
/** Maximum number of findings per schema. */
const KEPT = 200;

/** Maximum length of a finding's message in characters. */
const LONGEST_MESSAGE = 1000;

const loaded = new Map<string, Promise<JsonSchema>>();

async function download(url: string, signal?: AbortSignal): Promise<JsonSchema> {
  const { protocol } = new URL(url);
  if (protocol !== "https:" && protocol !== "http:") throw new Error(`${protocol} is not a web address`);
  const timeout = AbortSignal.timeout(LOADING_MS);
  const response = await fetch(url, { signal: signal ? AbortSignal.any([signal, timeout]) : timeout });
  const body = await bodyOf(response, [LONGEST_SCHEMA, LONGEST_SCHEMA]);
  if (!response.ok) throw new Error(`HTTP status ${response.status}`);
  const schema = JSON.parse(new TextDecoder().decode(body));
  if (
    typeof schema !== "boolean" &&
    (typeof schema !== "object" || schema === null || globalThis.Array.isArray(schema))
  ) {
    throw new Error("this is no schema");
  }
  return schema;
}

/** Downloads the schema at a URL once. A failed download is repeated at the next call. */
export function loadSchema(url: string, signal?: AbortSignal): Promise<JsonSchema> {
  const known = loaded.get(url);
  if (known) return known;
  const loading = download(url, signal);
  loaded.set(url, loading);
  loading.catch(() => loaded.delete(url));
  return loading;
}

type Draft = "4" | "7" | "2019-09" | "2020-12";

function draftOf(schema: JsonSchema): Draft {
  const uri = typeof schema === "object" ? String(schema.$schema ?? "") : "";
  if (/draft-0?4/.test(uri)) return "4";
  if (/draft-0?[67]/.test(uri)) return "7";
  return uri.includes("2019-09") ? "2019-09" : "2020-12";
}

/** Whether a value contains at most `most` values. */
function isSmall(value: unknown, most: number): boolean {
  const open = [value];
  for (let seen = 0; open.length > 0; seen++) {
    if (seen + open.length > most) return false;
    const next = open.pop();
    if (typeof next === "object" && next !== null) open.push(...Object.values(next).slice(0, most));
  }
  return true;
}

/** The URLs of other schemas to which a schema refers. */
function references(schema: JsonSchema): string[] {
  const found = new Set<string>();
  const open: unknown[] = [schema];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) continue;
    const { $ref } = next as { $ref?: unknown };
    if (typeof $ref === "string" && /^https?:/.test($ref)) found.add($ref.split("#")[0] ?? $ref);
    open.push(...Object.values(next));
  }
  return [...found];
}

/**
 * Downloads the schemas to which a schema refers. Failed downloads are skipped; the validator
 * reports an unknown reference when it reaches it.
 */
async function otherSchemas(schema: JsonSchema, signal?: AbortSignal): Promise<Map<string, JsonSchema>> {
  const others = new Map<string, JsonSchema>();
  const open = references(schema);
  const seen = new Set<string>(typeof schema === "object" && schema.$id ? [String(schema.$id)] : []);
  for (let url = open.pop(); url !== undefined && seen.size <= MOST_REFERENCES; url = open.pop()) {
    if (seen.has(url)) continue;
    seen.add(url);
    const other = await loadSchema(url, signal).catch(() => undefined);
    if (other === undefined) continue;
    others.set(url, structuredClone(other));
    open.push(...references(other));
  }
  return others;
}

/** A validator for a schema, within a budget. It gets copies, because it changes schemas. */
async function validatorOf({ schema, mayLoad, signal }: Checked, budget: SchemaBudget): Promise<Validator> {
  const copy = structuredClone(schema);
  const others = mayLoad ? await otherSchemas(schema, signal) : new Map<string, JsonSchema>();
  const all = [copy, ...others.values()];
  if (all.some(hasPatterns)) {
    const { RE2JS } = await import("re2js").catch(chunkFailed);
    for (const each of all) budget.usePatterns(each, RE2JS);
  }
  for (const each of all) budget.count(each);
  const { Validator } = await import("@cfworker/json-schema").catch(chunkFailed);
  const validator = new Validator(copy as ConstructorParameters<typeof Validator>[0], draftOf(schema), false);
  for (const [url, other] of others) validator.addSchema(other as Parameters<Validator["addSchema"]>[0], url);
  return validator;
}

interface Checked {
  schema: JsonSchema;
  /** Whether the schema describes the metadata document or the attributes. */
  of?: "node" | "attributes";
  /** The convention's label. */
  convention: string;
  /** Whether other schemas may be downloaded. */
  mayLoad: boolean;
  signal?: AbortSignal;
}

const describesNode = (schema: JsonSchema) =>
  typeof schema === "object" && typeof schema.properties === "object" && schema.properties !== null
    ? Object.hasOwn(schema.properties, "attributes")
    : false;

/** Keywords whose errors only repeat an error of a nested value. */
const WRAPPERS = new Set([
  "properties",
  "items",
  "prefixItems",
  "$ref",
  "allOf",
  "then",
  "else",
  "additionalProperties",
  "patternProperties",
]);

/** The JSON pointer into the attributes for the validator's location, `#/attributes/a%20b`. */
function pointerOf(location: string, ofNode: boolean): string {
  const pointer = decodeURI(location.replace(/^#/, ""));
  return ofNode ? pointer.replace(/^\/attributes(?=\/|$)/, "") : pointer;
}

const note = (convention: string, rule: string, severity: Finding["severity"], message: string): Finding => ({
  rule: `schema/${rule}`,
  path: "",
  severity,
  message,
  convention,
});

/** A message without secrets of URLs. The validator repeats whole values in its messages. */
const shortened = (message: string): string => {
  const safe = withoutSecrets(message);
  return safe.length > LONGEST_MESSAGE ? `${safe.slice(0, LONGEST_MESSAGE)}…` : safe;
};

/** Checks a node against a schema. An error of the validator becomes a finding. */
export async function checkSchema(node: NodeLike, checked: Checked): Promise<Finding[]> {
  const { schema, convention, signal } = checked;
  const ofNode = (checked.of ?? (describesNode(schema) ? "node" : "attributes")) === "node";
  try {
    const document = documentOf(node);
    const instance = ofNode ? document : document.attributes;
    if (!isSmall(instance, MOST_VALUES)) {
      return [
        note(
          convention,
          "too-large",
          "info",
          `documents of more than ${MOST_VALUES} values are not checked by schema`,
        ),
      ];
    }
    const validator = await validatorOf(checked, new SchemaBudget(instance));
    const { errors } = validator.validate(instance);
    const telling = errors.filter(({ keyword }) => !WRAPPERS.has(keyword));
    return (telling.length > 0 ? telling : errors).slice(0, KEPT).map((error) => ({
      rule: `schema/${error.keyword}`,
      path: pointerOf(error.instanceLocation, ofNode),
      severity: "error",
      message: shortened(error.error),
      convention,
    }));
  } catch (error) {
    signal?.throwIfAborted();
    return [
      note(convention, "not-checked", "warning", shortened(`the schema cannot be checked: ${String(error)}`)),
    ];
  }
}

/** Downloads a schema and checks the node against it. A failed download becomes a finding. */
export async function checkLoaded(
  node: NodeLike,
  url: string,
  convention: string,
  signal?: AbortSignal,
): Promise<Finding[]> {
  try {
    const schema = await loadSchema(url, signal);
    return await checkSchema(node, { schema, convention, mayLoad: true, signal });
  } catch (error) {
    signal?.throwIfAborted();
    warn(`the schema ${url} cannot be loaded`, node.path ?? "/");
    const message = shortened(`${url} cannot be loaded: ${String(error)}`);
    return [note(convention, "not-loaded", "warning", message)];
  }
}
