/**
 * Where the pixels of arrays lie, compared with rioxarray and pyproj
 * (tests/fixtures/make/placement.py).
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import proj4 from "proj4";
import * as zarr from "zarr-wasm";
import { madeStore } from "./made_stores.mjs";

const CONVENTIONS = join(import.meta.dirname, "../fixtures/conventions");
const read = (name) => JSON.parse(readFileSync(join(CONVENTIONS, name), "utf8"));

const storeOf = (files) =>
  new Map(
    Object.entries(files).map(([key, text]) => [`/${key}`, new Uint8Array(Buffer.from(text, "base64"))]),
  );

/** Our units, by those of pyproj. */
const UNITS = { metre: ["m", undefined], degree: ["degrees"] };

/** The coordinates of a pixel. */
function placeOf({ kind, affine, x, y }, column, row, columns) {
  if (kind === "axes") return [x[column], y[row]];
  if (kind === "grid") return [x[row * columns + column], y[row * columns + column]];
  const [a, b, c, d, e, f] = affine;
  return [a * column + b * row + c, d * column + e * row + f];
}

function areNear(actual, expected, slack, what) {
  assert.equal(actual.length, expected.length, what);
  const isNear = actual.every((value, at) => Math.abs(value - expected[at]) <= slack);
  assert.ok(isNear, `${what}: ${actual}, not ${expected}`);
}

for (const [name, expected] of Object.entries(read("placement.json"))) {
  test(`the pixels of ${name} lie where rioxarray and pyproj have them`, async () => {
    const { files, array, defs = {} } = expected.warp ? read(`warp/${expected.warp}`) : expected;
    for (const [code, text] of Object.entries(defs)) proj4.defs(code, text);
    const node = await zarr.open(zarr.root(storeOf(files)).resolve(array), { kind: "array" });
    const { plane, pixels, extent, crs, isGeographic, units } = await zarr.placement(node);
    assert.deepEqual([pixels.kind, isGeographic], [expected.kind, expected.isGeographic]);
    assert.deepEqual(
      [plane.y, plane.x],
      [node.shape.length - 2, node.shape.length - 1],
      "rows and columns are last",
    );
    // Coordinates in metres have more digits than those in degrees.
    const slack = 1e-12 * Math.max(...expected.extent.map(Math.abs));
    areNear(extent, expected.extent, slack, "extent");
    if (pixels.kind === "affine") areNear(pixels.affine, expected.affine, slack, "affine");
    if (expected.unit) assert.ok(UNITS[expected.unit].includes(units), `${units}, not ${expected.unit}`);
    assert.equal(crs === undefined, expected.unit === undefined, "reference system");
    const toDegrees = crs && proj4(crs, "EPSG:4326");
    for (const { column, row, x, y, longitude, latitude } of expected.pixels) {
      const place = placeOf(pixels, column, row, node.shape[plane.x]);
      areNear(place, [x, y], slack, `row ${row}, column ${column}`);
      if (!toDegrees) continue;
      const [east, north] = toDegrees.forward([...place]);
      const turns = Math.round((east - longitude) / 360);
      areNear([east - 360 * turns, north], [longitude, latitude], 1e-6, `row ${row}, column ${column}`);
    }
  });
}

const described = (names, attributes = {}) => ({
  shape: [4, 6],
  chunks: [2, 3],
  dtype: "float32",
  names,
  attributes,
});

test("a level of a pyramid lies where its transform says", async () => {
  const attributes = {
    "spatial:dimensions": ["y", "x"],
    "spatial:transform": [10, 0, 500, 0, -20, 900],
    "spatial:registration": "node",
  };
  const array = await zarr.open(
    madeStore(described(["y", "x"], attributes), () => 1),
    { kind: "array" },
  );
  const { pixels, extent, crs, units } = await zarr.placement(array);
  assert.deepEqual(pixels, { kind: "affine", affine: [10, 0, 500, 0, -20, 900] });
  assert.deepEqual(extent, [495, 830, 555, 910]);
  assert.deepEqual([crs, units], [undefined, undefined]);
});

test("the tolerance says which steps count as equal", async () => {
  const { files, array } = read("placement.json")["uneven-latitudes"];
  const node = await zarr.open(zarr.root(storeOf(files)).resolve(array), { kind: "array" });
  const kinds = [0.01, 1].map(async (tolerance) => (await zarr.placement(node, { tolerance })).pixels.kind);
  assert.deepEqual(await Promise.all(kinds), ["axes", "affine"]);
});

test("an array without a place, wrong options and an abort are errors", async () => {
  const store = madeStore(described(["y", "x"]), () => 1);
  const array = await zarr.open(store, { kind: "array" });
  await assert.rejects(zarr.placement(array), { code: "NotFound", message: /pixels of the array lie/ });
  await assert.rejects(zarr.placement(array, { tolerance: "much" }), {
    code: "Argument",
    field: "tolerance",
  });
  await assert.rejects(zarr.placement({}), { code: "Argument" });
  await assert.rejects(zarr.placement(array, { signal: AbortSignal.abort(new Error("ended")) }), /ended/);
});
