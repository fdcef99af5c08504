/**
 * Tests parts that are copied into a result row by row, with a pause every 4 ms.
 */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { Rows } from "./loops.ts";
import { repeat, scatterAtOnce, scatterElements, scatterFill } from "./scatter.ts";

const always = () => true;

/** A part of 2 × 2 at [1, 1] of 3 × 4 elements. */
const BOX = { targetShape: [3, 4], start: [1, 1], shape: [2, 2], elementSize: 1 };
const SCATTERED = [0, 0, 0, 0, 0, 1, 2, 0, 0, 3, 4, 0];

test("a box within a box", async () => {
  const target = new Uint8Array(12);
  await scatterElements(target, BOX, Uint8Array.of(1, 2, 3, 4), always);
  assert.deepEqual([...target], SCATTERED);
  const other = new Uint8Array(12);
  scatterAtOnce(other, BOX, Uint8Array.of(1, 2, 3, 4));
  assert.deepEqual([...other], SCATTERED);
});

test("elements of two bytes", async () => {
  const target = new Uint8Array(8);
  const targetBox = { targetShape: [2, 2], start: [0, 1], shape: [2, 1], elementSize: 2 };
  await scatterElements(target, targetBox, Uint8Array.of(1, 2, 3, 4), always);
  assert.deepEqual([...target], [0, 0, 1, 2, 0, 0, 3, 4]);
});

test("one element without dimensions", async () => {
  const target = new Uint8Array(2);
  const targetBox = { targetShape: [], start: [], shape: [], elementSize: 2 };
  await scatterElements(target, targetBox, Uint8Array.of(7, 8), always);
  assert.deepEqual([...target], [7, 8]);
});

test("three dimensions, the last of them complete", async () => {
  const targetBox = { targetShape: [2, 3, 2], start: [0, 1, 0], shape: [2, 2, 2], elementSize: 1 };
  assert.equal(new Rows(targetBox).rowBytes, 4);
  const target = new Uint8Array(12);
  await scatterElements(target, targetBox, Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8), always);
  assert.deepEqual([...target], [0, 0, 1, 2, 3, 4, 0, 0, 5, 6, 7, 8]);
});

test("a part as large as its result is one row", () => {
  const { rowBytes, count } = new Rows({
    targetShape: [5, 7],
    start: [0, 0],
    shape: [5, 7],
    elementSize: 4,
  });
  assert.deepEqual([rowBytes, count], [140, 1]);
});

test("one packed element fills a part", async () => {
  const target = new Uint8Array(12);
  const targetBox = { targetShape: [2, 3], start: [0, 1], shape: [2, 2], elementSize: 2 };
  await scatterFill(target, targetBox, Uint8Array.of(1, 2), always);
  assert.deepEqual([...target], [0, 0, 1, 2, 1, 2, 0, 0, 1, 2, 1, 2]);
});

test("a pattern is repeated to an end that is not a multiple of its length", () => {
  const bytes = new Uint8Array(9);
  repeat(bytes, Uint8Array.of(1, 2, 3));
  assert.deepEqual([...bytes], [1, 2, 3, 1, 2, 3, 1, 2, 3]);
  repeat(bytes, Uint8Array.of(5));
  assert.deepEqual([...bytes], [5, 5, 5, 5, 5, 5, 5, 5, 5]);
});

/** 2048 rows of one byte each, in a result of two columns. */
const ROWS = { targetShape: [2048, 2], start: [0, 0], shape: [2048, 1], elementSize: 1 };
const rowsIn = (target: Uint8Array) => target.reduce((sum, byte) => sum + byte, 0);

/** The time of the fake clock, which continues from test to test. */
let now = 1e6;

/** A fake clock that advances by this many ms at each check. Counts the turns of Node's loop. */
function fakeClock(context: TestContext, ms: number): { turns: number } {
  const counted = { turns: 0 };
  now += 1000;
  context.mock.method(performance, "now", () => {
    now += ms;
    return now;
  });
  const count = () => {
    counted.turns += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  context.after(() => clearImmediate(next));
  return counted;
}

test("a long copy pauses, and checks whether it is still wanted", async (t) => {
  // Each look at the clock is 5 ms after the last: every 256 rows are a turn of their own.
  const counted = fakeClock(t, 5);
  const target = new Uint8Array(4096);
  const written: number[] = [];
  await scatterElements(target, ROWS, new Uint8Array(2048).fill(1), () => {
    written.push(rowsIn(target));
    return true;
  });
  assert.deepEqual(written, [256, 512, 768, 1024, 1280, 1536, 1792]);
  assert.equal(counted.turns, 7);
  assert.equal(rowsIn(target), 2048);
});

test("a copy pauses every 4 ms", async (t) => {
  // One ms a look: of the eight batches the first ends its turn, the next five are one, and the
  // last two another.
  const counted = fakeClock(t, 1);
  const target = new Uint8Array(4096);
  await scatterElements(target, ROWS, new Uint8Array(2048).fill(1), always);
  assert.equal(counted.turns, 2);
  assert.equal(rowsIn(target), 2048);
});

test("a cancelled copy writes nothing more", async (t) => {
  fakeClock(t, 5);
  const target = new Uint8Array(4096);
  let asked = 0;
  await scatterElements(target, ROWS, new Uint8Array(2048).fill(1), () => {
    asked += 1;
    return asked < 2;
  });
  assert.equal(rowsIn(target), 512);
  const pattern = new Uint8Array(4096);
  await scatterFill(pattern, ROWS, Uint8Array.of(1), () => false);
  assert.equal(rowsIn(pattern), 256);
});
