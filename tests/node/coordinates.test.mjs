/** Counts of time, compared with cftime; coordinates, nearest values, selections by values. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import * as zarr from "zarr-wasm";
import { metadata } from "./made_stores.mjs";

const FIXTURES = join(import.meta.dirname, "../fixtures/conventions");
const { groups } = JSON.parse(readFileSync(join(FIXTURES, "cf/times.json"), "utf8"));
const fieldsOf = ({ year, month, day, hour, minute, second, nanosecond }) => [
  year,
  month,
  day,
  hour,
  minute,
  second,
  nanosecond,
];
const encode = (document) => new TextEncoder().encode(JSON.stringify(document));

const calendars = [...new Set(groups.map(({ calendar }) => calendar))];
for (const calendar of calendars) {
  test(`cftime: ${calendar}`, async () => {
    let dates = 0;
    for (const { units, counts, back } of groups.filter((group) => group.calendar === calendar)) {
      const time = await zarr.timeUnits(units, calendar);
      const moments = await time.moments(counts.map(([count]) => count));
      for (const [at, [count, expected]] of counts.entries()) {
        assert.deepEqual(fieldsOf(moments[at]), expected, `${count} ${units}`);
        // A moment to the nanosecond gives the count again, as exactly as a double can.
        const returned = await time.count(moments[at]);
        assert.ok(
          Math.abs(returned - count) <= Math.max(Math.abs(count) * 2e-16, 5e-7),
          `${returned}, not ${count}`,
        );
        if (back[at] !== null) assert.equal(returned, back[at]);
        dates += 1;
      }
    }
    assert.ok(dates > 300);
  });
}

test("dates of real calendars", async () => {
  const time = await zarr.timeUnits("hours since 1970-01-01 06:00 +02:00");
  assert.equal(time.isReal, true);
  assert.equal((await time.date(0.5)).toISOString(), "1970-01-01T04:30:00.000Z");
  assert.equal(await time.count("1970-01-01T05:00Z"), 1);
  assert.equal(await time.count(new Date("1970-01-01T06:00Z")), 2);
  assert.ok(Number.isNaN((await time.date(NaN)).getTime()));
  assert.ok(Number.isNaN((await time.date(1e15)).getTime()));
  assert.equal(await time.moment(1e300), null);
  // The day before the Gregorian calendar is 4 October, which is the 14th for JavaScript.
  const old = await zarr.timeUnits("days since 1582-10-15");
  assert.deepEqual(fieldsOf(await old.moment(-1)).slice(0, 3), [1582, 10, 4]);
  assert.equal((await old.date(-1)).toISOString().slice(0, 10), "1582-10-14");
  const exact = await zarr.timeUnits("nanoseconds since 1970-01-01", "proleptic_gregorian");
  assert.deepEqual(fieldsOf(await exact.moment(2n ** 60n + 1n)).slice(5), [24, 606846977]);
  const thirty = await zarr.timeUnits("months since 2000-01-01", "360_day");
  assert.deepEqual(fieldsOf(await thirty.moment(13)).slice(0, 3), [2001, 2, 1]);
  assert.equal(thirty.isReal, false);
  assert.equal(await thirty.count({ year: 2000, month: 2, day: 30 }), 59 / 30);
  assert.equal(await thirty.count(new Date("2000-03-01T00:00Z")), 2);
  assert.ok(Number.isNaN((await thirty.date(1)).getTime()));
});

test("values that are not times give a ZarrError", async () => {
  const refused = [
    ["days since", undefined, "Format"],
    ["K", undefined, "Format"],
    ["days since yesterday", undefined, "Format"],
    ["days since 2000-02-30", undefined, "Format"],
    ["days since 1582-10-10", "standard", "Format"],
    ["days since 0000-01-01", "standard", "Format"],
    ["days since 2000-01-01 25:00", undefined, "Format"],
    ["furlongs since 2000-01-01", undefined, "Format"],
    ["months since 2000-01-01", "standard", "Unsupported"],
    ["days since 2000-01-01", "utc", "Unsupported"],
    ["days since 2000-01-01", "none", "Unsupported"],
    ["days since 2000-01-01 12:00 nowhere", undefined, "Format"],
    ["", undefined, "Format"],
    ["days since 99999999999999999999", undefined, "Format"],
    [`days since ${"9".repeat(1e5)}`, undefined, "Format"],
    ["days since 2000-01-01", "\u0000", "Unsupported"],
  ];
  for (const [units, calendar, code] of refused) {
    await assert.rejects(zarr.timeUnits(units, calendar), { code }, `${units.slice(0, 40)} ${calendar}`);
  }
  const time = await zarr.timeUnits("days since 2000-01-01", "noleap");
  for (const date of ["2000-02-29", "soon", {}, null, 7, new Date(NaN), { year: 2000, month: 13, day: 1 }]) {
    await assert.rejects(time.count(date), { code: "Argument" }, String(date));
  }
});

const bytesOf = (base64) => Uint8Array.from(Buffer.from(base64, "base64"));

/** An entry of a selection in the form of `make/cf_datasets.py`. */
const entryOf = ({ at, method, between }) => (between ? zarr.between(...between) : zarr.at(at, { method }));

for (const { name, store, coordinates, moments, selections } of JSON.parse(
  readFileSync(join(FIXTURES, "cf/datasets.json"), "utf8"),
).cases) {
  test(`xarray's data set: ${name}`, async () => {
    const keys = Object.entries(store).map(([key, value]) => [`/${key}`, bytesOf(value)]);
    const array = await zarr.open(new Map(keys), { kind: "array", path: "air" });
    for (const [dimension, values] of Object.entries(coordinates)) {
      assert.deepEqual([...(await zarr.coords(array, dimension)).values], values, dimension);
    }
    const time = await zarr.coords(array, "time");
    assert.deepEqual(
      (await time.moments()).map((moment) => fieldsOf(moment).slice(0, 6)),
      moments,
    );
    for (const { selection, shape, values } of selections) {
      const entries = Object.entries(selection).map(([dimension, entry]) => [dimension, entryOf(entry)]);
      const found = await array.get(Object.fromEntries(entries), { decode: "cf", as: "float64" });
      assert.deepEqual(found.shape, shape, JSON.stringify(selection));
      assert.deepEqual(
        [...found.data],
        [...new Float64Array(bytesOf(values).buffer)],
        JSON.stringify(selection),
      );
    }
  });
}

/** A store with a variable and coordinates of its dimensions. */
async function grid(coordinates, attributes = {}) {
  const root = await zarr.create(new Map());
  const names = Object.keys(coordinates);
  const shape = names.map((name) => coordinates[name].length);
  for (const name of names) {
    const values = coordinates[name];
    const dtype =
      { BigInt64Array: "int64", Int32Array: "int32", Array: "string" }[values.constructor.name] ?? "float64";
    const array = await zarr.create(root.resolve(name), {
      shape: [values.length],
      dtype,
      dimensionNames: [name],
      attributes: attributes[name] ?? {},
    });
    await array.set(null, values);
  }
  const array = await zarr.create(root.resolve("air"), { shape, dtype: "float64", dimensionNames: names });
  await array.set(
    null,
    Float64Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, at) => at),
  );
  return array;
}

// pandas.Index(values).get_indexer(wanted, method)
const WANTED = [-1, 0.5, 1.75, 2.5, 3.25, 9];
const FOUND = [
  [[0, 1, 2.5, 4], { nearest: [0, 1, 2, 2, 3, 3], pad: [-1, 0, 1, 2, 2, 3], backfill: [0, 1, 2, 2, 3, -1] }],
  [[4, 2.5, 1, 0], { nearest: [3, 2, 1, 1, 0, 0], pad: [3, 2, 1, 1, 0, -1], backfill: [-1, 3, 2, 1, 1, 0] }],
  [[2.5, NaN, 0, 4, 1, 1], { nearest: [2, 4, 0, 0, 3, 3] }],
];

for (const [values, methods] of FOUND) {
  test(`nearest to a value: ${values}`, async () => {
    const { length } = values;
    const array = await grid({ x: Float64Array.from(values), y: Int32Array.of(10, 20) });
    const x = await zarr.coords(array, "x");
    assert.deepEqual([x.source, x.path, x.length], ["variable", "/x", length]);
    for (const [method, found] of Object.entries(methods)) {
      for (const [at, wanted] of WANTED.entries()) {
        if (found[at] >= 0)
          assert.equal(await x.nearest(wanted, { method }), found[at], `${method} ${wanted}`);
        else await assert.rejects(x.nearest(wanted, { method }), zarr.InvalidSelectionError);
      }
    }
    await assert.rejects(x.nearest(0.4, { tolerance: 0.1 }), zarr.InvalidSelectionError);
    await assert.rejects(x.nearest(0.4, { method: "exact" }), zarr.InvalidSelectionError);
    await assert.rejects(x.nearest(0.4, { method: "around" }), { code: "Argument", field: "method" });
    await assert.rejects(x.nearest(NaN), zarr.InvalidSelectionError);
    await assert.rejects(x.nearest("2000-01-01"), zarr.InvalidSelectionError);
    assert.equal(await x.nearest(4, { method: "exact" }), values.indexOf(4));
    if (!methods.pad) await assert.rejects(x.nearest(2, { method: "pad" }), zarr.InvalidSelectionError);
    const inside = (low, high) => values.flatMap((value, at) => (value >= low && value <= high ? [at] : []));
    for (const [low, high] of [
      [0, 2.5],
      [0.5, 3],
      [-5, -1],
      [5, 9],
      [1, 1],
      [-9, 9],
    ]) {
      for (const range of [await x.range(low, high), await x.range(high, low)]) {
        const places = Array.isArray(range)
          ? range
          : values.map((_, at) => at).slice(range.start, range.stop);
        assert.deepEqual(places, inside(low, high), `${low} ${high}`);
      }
    }
    const { data, shape } = await array.get({ x: zarr.between(1, null), y: zarr.at(12) });
    assert.deepEqual(
      [...data],
      inside(1, 99).map((at) => 2 * at),
    );
    assert.deepEqual(shape, [inside(1, 99).length]);
  });
}

test("selections by value, by name and by position, also of time and text", async () => {
  const array = await grid(
    { time: Int32Array.of(0, 31, 60), lat: Float64Array.of(60, 50, 40, 30), station: ["a", "b"] },
    { time: { units: "days since 2000-01-01", calendar: "noleap" }, lat: { units: "degrees_north" } },
  );
  const time = await zarr.coords(array, 0);
  assert.deepEqual(
    (await time.moments()).map(({ month, day }) => [month, day]),
    [
      [1, 1],
      [2, 1],
      [3, 2],
    ],
  );
  assert.equal((await zarr.coords(array, "lat")).units, "degrees_north");
  const place = (t, lat, station) => (t * 4 + lat) * 2 + station;
  const one = await array.get({ time: zarr.at("2000-02-03"), lat: zarr.at(51.5), station: zarr.at("b") });
  assert.deepEqual([one.data[0], one.shape], [place(1, 1, 1), []]);
  const row = await array.get([
    zarr.at({ year: 2000, month: 3, day: 2 }, { method: "exact" }),
    "...",
    zarr.at("a"),
  ]);
  assert.deepEqual(
    [...row.data],
    [0, 1, 2, 3].map((lat) => place(2, lat, 0)),
  );
  const months = await array.get({
    time: zarr.between("2000-02-01", "2000-03-02"),
    lat: zarr.at([30, 60]),
    station: 0,
  });
  assert.deepEqual([...months.data], [place(1, 3, 0), place(1, 0, 0), place(2, 3, 0), place(2, 0, 0)]);
  assert.deepEqual(await zarr.locate(array, { lat: zarr.at(44) }), { lat: 2 });
  await array.set({ lat: zarr.between(35, 65), station: zarr.at("a") }, -1);
  assert.equal((await array.get([0, 3, 0])).data[0], place(0, 3, 0));
  assert.equal((await array.get([0, 2, 0])).data[0], -1);
  await assert.rejects(array.get({ station: zarr.at("c") }), zarr.InvalidSelectionError);
  await assert.rejects(array.get({ nowhere: zarr.at(1) }), zarr.InvalidSelectionError);
  await assert.rejects(array.get({ time: zarr.at("2000-02-30") }), { code: "Argument" });
});

test("v2 with xarray's dimension names", async () => {
  const root = await zarr.create(new Map(), { zarrFormat: 2 });
  const attributes = { _ARRAY_DIMENSIONS: ["x"] };
  const x = await zarr.create(root.resolve("x"), {
    zarrFormat: 2,
    shape: [3],
    chunks: [3],
    dtype: "<i8",
    attributes,
    fillValue: null,
  });
  await x.set(null, BigInt64Array.of(0n, 5n, 10n));
  const v = await zarr.create(root.resolve("v"), {
    zarrFormat: 2,
    shape: [3],
    chunks: [3],
    dtype: "<f4",
    attributes,
  });
  await v.set(null, Float32Array.of(1, 2, 3));
  assert.equal((await v.get({ x: zarr.at(6) })).data[0], 2);
  assert.equal((await v.get({ x: 2 })).data[0], 3);
  assert.deepEqual(v.dimensionNames, ["x"]);
  assert.deepEqual([...(await zarr.coords(x, "x")).values], [0, 5, 10]);
});

test("counts of nanoseconds are exact as moments", async () => {
  const count = 2n ** 60n + 1n;
  const array = await grid(
    { time: BigInt64Array.of(count) },
    { time: { units: "nanoseconds since 1970-01-01" } },
  );
  const time = await zarr.coords(array, "time");
  assert.equal((await time.moment(0)).nanosecond, 606846977);
  assert.equal((await time.date(0)).getTime(), Number((count + 500_000n) / 1_000_000n));
});

test("arrays with a transform have coordinates without variables", async () => {
  const store = new Map();
  const group = {
    multiscales: {
      layout: [{ asset: "0" }, { asset: "1", derived_from: "0", transform: { scale: [2, 2] } }],
    },
    "spatial:dimensions": ["y", "x"],
    "spatial:transform": [10, 0, 500, 0, -10, 9000],
  };
  store.set("/zarr.json", encode({ zarr_format: 3, node_type: "group", attributes: group }));
  for (const [level, side] of [
    [0, 8],
    [1, 4],
  ]) {
    const array = metadata({ shape: [side, side], chunks: [4, 4], dtype: "uint8", names: ["y", "x"] });
    store.set(`/${level}/zarr.json`, encode(array));
  }
  const asked = [];
  const get = (key) => {
    asked.push(key);
    return store.get(key);
  };
  const array = await zarr.open.v3({ get }, { kind: "array", path: "1" });
  const [x, y] = [await zarr.coords(array, "x"), await zarr.coords(array, "y")];
  // Variables are looked for where arrays of this format are.
  assert.ok(asked.includes("/x/zarr.json"));
  assert.deepEqual(
    asked.filter((key) => /^\/[xy]\/\.z/.test(key)),
    [],
  );
  assert.equal(x.source, "affine");
  // Centres of elements of 20 units, from the corner at 500, 9000.
  assert.deepEqual([...x.values], [510, 530, 550, 570]);
  assert.deepEqual([...y.values], [8990, 8970, 8950, 8930]);
  assert.deepEqual(await zarr.locate(array, { x: zarr.at(541), y: zarr.between(8940, 8980) }), {
    x: 2,
    y: { start: 1, stop: 3, step: null },
  });
  const alone = new zarr.Array(
    new Map(),
    "/a",
    metadata({ shape: [2], chunks: [2], dtype: "uint8", names: ["x"] }),
  );
  await assert.rejects(zarr.coords(alone, "x"), zarr.NotFoundError);
});

/**
 * A group of levels whose transform positions x and y, or an OME image; the arrays have no chunks.
 */
function longImage(kind, [rows, columns]) {
  const store = new Map();
  const spatial = {
    multiscales: { layout: [{ asset: "0" }] },
    "spatial:dimensions": ["y", "x"],
    "spatial:transform": [2, 0, 99, 0, -2, 5001],
    "proj:code": "EPSG:3857",
  };
  const scale = { type: "scale", scale: [-2, 2] };
  const translation = { type: "translation", translation: [5000, 100] };
  const datasets = [{ path: "0", coordinateTransformations: [scale, translation] }];
  const axes = ["y", "x"].map((name) => ({ name, type: "space", unit: "metre" }));
  const ome = { ome: { version: "0.5", multiscales: [{ axes, datasets, name: "image" }] } };
  const own = { "spatial:dimensions": ["y", "x"], "spatial:transform": [2, 0, 99, 0, -2, 5001] };
  const attributes = { spatial, ome, array: {} }[kind];
  store.set("/zarr.json", encode({ zarr_format: 3, node_type: "group", attributes }));
  const array = metadata({ shape: [rows, columns], chunks: [256, 256], dtype: "uint8", names: ["y", "x"] });
  store.set("/0/zarr.json", encode({ ...array, attributes: kind === "array" ? own : {} }));
  return store;
}

for (const kind of ["spatial", "ome", "array"]) {
  test(`an axis that no list could hold has coordinates: ${kind}`, async () => {
    // The array is opened alone, so its place is searched for.
    const array = await zarr.open(longImage(kind, [3e9, 1e14]), { kind: "array", path: "0" });
    const [x, y] = [await zarr.coords(array, "x"), await zarr.coords(array, 0)];
    assert.deepEqual([x.source, x.length, y.length], ["affine", 1e14, 3e9]);
    assert.deepEqual([x.value(0), x.value(7), x.value(1e14 - 1)], [100, 114, 100 + 2 * (1e14 - 1)]);
    assert.deepEqual([x.value(-1), x.value(1e14)], [undefined, undefined]);
    assert.equal(await x.nearest(1e14), 5e13 - 50);
    assert.equal(await y.nearest(4990.9), 5);
    assert.equal(await y.nearest(4990.9, { method: "pad" }), 4);
    await assert.rejects(x.nearest(113, { method: "exact" }), zarr.InvalidSelectionError);
    await assert.rejects(x.nearest(0, { tolerance: 50 }), zarr.InvalidSelectionError);
    assert.deepEqual(await x.range(104, null), { start: 2, stop: 1e14, step: null });
    const selection = { x: zarr.at([101.2, 2e12]), y: zarr.between(4000, 4010) };
    const place = { x: [1, 1e12 - 50], y: { start: 495, stop: 501, step: null } };
    assert.deepEqual(await zarr.locate(array, selection), place);
    assert.throws(() => x.values, { code: "Limit", message: /"x"/ });
    await assert.rejects(x.moments(), { code: "Limit" });
    assert.deepEqual([await x.moment(3), (await x.date(3)).getTime()], [null, Number.NaN]);
    const { data } = await array.get({ y: 2, x: zarr.between(100, 104) });
    assert.deepEqual([...data], [0, 0, 0]);
  });
}

test("the list of an axis is made at the first read, and stays the same", async () => {
  const array = await zarr.open(longImage("spatial", [4, 3]), { kind: "array", path: "0" });
  const y = await zarr.coords(array, "y");
  assert.ok(y.values instanceof Float64Array);
  assert.deepEqual([...y.values], [5000, 4998, 4996, 4994]);
  assert.equal(y.values, y.values);
  assert.deepEqual(await y.moments(), [null, null, null, null]);
  const empty = await zarr.open(longImage("spatial", [0, 3]), { kind: "array", path: "0" });
  const none = await zarr.coords(empty, "y");
  assert.equal(none.values.length, 0);
  await assert.rejects(none.nearest(1), zarr.InvalidSelectionError);
});
