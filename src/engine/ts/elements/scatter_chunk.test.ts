/**
 * Tests boxes of decoded chunks that are copied into a result, with expected values by hand. The
 * chunk is 3 × 3: 1 to 9, row by row.
 */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Destination, scatterChunk, wholeResult } from "./scatter.ts";

const always = () => true;
const CHUNK = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9);

/** A result of 4 × 4 bytes, row by row. */
const destination = (more: Partial<Destination> = {}): Destination => ({
  order: [0, 1],
  strides: [4, 1],
  start: [0, 0],
  elementSize: 1,
  ...more,
});

interface Taken {
  count: number;
  /** Step in elements of the chunk. */
  step: number;
  /** First index in the part. */
  at: number;
}

const numbers = (first: number, ...dimensions: Taken[]) =>
  Float64Array.from([first, ...dimensions.flatMap(({ count, step, at }) => [count, step, at])]);

async function scattered(
  where: Destination,
  first: number,
  taken: [Taken, Taken],
  size = 16,
  chunk: Uint8Array = CHUNK,
): Promise<number[]> {
  const target = new Uint8Array(size);
  await scatterChunk(target, where, [numbers(first, ...taken), chunk, false], always);
  return [...target];
}

test("every other row and column", async () => {
  const taken: [Taken, Taken] = [
    { count: 2, step: 6, at: 1 },
    { count: 2, step: 2, at: 1 },
  ];
  assert.deepEqual(
    await scattered(destination(), 0, taken),
    [0, 0, 0, 0, 0, 1, 3, 0, 0, 7, 9, 0, 0, 0, 0, 0],
  );
});

test("backwards", async () => {
  const taken: [Taken, Taken] = [
    { count: 3, step: -3, at: 0 },
    { count: 3, step: -1, at: 0 },
  ];
  assert.deepEqual(
    await scattered(destination(), 8, taken),
    [9, 8, 7, 0, 6, 5, 4, 0, 3, 2, 1, 0, 0, 0, 0, 0],
  );
});

test("the origin of the part is added", async () => {
  const taken: [Taken, Taken] = [
    { count: 1, step: 0, at: 0 },
    { count: 2, step: 1, at: 1 },
  ];
  const where = destination({ start: [2, 1] });
  assert.deepEqual(await scattered(where, 4, taken), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 6, 0, 0, 0, 0]);
});

test("a result in F order", async () => {
  const taken: [Taken, Taken] = [
    { count: 2, step: 3, at: 0 },
    { count: 3, step: 1, at: 0 },
  ];
  const where = destination({ order: [1, 0], strides: [1, 2] });
  assert.deepEqual(await scattered(where, 0, taken, 6), [1, 4, 2, 5, 3, 6]);
});

test("a whole chunk into a result of its shape", async () => {
  const taken: [Taken, Taken] = [
    { count: 3, step: 3, at: 0 },
    { count: 3, step: 1, at: 0 },
  ];
  assert.deepEqual(await scattered(destination({ strides: [3, 1] }), 0, taken, 9), [...CHUNK]);
});

for (const elementSize of [1, 2, 4, 8]) {
  test(`elements of ${elementSize} bytes stay whole`, async () => {
    const chunk = Uint8Array.from({ length: 9 * elementSize }, (_, at) => at);
    const taken: [Taken, Taken] = [
      { count: 2, step: 3, at: 0 },
      { count: 1, step: 0, at: 1 },
    ];
    const found = await scattered(
      destination({ strides: [2, 1], elementSize }),
      2,
      taken,
      4 * elementSize,
      chunk,
    );
    const element = (index: number) =>
      Array.from({ length: elementSize }, (_, at) => index * elementSize + at);
    const none = new Array(elementSize).fill(0);
    assert.deepEqual(found, [...none, ...element(2), ...none, ...element(5)]);
  });
}

test("a chunk at an odd offset in memory", async () => {
  const memory = Uint8Array.of(255, 1, 0, 2, 0, 3, 0, 4, 0);
  const taken: [Taken, Taken] = [
    { count: 2, step: 2, at: 0 },
    { count: 1, step: 1, at: 0 },
  ];
  const found = await scattered(
    destination({ strides: [1, 1], elementSize: 2 }),
    1,
    taken,
    4,
    memory.subarray(1),
  );
  assert.deepEqual(found, [2, 0, 4, 0]);
});

/** 2000 rows, of each of which 400 bytes are selected. */
const LONG: Destination = { order: [0, 1], strides: [500, 1], start: [0, 0], elementSize: 1 };
const longNumbers = numbers(0, { count: 2000, step: 400, at: 0 }, { count: 400, step: 1, at: 50 });

test("long rows are copied as runs", async () => {
  const chunk = new Uint8Array(2000 * 400).map((_, at) => (at % 251) + 1);
  const target = new Uint8Array(2000 * 500);
  await scatterChunk(target, LONG, [longNumbers, chunk, false], always);
  for (const row of [0, 1, 777, 1999]) {
    const expected = new Uint8Array(500);
    expected.set(chunk.subarray(row * 400, (row + 1) * 400), 50);
    assert.deepEqual(target.subarray(row * 500, (row + 1) * 500), expected, `row ${row}`);
  }
});

test("a long copy pauses, and ends when it is cancelled", async (t: TestContext) => {
  let now = performance.now() + 1000;
  t.mock.method(performance, "now", () => {
    now += 5;
    return now;
  });
  const target = new Uint8Array(2000 * 500);
  let asked = 0;
  await scatterChunk(target, LONG, [longNumbers, new Uint8Array(2000 * 400).fill(1), false], () => {
    asked += 1;
    return asked < 2;
  });
  // Two turns of 256 KiB each are there, of 781 KiB, and nothing of the rest.
  const bytes = target.reduce((sum, byte) => sum + byte, 0);
  assert.ok(bytes > 500_000 && bytes <= 2 * (1 << 18), `${bytes} bytes`);
});

test("a chunk is the whole result only if all of it lies there in the same order", () => {
  const square = { strides: [3, 1] };
  const rows = numbers(0, { count: 3, step: 3, at: 0 }, { count: 3, step: 1, at: 0 });
  const columns = numbers(0, { count: 3, step: 1, at: 0 }, { count: 3, step: 3, at: 0 });
  const twoRows = numbers(3, { count: 2, step: 3, at: 0 }, { count: 3, step: 1, at: 0 });
  assert.deepEqual(wholeResult(destination(square), [rows, CHUNK, false], 9), CHUNK);
  assert.deepEqual(wholeResult(destination(square), [twoRows, CHUNK, false], 6), CHUNK.subarray(3));
  assert.equal(wholeResult(destination(square), [columns, CHUNK, false], 9), undefined, "transposed");
  assert.equal(wholeResult(destination(square), [twoRows, CHUNK, false], 9), undefined, "rows are missing");
});
