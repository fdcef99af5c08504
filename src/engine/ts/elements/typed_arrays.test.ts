/**
 * Tests numbers that the page makes from packed elements: widened floats, unaligned bytes, strides.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TypeDescription } from "../model/data_type.ts";
import { keepTables, numbersOf, stridesOf, viewOf } from "./typed_arrays.ts";

const HALF: TypeDescription = {
  name: "float16",
  kind: "float",
  size: 2,
  view: "Float16Array",
  widens: true,
};
const BFLOAT: TypeDescription = {
  name: "bfloat16",
  kind: "float",
  size: 2,
  view: "Uint16Array",
  widens: true,
};

/** Patterns of 16 bits, in the order of a little-endian file. */
const patterns = (...bits: number[]) => Uint8Array.from(bits.flatMap((word) => [word & 255, word >> 8]));

test("float16 values of IEEE 754", () => {
  // 1, -2, the largest, the smallest subnormal, the smallest normal, infinity, not a number
  const bytes = patterns(0x3c00, 0xc000, 0x7bff, 0x0001, 0x0400, 0xfc00, 0x7e00);
  assert.deepEqual(
    [...(numbersOf(HALF, bytes) as Float32Array)],
    [1, -2, 65504, 2 ** -24, 2 ** -14, Number.NEGATIVE_INFINITY, Number.NaN],
  );
});

test("a float16 zero keeps its sign", () => {
  const [zero, negative] = numbersOf(HALF, patterns(0, 0x8000)) as Float32Array;
  assert.ok(Object.is(zero, 0) && Object.is(negative, -0));
});

test("bfloat16 is the upper half of a float32", () => {
  const numbers = numbersOf(BFLOAT, patterns(0x3f80, 0xc000, 0x7f80, 0x4049));
  assert.deepEqual(numbers, Float32Array.of(1, -2, Number.POSITIVE_INFINITY, 3.140625));
});

test("other narrow floats use the conversion table that the engine sent", () => {
  const type: TypeDescription = {
    name: "float8_test",
    kind: "float",
    size: 1,
    view: "Uint8Array",
    widens: true,
  };
  assert.throws(() => numbersOf(type, Uint8Array.of(0)), /table for float8_test/);
  const numbers = new Uint8Array(Float32Array.from({ length: 256 }, (_, at) => at / 4).buffer);
  keepTables([{ name: "float8_test", numbers }]);
  assert.deepEqual(numbersOf(type, Uint8Array.of(1, 255)), Float32Array.of(0.25, 63.75));
});

test("bytes at an unaligned offset are copied, others are viewed", () => {
  const bytes = Uint8Array.of(9, 1, 0, 2, 0);
  assert.deepEqual(viewOf("Int16Array", bytes.subarray(1)), Int16Array.of(1, 2));
  const even = Uint8Array.of(1, 0, 2, 0);
  assert.equal(viewOf("Int16Array", even).buffer, even.buffer);
});

test("strides follow the order of memory", () => {
  assert.deepEqual(stridesOf([2, 3, 4], [0, 1, 2]), [12, 4, 1]);
  assert.deepEqual(stridesOf([2, 3, 4], [2, 1, 0]), [1, 2, 6]);
  assert.deepEqual(stridesOf([2, 3, 4], [1, 2, 0]), [1, 8, 2]);
  assert.deepEqual(stridesOf([], []), []);
});
