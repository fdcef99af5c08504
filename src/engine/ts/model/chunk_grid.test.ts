/**
 * Tests counting along one dimension of a chunk grid: regular, and with runs of chunks.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { chunkAt, chunkCount, chunkExtent, gridOfMetadata } from "./chunk_grid.ts";

/** Chunks of 2, 2, 2 and 5 elements: [0, 2), [2, 4), [4, 6), [6, 11). */
const RUNS = [
  [2, 3],
  [5, 1],
] as const;

test("a regular grid: the last chunk may extend beyond the array", () => {
  assert.equal(chunkCount(4, 10), 3);
  assert.equal(chunkCount(4, 8), 2);
  assert.equal(chunkCount(4, 0), 0);
  assert.equal(chunkAt(4, 7), 1);
  assert.equal(chunkAt(4, 8), 2);
  assert.deepEqual(chunkExtent(4, 2), { start: 8, length: 4 });
});

test("runs: the chunk that contains an element", () => {
  assert.deepEqual(
    [0, 1, 2, 5, 6, 10, 11].map((element) => chunkAt(RUNS, element)),
    [0, 0, 1, 2, 3, 3, 4],
  );
});

test("runs: the start and length of each chunk", () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((chunk) => chunkExtent(RUNS, chunk)),
    [
      { start: 0, length: 2 },
      { start: 2, length: 2 },
      { start: 4, length: 2 },
      { start: 6, length: 5 },
      { start: 11, length: 0 },
    ],
  );
});

test("runs: the number of chunks that cover an extent", () => {
  assert.deepEqual(
    [0, 1, 6, 7, 11].map((extent) => chunkCount(RUNS, extent)),
    [0, 1, 3, 4, 4],
  );
});

test("the axes of a metadata document: numbers, lists, and runs of equal chunks", () => {
  assert.deepEqual(gridOfMetadata({ configuration: { chunk_shapes: [4, [[2, 3], 5]] } }, 3), [4, RUNS, 1]);
  assert.deepEqual(gridOfMetadata({ configuration: { chunk_shape: [16, 8n] } }, 2), [16, 8]);
  assert.deepEqual(gridOfMetadata(undefined, 2), [1, 1]);
});
