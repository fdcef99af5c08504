/**
 * Tests what the names of number types tell.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { floatBits, integerOf, integerRange, typeOfView } from "./number_types.ts";

test("integers have a sign, bits and a range", () => {
  assert.deepEqual(integerOf("uint4"), { isSigned: false, bits: 4 });
  assert.deepEqual(integerRange("int2"), [-2, 1]);
  assert.deepEqual(integerRange("int8"), [-128, 127]);
  assert.deepEqual(integerRange("uint64"), [0, 2 ** 64]);
  for (const name of ["float16", "bool", "uint", "int128", "toString", "__proto__"])
    assert.deepEqual([integerOf(name), integerRange(name)], [undefined, undefined], name);
});

test("floats have bits, also those that JavaScript lacks", () => {
  assert.deepEqual(["float64", "bfloat16", "float8_e8m0fnu", "float6_e2m3fn"].map(floatBits), [64, 16, 8, 6]);
  for (const name of ["int8", "complex64", "float", "constructor"]) assert.equal(floatBits(name), undefined);
});

test("typed arrays have a number type", () => {
  assert.deepEqual(["Uint8ClampedArray", "BigInt64Array", "Array"].map(typeOfView), [
    "uint8",
    "int64",
    undefined,
  ]);
});
