/**
 * Tests parts in shared memory against a copy element by element.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { closeGate, newGate, scatterShared } from "./gate.ts";

const product = (extents: readonly number[]) => extents.reduce((all, extent) => all * extent, 1);

interface Box {
  targetShape: number[];
  start: number[];
  shape: number[];
}

const BOXES: Box[] = [
  { targetShape: [4, 300_000], start: [1, 0], shape: [2, 300_000] },
  { targetShape: [3, 300_000], start: [1, 5], shape: [2, 200_001] },
  { targetShape: [5, 7, 11], start: [1, 2, 3], shape: [3, 4, 5] },
  { targetShape: [6], start: [2], shape: [3] },
  { targetShape: [], start: [], shape: [] },
];

/** Two bytes an element, one after the other. */
function expectedOf({ targetShape, start, shape }: Box, elements: Uint8Array): Uint8Array {
  const expected = new Uint8Array(2 * product(targetShape));
  for (let at = 0; at < product(shape); at += 1) {
    let [rest, index, step] = [at, 0, 1];
    for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
      const extent = shape[axis] ?? 1;
      index += ((start[axis] ?? 0) + (rest % extent)) * step;
      rest = Math.floor(rest / extent);
      step *= targetShape[axis] ?? 1;
    }
    expected.set(elements.subarray(2 * at, 2 * at + 2), 2 * index);
  }
  return expected;
}

for (const box of BOXES) {
  test(`a part of ${box.shape} in ${box.targetShape} is put where it belongs`, () => {
    const memory = new Uint8Array(new SharedArrayBuffer(2 * product(box.targetShape)));
    const elements = new Uint8Array(2 * product(box.shape)).map((_, at) => (at % 251) + 1);
    scatterShared({ memory, targetBox: { ...box, elementSize: 2 }, gate: newGate() }, elements);
    assert.equal(Buffer.compare(memory, expectedOf(box, elements)), 0);
  });
}

test("nothing is written behind a closed gate", () => {
  const gate = newGate();
  closeGate(gate);
  const memory = new Uint8Array(new SharedArrayBuffer(4));
  const targetBox = { targetShape: [4], start: [0], shape: [4], elementSize: 1 };
  scatterShared({ memory, targetBox, gate }, Uint8Array.of(1, 2, 3, 4));
  assert.deepEqual([...memory], [0, 0, 0, 0]);
});
