/**
 * `conventions`, `validate`, `addConvention`: which conventions a node has, what is wrong with them, and declaring one more.
 */
import { ZarrError } from "../model/errors.ts";
import { exactJson } from "../model/exact_json.ts";
import { factsOf, type NodeLike } from "../model/node_like.ts";
import type { Attributes } from "../model/types.ts";
import { ask } from "../port/convention.ts";
import type { Finding } from "./findings.ts";
import { registeredConventions } from "./registered.ts";
import { checkLoaded, checkSchema } from "./schema.ts";

/** The conventions whose meaning is known here. */
export type KnownConvention =
  | "multiscales"
  | "proj"
  | "spatial"
  | "license"
  | "uom"
  | "stac"
  | "dggs"
  | "CF"
  | "ome"
  | "ndpyramid"
  | "tile_matrix_set";

/** A convention on a node. */
export interface Convention {
  /** What identifies it: its UUID, else the URL of its schema, else of its text. */
  id: string;
  /** Its name, or the identifier where there is none. Names identify nothing. */
  label: string;
  /** Which of those that are known here it is. */
  known?: KnownConvention;
  /** Whether it was made known by `registerConvention`. */
  isRegistered: boolean;
  /** Its revision, as the URL, the declaration or the metadata tell. */
  version?: string;
  /** Whether `zarr_conventions` has it; otherwise it was recognised by its attributes. */
  declared: boolean;
  /** Which text the declaration follows: that of 2026, or the early draft. */
  form?: "current" | "early";
  uuid?: string;
  schemaUrl?: string;
  specUrl?: string;
  name?: string;
  description?: string;
  /** The node's attributes that belong to it. */
  properties: Attributes;
  /** Where it extends other conventions' objects: JSON pointers into the attributes. */
  extends: string[];
  findings: Finding[];
}

interface FoundConvention extends Omit<Convention, "properties" | "isRegistered"> {
  keys: string[];
  registered?: number;
}

interface Examination {
  conventions: FoundConvention[];
  findings: Finding[];
}

const frameworkFinding = (rule: string, message: string): Finding => ({
  rule: `zarr_conventions/${rule}`,
  path: "",
  severity: "error",
  message,
});

/** What is on the node; attributes that cannot be looked at are a finding like others. */
async function examine(node: NodeLike): Promise<Examination> {
  const { text, problem } = factsOf(node);
  const registered = registeredConventions().map(({ uuid, schemaUrl, specUrl, prefix, key }) => ({
    uuid,
    schemaUrl,
    specUrl,
    prefix,
    key,
  }));
  const request = `{"verb":"examine","registered":${JSON.stringify(registered)},"node":${text}}`;
  try {
    const examination = await ask<Examination>(request);
    if (problem) examination.findings.push(frameworkFinding("not-json", problem));
    return examination;
  } catch (error) {
    const isOfInput = error instanceof ZarrError && ["Format", "Limit", "Argument"].includes(error.code);
    if (!isOfInput || /call init/.test((error as ZarrError).message)) throw error;
    return { conventions: [], findings: [frameworkFinding("not-readable", (error as ZarrError).message)] };
  }
}

/** The attributes of these names, as the node has them. */
function propertiesOf(node: NodeLike, keys: string[]): Attributes {
  const attributes = node.attrs;
  return Object.fromEntries(
    keys.filter((key) => Object.hasOwn(attributes, key)).map((key) => [key, attributes[key]]),
  );
}

function conventionOf(node: NodeLike, { keys, registered, findings, ...found }: FoundConvention): Convention {
  return {
    ...found,
    isRegistered: registered !== undefined,
    properties: propertiesOf(node, keys),
    findings: findings.map((finding) => ({ ...finding, convention: found.label })),
  };
}

/**
 * The conventions of a node: those that it declares, in their order, then those that are recognised by their attributes.
 * Whatever the attributes are, the promise resolves.
 */
export async function conventions(node: NodeLike): Promise<Convention[]> {
  const { conventions } = await examine(node);
  return conventions.map((found) => conventionOf(node, found));
}

export interface ValidateOptions {
  /** Fetch the schemas that declarations name, and check against them too. Nothing is fetched otherwise. */
  loadSchema?: boolean;
  signal?: AbortSignal;
}

/** Everything that is wrong, or worth knowing, in the declarations of a node and in the conventions it has. */
export async function validate(node: NodeLike, options: ValidateOptions = {}): Promise<Finding[]> {
  const { signal } = options;
  signal?.throwIfAborted();
  const examination = await examine(node);
  const findings = [...examination.findings];
  for (const found of examination.conventions) {
    findings.push(...conventionOf(node, found).findings);
    findings.push(...(await schemaFindings(node, found, options)));
    signal?.throwIfAborted();
  }
  return findings;
}

async function schemaFindings(
  node: NodeLike,
  { registered, schemaUrl, label, declared }: FoundConvention,
  { loadSchema, signal }: ValidateOptions,
): Promise<Finding[]> {
  const own = registered === undefined ? undefined : registeredConventions()[registered];
  if (own?.schema !== undefined) {
    const { schema, schemaOf } = own;
    return checkSchema(node, {
      schema,
      of: schemaOf,
      convention: label,
      mayLoad: loadSchema ?? false,
      signal,
    });
  }
  return loadSchema && declared && schemaUrl ? checkLoaded(node, schemaUrl, label, signal) : [];
}

/** A convention to be declared. */
export interface NewConvention {
  /** One that is known here: its identifiers, name and description need not be given. */
  known?: "multiscales" | "proj" | "spatial" | "license" | "uom" | "stac" | "dggs" | "CF";
  uuid?: string;
  schemaUrl?: string;
  specUrl?: string;
  name?: string;
  description?: string;
  /** The form of the declaration: today's unless given, or that of the early draft. */
  form?: "current" | "early";
  /** The attributes that the convention defines. */
  properties?: Attributes;
  /** Replace attributes that are there with other values. */
  overwrite?: boolean;
}

/** The attributes that change when a convention is declared; nothing is written. */
export async function conventionAttributes(
  attributes: Attributes,
  convention: NewConvention,
): Promise<Attributes> {
  const request = exactJson({ verb: "declare", attributes, convention });
  const changed = await ask<Attributes>(request);
  return { ...convention.properties, zarr_conventions: changed.zarr_conventions };
}

/** A node whose attributes can be written. */
interface WritableNode extends NodeLike {
  updateAttributes(attributes: Attributes): Promise<unknown>;
}

/** Declares a convention on a node, and writes its properties. */
export async function addConvention(node: NodeLike, convention: NewConvention): Promise<void> {
  const { updateAttributes } = node as Partial<WritableNode>;
  if (typeof updateAttributes !== "function") {
    throw new ZarrError(
      "Argument",
      "the attributes of this node cannot be written: it has no updateAttributes",
    );
  }
  await updateAttributes.call(node, await conventionAttributes(node.attrs, convention));
}
