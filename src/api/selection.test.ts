/**
 * Selections as callers write them, and what the engine reads. Bounds are the engine's business,
 * and are not looked at here.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { EngineSelection } from "../engine/ts/model/read_request.ts";
import { type AnySelection, AtValue, dimensionNamesOf, points, requestOf, slice } from "./selection.ts";

const FACTS = { shape: [10, 20, 30, 40], dimensionNames: ["t", "z", "y", "x"] };

const selected = (selection: unknown, facts: Parameters<typeof requestOf>[1] = FACTS): EngineSelection =>
  requestOf(selection as AnySelection, facts).selection;

const whole = { start: undefined, stop: undefined, step: undefined };

test("no selection is everything", () => {
  assert.deepEqual(selected(null), { Orthogonal: [] });
  assert.deepEqual(selected(undefined), { Orthogonal: [] });
});

test("one entry a dimension", () => {
  assert.deepEqual(selected([3, slice(1, 9, 2), null, [4, 2]]), {
    Orthogonal: [{ Index: 3 }, { Slice: { start: 1, stop: 9, step: 2 } }, "All", { List: [4, 2] }],
  });
});

test("a slice may be written out, in part or with bigints", () => {
  assert.deepEqual(selected([{ start: 2n ** 60n }, { step: -1 }]), {
    Orthogonal: [{ Slice: { ...whole, start: 2n ** 60n } }, { Slice: { ...whole, step: -1 } }],
  });
});

test("typed arrays are lists of indices", () => {
  assert.deepEqual(selected([Uint8Array.of(7, 0), BigInt64Array.of(-1n)]), {
    Orthogonal: [{ List: [7, 0] }, { List: [-1n] }],
  });
});

test('"..." stands for as many dimensions as the others leave', () => {
  assert.deepEqual(selected(["...", 7]), { Orthogonal: ["All", "All", "All", { Index: 7 }] });
  assert.deepEqual(selected([7, "..."]), { Orthogonal: [{ Index: 7 }, "All", "All", "All"] });
  assert.deepEqual(selected([1, "...", 2, 3, 4]), {
    Orthogonal: [{ Index: 1 }, { Index: 2 }, { Index: 3 }, { Index: 4 }],
  });
  assert.throws(() => selected(["...", 1, "..."]), /once/);
});

test("too many entries are passed on for the engine to refuse", () => {
  assert.deepEqual(selected([1, "...", 2], { shape: [5], dimensionNames: undefined }), {
    Orthogonal: [{ Index: 1 }, { Index: 2 }],
  });
});

test("a number that is not safe becomes the bigint that it is", () => {
  assert.deepEqual(selected([2 ** 60]), { Orthogonal: [{ Index: 1152921504606846976n }] });
  assert.deepEqual(selected([2 ** 53 - 1]), { Orthogonal: [{ Index: 9007199254740991 }] });
});

for (const [what, entry] of [
  ["a fraction", 1.5],
  ["NaN", Number.NaN],
  ["infinity", Number.POSITIVE_INFINITY],
  ["text", "3"],
  ["a boolean", true],
  ["an object that is no slice", { from: 1 }],
  ["a fraction in a list", [0, 0.5]],
  ["text in a slice", { start: "1" }],
  ["a Date", new Date(0)],
] as const) {
  test(`${what} is refused`, () => {
    assert.throws(() => selected([entry]), { name: "InvalidSelectionError", code: "Argument" });
  });
}

test("a coordinate value is refused where coordinates are not looked up", () => {
  const value = new AtValue(12.5, {}, async () => undefined);
  assert.throws(() => selected([value]), { expected: /locate/ });
});

test("by name", () => {
  assert.deepEqual(selected({ y: 3 }), { Orthogonal: ["All", "All", { Index: 3 }, "All"] });
});

test("points go as lists", () => {
  assert.deepEqual(selected(points([0, 5], [1n, 7n])), {
    Points: [
      [0, 5],
      [1n, 7n],
    ],
  });
});

test("names that xarray wrote count where they fit the shape", () => {
  const names = (attribute: unknown) =>
    dimensionNamesOf({
      shape: [2, 3],
      dimensionNames: undefined,
      attributes: { _ARRAY_DIMENSIONS: attribute },
    });
  assert.deepEqual(names(["y", "x"]), ["y", "x"]);
  assert.equal(names(["y"]), undefined);
  assert.equal(names(["y", 3]), undefined);
  assert.equal(names("yx"), undefined);
});

test("names of the metadata go before those of attributes", () => {
  const facts = { shape: [2], dimensionNames: ["own"], attributes: { _ARRAY_DIMENSIONS: ["other"] } };
  assert.deepEqual(dimensionNamesOf(facts), ["own"]);
});
