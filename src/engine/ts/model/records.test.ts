/** Records cross as they are, also those that grow the writer, and wrong values are refused. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  dimensionSelectionShape,
  errorRecordShape,
  nodeSummaryShape,
  readRequestShape,
  WASM_OPERATIONS,
} from "../../../contract/contract.ts";
import {
  floats,
  held,
  list,
  RecordReader,
  RecordWriter,
  readRecord,
  type Shape,
  text,
  words,
} from "./records.ts";

function bytesOf<T>(shape: Shape<T>, value: T, values: unknown[] = []): Uint8Array<ArrayBuffer> {
  const writer = new RecordWriter(values);
  shape.write(writer, value);
  return writer.bytes.slice();
}

const crossed = <T>(shape: Shape<T>, value: T): T => readRecord(shape, bytesOf(shape, value));

test("a record has the bytes that the Rust side expects", () => {
  const slice = { Slice: { start: 1, stop: undefined, step: -2n } };
  const one = [1, 0, 0, 0, 0, 0, 0, 0];
  const minusTwo = [254, 255, 255, 255, 255, 255, 255, 255];
  assert.deepEqual([...bytesOf(dimensionSelectionShape, slice)], [2, 1, ...one, 0, 1, ...minusTwo]);
  assert.deepEqual([...bytesOf(dimensionSelectionShape, "All")], [0]);
  assert.deepEqual([...bytesOf(text, "é")], [2, 0, 0, 0, 0xc3, 0xa9]);
});

test("indices cross whether they are numbers or bigints", () => {
  const indices = [
    0,
    -1,
    2 ** 32,
    -(2 ** 32) - 1,
    Number.MAX_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER,
    2n ** 62n,
  ];
  assert.deepEqual(crossed(dimensionSelectionShape, { List: indices }), { List: indices.map(BigInt) });
});

test("blocks of numbers cross as they lie in memory", () => {
  const numbers = Float64Array.of(1.5, -0, Number.NaN);
  const block = bytesOf(floats, numbers);
  assert.deepEqual([...block.subarray(0, 4)], [24, 0, 0, 0]);
  assert.deepEqual(block.slice(4), new Uint8Array(numbers.buffer));
  assert.deepEqual(readRecord(floats, block), numbers);
  assert.deepEqual(crossed(words, Uint32Array.of(0, 2 ** 32 - 1)), Uint32Array.of(0, 2 ** 32 - 1));
});

test("requests with nested lists, enums and numbers cross", () => {
  const request = {
    selection: { Orthogonal: ["All" as const, { Index: -1n }, { List: [0n, 9007199254740993n] }] },
    order: [1, 0],
    nearest: [0.5, Number.NaN],
    priority: -1,
    mask: undefined,
    conversion: { to: "float32", summary: [0, 255, 256] as [number, number, number] },
  };
  const { mask: _, ...sent } = request;
  assert.deepEqual(crossed(readRequestShape, sent), sent);
});

test("a record that is longer than the writer's first memory crosses", () => {
  const error = {
    code: "Format" as const,
    message: "ü".repeat(10_000),
    context: { range: [0, 2 ** 53 - 1] as [number, number], build: "full" as const },
  };
  assert.deepEqual(crossed(errorRecordShape, error), error);
});

test("values that JavaScript owns cross beside the bytes", () => {
  const values: unknown[] = ["signal"];
  const objects = [{ a: 1 }, new Uint8Array(2)];
  const bytes = bytesOf(list(held), objects as never[], values);
  assert.deepEqual(values, ["signal", ...objects]);
  const [first, second] = list(held).read(new RecordReader(bytes, values));
  assert.equal(first, objects[0]);
  assert.equal(second, objects[1]);
});

test("values of other types are refused, and what is expected is said", () => {
  const refused = (value: unknown, expected: RegExp) =>
    assert.throws(() => bytesOf(dimensionSelectionShape, value as never), {
      name: "TypeError",
      message: expected,
    });
  refused({ Index: 1.5 }, /an integer of 64 bits, found 1.5/);
  refused({ Index: 2n ** 63n }, /an integer of 64 bits/);
  refused("Some", /All, Index, Slice, List, found Some/);
  assert.throws(
    () => bytesOf(nodeSummaryShape, { kind: "file" } as never),
    /"array", "group", "implicit-group", found file/,
  );
});

test("every operation has a number of one byte", () => {
  assert.ok(Object.keys(WASM_OPERATIONS).length < 256);
});
