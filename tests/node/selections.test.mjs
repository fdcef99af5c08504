/** All forms of selections, compared with a reference that picks elements one by one. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as zarr from "zarr-wasm";
import { unstrided } from "./fixture_files.mjs";
import { madeStore } from "./made_stores.mjs";

const SHAPE = [7, 10, 5];
const valueAt = ([i, j, k]) => i * 100 + j * 10 + k;
const description = { shape: SHAPE, chunks: [3, 4, 2], dtype: "int32", names: ["z", "y", "x"] };
const array = await zarr.open(madeStore(description, valueAt), { kind: "array" });

/** Python's `range(length)[start:stop:step]`, by its definition. */
function pythonSlice(length, start, stop, step = 1) {
  const wrap = (bound, fallback) => {
    if (bound === null || bound === undefined) return fallback;
    const at = bound < 0 ? bound + length : bound;
    return step > 0 ? Math.min(Math.max(at, 0), length) : Math.min(Math.max(at, -1), length - 1);
  };
  const [first, last] =
    step > 0 ? [wrap(start, 0), wrap(stop, length)] : [wrap(start, length - 1), wrap(stop, -1)];
  const found = [];
  for (let at = first; step > 0 ? at < last : at > last; at += step) found.push(at);
  return found;
}

const all = (axis) => pythonSlice(SHAPE[axis]);

/** The elements at the outer product of three lists of indices, in C order. */
const outer = (z, y, x) => z.flatMap((i) => y.flatMap((j) => x.map((k) => valueAt([i, j, k]))));

const CASES = [
  ["nothing given", undefined, [all(0), all(1), all(2)], SHAPE],
  ["null", null, [all(0), all(1), all(2)], SHAPE],
  ["an empty list", [], [all(0), all(1), all(2)], SHAPE],
  ["one index pads", [2], [[2], all(1), all(2)], [10, 5]],
  ["a negative index wraps", [-1, -10, -5], [[6], [0], [0]], []],
  ["indices and null", [null, 3, null], [all(0), [3], all(2)], [7, 5]],
  ["a bigint index", [3n], [[3], all(1), all(2)], [10, 5]],
  [
    "slices",
    [zarr.slice(1, 5), zarr.slice(3), zarr.slice(-2, null)],
    [
      [1, 2, 3, 4],
      [0, 1, 2],
      [3, 4],
    ],
    [4, 3, 2],
  ],
  ["a slice past the end is clipped", [zarr.slice(5, 100)], [[5, 6], all(1), all(2)], [2, 10, 5]],
  ["steps", [zarr.slice(0, 7, 3), zarr.slice(1, null, 4)], [[0, 3, 6], [1, 5, 9], all(2)], [3, 3, 5]],
  ["a negative step", [zarr.slice(null, null, -2)], [[6, 4, 2, 0], all(1), all(2)], [4, 10, 5]],
  ["negative step with bounds", [zarr.slice(5, 1, -1), 0, 0], [[5, 4, 3, 2], [0], [0]], [4]],
  ["a slice written out", [{ start: 1n, stop: 3 }], [[1, 2], all(1), all(2)], [2, 10, 5]],
  ["an empty slice", [zarr.slice(3, 2)], [[], all(1), all(2)], [0, 10, 5]],
  [
    "lists are orthogonal",
    [
      [6, 0, 0],
      [9, 1],
    ],
    [[6, 0, 0], [9, 1], all(2)],
    [3, 2, 5],
  ],
  ["a list that wraps", [[-1, 2]], [[6, 2], all(1), all(2)], [2, 10, 5]],
  ["a typed array", [Int16Array.of(1, 3)], [[1, 3], all(1), all(2)], [2, 10, 5]],
  ["an empty index list", [[]], [[], all(1), all(2)], [0, 10, 5]],
  ["an ellipsis before", ["...", 1], [all(0), all(1), [1]], [7, 10]],
  ["an ellipsis between", [1, "...", 2], [[1], all(1), [2]], [10]],
  ["an ellipsis for nothing", [1, 2, "...", 3], [[1], [2], [3]], []],
  ["by name", { y: 2, x: zarr.slice(1, 3) }, [all(0), [2], [1, 2]], [7, 2]],
  ["by name with a list", { x: [4, 0] }, [all(0), all(1), [4, 0]], [7, 10, 2]],
];

describe("Array.get", () => {
  for (const [title, selection, lists, shape] of CASES) {
    test(title, async () => {
      const result = await array.get(selection);
      assert.deepEqual(result.shape, shape);
      assert.ok(result.data instanceof Int32Array);
      assert.deepEqual([...result.data], outer(...lists));
    });
  }
});

describe("zarrita's get", () => {
  for (const [title, selection, lists, shape] of CASES) {
    if (shape.length === 0) continue;
    test(title, async () => {
      const result = await zarr.get(array, selection);
      assert.deepEqual(result.shape, shape);
      assert.deepEqual(unstrided(result), outer(...lists));
    });
  }

  test("a scalar if every dimension has an integer", async () => {
    assert.equal(await zarr.get(array, [1, 2, 3]), 123);
    assert.equal(await zarr.get(array, [-1, -1, -1]), 694);
  });

  test("select converts names to positions", async () => {
    const selection = zarr.select(array, { x: 1, z: zarr.slice(2) });
    assert.deepEqual(selection, [{ start: null, stop: 2, step: null }, null, 1]);
    assert.deepEqual([...(await zarr.get(array, selection)).data], outer([0, 1], all(1), [1]));
  });
});

test("points are read one by one", async () => {
  const { data, shape } = await array.get(zarr.points([0, 6, 0], [1, -1, 1], [0, 4, 3]));
  assert.deepEqual(shape, [3]);
  assert.deepEqual([...data], [10, 694, 13]);
});

describe("refused", () => {
  const refused = (title, selection) =>
    test(title, async () => {
      await assert.rejects(array.get(selection), (error) => {
        assert.equal(error.name, "InvalidSelectionError");
        assert.equal(error.code, "Argument");
        return true;
      });
    });
  refused("an index past the end", [7]);
  refused("an index before the beginning", [-8]);
  refused("a listed index past the end", [[0, 7]]);
  refused("too many entries", [0, 0, 0, 0]);
  refused("a fraction", [1.5]);
  refused("not a number", [Number.NaN]);
  refused("a step of zero", [zarr.slice(0, 5, 0)]);
  refused("a word", ["x"]);
  refused("two ellipses", ["...", "..."]);
  refused("an unknown name", { t: 0 });
  refused("points in too few dimensions", zarr.points([0]));
  refused("points of different lengths", zarr.points([0], [0, 1], [0]));
  refused("a bigint beyond 64 bits", [2n ** 70n]);

  test("a bound of a slice that is not a safe integer", () => {
    assert.throws(() => zarr.slice(2n ** 60n), { name: "InvalidSelectionError" });
  });
});

test("chunkOf and getChunk follow the grid", async () => {
  assert.deepEqual(array.gridShape, [3, 3, 3]);
  assert.deepEqual(array.chunkOf([6, 9, 4]), [2, 2, 2]);
  assert.throws(() => array.chunkOf([7, 0, 0]), { code: "Argument" });
  const { data, shape, stride } = await array.getChunk([2, 2, 2]);
  assert.deepEqual(shape, [3, 4, 2]);
  assert.deepEqual(stride, [8, 2, 1]);
  // Elements beyond the array's edge have the fill value.
  assert.deepEqual([...data.slice(0, 8)], [684, 0, 694, 0, 0, 0, 0, 0]);
  for (const index of [
    [3, 0, 0],
    [-1, 0, 0],
    [0, 0],
    [0.5, 0, 0],
  ]) {
    await assert.rejects(array.getChunk(index), { name: "InvalidSelectionError" });
  }
});

test("out receives the result", async () => {
  const out = new Int32Array(50).fill(-1);
  const { data } = await array.get([2], { out });
  assert.equal(data, out);
  assert.deepEqual([...out], outer([2], all(1), all(2)));
  await assert.rejects(array.get([2], { out: new Int32Array(49) }), (error) => /out/.test(error.message));
});

test("absent chunks have the fill value, also in memory that is not zero", async () => {
  const sparse = { shape: [6, 4], chunks: [2, 2], dtype: "int32", fill: -7 };
  const store = madeStore(sparse, ([i, j]) => i * 10 + j, { has: ([i, j]) => (i + j) % 2 === 0 });
  const holes = await zarr.open(store, { kind: "array" });
  const expected = [];
  for (let i = 0; i < 6; i += 1) {
    for (let j = 0; j < 4; j += 1) expected.push(((i >> 1) + (j >> 1)) % 2 ? -7 : i * 10 + j);
  }
  assert.deepEqual([...(await holes.get()).data], expected);
  const zeros = await zarr.open(
    madeStore({ ...sparse, fill: 0 }, () => 0, { has: () => false }),
    { kind: "array" },
  );
  const out = new Int32Array(24).fill(1);
  await zeros.get(null, { out });
  assert.deepEqual([...out], new Array(24).fill(0));
});
