/** Every node of every good fixture, through the calls that read one, from a folder and over HTTP. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import * as zarr from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/node";
import { serve } from "../../scripts/serve.mjs";
import {
  difference,
  elements,
  FIXTURES,
  goodCases,
  indices,
  isReadable,
  unstrided,
} from "./fixture_files.mjs";

/** Attributes as `expected.json` has them: what JSON cannot hold stands there as a string. */
const plain = (value) =>
  JSON.parse(
    JSON.stringify(value, (_, part) =>
      typeof part === "number" && !Number.isFinite(part) ? String(part) : part,
    ),
  );

function checkDescription(node, expected) {
  assert.equal(node.kind, expected.kind);
  if (expected.attributes) assert.deepEqual(plain(node.attrs), expected.attributes);
  if (expected.kind === "group") return;
  assert.deepEqual(node.shape, expected.shape);
  // What is decoded at a time is smaller where shards stand in shards, and the whole shard where something follows it.
  if (!node.shards) assert.deepEqual(node.chunks, expected.chunk_shape);
  assert.equal(node.dtype, expected.data_type);
  if (expected.dimension_names) assert.deepEqual(node.dimensionNames, expected.dimension_names);
  const { data_type: dtype, fill_value_bytes: fill } = expected;
  const fillValue = typeof node.fillValue === "boolean" ? Number(node.fillValue) : node.fillValue;
  assert.ok(Object.is(fillValue, fill === null ? null : elements(dtype, fill)[0]), `fill value ${fillValue}`);
}

const same = (actual, expected, what) => assert.equal(difference(actual, expected), undefined, what);

async function checkGet(array, expected) {
  const { data, shape, stride } = await array.get();
  assert.deepEqual(shape, expected.shape);
  const packed = shape.map((_, axis) =>
    shape.slice(axis + 1).reduce((product, extent) => product * extent, 1),
  );
  assert.deepEqual(stride, packed);
  same(Array.from(data), elements(expected.data_type, expected.values), "Array.get");
}

async function checkZarritaGet(array, expected) {
  const values = elements(expected.data_type, expected.values);
  const got = await zarr.get(array);
  if (expected.shape.length === 0) {
    same([typeof got === "boolean" ? Number(got) : got], values, "get of a scalar");
    return;
  }
  assert.deepEqual(got.shape, expected.shape);
  same(unstrided(got), values, "get");
}

/** The elements of a chunk as the whole array's elements have them, and fill value beyond its edge. */
function chunkOf(expected, extents, index) {
  const { shape, data_type: dtype, values, fill_value_bytes: fill } = expected;
  const all = elements(dtype, values);
  const beyond =
    fill === null ? all.map((value) => (typeof value === "bigint" ? 0n : 0))[0] : elements(dtype, fill)[0];
  return Array.from(indices(extents), (within) => {
    const element = within.map((value, axis) => index[axis] * extents[axis] + value);
    if (element.some((value, axis) => value >= shape[axis])) return beyond;
    return all[element.reduce((place, value, axis) => place * shape[axis] + value, 0)];
  });
}

async function checkChunks(array, expected) {
  for (const index of indices(array.gridShape)) {
    const chunk = await array.getChunk([...index]);
    assert.deepEqual(chunk.shape, array.chunks);
    same(unstrided(chunk), chunkOf(expected, array.chunks, index), `getChunk [${index}]`);
  }
}

for (const { name, store: folder, expected: nodes } of goodCases()) {
  describe(name, () => {
    const store = new FileSystemStore(folder);
    for (const expected of nodes) {
      const title = `${expected.kind} ${JSON.stringify(expected.path)}`;
      if (expected.kind === "array" && !isReadable(expected.data_type)) {
        test(`${title} of ${expected.data_type} is refused as unsupported`, async () => {
          const reading = zarr.open(store, { path: expected.path }).then((array) => array.get());
          await assert.rejects(reading, (error) => error.code === "Unsupported");
        });
        continue;
      }
      test(title, async () => {
        const node = await zarr.open(store, { path: expected.path });
        checkDescription(node, expected);
        if (expected.kind === "group") return;
        await checkGet(node, expected);
        await checkZarritaGet(node, expected);
        await checkChunks(node, expected);
      });
    }
  });
}

describe("over HTTP", () => {
  let server;
  before(async () => {
    server = await serve({ "/": FIXTURES });
  });
  after(() => server.close());

  for (const { name, expected: nodes } of goodCases()) {
    test(name, async () => {
      const store = new zarr.FetchStore(`${server.url}/${name}/store`);
      for (const expected of nodes) {
        if (expected.kind === "array" && !isReadable(expected.data_type)) continue;
        const node = await zarr.open(store, { path: expected.path });
        assert.equal(node.kind, expected.kind, expected.path);
        if (expected.kind === "array") await checkGet(node, expected);
      }
    });
  }
});
