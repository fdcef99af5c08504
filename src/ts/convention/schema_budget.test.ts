/** Schemas that are programs: their steps and their patterns have a bound. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Validator } from "@cfworker/json-schema";
import { RE2JS } from "re2js";
import { hasPatterns, SchemaBudget } from "./schema_budget.ts";

function check(schema: Record<string, unknown>, document: unknown): string[] {
  const copy = structuredClone(schema);
  const budget = new SchemaBudget(document);
  if (hasPatterns(copy)) budget.usePatterns(copy, RE2JS);
  budget.count(copy);
  const { errors } = new Validator(copy, "2020-12", false).validate(document);
  return errors.map(({ keyword, instanceLocation }) => `${keyword} ${instanceLocation}`);
}

/** Runs a check, and asserts that it is refused within seconds. */
function refused(schema: Record<string, unknown>, document: unknown): void {
  const began = performance.now();
  assert.throws(() => check(schema, document));
  assert.ok(performance.now() - began < 5000, `${performance.now() - began} ms`);
}

test("patterns mean what they mean in the language", () => {
  const schema = {
    type: "object",
    properties: {
      code: { pattern: "^EPSG:\\d+$" },
      free: { pattern: "b+" },
      pattern: { type: "string" },
    },
    patternProperties: { "^x-": { type: "number" }, "^y\\.": { type: "string" }, "^z": { type: "null" } },
    additionalProperties: false,
  };
  assert.deepEqual(check(schema, { code: "EPSG:4326", free: "abc", "x-1": 1, "y.a": "" }), []);
  assert.ok(check(schema, { code: "EPSG:x" }).includes("pattern #/code"));
  assert.ok(check(schema, { free: "xyz" }).includes("pattern #/free"));
  assert.ok(check(schema, { "x-1": "text" }).includes("type #/x-1"));
  assert.ok(check(schema, { yaa: "text" }).some((error) => error.endsWith("#/yaa")));
  assert.deepEqual(check({ propertyNames: { pattern: "^[a-z(.*]+$" } }, { "a(": 1, "b.*": 2 }), []);
  assert.deepEqual(check({ items: { format: "date" } }, ["2020-01-01"]), []);
});

test("patterns of exponential time are matched, in linear time", () => {
  const document = { text: `${"a".repeat(5000)}!` };
  const began = performance.now();
  for (const pattern of ["^(a+)+$", "^(a|a)*$", "^(a*)*b", "^(.*a){20}$"]) {
    const found = check({ properties: { text: { pattern } } }, document);
    assert.deepEqual(
      found.includes("pattern #/text"),
      pattern !== "^(.*a){20}$" || found.length > 0,
      pattern,
    );
  }
  check({ properties: { text: { format: "url" } } }, { text: `http://${"a".repeat(60)}!` });
  check({ patternProperties: { "^(a+)+$": {} } }, { [`${"a".repeat(5000)}!`]: 1 });
  assert.ok(performance.now() - began < 5000);
});

test("patterns without a linear engine, and those that are too large, are refused", () => {
  for (const pattern of ["(?=a)b", "(a)\\1", "(?<n>a)\\k<n>", "a{1000}".repeat(300), "(", "x".repeat(3e5)])
    refused({ pattern }, "aaaa");
  refused({ pattern: "(a{30}){30}" }, "a".repeat(5_000_000));
});

test("references that multiply are refused", () => {
  const $defs: Record<string, unknown> = { d20: { type: "object" } };
  for (let at = 0; at < 20; at++) {
    const $ref = `#/$defs/d${at + 1}`;
    $defs[`d${at}`] = { allOf: [{ $ref }, { $ref }, { $ref }] };
  }
  refused({ $defs, $ref: "#/$defs/d0" }, {});
  refused({ $ref: "#" }, {});
  refused({ allOf: [{ $ref: "#" }, { $ref: "#" }] }, {});
});

test("large keywords and lists count as many steps", () => {
  const many = Array.from({ length: 9000 }, (_, at) => ({ at }));
  refused({ uniqueItems: true }, many);
  const values = Array.from({ length: 20_000 }, (_, at) => ({ at }));
  refused({ items: { enum: values } }, many);
  assert.deepEqual(check({ items: { type: "object" } }, many.slice(0, 2000)), []);
});
