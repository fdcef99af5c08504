/**
 * `zarr-wasm/ndarray` and `zarr-wasm/arrow`, with the libraries themselves. Elements are what
 * xarray and zarr-python read.
 */
import * as arrow from "apache-arrow";
import ndarray from "ndarray";
import * as zarr from "zarr-wasm";
import { toTable, toVector } from "zarr-wasm/arrow";
import { toNdarray } from "zarr-wasm/ndarray";
import { equal, fixture, ok, rejects, test } from "../harness.mjs";
import { expected, openArray } from "./page.mjs";

const isNear = (one, other) => Math.abs(one - other) < 1e-3;

test("ndarray: elements are at their indices, also transposed and cut", async () => {
  const { values } = await expected("north-first");
  const tas = await openArray("north-first", "tas");
  const result = await tas.get({ time: 1 }, { decode: "cf", as: "float32" });
  const field = toNdarray(result);
  ok(field instanceof ndarray(new Float32Array(4), [2, 2]).constructor, "it is an ndarray of singles");
  ok(field.data === result.data, "the memory is shared");
  equal([field.shape, field.dtype], [[18, 36], "float32"], "shape and type");
  const part = field.transpose(1, 0).lo(10, 2).step(3, 5);
  for (let x = 0; x < part.shape[0]; x += 1)
    for (let y = 0; y < part.shape[1]; y += 1) {
      const value = values[1][2 + 5 * y][10 + 3 * x];
      const read = part.get(x, y);
      ok(value === null ? Number.isNaN(read) : isNear(read, value), `${x}, ${y}: ${read}, not ${value}`);
    }
});

async function written(folder, path) {
  const nodes = await (await fetch(fixture(`zarr-python-3/${folder}/expected.json`))).json();
  const node = nodes.find((own) => own.path === path);
  const array = await zarr.open(fixture(`zarr-python-3/${folder}/store`), { path, kind: "array" });
  return {
    array,
    node,
    bytes: node.values && Uint8Array.from(atob(node.values), (char) => char.charCodeAt(0)).buffer,
  };
}

test("ndarray: complex numbers have a last dimension of two", async () => {
  const { array, bytes } = await written("dtypes-complex", "complex128-little");
  const field = toNdarray(await array.get());
  equal(field.shape, [5, 7, 2], "shape");
  const numbers = new Float64Array(bytes);
  for (let row = 0; row < 5; row += 1)
    for (let column = 0; column < 7; column += 1)
      for (const part of [0, 1])
        ok(
          Object.is(field.get(row, column, part), numbers[2 * (7 * row + column) + part]),
          `${row}, ${column}`,
        );
});

test("ndarray: memory in another order", async () => {
  const { array, bytes } = await written("transpose-v3", "120");
  const field = toNdarray(await array.get(null, { memoryOrder: [2, 0, 1] }));
  equal(
    [field.shape, field.order],
    [
      [7, 5, 6],
      [1, 0, 2],
    ],
    "shape, and the order, fastest first",
  );
  equal(field.get(3, 2, 1), new Int16Array(bytes)[(3 * 5 + 2) * 6 + 1], "an element");
});

test("arrow: missing values are nulls, and rows are lists", async () => {
  const { values } = await expected("north-first");
  const tas = await openArray("north-first", "tas");
  const result = await tas.get({ time: 2 }, { decode: "cf", as: "float64" });
  const rows = toVector(result);
  equal(String(rows.type), "FixedSizeList[36]<Float64>", "the type");
  equal(rows.length, 18, "rows");
  ok(rows.data[0].children[0].values.buffer === result.data.buffer, "the memory is shared");
  for (const [row, line] of values[2].entries()) {
    const read = [...rows.get(row)];
    for (const [column, value] of line.entries())
      ok(value === null ? read[column] === null : isNear(read[column], value), `${row}, ${column}`);
  }
});

test("arrow: a table of columns survives Arrow's file format", async () => {
  const facts = await expected("north-first");
  const [lat, tas] = [await openArray("north-first", "lat"), await openArray("north-first", "tas")];
  const column = await tas.get({ time: 0, lon: 8 }, { decode: "cf", as: "float32" });
  const table = toTable({ lat: await lat.get(), tas: column });
  const read = arrow.tableFromIPC(arrow.tableToIPC(table, "file"));
  equal(
    read.schema.fields.map(({ name, type }) => [name, String(type)]),
    [
      ["lat", "Float64"],
      ["tas", "Float32"],
    ],
    "columns",
  );
  equal([...read.getChild("lat")], facts.latitude, "latitudes");
  const wanted = facts.values[0].map((line) => line[8]);
  for (const [at, value] of [...read.getChild("tas")].entries())
    ok(isNear(value, wanted[at]), `row ${at}: ${value}`);
  await rejects(
    (async () => toTable({ lat: await lat.get(), tas: await tas.get() }))(),
    ({ code }) => code === "Argument",
  );
});

test("arrow: number types, booleans, text and dates", async () => {
  for (const [type, View] of Object.entries({
    int8: Int8Array,
    uint16: Uint16Array,
    int64: BigInt64Array,
    uint64: BigUint64Array,
    float32: Float32Array,
  })) {
    const { array, bytes } = await written("dtypes-v3", `little/${type}`);
    const { data } = toVector(await array.get());
    const numbers = new arrow.Vector([data[0].children[0]]);
    const said = [...new View(bytes)].map((value) => (Number.isNaN(value) ? null : value));
    ok([...numbers].every((value, at) => Object.is(value, said[at])) && numbers.length === 35, type);
  }
  const flags = await written("dtypes-v3", "little/bool");
  const truths = toVector(await flags.array.get([0]), { bool: true });
  equal([...truths], [...new Uint8Array(flags.bytes, 0, 7)].map(Boolean), "booleans");
  const text = toVector({ data: ["a", "ä𝄞", ""], shape: [3], stride: [1] });
  equal([String(text.type), [...text]], ["Utf8", ["a", "ä𝄞", ""]], "text");
  const dates = await written("dtypes-time-v3", "datetime-ms");
  const times = toVector(await dates.array.get());
  equal(String(times.type), "Timestamp<MILLISECOND>", "dates");
  // Arrow converts dates to numbers, which hold only some of these.
  const counts = [...new BigInt64Array(dates.bytes)].map((count) => (count === -(2n ** 63n) ? null : count));
  const isExact = counts.map((count) => count !== null && BigInt.asIntN(50, count) === count);
  ok(isExact.filter(Boolean).length > 2, "there are dates near to ours");
  for (const [at, count] of counts.entries()) {
    if (count === null) equal(times.get(at), null, "no date");
    else if (isExact[at]) equal(times.get(at), Number(count), `date ${at}`);
    equal(times.data[0].values[at], count ?? -(2n ** 63n), `stored date ${at}`);
  }
  const spans = toVector(await (await written("dtypes-time-v3", "timedelta-s")).array.get());
  equal(String(spans.type), "Duration<SECOND>", "durations");
});

test("arrow: what it cannot hold is an error", async () => {
  const days = await written("dtypes-time-v3", "datetime-D");
  await rejects((async () => toVector(await days.array.get()))(), ({ code }) => code === "Unsupported");
  const turned = await written("transpose-v3", "10");
  const result = await turned.array.get(null, { memoryOrder: [1, 0] });
  await rejects((async () => toVector(result))(), ({ code }) => code === "Argument");
});
