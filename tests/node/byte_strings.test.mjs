/**
 * Values that are legal for `set` and `append`: nested lists of byte strings, packed elements
 * (`as: "bytes"`), and pairs of complex numbers. Each way stores the chunks that `set` of the plain
 * form stores.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import * as zarr from "../../dist/index.js";

after(() => zarr.dispose());

const bytes = (...values) => Uint8Array.from(values);
const stored = (store) =>
  Object.fromEntries([...store].map(([key, value]) => [key, Buffer.from(value).toString("hex")]).sort());

/** The stored keys of an array after a function has filled it. */
async function afterFilling(options, fill) {
  const store = new Map();
  const array = await zarr.create(store, { codecs: undefined, ...options });
  await fill(array);
  return { keys: stored(store), array };
}

const GRID = [
  [bytes(1), bytes(2, 2)],
  [bytes(3), bytes(4)],
  [bytes(), bytes(6)],
];
const TYPES = {
  "variable bytes": { dtype: "variable_length_bytes" },
  "S2 of v2": { dtype: "|S2", zarrFormat: 2 },
  "raw bytes": { dtype: "r16", fixed: true },
};

for (const [name, { fixed, ...type }] of Object.entries(TYPES)) {
  const values = fixed ? GRID.map((row) => row.map((one) => bytes(one[0] ?? 0, 7))) : GRID;
  const options = { shape: [3, 2], chunkShape: [2, 2], ...type };

  test(`${name}: nested lists store what a flat list does`, async () => {
    const flat = await afterFilling(options, (array) => array.set(null, values.flat()));
    const nested = await afterFilling(options, (array) => array.set(null, values));
    assert.deepEqual(nested.keys, flat.keys);
    const { data } = await nested.array.get();
    assert.deepEqual(
      [...data].map((one) => [...one].filter(Boolean)),
      values.flat().map((one) => [...one].filter(Boolean)),
    );
  });

  test(`${name}: lists of numbers in nested lists are elements`, async () => {
    const asLists = values.map((row) => row.map((one) => [...one]));
    const typed = await afterFilling(options, (array) => array.set(null, values));
    const listed = await afterFilling(options, (array) => array.set(null, asLists));
    assert.deepEqual(listed.keys, typed.keys);
  });

  test(`${name}: three dimensions, and append along each axis`, async () => {
    const cube = { ...options, shape: [2, 3, 2], chunkShape: [1, 2, 2] };
    const whole = await afterFilling(cube, (array) => array.set(null, [values, values].flat(2)));
    for (const [axis, shape, part] of [
      [0, [1, 3, 2], [values]],
      [1, [2, 2, 2], [[values[2]], [values[2]]]],
    ]) {
      const grown = await afterFilling({ ...cube, shape }, async (array) => {
        await array.set(null, axis === 0 ? [values] : [values.slice(0, 2), values.slice(0, 2)]);
        await array.append(part, axis);
      });
      assert.deepEqual(grown.keys, whole.keys);
    }
  });

  test(`${name}: a row is broadcast, and lists of other lengths are refused`, async () => {
    const row = await afterFilling(options, (array) => array.set(null, [values[0]]));
    const rows = await afterFilling(options, (array) => array.set(null, [values[0], values[0], values[0]]));
    assert.deepEqual(row.keys, rows.keys);
    const ragged = [values[0], [values[1][0]], values[2]];
    await assert.rejects(row.array.set(null, ragged), { code: "Argument", message: /equal lengths/ });
  });
}

test("one element of bytes is still a list of numbers", async () => {
  const options = { shape: [2], dtype: "variable_length_bytes" };
  const { array } = await afterFilling(options, (made) => made.set(null, [1, 2]));
  const { data } = await array.get();
  assert.deepEqual(
    [...data].map((one) => [...one]),
    [
      [1, 2],
      [1, 2],
    ],
  );
});

test('append takes packed elements with `as: "bytes"`', async () => {
  const options = { shape: [2, 2], chunkShape: [2, 2], dtype: "int16" };
  const packed = new Uint8Array(Int16Array.of(5, 6, 7, 8).buffer);
  for (const value of [packed, { data: packed, shape: [2, 2] }]) {
    const { array } = await afterFilling(options, (made) => made.append(value, 0, { as: "bytes" }));
    assert.deepEqual(array.shape, [4, 2]);
    assert.deepEqual([...(await array.get([zarr.slice(2, 4)])).data], [5, 6, 7, 8]);
  }
  const { array } = await afterFilling(options, (made) => made.append(packed, 1, { as: "bytes" }));
  assert.deepEqual(
    [array.shape, [...(await array.get([1])).data]],
    [
      [2, 4],
      [0, 0, 7, 8],
    ],
  );
  await assert.rejects(array.append(packed.subarray(1), 0, { as: "bytes" }), { code: "Argument" });
  assert.deepEqual(array.shape, [2, 4]);
});

test("append takes the other options of set", async () => {
  const { array, keys } = await afterFilling({ shape: [1], chunkShape: [1], dtype: "uint8" }, (made) =>
    made.append([256], 0, { cast: true, keepEmptyChunks: true, priority: 1 }),
  );
  assert.deepEqual([[...(await array.get()).data], "/c/1" in keys], [[0, 0], true]);
});

test("append takes pairs of complex numbers", async () => {
  const line = { shape: [1], chunkShape: [1], dtype: "complex64" };
  const pairs = [
    [1, 2],
    [3, 4],
  ];
  for (const value of [pairs, pairs.flat(), Float32Array.from(pairs.flat())]) {
    const { array } = await afterFilling(line, (made) => made.append(value));
    assert.deepEqual([array.shape, [...(await array.get()).data]], [[3], [0, 0, 1, 2, 3, 4]]);
  }
  const { array } = await afterFilling({ ...line, shape: [1, 2], chunkShape: [1, 2] }, (made) =>
    made.append([pairs]),
  );
  assert.deepEqual(
    [array.shape, [...(await array.get([1])).data]],
    [
      [2, 2],
      [1, 2, 3, 4],
    ],
  );
});

test("append of values that fill no whole row is refused, and changes nothing", async () => {
  const { array } = await afterFilling({ shape: [1, 2], dtype: "int8" }, async () => {});
  await assert.rejects(array.append([1, 2, 3]), { code: "Argument", field: "value" });
  assert.deepEqual(array.shape, [1, 2]);
});
