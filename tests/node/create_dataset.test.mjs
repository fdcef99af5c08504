/**
 * `createDataset`: the documents that it writes, in xarray's forms, and its errors. xarray reads
 * such data sets in tests/conformance/check_written.py.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as zarr from "zarr-wasm";

const documentOf = (store, key) => JSON.parse(new TextDecoder().decode(store.get(key)));

const TIMES = ["2026-01-01T00:00:00Z", "2026-01-01T06:00:00Z", "1969-12-31T18:00:00Z"].map(
  (text) => new Date(text),
);
const dataset = {
  coords: {
    time: TIMES,
    lat: { data: new Float64Array([50, 40]), attributes: { units: "degrees_north" } },
    place: { dims: ["lat"], data: ["north", "süd"] },
    level: { dims: [], data: [850] },
    other: { dims: ["unused"], data: [1n] },
  },
  variables: {
    heat: {
      dims: ["time", "lat"],
      data: new Float32Array([280, 281, Number.NaN, 283, 284, 285]),
      attributes: { units: "K" },
      chunkShape: [1, 2],
    },
    packed: {
      dims: ["lat"],
      dtype: "int16",
      data: [1, -999],
      fillValue: -999,
      attributes: { scale_factor: 0.5 },
    },
    empty: { dims: ["lat"], dtype: "float64" },
    flags: { dims: ["lat"], data: [true, false] },
  },
  attributes: { title: "demo" },
};

test("Zarr v3: names of dimensions, units of time and fill values, as xarray writes them", async () => {
  const store = new Map();
  const { group, arrays } = await zarr.createDataset(store, dataset);
  assert.deepEqual(
    Object.keys(arrays).sort(),
    Object.keys({ ...dataset.coords, ...dataset.variables }).sort(),
  );
  // xarray names a coordinate in the group if no variable has its dimensions.
  assert.deepEqual(group.attrs, { coordinates: "other", title: "demo" });
  const time = documentOf(store, "/time/zarr.json");
  assert.equal(time.data_type, "int64");
  assert.deepEqual(time.dimension_names, ["time"]);
  assert.deepEqual(time.attributes, { units: "hours since 1970-01-01", calendar: "proleptic_gregorian" });
  const heat = documentOf(store, "/heat/zarr.json");
  assert.deepEqual(heat.dimension_names, ["time", "lat"]);
  assert.equal(heat.fill_value, "NaN");
  // The base64 of a double that is NaN, as xarray's FillValueCoder has it.
  assert.deepEqual(heat.attributes, { _FillValue: "AAAAAAAA+H8=", coordinates: "place level", units: "K" });
  const packed = documentOf(store, "/packed/zarr.json");
  assert.deepEqual(
    [packed.fill_value, packed.attributes._FillValue, packed.data_type],
    [-999, -999, "int16"],
  );
  assert.equal(documentOf(store, "/lat/zarr.json").attributes._FillValue, undefined);
  assert.deepEqual(
    Object.keys(documentOf(store, "/zarr.json").consolidated_metadata.metadata).sort(),
    Object.keys(arrays).sort(),
  );
});

test("Zarr v2: the fill value is that of the metadata, and an attribute names the dimensions", async () => {
  const store = new Map();
  await zarr.createDataset(store, dataset, { zarrFormat: 2 });
  assert.deepEqual(documentOf(store, "/heat/.zattrs"), {
    coordinates: "place level",
    units: "K",
    _ARRAY_DIMENSIONS: ["time", "lat"],
  });
  assert.equal(documentOf(store, "/heat/.zarray").fill_value, "NaN");
  assert.equal(documentOf(store, "/lat/.zarray").fill_value, null);
  assert.equal(documentOf(store, "/packed/.zarray").fill_value, -999);
  assert.deepEqual(documentOf(store, "/level/.zattrs"), { _ARRAY_DIMENSIONS: [] });
  assert.ok(store.has("/.zmetadata"));
});

for (const zarrFormat of [2, 3]) {
  test(`Zarr v${zarrFormat}: values and dates are read back`, async () => {
    const { arrays } = await zarr.createDataset(new Map(), dataset, { zarrFormat });
    const times = await zarr.coords(arrays.heat, "time");
    assert.deepEqual(await Promise.all(TIMES.map((_, at) => times.date(at))), TIMES);
    const { data } = await arrays.packed.get(null, { decode: "cf", as: "float64" });
    assert.deepEqual([...data], [0.5, Number.NaN]);
    assert.deepEqual([...(await arrays.place.get()).data], ["north", "süd"]);
    assert.deepEqual([...(await arrays.empty.get()).data], [Number.NaN, Number.NaN]);
    assert.deepEqual((await arrays.level.get()).data, Float64Array.of(850));
    assert.deepEqual([...(await arrays.flags.get()).data], [1, 0]);
  });
}

for (const [times, units] of [
  [["2026-01-01", "2026-03-01"], "days"],
  [["2026-01-01T00:30Z", "2026-03-01"], "minutes"],
  [["2026-01-01T00:00:01Z"], "seconds"],
  [["1900-01-01T00:00:00.001Z"], "milliseconds"],
]) {
  test(`dates such as ${times[0]} are whole ${units}`, async () => {
    const time = times.map((text) => new Date(text));
    const { arrays } = await zarr.createDataset(new Map(), { coords: { time } });
    assert.equal(arrays.time.attrs.units, `${units} since 1970-01-01`);
    const length = { days: 864e5, minutes: 6e4, seconds: 1e3, milliseconds: 1 }[units];
    assert.deepEqual(
      (await arrays.time.get()).data,
      BigInt64Array.from(time, (date) => BigInt(date / length)),
    );
  });
}

test("dates become counts of given units, in a given calendar", async () => {
  const units = "days since 2000-01-01";
  const { arrays } = await zarr.createDataset(new Map(), {
    coords: {
      time: { data: ["2000-02-30", "2000-03-01"], attributes: { units, calendar: "360_day" } },
      half: { dims: ["time"], data: ["2000-01-01T12:00Z", "2000-01-02"], attributes: { units } },
      short: {
        dims: ["time"],
        dtype: "int32",
        data: [new Date("2000-01-03"), new Date("1999-12-31")],
        attributes: { units },
      },
    },
  });
  assert.deepEqual([...(await arrays.time.get()).data], [59n, 60n]);
  assert.deepEqual([...(await arrays.half.get()).data], [0.5, 1]);
  assert.equal(arrays.half.attrs.calendar, "proleptic_gregorian");
  assert.deepEqual((await arrays.short.get()).data, Int32Array.of(2, -1));
});

test("a date that is not valid is missing, and the others stay exact", async () => {
  const data = [new Date("2026-01-01T00:00:00.001Z"), new Date(Number.NaN)];
  const { arrays } = await zarr.createDataset(new Map(), {
    coords: { valid: { dims: ["x"], data } },
    variables: { a: { dims: ["x"], dtype: "int8" } },
  });
  assert.equal(arrays.valid.attributes({ bigint: true })._FillValue, -(2n ** 63n));
  assert.deepEqual([...(await arrays.valid.get()).data], [1767225600001n, -(2n ** 63n)]);
});

test("variables from arrays, from readers, and progress", async () => {
  const source = await zarr.create(new Map(), { shape: [3, 4], dtype: "uint8", attributes: { units: "m" } });
  await source.set(null, 5);
  const read = ([row], [rows, columns]) => new Float64Array(rows * columns).fill(row);
  const steps = [];
  const { arrays } = await zarr.createDataset(
    new Map(),
    {
      variables: {
        copied: { dims: ["y", "x"], data: source },
        read: { dims: ["y", "x"], data: { shape: [3, 4], dtype: "float64", read }, chunkShape: [1, 4] },
      },
    },
    { onProgress: (step) => steps.push(step) },
  );
  assert.deepEqual(arrays.copied.attrs, { units: "m" });
  assert.deepEqual([...(await arrays.copied.get([0, null])).data], [5, 5, 5, 5]);
  assert.deepEqual(arrays.read.shape, [3, 4]);
  assert.deepEqual(steps.at(-1), { variable: "read", elements: 24, totalElements: 24 });
});

test("the fill value of a v2 array stays what is missing", async () => {
  const source = await zarr.create(new Map(), { shape: [3], dtype: "float32", zarrFormat: 2, fillValue: -9 });
  await source.set(null, [1, -9, 3]);
  for (const zarrFormat of [2, 3]) {
    const described = { variables: { a: { dims: ["x"], data: source } } };
    const { arrays } = await zarr.createDataset(new Map(), described, { zarrFormat });
    const { data } = await arrays.a.get(null, { decode: "cf" });
    assert.deepEqual([...data], [1, Number.NaN, 3], `v${zarrFormat}`);
  }
});

test("elements in memory with strides, and complex ones, over several boxes", async () => {
  const [rows, columns] = [1500, 1500];
  const data = Float32Array.from({ length: 2 * rows * columns }, (_, at) => at);
  const turned = { data: data.subarray(0, rows * columns), shape: [columns, rows], stride: [1, columns] };
  const { arrays } = await zarr.createDataset(new Map(), {
    variables: {
      complex: { dims: ["y", "x"], data: { data, shape: [rows, columns], dtype: "complex64" } },
      turned: { dims: ["x", "y"], data: turned, chunkShape: [100, 100] },
    },
  });
  for (const row of [0, 1, 1399, 1499]) {
    const first = 2 * (row * columns + 7);
    assert.deepEqual([...(await arrays.complex.get([row, zarr.slice(7, 8)])).data], [first, first + 1]);
    assert.deepEqual([...(await arrays.turned.get([3, zarr.slice(row, row + 1)])).data], [row * columns + 3]);
  }
  const wrong = { variables: { a: { dims: ["x"], data: { data: [1, 2], shape: [2], stride: [-1] } } } };
  await assert.rejects(zarr.createDataset(new Map(), wrong), { code: "Argument" });
});

test("a ZIP archive with a data set", async () => {
  const writer = new zarr.ZipWriter();
  await zarr.createDataset(writer, dataset);
  const archive = zarr.ZipFileStore.fromBlob(await writer.toBlob());
  const heat = await zarr.open(zarr.root(archive).resolve("heat"), { kind: "array" });
  assert.deepEqual([...(await heat.get([0, null])).data], [280, 281]);
});

for (const [what, wrong] of [
  ["lengths that differ", { coords: { x: [1, 2] }, variables: { a: { dims: ["x"], data: [1, 2, 3] } } }],
  ["a length that is not known", { variables: { a: { dims: ["x"], dtype: "int8" } } }],
  [
    "elements that do not fit",
    { dims: { x: 2, y: 2 }, variables: { a: { dims: ["x", "y"], data: [1, 2, 3] } } },
  ],
  [
    "other dimensions than the data",
    { variables: { a: { dims: ["x"], data: { data: [1], shape: [1, 1], dtype: "int8" } } } },
  ],
  ["no dimensions", { variables: { a: { data: [1] } } }],
  ["no data type", { dims: { x: 1 }, variables: { a: { dims: ["x"] } } }],
  ["elements of several types", { variables: { a: { dims: ["x"], data: [1, "2"] } } }],
  ["a name with a slash", { variables: { "a/b": { dims: ["x"], data: [1] } } }],
  ["one name twice", { coords: { a: [1] }, variables: { a: { dims: ["a"], data: [1] } } }],
  [
    "dates without a calendar's day",
    { coords: { time: { data: ["2000-02-30"], attributes: { units: "days since 2000-01-01" } } } },
  ],
]) {
  test(`${what}: an Argument error, and nothing is written`, async () => {
    const store = new Map();
    await assert.rejects(zarr.createDataset(store, wrong), { code: "Argument" });
    assert.equal(store.size, 0);
  });
}
