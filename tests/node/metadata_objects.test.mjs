/**
 * Arrays that users make with `new Array(store, path, metadata)`: of v3, and of v2 in the form to
 * which zarrita converts it. Also rectilinear grids: their getters and chunks.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import * as zarr from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/fs";
import { FIXTURES, unstrided } from "./fixture_files.mjs";

const zarritas = new URL("../../node_modules/zarrita/dist/src/util.js", import.meta.url);
const { v2ToV3ArrayMetadata } = await import(zarritas.href);

const fixture = (name) => ({
  folder: join(FIXTURES, name, "store"),
  nodes: JSON.parse(readFileSync(join(FIXTURES, name, "expected.json"), "utf8")),
});

const packed = (values) => Buffer.from(values, "base64");

/** The elements of `expected.json` in the form of `Array.get`. */
function expectedElements({ values, values_json: variable, data_type: type }) {
  const { name = type, configuration } = typeof type === "string" ? {} : type;
  if (variable) return type === "bytes" ? variable.map((text) => new Uint8Array(packed(text))) : variable;
  const size = configuration.length_bytes;
  const bytes = packed(values);
  return Array.from({ length: bytes.length / size }, (_, at) => {
    const element = bytes.subarray(at * size, (at + 1) * size);
    if (name === "null_terminated_bytes") {
      const end = element.findLastIndex((byte) => byte !== 0) + 1;
      return new Uint8Array(element.subarray(0, end));
    }
    const codes = new Uint32Array(new Uint8Array(element).buffer);
    return String.fromCodePoint(...codes.subarray(0, codes.findLastIndex((code) => code !== 0) + 1));
  });
}

test("v2's strings and objects in zarrita's form", async () => {
  let count = 0;
  for (const name of [
    "zarr-python-3/dtypes-text-v2",
    "zarr-python-3/dtypes-variable-v2",
    "zarr-python-2/dtypes-objects",
  ]) {
    const { folder, nodes } = fixture(name);
    for (const node of nodes.filter(
      ({ kind, data_type: type }) => kind === "array" && !/^r\d+$/.test(type),
    )) {
      if (node.data_type === "variable_length_array") continue; // neither v3 nor zarrita has it
      const text = readFileSync(join(folder, node.path, ".zarray"), "utf8");
      const metadata = v2ToV3ArrayMetadata(JSON.parse(text));
      const array = new zarr.Array(new FileSystemStore(folder), `/${node.path}`, metadata);
      assert.equal(array.dtype, metadata.data_type, node.path);
      assert.deepEqual(array.chunks, node.chunk_shape);
      const { data, shape } = await array.get();
      assert.deepEqual(shape, node.shape);
      assert.deepEqual(data, expectedElements(node), `${name}/${node.path}`);
      if (shape.length > 0) assert.equal(unstrided(await zarr.get(array)).length, data.length);
      count += 1;
    }
  }
  assert.ok(count > 20, `${count} arrays`);
});

test("v2's numbers: byte orders, order F, filters and compressors", async () => {
  for (const name of ["zarr-python-2/codecs", "zarr-python-3/shapes-v2", "zarr-python-3/dtypes-v2"]) {
    const { folder, nodes } = fixture(name);
    for (const node of nodes.filter(({ kind }) => kind === "array")) {
      const text = readFileSync(join(folder, node.path, ".zarray"), "utf8");
      const metadata = v2ToV3ArrayMetadata(JSON.parse(text));
      const array = new zarr.Array(new FileSystemStore(folder), `/${node.path}`, metadata);
      const { data } = await array.get(null, { as: "bytes" });
      assert.ok(packed(node.values).equals(data), `${name}/${node.path}`);
    }
  }
});

test("a stored document must follow the specification", async () => {
  const metadata = v2ToV3ArrayMetadata(
    JSON.parse(readFileSync(join(FIXTURES, "zarr-python-3/dtypes-text-v2/store/u5-little/.zarray"), "utf8")),
  );
  const store = new Map([["/zarr.json", new TextEncoder().encode(JSON.stringify(metadata))]]);
  await assert.rejects(zarr.open(store), { code: "Unsupported" });
});

const { folder: grids, nodes: gridNodes } = fixture("zarr-python-3/grids-rectilinear-v3");

/** The lengths of chunks along each dimension, as zarr-python wrote them. */
function lengthsOf(path) {
  const { chunk_grid: grid } = JSON.parse(readFileSync(join(grids, path, "zarr.json"), "utf8"));
  const runs = (entry) => (Array.isArray(entry) ? new Array(entry[1]).fill(entry[0]) : [entry]);
  return grid.configuration.chunk_shapes.map((lengths) => lengths.flatMap(runs));
}

const opened = (path) => zarr.open(new FileSystemStore(grids), { path, kind: "array" });
const constructed = async (path) => {
  const metadata = JSON.parse(readFileSync(join(grids, path, "zarr.json"), "utf8"));
  return new zarr.Array(new FileSystemStore(grids), `/${path}`, metadata);
};

test("chunks of a rectilinear grid are counted correctly", async () => {
  for (const open of [opened, constructed]) {
    for (const { path } of gridNodes.filter(({ kind }) => kind === "array")) {
      const array = await open(path);
      const lengths = lengthsOf(path);
      assert.deepEqual(
        array.gridShape,
        lengths.map(({ length }) => length),
        path,
      );
      assert.deepEqual(
        array.chunks,
        lengths.map(([first]) => first),
      );
      for (const [axis, chunks] of lengths.entries()) {
        let element = 0;
        for (const [chunk, length] of chunks.entries()) {
          const index = lengths.map(() => 0).with(axis, chunk);
          assert.equal(array.chunkShapeAt(index)[axis], length);
          for (let at = 0; at < length; at += 1, element += 1) {
            assert.equal(array.chunkOf(lengths.map(() => 0).with(axis, element))[axis], chunk);
          }
        }
      }
    }
  }
});

test("chunks of a rectilinear grid, and selections through a replaced getChunk", async () => {
  for (const open of [opened, constructed]) {
    const array = await open("plane");
    const values = [...(await array.get()).data];
    const { shape, data } = await array.getChunk([2, 1]);
    assert.deepEqual(shape, [3, 3]);
    const row = (at) => values.slice(5 * at + 2, 5 * at + 5);
    assert.deepEqual([...data], [...row(4), ...row(5), ...row(6)]);
    const calls = [];
    const replaced = new Proxy(array, {
      get(target, name) {
        if (name !== "getChunk") return Reflect.get(target, name, target);
        return (...args) => {
          calls.push(args[0]);
          return target.getChunk(...args);
        };
      },
    });
    const part = await zarr.get(replaced, [zarr.slice(2, 5), zarr.slice(1, 3)]);
    assert.deepEqual(
      [...part.data],
      [2, 3, 4].flatMap((at) => values.slice(5 * at + 1, 5 * at + 3)),
    );
    assert.deepEqual(
      calls.toSorted(),
      [0, 1, 2]
        .flatMap((at) => [
          [at, 0],
          [at, 1],
        ])
        .toSorted(),
    );
    await assert.rejects(array.getChunk([3, 0]), { code: "Argument" });
  }
});

test("attrs: false requests no .zattrs, and attributes are empty", async () => {
  const folder = join(FIXTURES, "zarr-python-3/hierarchy-v2/store");
  const keys = [];
  const store = {
    async get(key) {
      keys.push(key);
      const path = join(folder, key);
      return existsSync(path) ? readFileSync(path) : undefined;
    },
  };
  for (const [path, format] of [
    ["", 0],
    ["named", 0],
    ["named", 2],
  ]) {
    const open = format === 2 ? zarr.open.v2 : zarr.open;
    const without = await open(store, { path, attrs: false });
    assert.deepEqual(without.attrs, {});
    assert.deepEqual(
      keys.filter((key) => key.endsWith(".zattrs")),
      [],
    );
    const node = await open(store, { path });
    assert.notDeepEqual(node.attrs, {});
    assert.equal(keys.filter((key) => key.endsWith(".zattrs")).length, 1);
    keys.length = 0;
  }
});
