/** Values of another realm, as test runners and frames hand them over. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runInNewContext } from "node:vm";
import { isArrayBuffer, isPromiseLike, isUint8Array } from "./realms.ts";

const foreign = (text: string): unknown => runInNewContext(text);

test("buffers and arrays of another realm are known", () => {
  assert.equal(foreign("new ArrayBuffer(4)") instanceof ArrayBuffer, false);
  assert.equal(isArrayBuffer(foreign("new ArrayBuffer(4)")), true);
  assert.equal(isUint8Array(foreign("new Uint8Array(4)")), true);
  assert.equal(isArrayBuffer(new ArrayBuffer(0)), true);
  assert.equal(isUint8Array(Buffer.from("text")), true);
});

test("what only looks like one is none", () => {
  for (const value of [undefined, null, 3, {}, [], new Uint8Array(2), new SharedArrayBuffer(2)])
    assert.equal(isArrayBuffer(value), false);
  const disguised = { [Symbol.toStringTag]: "Uint8Array", byteLength: 2 };
  for (const value of [undefined, disguised, new ArrayBuffer(2), new Uint8ClampedArray(2), new Int8Array(2)])
    assert.equal(isUint8Array(value), false);
});

test("promises of another realm are known, and getters that throw do no harm", () => {
  assert.equal(foreign("Promise.resolve(1)") instanceof Promise, false);
  assert.equal(isPromiseLike(foreign("Promise.resolve(1)")), true);
  assert.equal(isPromiseLike(Promise.resolve(1)), true);
  // biome-ignore lint/suspicious/noThenProperty: that is what is tested
  const withThen = (then: unknown) => ({ then });
  assert.equal(isPromiseLike(withThen(() => undefined)), true);
  for (const value of [undefined, null, 3, {}, withThen(3)]) assert.equal(isPromiseLike(value), false);
  const hostile = {
    // biome-ignore lint/suspicious/noThenProperty: that is what is tested
    get then(): never {
      throw new Error("on purpose");
    },
  };
  assert.equal(isPromiseLike(hostile), false);
});
