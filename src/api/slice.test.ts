/**
 * Tests slices, selections by dimension names, and points, as in Python and zarrita.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { InvalidSelectionError } from "../engine/ts/model/errors.ts";
import { Points, points, select, slice } from "./selection.ts";

test("a single number is the stop of a slice, as in Python", () => {
  assert.deepEqual(slice(5), { start: null, stop: 5, step: null });
  assert.deepEqual(slice(null), { start: null, stop: null, step: null });
});

test("start, stop and step", () => {
  assert.deepEqual(slice(2, 8, 3), { start: 2, stop: 8, step: 3 });
  assert.deepEqual(slice(-1, null, -1), { start: -1, stop: null, step: -1 });
});

test("bigints that are safe integers become numbers", () => {
  assert.deepEqual(slice(5n, 2n ** 53n - 1n), { start: 5, stop: 9007199254740991, step: null });
  assert.throws(() => slice(2n ** 53n), InvalidSelectionError);
});

const named = { dimensionNames: ["time", "lat", "lon"] };

test("dimensions without an entry are selected completely", () => {
  assert.deepEqual(select(named, { lon: 3, time: slice(2) }), [
    { start: null, stop: 2, step: null },
    null,
    3,
  ]);
});

test("an unknown dimension name is rejected, and the error lists the names", () => {
  assert.throws(() => select(named, { lom: 3 }), {
    name: "InvalidSelectionError",
    expected: 'one of "time", "lat", "lon"',
    actual: "lom",
  });
});

test("a name of two dimensions is rejected", () => {
  const twice = { dimensionNames: ["x", "x"] };
  assert.throws(() => select(twice, { x: 0 }), /several dimensions are named "x"/);
  assert.deepEqual(select(twice, {}), [null, null]);
});

test("an array without dimension names rejects a selection by name", () => {
  assert.throws(() => select({ dimensionNames: undefined }, { x: 0 }), InvalidSelectionError);
});

test("points have one list per dimension", () => {
  const chosen = points([0, 5], Int32Array.of(1, 7));
  assert.ok(chosen instanceof Points);
  assert.deepEqual(chosen.lists, [[0, 5], Int32Array.of(1, 7)]);
});
