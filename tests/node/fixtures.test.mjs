/** Reads every node of every good fixture with all reading calls, from a folder and over HTTP. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import * as zarr from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/fs";
import { serve } from "../../scripts/serve.mjs";
import { difference, elements, FIXTURES, goodCases, indices, isNumber, unstrided } from "./fixture_files.mjs";

/** Attributes in the form of `expected.json`: values that JSON cannot hold are strings. */
const plain = (value) =>
  JSON.parse(
    JSON.stringify(value, (_, part) =>
      typeof part === "number" && !Number.isFinite(part) ? String(part) : part,
    ),
  );

/** The data type's name in zarrita, which has other names for v2's strings and objects. */
function dtypeOf({ zarr_format: format, data_type: type, values_json: variable }) {
  const { name, configuration } = typeof type === "string" ? { name: type } : type;
  if (format === 3) return name;
  if (variable) return "v2:object";
  if (name === "fixed_length_utf32") return `v2:U${configuration.length_bytes / 4}`;
  return name === "null_terminated_bytes" ? `v2:S${configuration.length_bytes}` : name;
}

/** The types whose fill values are always null in `expected.json`. */
const isOptional = ({ name }) => name === "zarrs.optional";

function checkDescription(node, expected) {
  assert.equal(node.kind, expected.kind);
  if (expected.attributes) assert.deepEqual(plain(node.attrs), expected.attributes);
  if (expected.kind === "group") return;
  assert.deepEqual(node.shape, expected.shape);
  // The decoded unit is smaller for shards in shards, and the whole shard if a codec follows it.
  if (!node.shards) assert.deepEqual(node.chunks, expected.chunk_shape);
  assert.equal(node.dtype, dtypeOf(expected));
  if (expected.dimension_names) assert.deepEqual(node.dimensionNames, expected.dimension_names);
  const { data_type: dtype, fill_value_bytes: fill } = expected;
  if (fill === null && !isOptional(dtype)) assert.equal(node.fillValue, null);
  if (!isNumber(dtype)) return;
  const fillValue = typeof node.fillValue === "boolean" ? Number(node.fillValue) : node.fillValue;
  assert.ok(Object.is(fillValue, fill === null ? null : elements(dtype, fill)[0]), `fill value ${fillValue}`);
}

const same = (actual, expected, what) => assert.equal(difference(actual, expected), undefined, what);

/** An element of `values_json` as `Array.get` returns it. Lists hold values of optional types. */
function elementOf(type, value) {
  const name = type.name ?? type;
  if (isOptional(type)) return value === null ? null : elementOf(type.configuration.name, value[0]);
  if (name === "bytes") return new Uint8Array(Buffer.from(value, "base64"));
  return value;
}

async function checkVariable(array, expected) {
  const values = expected.values_json.map((value) => elementOf(expected.data_type, value));
  const isArrays = expected.data_type === "variable_length_array";
  const plain = (value) => (isArrays ? Array.from(value, Number) : value);
  const { data, shape } = await array.get();
  assert.deepEqual(shape, expected.shape);
  assert.deepEqual(data.map(plain), values, "Array.get");
  const got = await zarr.get(array);
  const { data_type: type, fill_value_json: fill } = expected;
  if (!isOptional(type)) assert.deepEqual(array.fillValue, fill === null ? null : elementOf(type, fill));
  if (shape.length > 0) assert.deepEqual(unstrided(got).map(plain), values, "get");
  await assert.rejects(array.get(null, { as: "bytes" }), { code: "Argument" });
}

async function checkBytes(array, expected) {
  const { data, shape } = await array.get(null, { as: "bytes" });
  assert.deepEqual(shape, expected.shape);
  assert.equal(Buffer.from(data).toString("base64"), expected.values);
}

/** Packs fixed-size elements of `Array.get` again. Undefined for types that it converts. */
function packedAgain({ name = "", configuration } = {}, data) {
  const length = configuration?.length_bytes;
  if (name === "fixed_length_utf32") {
    const codes = (text) => Array.from({ length: length / 4 }, (_, at) => [...text][at]?.codePointAt(0) ?? 0);
    return Buffer.from(Uint32Array.from(data.flatMap(codes)).buffer);
  }
  if (name === "null_terminated_bytes")
    return Buffer.concat(data.map((bytes) => Buffer.concat([bytes], length)));
  if (/^r\d+$/.test(name)) return Buffer.concat(data);
  const isPacked = /^(numpy\..*|complex(64|128)|u?int[24])$/.test(name);
  return isPacked ? Buffer.from(data.buffer, data.byteOffset, data.byteLength) : undefined;
}

/** Compares types that are not numbers: their elements, or their count if they are converted. */
async function checkOthers(array, expected) {
  const { data_type: type, shape } = expected;
  const { data, complex } = await array.get();
  if (array.dtype === "struct") {
    for (const column of Object.values(data)) assert.deepEqual(column.shape.slice(0, shape.length), shape);
  } else {
    const count = shape.reduce((product, extent) => product * extent, 1);
    assert.equal(data.length, complex ? 2 * count : count);
    const packed = packedAgain(typeof type === "string" ? { name: type } : type, data);
    if (packed) assert.equal(packed.toString("base64"), expected.values);
  }
  await zarr.get(array);
  for (const index of indices(array.gridShape)) {
    const chunk = await array.getChunk([...index]);
    assert.deepEqual(chunk.shape, array.chunkShapeAt(index));
  }
}

async function checkElements(array, expected) {
  if (expected.values_json) return checkVariable(array, expected);
  await checkBytes(array, expected);
  if (!isNumber(expected.data_type)) return checkOthers(array, expected);
  await checkGet(array, expected);
  await checkZarritaGet(array, expected);
  await checkChunks(array, expected);
}

/** Checks that the warnings are those of the fixture, each once, if the fixture names any. */
function checkWarnings({ warnings }, expected) {
  if (!expected.warnings) return;
  assert.deepEqual(
    warnings.map((warning) => /\[([^[]*)\]$/.exec(warning)?.[1]),
    expected.warnings,
  );
}

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

/** The places in a chunk whose elements are in the array, and the places of these in the array. */
function places({ shape }, extents, start) {
  return Array.from(indices(extents), (within, at) => ({
    at,
    element: within.map((value, axis) => start[axis] + value),
  }))
    .filter(({ element }) => element.every((value, axis) => value < shape[axis]))
    .map(({ at, element }) => [at, element.reduce((place, value, axis) => place * shape[axis] + value, 0)]);
}

/** The origin of a chunk, also in rectilinear grids. */
const startOf = (array, index) =>
  index.map((at, axis) =>
    Array.from({ length: at }, (_, before) => array.chunkShapeAt(index.with(axis, before))[axis]).reduce(
      (total, length) => total + length,
      0,
    ),
  );

async function checkChunks(array, expected) {
  for (const index of indices(array.gridShape)) {
    const chunk = await array.getChunk([...index]);
    const shape = array.chunkShapeAt(index);
    assert.deepEqual(chunk.shape, shape);
    // What is stored beyond the array's edge is the writer's; the fixtures do not tell it.
    const inside = places(expected, shape, startOf(array, index));
    const [all, stored] = [elements(expected.data_type, expected.values), unstrided(chunk)];
    same(
      inside.map(([at]) => stored[at]),
      inside.map(([, place]) => all[place]),
      `getChunk [${index}]`,
    );
  }
}

for (const { name, store: folder, expected: nodes } of goodCases()) {
  describe(name, () => {
    const store = new FileSystemStore(folder);
    for (const expected of nodes) {
      const title = `${expected.kind} ${JSON.stringify(expected.path)}`;
      test(title, async () => {
        const node = await zarr.open(store, { path: expected.path });
        checkDescription(node, expected);
        if (expected.kind === "group") return;
        await checkElements(node, expected);
        checkWarnings(node, expected);
      });
    }
  });
}

/** Whether a draft's group has no document. A server that cannot list does not show it. */
const isImplicit = async (folder, path) =>
  existsSync(join(folder, "meta")) &&
  (await zarr.exists(zarr.root(new FileSystemStore(folder)).resolve(path))) === "implicit-group";

describe("over HTTP", () => {
  let server;
  before(async () => {
    server = await serve({ "/": FIXTURES }, { data: ["/"] });
  });
  after(() => server.close());

  for (const { name, store: folder, expected: nodes } of goodCases()) {
    test(name, async () => {
      const store = new zarr.FetchStore(`${server.url}/${name}/store`);
      for (const expected of nodes) {
        if (expected.path !== "" && (await isImplicit(folder, expected.path))) continue;
        const node = await zarr.open(store, { path: expected.path });
        assert.equal(node.kind, expected.kind, expected.path);
        if (expected.kind === "array" && !expected.values_json) await checkBytes(node, expected);
        if (expected.values_json) await checkVariable(node, expected);
      }
    });
  }
});
