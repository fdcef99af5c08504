/**
 * Tests JSON with marks: values that `JSON.parse` cannot read are restored.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseJsonText } from "./json.ts";

test("plain text is plain JSON", () => {
  assert.deepEqual(parseJsonText({ text: '{"a": [1, null]}' }), { a: [1, null] });
});

test("NaN and infinities replace their marks", () => {
  const text = JSON.stringify({ fill: "\u0000NaN", range: ["\u0000-Infinity", 3, "\u0000Infinity"] });
  const marks = JSON.stringify({ fill: "NaN", range: { 0: "-Infinity", 2: "Infinity" } });
  assert.deepEqual(parseJsonText({ text, marks }), {
    fill: Number.NaN,
    range: [Number.NEGATIVE_INFINITY, 3, Number.POSITIVE_INFINITY],
  });
});

test("integers beyond 2^53 are rounded, or exact on request", () => {
  const marked = { text: '{"id": "\\u00009007199254740993"}', marks: '{"id": "9007199254740993"}' };
  assert.deepEqual(parseJsonText(marked), { id: 9007199254740992 });
  assert.deepEqual(parseJsonText(marked, true), { id: 9007199254740993n });
});

test("a document may be one mark", () => {
  assert.equal(parseJsonText({ text: "null", marks: '"NaN"' }), Number.NaN);
});

test("text that only looks like a mark stays text", () => {
  assert.deepEqual(parseJsonText({ text: '{"a": "\\u0000NaN", "b": "NaN"}', marks: '{"b": "NaN"}' }), {
    a: "\u0000NaN",
    b: "NaN",
  });
});

test("of a duplicate key the last value counts, without the marks of the first", () => {
  assert.deepEqual(
    parseJsonText({ text: '{"a": {"b": "\\u0000NaN"}, "a": 1}', marks: '{"a": {"b": "NaN"}}' }),
    { a: 1 },
  );
});

test("a key named __proto__ changes no prototype", () => {
  const value = parseJsonText({
    text: '{"__proto__": {"a": "\\u0000NaN"}}',
    marks: '{"__proto__": {"a": "NaN"}}',
  }) as object;
  assert.equal(Object.getPrototypeOf(value), Object.prototype);
  assert.deepEqual(Object.getOwnPropertyDescriptor(value, "__proto__")?.value, { a: Number.NaN });
});
