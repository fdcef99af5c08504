/**
 * Bounds the evaluation of a JSON schema that came with data. Such a schema is a program: its
 * references may multiply, and its patterns may take exponential time. The validator itself has no
 * bounds, so the copy of the schema that it gets counts steps and has harmless patterns.
 */

/** Schemas within a schema, by name. */
const MAPS = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
]);

/** Keywords whose values are data. */
const DATA = new Set(["enum", "const", "default", "examples", "required", "dependentRequired"]);

/** Steps that one check may take: about one second. */
const MOST_STEPS = 1_000_000;
const MOST_MS = 2000;

/** How many characters of a schema, and of a document, make one evaluation a step longer. */
const SCHEMA_CHARACTERS = 256;
const DOCUMENT_CHARACTERS = 4096;

/** Cost of the patterns of one schema: their lengths with all repetitions written out. */
const MOST_PATTERN_COST = 200_000;

/** Cost of matching: instructions of a pattern times characters. */
const MOST_MATCH_COST = 20_000_000;

type SchemaObject = Record<string, unknown>;

/** The used part of RE2JS, whose matching takes linear time. */
export interface LinearEngine {
  translateRegExp(pattern: string): string;
  compile(pattern: string): { programSize(): number; matcher(text: string): { find(): boolean } };
}

const isObject = (value: unknown): value is SchemaObject =>
  typeof value === "object" && value !== null && !globalThis.Array.isArray(value);

/** Calls `visit` with each schema object in a schema. */
function eachSchema(schema: unknown, visit: (schema: SchemaObject) => void): void {
  const open = [schema];
  for (let next = open.pop(); open.length > 0 || next !== undefined; next = open.pop()) {
    if (globalThis.Array.isArray(next)) open.push(...next);
    if (!isObject(next)) continue;
    visit(next);
    for (const [name, value] of Object.entries(next)) {
      if (DATA.has(name)) continue;
      if (MAPS.has(name) && isObject(value)) open.push(...Object.values(value));
      else open.push(value);
    }
  }
}

/** The strings, names, and the longest list of a document. */
class DocumentFacts {
  readonly strings = new Set<string>();
  readonly names = new Set<string>();
  longest = 0;
  values = 0;

  constructor(document: unknown) {
    const open = [document];
    while (open.length > 0) {
      const next = open.pop();
      this.values += 1;
      if (typeof next === "string") this.strings.add(next);
      if (typeof next !== "object" || next === null) continue;
      const entries = Object.entries(next);
      if (globalThis.Array.isArray(next)) this.longest = Math.max(this.longest, next.length);
      for (const [name, value] of entries) {
        if (!globalThis.Array.isArray(next)) this.names.add(name);
        open.push(value);
      }
    }
  }
}

/** The work that one check may still do. Throws when it is too much. */
export class SchemaBudget {
  readonly #document: DocumentFacts;
  readonly #weight: number;
  readonly #deadline = performance.now() + MOST_MS;
  #steps = 0;
  #patterns = 0;
  #matches = 0;

  constructor(document: unknown) {
    this.#document = new DocumentFacts(document);
    this.#weight = 1 + JSON.stringify(document).length / DOCUMENT_CHARACTERS;
  }

  /** Makes a schema count its steps. The validator reads `$ref` once in each. */
  count(schema: unknown): void {
    eachSchema(schema, (each) => {
      const weight = (1 + JSON.stringify(each).length / SCHEMA_CHARACTERS) * this.#weight;
      const { $ref, uniqueItems, format } = each;
      const charge = (name: string, value: unknown, steps: number) =>
        Object.defineProperty(each, name, {
          enumerable: value !== undefined,
          get: () => this.#take(steps, value),
        });
      charge("$ref", $ref, weight);
      const pairs = (this.#document.longest * this.#document.values) / 64;
      if (uniqueItems) charge("uniqueItems", uniqueItems, pairs);
      // The validator's own pattern for this format takes exponential time. It is no standard one.
      if (format === "url") delete each.format;
    });
  }

  /** Replaces the patterns of a schema by lists of what they match in this document. */
  usePatterns(schema: unknown, engine: LinearEngine): void {
    eachSchema(schema, (each) => {
      const { pattern, patternProperties } = each;
      const { strings, names } = this.#document;
      if (typeof pattern === "string") {
        each.pattern = listOf(this.#matching(pattern, new Set([...strings, ...names]), engine));
      }
      if (!isObject(patternProperties)) return;
      const entries = Object.entries(patternProperties).map(([key, value], at) => {
        // The empty groups keep equal lists apart.
        return [listOf(this.#matching(key, names, engine)) + "(?:)".repeat(at), value] as const;
      });
      each.patternProperties = Object.fromEntries(entries);
    });
  }

  #take<T>(steps: number, value: T): T {
    this.#steps += steps;
    if (this.#steps > MOST_STEPS || performance.now() > this.#deadline)
      throw new Error("it takes too many steps");
    return value;
  }

  /** The texts that a pattern matches. */
  #matching(pattern: string, texts: ReadonlySet<string>, engine: LinearEngine): string[] {
    // The engine would read a reference to a group as something else.
    if (/\\(?:[1-9]|k<)/.test(pattern)) throw refused(pattern);
    const repetitions = [...pattern.matchAll(/\{(\d*),?(\d*)\}/g)].flatMap(([, from, to]) => [
      Number(from),
      Number(to),
    ]);
    this.#patterns += pattern.length * (1 + repetitions.reduce((most, each) => Math.max(most, each), 0));
    if (this.#patterns > MOST_PATTERN_COST) throw new Error("its patterns are too long");
    const compiled = compile(pattern, engine);
    const characters = [...texts].reduce((sum, text) => sum + text.length + 1, 0);
    this.#matches += compiled.programSize() * characters;
    if (this.#matches > MOST_MATCH_COST) throw new Error("its patterns take too many steps");
    return [...texts].filter((text) => compiled.matcher(text).find());
  }
}

const refused = (pattern: string) =>
  new Error(`the pattern ${JSON.stringify(pattern.slice(0, 100))} cannot be matched in linear time`);

function compile(pattern: string, engine: LinearEngine): ReturnType<LinearEngine["compile"]> {
  // A pattern that is no pattern has the error of the language.
  new RegExp(pattern, "u");
  try {
    return engine.compile(engine.translateRegExp(pattern));
  } catch {
    throw refused(pattern);
  }
}

/** A pattern that matches these texts only, in linear time. */
function listOf(texts: readonly string[]): string {
  if (texts.length === 0) return "[]";
  const escaped = texts.map((text) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  return `^(?:${escaped.join("|")})$`;
}

/** Whether a schema has patterns. */
export function hasPatterns(schema: unknown): boolean {
  let found = false;
  eachSchema(schema, ({ pattern, patternProperties }) => {
    found ||= typeof pattern === "string" || isObject(patternProperties);
  });
  return found;
}
