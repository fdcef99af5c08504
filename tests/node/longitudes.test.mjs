/**
 * Longitudes in selections by value: those of another turn are the same place. Values beyond an
 * axis are errors. What is right is found by looking at every element.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as zarr from "zarr-wasm";
import { metadata } from "./made_stores.mjs";

const encode = (document) => new TextEncoder().encode(JSON.stringify(document));

const even = (start, step, length) => Array.from({ length }, (_, at) => start + at * step);

/** A variable over an axis, whose elements are their own indices. */
async function along(name, values, attributes) {
  const root = await zarr.create(new Map());
  const dimensionNames = [name];
  const shape = [values.length];
  const axis = await zarr.create(root.resolve(name), { shape, dtype: "float64", dimensionNames, attributes });
  await axis.set(null, Float64Array.from(values));
  const array = await zarr.create(root.resolve("heat"), { shape, dtype: "int32", dimensionNames });
  await array.set(
    null,
    Int32Array.from(values, (_, at) => at),
  );
  return array;
}

const EAST = { units: "degrees_east", standard_name: "longitude" };
const NORTH = { units: "degrees_north", standard_name: "latitude" };

/** The distance around the globe. */
const apart = (one, other) => {
  const turn = (((one - other) % 360) + 360) % 360;
  return Math.min(turn, 360 - turn);
};

test("a click at −44.7° of a map reads the cell at 315.5°", async () => {
  const array = await along("lon", even(0.5, 1, 360), EAST);
  const lon = await zarr.coords(array, "lon");
  assert.equal(await lon.nearest(-44.7), 315);
  assert.equal(await lon.nearest(-10.2), 349);
  assert.equal((await array.get({ lon: zarr.at(-44.7) })).data[0], 315);
  assert.deepEqual([...(await array.get([zarr.at([-44.7, 0.2, 719.9])])).data], [315, 0, 359]);
  assert.deepEqual(await zarr.locate(array, { lon: zarr.at(-44.7) }), { lon: 315 });
  assert.deepEqual(zarr.select(array, { lon: await lon.nearest(-44.7) }), [315]);
});

test("an exact longitude, and those before and after one", async () => {
  const array = await along("lon", even(0.3, 1, 360), EAST);
  const lon = await zarr.coords(array, "lon");
  assert.equal(await lon.nearest(-44.7, { method: "exact" }), 315);
  await assert.rejects(lon.nearest(-44.6, { method: "exact" }), zarr.InvalidSelectionError);
  for (const [value, before, after] of [
    [-44.5, 315, 316],
    [0.1, 359, 0],
    [-0.2, 359, 0],
    [360.5, 0, 1],
  ]) {
    assert.equal(await lon.nearest(value, { method: "pad" }), before, `before ${value}`);
    assert.equal(await lon.nearest(value, { method: "backfill" }), after, `after ${value}`);
  }
  assert.equal(await lon.nearest(-44.9, { tolerance: 0.2 + 1e-9 }), 315);
  await assert.rejects(lon.nearest(-44.9, { tolerance: 0.1 }), { code: "Argument" });
});

const AXES = {
  "0.5 to 359.5": even(0.5, 1, 360),
  "0 to 357.5, in steps of 2.5": even(0, 2.5, 144),
  "−180 to 179": even(-180, 1, 360),
  "179.5 down to −179.5": even(179.5, -1, 360),
  "300 to 330": even(300, 1, 31),
  "170 to 190": even(170, 1, 21),
  "uneven steps": [3, 10, 45, 90, 180, 270, 355],
  unsorted: [20, 350, 190, 10, 355, 180],
};
const VALUES = [
  -725.2, -360, -181, -180.2, -90.1, -44.7, -0.4, 0.2, 12, 179.9, 180.3, 200, 350.6, 359.9, 540,
];

for (const [name, values] of Object.entries(AXES)) {
  test(`the nearest around the globe: ${name}`, async () => {
    const lon = await zarr.coords(await along("lon", values, EAST), "lon");
    for (const value of VALUES) {
      const found = await lon.nearest(value, { method: "nearest" });
      const least = Math.min(...values.map((own) => apart(own, value)));
      assert.ok(Math.abs(apart(values[found], value) - least) < 1e-9, `${value}: ${values[found]}`);
    }
  });

  test(`ranges around the globe: ${name}`, async () => {
    const array = await along("lon", values, EAST);
    const lon = await zarr.coords(array, "lon");
    for (const [from, to] of [
      [-10, 10],
      [170, 190],
      [-60, -40],
      [350, 370],
      [-190, -170],
      [0.5, 12.2],
      [-180, 180],
      [0, 359.9],
      [100, 101],
      [-1000, 1000],
    ]) {
      const isIn = (own) =>
        [-4, -3, -2, -1, 0, 1, 2, 3, 4].some((turn) => {
          const place = own + 360 * turn;
          return place >= from && place <= to;
        });
      const inside = values.flatMap((own, at) => (isIn(own) ? [at] : []));
      const range = await lon.range(from, to);
      const indices = Array.isArray(range) ? range : [...values.keys()].slice(range.start, range.stop);
      assert.deepEqual(
        [...indices].sort((a, b) => a - b),
        inside,
        `${from} to ${to}`,
      );
      const read = await array.get({ lon: zarr.between(to, from) });
      assert.deepEqual([...read.data], indices, "what get reads");
      if (name === "unsorted" || to - from >= 360) continue;
      // From west to east, or from east to west where the axis does.
      const east = indices.map((at) => (((values[at] - from) % 360) + 360) % 360);
      const sorted = [...east].sort((a, b) => (name.includes("down") ? b - a : a - b));
      assert.deepEqual(east, sorted, `order of ${from} to ${to}`);
    }
  });
}

test("a range across the first longitude is a list, others are slices", async () => {
  const array = await along("lon", even(0.5, 1, 360), EAST);
  const placed = async (from, to) => (await zarr.locate(array, { lon: zarr.between(from, to) })).lon;
  assert.deepEqual(await placed(-2, 2), [358, 359, 0, 1]);
  assert.deepEqual(await placed(-20, -17), { start: 340, stop: 343, step: null });
  assert.deepEqual(await placed(10, 12), { start: 10, stop: 12, step: null });
  assert.deepEqual(await placed(-180, 180), { start: 0, stop: 360, step: null });
  // No bound is no turn.
  assert.deepEqual(await placed(null, 2), { start: 0, stop: 2, step: null });
  assert.deepEqual(await placed(-20, null), { start: 0, stop: 360, step: null });
});

test("both ends of −180 … 180 stay what they were", async () => {
  const lon = await zarr.coords(await along("lon", even(-180, 1, 361), EAST), "lon");
  assert.deepEqual([await lon.nearest(-180), await lon.nearest(180)], [0, 360]);
  assert.deepEqual(await lon.range(-180, 179.5), { start: 0, stop: 360, step: null });
});

test("writes, reductions, streams, plans and histograms across the first longitude", async () => {
  const array = await along("lon", even(0.5, 1, 360), EAST);
  const across = { lon: zarr.between(-2, 2) };
  const sum = await zarr.reduce(array, across, { op: "sum" });
  assert.equal(Number(sum.data[0]), 358 + 359 + 0 + 1);
  const { count, max } = await zarr.histogram(array, { selection: across });
  assert.deepEqual([count, max], [4, 359]);
  await array.set(across, Int32Array.of(1, 2, 3, 4));
  const { data } = await array.get(null);
  assert.deepEqual([...data.slice(357), ...data.slice(0, 3)], [357, 1, 2, 3, 4, 2]);
  let elements = 0;
  for await (const part of array.stream(across)) elements += part.data.length;
  assert.equal(elements, 4);
});

test("what is a longitude: CF's attributes, or the name", async () => {
  const nearest = async (name, attributes) => {
    const array = await along(name, even(0.5, 1, 360), attributes);
    return (await zarr.coords(array, name)).nearest(-44.7, { method: "nearest" });
  };
  for (const units of ["degrees_east", "degree_east", "degrees_E", "degreeE", "degreesE", "degree_E"])
    assert.equal(await nearest("x", { units }), 315, units);
  assert.equal(await nearest("east", { standard_name: "longitude", units: "degrees" }), 315);
  assert.equal(await nearest("lon", {}), 315);
  assert.equal(await nearest("Longitude", { units: "degrees" }), 315);
  assert.equal(await nearest("x", { axis: "X", units: "m" }), 0);
  assert.equal(await nearest("lon", { units: "m" }), 0);
  assert.equal(await nearest("lat", NORTH), 0);
});

test("longitudes of a transform wrap, those of a microscope do not", async () => {
  const spatial = (attributes) => ({
    "spatial:dimensions": ["y", "x"],
    "spatial:transform": [1, 0, 0, 0, -1, 90],
    ...attributes,
  });
  const opened = async (attributes, names) => {
    const array = metadata({ shape: [180, 360], chunks: [180, 360], dtype: "uint8", names });
    return zarr.open(new Map([["/zarr.json", encode({ ...array, attributes })]]), { kind: "array" });
  };
  const globe = await zarr.coords(await opened(spatial({ "proj:code": "EPSG:4326" }), ["y", "x"]), "x");
  assert.equal(globe.source, "affine");
  assert.equal(await globe.nearest(-44.7), 315);
  assert.deepEqual(await globe.range(-2, 2), [358, 359, 0, 1]);
  const metres = await zarr.coords(await opened(spatial({ "proj:code": "EPSG:3857" }), ["y", "x"]), "x");
  await assert.rejects(metres.nearest(-44.7), { code: "Argument" });
  assert.deepEqual(await metres.range(-2, 2), { start: 0, stop: 2, step: null });
});

test("a value beyond an axis is an error that tells how far the axis reaches", async () => {
  const array = await along("lat", even(89.5, -1, 180), NORTH);
  const lat = await zarr.coords(array, "lat");
  for (const value of [500, -90.6, 91, Number.POSITIVE_INFINITY]) {
    await assert.rejects(array.get({ lat: zarr.at(value) }), (error) => {
      assert.ok(error instanceof zarr.InvalidSelectionError);
      assert.match(error.message, new RegExp(`"lat" is at ${value}`));
      assert.match(error.expected, /from -90 to 90.*method: "nearest"/);
      return true;
    });
  }
  // Half of a cell beyond the ends.
  assert.deepEqual([await lat.nearest(90), await lat.nearest(-90)], [0, 179]);
  assert.equal(await lat.nearest(500, { method: "nearest" }), 0);
  assert.equal(await lat.nearest(500, { tolerance: Infinity }), 0);
  assert.equal((await array.get({ lat: zarr.at(-500, { method: "nearest" }) })).data[0], 179);
  await assert.rejects(lat.nearest(90, { tolerance: 0.4 }), { code: "Argument" });
  assert.deepEqual(await lat.range(500, 600), { start: 0, stop: 0, step: null });
});

test("longitudes beyond a region, uneven and single coordinates", async () => {
  const region = await zarr.coords(await along("lon", even(300, 1, 31), EAST), "lon");
  assert.equal(await region.nearest(-30), 30);
  assert.equal(await region.nearest(-29.5), 30);
  for (const value of [-29, 0, 299.4]) {
    await assert.rejects(region.nearest(value), { code: "Argument", expected: /299.5 to 330.5, or a turn/ });
  }
  const pressure = await zarr.coords(await along("level", [1000, 850, 500, 100], { units: "hPa" }), "level");
  assert.equal(await pressure.nearest(1013), 0);
  assert.equal(await pressure.nearest(280), 3, "inside, however far");
  await assert.rejects(pressure.nearest(1080), { code: "Argument" });
  const one = await zarr.coords(await along("height", [2], { units: "m" }), "height");
  assert.equal(await one.nearest(10), 0, "the cell of a single coordinate is not known");
  const single = await zarr.coords(await along("lon", [315.3], EAST), "lon");
  assert.equal(await single.nearest(-44.7, { tolerance: 1e-6 }), 0);
});
