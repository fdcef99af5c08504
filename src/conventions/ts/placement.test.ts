/** Coordinates with equal and with other steps, their edges, and arcs of longitudes, by hand. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { arcOf, boundsOf, edgesOf, evenSteps } from "./placement.ts";

test("coordinates with equal steps", () => {
  assert.deepEqual(evenSteps([10, 7.5, 5], 0.01), { start: 10, step: -2.5 });
  assert.deepEqual(evenSteps(Float32Array.of(0, 0.1, 0.2), 0.01)?.start, 0);
  assert.equal(evenSteps([0, 1, 4, 9], 0.5), undefined);
  assert.equal(evenSteps([0, 1.4, 2], 0.3), undefined);
  assert.deepEqual(evenSteps([0, 1.4, 2], 0.5), { start: 0, step: 1 });
  assert.equal(evenSteps([0, Number.NaN, 2], 0.5), undefined);
  assert.equal(evenSteps([1, 1, 1], 0.5), undefined);
  assert.equal(evenSteps([1], 0.5), undefined);
  assert.equal(evenSteps([], 0.5), undefined);
});

test("edges are half a step beyond the ends", () => {
  assert.deepEqual(edgesOf([0, 1, 3]), [-0.5, 4]);
  assert.deepEqual(edgesOf([80, 60, 20]), [0, 90]);
});

test("bounds leave out what is missing", () => {
  assert.deepEqual(boundsOf([3, Number.NaN, -1]), [-1, 3]);
});

test("the arc of longitudes has no wide gap", () => {
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at + 0.5);
  assert.deepEqual(arcOf(range(-20, 40)), [-19.5, 39.5]);
  assert.deepEqual(arcOf(range(160, 200)), [160.5, 199.5]);
  assert.deepEqual(arcOf(range(200, 250)), [-159.5, -110.5]);
  assert.deepEqual(arcOf(range(0, 355)), [-180, 180]);
  assert.deepEqual(arcOf([...range(170, 180), Number.NaN, ...range(-180, -170)]), [170.5, 189.5]);
});
