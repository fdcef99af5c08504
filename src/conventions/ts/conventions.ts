/**
 * `conventions` lists the conventions of a node, `validate` checks them, and `addConvention`
 * declares another one. `registerConvention` makes one of the user known. The conventions module
 * does the work (`src/conventions/rust`).
 */
import {
  DECLARABLE_CONVENTIONS,
  DECLARATION_FORMS,
  type DeclarationForm,
  type Examination,
  type FoundConvention,
  type KNOWN_CONVENTIONS,
  type NewDeclaration,
  type RegisteredMarks,
} from "../../contract/contract.ts";
import { object, optionsOf, type Rules, SIGNAL } from "../../engine/ts/model/argument.ts";
import { ZarrError } from "../../engine/ts/model/errors.ts";
import { exactJson } from "../../engine/ts/model/json.ts";
import { factsOf, type NodeLike, needNode } from "../../engine/ts/model/node_like.ts";
import type { Attributes } from "../../engine/ts/model/types.ts";
import { ask } from "../../engine/ts/port/convention.ts";
import { levelFindings } from "./level_findings.ts";
import {
  checkLoaded,
  checkSchema,
  type Finding,
  type JsonSchema,
  notValidated,
  type SchemaValidator,
} from "./schema.ts";

/**
 * The conventions that this package implements. They describe images and pyramids (`"multiscales"`,
 * `"ome"`, `"ndpyramid"`, `"tile_matrix_set"`), places on the Earth (`"proj"`, `"spatial"`,
 * `"dggs"`, `"CF"`), and the data themselves (`"license"`, `"uom"` for units of measurement,
 * `"stac"`).
 */
export type KnownConvention = (typeof KNOWN_CONVENTIONS)[number];

/** A convention on a node. */
export interface Convention
  extends Omit<FoundConvention, "keys" | "registered" | "findings" | "known" | "form"> {
  /** Its id, if this package implements it. */
  known?: KnownConvention | undefined;
  /** The format of its declaration. */
  form?: DeclarationForm | undefined;
  /** Whether `registerConvention` registered it. */
  isRegistered: boolean;
  /** The node's attributes that belong to it. */
  properties: Attributes;
  /** What is wrong with its attributes; `validate` finds more. */
  findings: Finding[];
}

/** A convention of the user. At least one of `uuid`, `schemaUrl` and `specUrl` identifies it. */
export interface RegisteredConvention extends RegisteredMarks {
  /** A name to display. */
  name?: string | undefined;
  /** What it is for. */
  description?: string | undefined;
  /** The JSON schema that `validate` hands to the validator of its options. */
  schema?: JsonSchema | undefined;
  /**
   * Whether the schema describes the metadata document (`"node"`) or the `"attributes"`. Default:
   * `"node"`, if the schema has a property `attributes`; else `"attributes"`.
   */
  schemaOf?: "node" | "attributes" | undefined;
}

const registeredConventions: RegisteredConvention[] = [];

/** The members of a registered convention that cross to the conventions module. */
const TEXTS = {
  uuid: "a text of Unicode",
  schemaUrl: "a text of Unicode",
  specUrl: "a text of Unicode",
  prefix: "a text of Unicode",
  key: "a text of Unicode",
} as const satisfies Rules<RegisteredMarks>;

const REGISTERED_RULES: Rules<RegisteredConvention> = {
  ...TEXTS,
  name: "a text",
  description: "a text",
  schema: "a boolean or an object",
  schemaOf: ["node", "attributes"],
};

/**
 * Registers a convention, so that `conventions` recognises it, and `validate` checks it.
 *
 * @param convention The convention.
 * @returns a function that removes it.
 * @throws an `Argument` error if it has no `uuid`, `schemaUrl` or `specUrl`.
 */
export function registerConvention(convention: RegisteredConvention): () => void {
  optionsOf(convention, REGISTERED_RULES, "convention");
  if (!convention.uuid && !convention.schemaUrl && !convention.specUrl) {
    throw new ZarrError(
      "Argument",
      "a convention is identified by its uuid, schemaUrl or specUrl, not by its name",
    );
  }
  const own = { ...convention };
  registeredConventions.push(own);
  return () => {
    const at = registeredConventions.indexOf(own);
    if (at >= 0) registeredConventions.splice(at, 1);
  };
}

const frameworkFinding = (rule: string, message: string): Finding => ({
  rule: `zarr_conventions/${rule}`,
  path: "",
  severity: "error",
  message,
});

/** The conventions of a node. Attributes that cannot be read become a finding. */
async function examine(node: NodeLike): Promise<Examination> {
  const { text, problem } = factsOf(node);
  const registered = JSON.stringify(registeredConventions, Object.keys(TEXTS));
  try {
    const examination = await ask("examine", { registered, node: text });
    if (problem) examination.findings.push(frameworkFinding("not-json", problem));
    return examination;
  } catch (error) {
    const isOfInput = error instanceof ZarrError && ["Format", "Limit", "Argument"].includes(error.code);
    if (!isOfInput || /call init/.test((error as ZarrError).message)) throw error;
    return { conventions: [], findings: [frameworkFinding("not-readable", (error as ZarrError).message)] };
  }
}

/** Returns the node's attributes with these names. */
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
 * Lists the conventions of a node: first the declared ones, in the order of their declarations,
 * then those that are recognised by their attributes. Invalid attributes are no error here;
 * `validate` reports them.
 *
 *     const found = await conventions(group);
 *     found.map(({ label }) => label); // ["multiscales", "proj", "spatial"]
 *
 * @param node An array or a group, of this package or of zarrita.
 * @throws an `Argument` error for what has no attributes.
 */
export async function conventions(node: NodeLike): Promise<Convention[]> {
  needNode(node);
  const { conventions } = await examine(node);
  return conventions.map((found) => conventionOf(node, found));
}

/** Options of `validate`. */
export interface ValidateOptions {
  /**
   * Checks documents against the JSON schemas of conventions, because this package has no validator
   * of its own. Default: schemas are not examined, and a finding `schema/not-validated` says so.
   *
   * @throws an `Argument` error if it does not return a list. What it throws becomes a finding.
   */
  validate?: SchemaValidator | undefined;
  /**
   * Whether to fetch the JSON schemas that declarations name, and to hand them to `validate`. Data
   * name these schemas, so a schema may be hostile. The validator must limit its own time. Default:
   * false.
   */
  loadSchema?: boolean | undefined;
  /** Aborts the call, which rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** Conventions whose groups have levels. */
const WITH_LEVELS: ReadonlySet<KnownConvention> = new Set(["multiscales", "ome"]);

const VALIDATE_RULES: Rules<ValidateOptions> = {
  ...SIGNAL,
  validate: "a function",
  loadSchema: "a boolean",
};

/** Maximum number of schemas that are loaded for one node. */
const MAX_SCHEMAS = 16;

/**
 * Checks the declarations of a node and the attributes of its conventions. For a group with levels
 * (OME-Zarr, `multiscales`) it opens their arrays, and compares their shapes.
 *
 * @param node An array or a group, of this package or of zarrita.
 * @returns errors, warnings and notes; an empty list if there are none.
 * @throws an `Argument` error for what has no attributes.
 */
export async function validate(node: NodeLike, options: ValidateOptions = {}): Promise<Finding[]> {
  const { signal } = optionsOf(options, VALIDATE_RULES);
  signal?.throwIfAborted();
  needNode(node);
  const examination = await examine(node);
  const findings = [...examination.findings];
  const room = { schemas: MAX_SCHEMAS };
  for (const found of examination.conventions) {
    findings.push(...conventionOf(node, found).findings);
    if (found.known && WITH_LEVELS.has(found.known)) {
      const contradictions = await levelFindings(node, signal);
      findings.push(...contradictions.map((finding) => ({ ...finding, convention: found.label })));
    }
    findings.push(...(await schemaFindings(node, found, { ...options, room })));
    signal?.throwIfAborted();
  }
  return findings;
}

/** The options, and how many schemas may still be loaded. */
type SchemaOptions = ValidateOptions & { room: { schemas: number } };

async function schemaFindings(
  node: NodeLike,
  { registered, schemaUrl, label, declared, known }: FoundConvention,
  { loadSchema, validate, signal, room }: SchemaOptions,
): Promise<Finding[]> {
  const own = registered === undefined ? undefined : registeredConventions[registered];
  if (own?.schema !== undefined) {
    const { schema, schemaOf } = own;
    if (!validate) return [notValidated(label, "warning", NO_VALIDATOR)];
    return checkSchema(node, { schema, validate, of: schemaOf, convention: label, signal });
  }
  if (!declared || !schemaUrl) return [];
  // The rules of this package examine known conventions.
  if (!loadSchema) return known ? [] : [notValidated(label, "info", "it is not loaded (`loadSchema`)")];
  if (!validate) return [notValidated(label, "warning", NO_VALIDATOR)];
  room.schemas -= 1;
  if (room.schemas < 0) return [notValidated(label, "warning", `more than ${MAX_SCHEMAS} of a node`)];
  return checkLoaded(node, schemaUrl, { validate, convention: label, signal });
}

const NO_VALIDATOR = "no validator is given (option `validate`)";

/** The convention that `addConvention` declares. */
export interface NewConvention extends Omit<NewDeclaration, "known" | "properties" | "form" | "overwrite"> {
  /** The format of the declaration. Default: `"current"`. */
  form?: DeclarationForm | undefined;
  /** Whether to replace existing attributes. Default: false, which rejects. */
  overwrite?: boolean | undefined;
  /**
   * A convention of this package, which gives identifiers, name and description: `"multiscales"`,
   * `"proj"`, `"spatial"`, `"license"`, `"uom"`, `"stac"`, `"dggs"` or `"CF"`. Default: none, so
   * that the declaration needs an identifier.
   */
  known?: (typeof DECLARABLE_CONVENTIONS)[number] | undefined;
  /** The attributes that the convention defines. */
  properties?: Attributes | undefined;
}

const NEW_RULES: Rules<NewConvention> = {
  known: DECLARABLE_CONVENTIONS,
  uuid: "a text",
  schemaUrl: "a text",
  specUrl: "a text",
  name: "a text",
  description: "a text",
  form: DECLARATION_FORMS,
  properties: "an object",
  overwrite: "a boolean",
};

/**
 * Makes the attributes that `addConvention` would write: the properties and `zarr_conventions`.
 *
 * @param attributes The attributes of the node, as they are.
 * @param convention What to declare.
 * @throws an `Argument` error for a convention without an identifier, and for attributes that
 *   exist.
 */
export async function conventionAttributes(
  attributes: Attributes,
  convention: NewConvention,
): Promise<Attributes> {
  object(attributes, "attributes");
  optionsOf(convention, NEW_RULES, "convention");
  const changed = await ask("declare", {
    attributes: exactJson(attributes, "convention"),
    convention: exactJson(convention satisfies NewDeclaration, "convention"),
  });
  return { ...convention.properties, zarr_conventions: changed.zarr_conventions };
}

/** A node whose attributes can be written. */
interface WritableNode extends NodeLike {
  updateAttributes(attributes: Attributes): Promise<unknown>;
}

/**
 * Declares a convention on a node and writes its properties.
 *
 *     await addConvention(group, { known: "proj", properties: { "proj:code": "EPSG:32633" } });
 *
 * @param node An array or a group of this package.
 * @param convention What to declare.
 * @throws an `Argument` error if the node has no `updateAttributes`, for a convention without an
 *   identifier, and for attributes that exist.
 */
export async function addConvention(node: NodeLike, convention: NewConvention): Promise<void> {
  const { updateAttributes } = object(node, "node") as Partial<WritableNode>;
  if (typeof updateAttributes !== "function") {
    throw new ZarrError(
      "Argument",
      "the attributes of this node cannot be written: it has no updateAttributes",
    );
  }
  await updateAttributes.call(node, await conventionAttributes(node.attrs, convention));
}
