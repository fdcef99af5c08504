/**
 * Tests strings and JSON as they cross the port: UTF-8 behind offsets. The bytes are written by
 * hand.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TypeDescription } from "../model/data_type.ts";
import { elementOf, variableElements } from "./variable.ts";

const STRING: TypeDescription = { name: "string", kind: "string", widens: false };
const JSON_TYPE: TypeDescription = { name: "json", kind: "json", widens: false };
const INT16: TypeDescription = { name: "int16", kind: "integer", size: 2, view: "Int16Array", widens: false };

/** Offsets as 32-bit little-endian integers, and the bytes behind them. */
function packed(offsets: readonly number[], bytes: readonly number[]): Uint8Array {
  const head = offsets.flatMap((offset) => [offset & 255, offset >> 8, 0, 0]);
  return Uint8Array.from([...head, ...bytes]);
}

test("text with one byte per character", async () => {
  const bytes = packed([0, 1, 1, 4], [0x61, 0x62, 0x63, 0x64]);
  assert.deepEqual(await variableElements(STRING, bytes, 3), ["a", "", "bcd"]);
});

test("text with several bytes per character", async () => {
  // "é" is c3 a9, "漢" e6 bc a2, "😀" f0 9f 98 80.
  const bytes = packed([0, 2, 2, 6, 10], [0xc3, 0xa9, 0xe6, 0xbc, 0xa2, 0x21, 0xf0, 0x9f, 0x98, 0x80]);
  assert.deepEqual(await variableElements(STRING, bytes, 4), ["é", "", "漢!", "😀"]);
});

test("a byte order mark is part of the text", async () => {
  const bytes = packed([0, 4], [0xef, 0xbb, 0xbf, 0x61]);
  assert.deepEqual(await variableElements(STRING, bytes, 1), ["\ufeffa"]);
});

test("offsets at an unaligned address", async () => {
  const bytes = packed([0, 2, 3], [0x61, 0x62, 0x63]);
  const moved = new Uint8Array(bytes.length + 3);
  moved.set(bytes, 3);
  assert.deepEqual(await variableElements(STRING, moved.subarray(3), 2), ["ab", "c"]);
});

test("no elements at all", async () => {
  assert.deepEqual(await variableElements(STRING, packed([0], []), 0), []);
});

test("many elements keep their order", async () => {
  const count = 3000;
  const offsets = Array.from({ length: count + 1 }, (_, at) => 2 * at);
  const texts = Array.from({ length: count }, (_, at) => String(at % 100).padStart(2, "0"));
  const bytes = packed(offsets, [...new TextEncoder().encode(texts.join(""))]);
  assert.deepEqual(await variableElements(STRING, bytes, count), texts);
});

test("JSON, including texts that JSON.parse cannot read", async () => {
  const text = '{"a":1}NaN';
  const bytes = packed([0, 7, 10, 10], [...new TextEncoder().encode(text)]);
  const lossless = { NaN: { text: "null", marks: '"NaN"' } };
  assert.deepEqual(await variableElements(JSON_TYPE, bytes, 3, { lossless }), [{ a: 1 }, Number.NaN, null]);
});

test("an optional element begins with a presence byte", () => {
  const optional: TypeDescription = { name: "optional", kind: "optional", widens: false, inner: STRING };
  assert.equal(elementOf(optional, Uint8Array.of(0, 0x61)), null);
  assert.equal(elementOf(optional, Uint8Array.of(1, 0x61)), "a");
  const optionalJson = { ...optional, inner: JSON_TYPE };
  const aNull = Uint8Array.of(1, ...new TextEncoder().encode("null"));
  // A null that is present differs from an absent value.
  assert.deepEqual(elementOf(optionalJson, aNull), [null]);
});

test("an array of variable length is a copy", () => {
  const type: TypeDescription = { name: "array", kind: "variable-array", widens: false, inner: INT16 };
  const bytes = Uint8Array.of(1, 0, 0xff, 0xff);
  const value = elementOf(type, bytes);
  bytes.fill(9);
  assert.deepEqual(value, Int16Array.of(1, -1));
});

test("bytes are a copy", () => {
  const bytes = Uint8Array.of(1, 2);
  const value = elementOf({ name: "bytes", kind: "bytes", widens: false }, bytes);
  bytes.fill(9);
  assert.deepEqual(value, Uint8Array.of(1, 2));
});
