/**
 * Coordinates and other variables in other groups, found as CF 1.8 says in section 2.7: by path, by
 * the groups above, and downwards. Trees are by xarray; the rest follows from the text.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import * as zarr from "zarr-wasm";
import { madeStore } from "./made_stores.mjs";
import { scriptedServer } from "./scripted_server.mjs";

const TREES = join(import.meta.dirname, "../fixtures/conventions/cf/trees.json");
const bytesOf = (base64) => Uint8Array.from(Buffer.from(base64, "base64"));
const encode = (document) => new TextEncoder().encode(JSON.stringify(document));

for (const { name, store, coordinates } of JSON.parse(readFileSync(TREES, "utf8")).cases) {
  test(`xarray's tree: ${name}`, async () => {
    const files = new Map(Object.entries(store).map(([key, value]) => [`/${key}`, bytesOf(value)]));
    const consolidated = name.includes("consolidated");
    for (const [path, dimensions] of Object.entries(coordinates)) {
      const array = await zarr.open(files, { kind: "array", path: path.slice(1), consolidated });
      for (const [dimension, values] of Object.entries(dimensions)) {
        const found = await zarr.coords(array, dimension);
        assert.deepEqual([...found.values], values, `${path} ${dimension}`);
        assert.equal(found.path, dimension === "time" ? "/model/time" : `/${dimension}`);
      }
      // What `coords` finds, all that use it find.
      const { pixels, isGeographic } = await zarr.placement(array);
      assert.deepEqual([pixels.kind, isGeographic], ["affine", true]);
      assert.deepEqual(pixels.affine, [10, 0, 5, 0, -10, 50]);
      const row = await array.get({ time: 0, lat: zarr.at(31), lon: null });
      assert.deepEqual([...row.data], [4, 5]);
      const options = { op: "mean", over: ["lat", "lon"], weights: { lat: "cos" } };
      const mean = await zarr.reduce(array, null, options);
      const weights = dimensions.lat.map((degrees) => Math.cos((degrees * Math.PI) / 180));
      const { data } = await array.get({ time: 0 }, { as: "float64" });
      const total = weights.reduce((all, weight, at) => all + weight * (data[2 * at] + data[2 * at + 1]), 0);
      const expected = total / (2 * weights.reduce((all, weight) => all + weight, 0));
      assert.ok(Math.abs(mean.data[0] - expected) < 1e-9, `${mean.data[0]}, not ${expected}`);
    }
  });
}

/** A store of groups, and of numbers with these names of dimensions. */
function storeOf(arrays, attributes = {}) {
  const store = new Map();
  const group = (path, own = {}) => {
    store.set(`${path}/zarr.json`, encode({ zarr_format: 3, node_type: "group", attributes: own }));
  };
  group("", attributes);
  for (const [path, { shape, names, values, attrs = {} }] of Object.entries(arrays)) {
    const folders = path.split("/").slice(0, -1);
    for (let at = 1; at <= folders.length; at += 1) group(`/${folders.slice(0, at).join("/")}`);
    const made = { shape, chunks: shape, dtype: "float64", names, attributes: attrs };
    const flat = (index) => index.reduce((all, each, axis) => all * shape[axis] + each, 0);
    madeStore(made, (index) => (values ? values[flat(index)] : flat(index)), { path, store });
  }
  return store;
}

const GRID = { shape: [2, 3], names: ["y", "x"] };
const lat = { ...GRID, values: [50, 50, 50, 40, 40, 40], attrs: { standard_name: "latitude" } };
const lon = { ...GRID, values: [1, 2, 3, 1, 2, 3], attrs: { standard_name: "longitude" } };

for (const [coordinates, at] of [
  ["../lat ../lon", "a/"],
  ["..\\lat ..\\lon", "a/"],
  ["/lat /lon", ""],
  ["/a/lat ../lon", "a/"],
  ["lat lon", "a/b/"],
  ["lat lon", "a/"],
  ["lat lon", ""],
  ["./lat ./lon", "a/b/"],
  ["geo/lat geo/lon", "a/b/geo/"],
  [["/lat", "/lon"], ""],
]) {
  test(`coordinates: ${JSON.stringify(coordinates)} of /a/b/v, with variables in /${at}`, async () => {
    const files = storeOf({
      "a/b/v": { ...GRID, attrs: { coordinates } },
      [`${at}lat`]: lat,
      [`${at}lon`]: lon,
    });
    const array = await zarr.open(files, { kind: "array", path: "a/b/v" });
    const { pixels, isGeographic } = await zarr.placement(array);
    assert.deepEqual([pixels.kind, isGeographic], ["grid", true]);
    assert.deepEqual([[...pixels.x], [...pixels.y]], [lon.values, lat.values]);
  });
}

test("a path to coordinates is taken as it is, and one above the root is an error of the data", async () => {
  const placed = async (coordinates) => {
    const files = storeOf({ "a/v": { ...GRID, attrs: { coordinates } }, lat, lon });
    return zarr.placement(await zarr.open(files, { kind: "array", path: "a/v" }));
  };
  await assert.rejects(placed("./lat ./lon"), { code: "NotFound" });
  await assert.rejects(placed("../../lat ../../lon"), (error) => {
    assert.deepEqual([error.code, error.path, error.field], ["Format", "/a/v", "coordinates"]);
    assert.match(error.message, /coordinates leads above the root/);
    return true;
  });
});

test("the nearest variable counts, also if it is none of the dimension", async () => {
  const x = (first) => ({ shape: [3], names: ["x"], values: [first, first + 1, first + 2] });
  const files = storeOf({
    "a/b/v": GRID,
    "a/x": x(10),
    x: x(20),
    "c/v": GRID,
    "c/x": { shape: [4], names: ["x"], values: [0, 1, 2, 3] },
  });
  const of = async (path) => zarr.coords(await zarr.open(files, { kind: "array", path }), "x");
  assert.deepEqual([...(await of("a/b/v")).values], [10, 11, 12]);
  await assert.rejects(of("c/v"), { code: "NotFound" });
});

test("bounds are those in the group of the coordinates", async () => {
  const latitudes = { shape: [2], names: ["lat"], values: [30, 60] };
  const attrs = { units: "degrees_north", bounds: "lat_bounds" };
  const bounds = { shape: [2, 2], names: ["lat", "n"], values: [0, 30, 30, 90] };
  const files = storeOf({
    "a/v": { shape: [2], names: ["lat"], values: [1, 2] },
    lat: { ...latitudes, attrs },
    lat_bounds: bounds,
  });
  const array = await zarr.open(files, { kind: "array", path: "a/v" });
  const { data } = await zarr.reduce(array, null, { op: "mean", weights: "area" });
  // The sine of 30 degrees is ½: both cells have the same height.
  assert.ok(Math.abs(data[0] - 1.5) < 1e-12, String(data[0]));
});

/** The coordinates of /a/v by a lateral search, in a tree with these other arrays. */
async function lateral(others, { conventions = "CF-1.8", consolidate = true } = {}) {
  const files = storeOf({ "a/v": GRID, ...others }, conventions ? { Conventions: conventions } : {});
  if (consolidate) await zarr.consolidate(zarr.root(files));
  const array = await zarr.open(files, { kind: "array", path: "a/v", consolidated: consolidate });
  return zarr.coords(array, "x");
}

test("lateral search: the only variable downwards of the nearest group above", async () => {
  const x = (first, names = ["x"]) => ({ shape: [3], names, values: [first, first + 1, first + 2] });
  assert.deepEqual([...(await lateral({ "b/x": x(5) })).values], [5, 6, 7]);
  assert.equal((await lateral({ "b/c/x": x(5), "d/x": x(6) })).path, "/d/x");
  assert.equal((await lateral({ "a/c/x": x(5), "d/x": x(6) })).path, "/a/c/x");
  // Either may be meant.
  await assert.rejects(lateral({ "b/x": x(5), "c/x": x(6) }), { code: "NotFound" });
  // Groups of other data have no dimensions in common.
  await assert.rejects(lateral({ "b/x": x(5) }, { conventions: "CF-1.6" }), { code: "NotFound" });
  await assert.rejects(lateral({ "b/x": x(5) }, { conventions: null }), { code: "NotFound" });
  await assert.rejects(lateral({ "b/x": x(5) }, { consolidate: false }), { code: "NotFound" });
});

test("a search asks once for each group, and for none that consolidated metadata rule out", async () => {
  const x = { shape: [3], names: ["x"], values: [1, 2, 3] };
  const files = storeOf({ "a/b/v": GRID, x });
  const server = await scriptedServer(files);
  try {
    const array = await zarr.open(new zarr.FetchStore(server.url), { kind: "array", path: "a/b/v" });
    server.requests.length = 0;
    for (let call = 0; call < 2; call += 1)
      assert.deepEqual([...(await zarr.coords(array, "x")).values], [1, 2, 3]);
    const keys = server.requests.map(({ key }) => key).filter((key) => key.endsWith(".json"));
    assert.deepEqual(keys, ["/a/b/x/zarr.json", "/a/x/zarr.json", "/x/zarr.json"]);
    await zarr.consolidate(zarr.root(files));
    const known = await zarr.open(new zarr.FetchStore(server.url), {
      kind: "array",
      path: "a/b/v",
      consolidated: true,
    });
    server.requests.length = 0;
    await zarr.coords(known, "x");
    assert.deepEqual(
      server.requests.map(({ key }) => key),
      ["/x/c/0"],
    );
  } finally {
    server.close();
  }
});
