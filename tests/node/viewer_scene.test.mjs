/**
 * The viewer's scenes: the interpretation of metadata before drawing. The expected values are from
 * the texts of the conventions (CF, OME-Zarr) and computed by hand.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { ROOT } from "../../scripts/run_command.mjs";

const folder = mkdtempSync(join(tmpdir(), "zarr-wasm-viewer-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** The viewer imports the package by its name, which is the built package here. */
const builtPackage = {
  name: "built-package",
  setup(build) {
    build.onResolve({ filter: /^zarr-wasm$/ }, () => ({
      path: pathToFileURL(join(ROOT, "dist/index.js")).href,
      external: true,
    }));
  },
};

async function scenePart(name) {
  const outfile = join(folder, `${name}.mjs`);
  await build({
    entryPoints: [join(ROOT, "www/src/scene", `${name}.ts`)],
    bundle: true,
    format: "esm",
    outfile,
    logLevel: "error",
    plugins: [builtPackage],
  });
  return import(pathToFileURL(outfile).href);
}

const { rolled, regularPlace } = await scenePart("space");
const { arcOf, edgesOf } = await scenePart("warped");
const { variablesOf, firstVariable, titleOf } = await scenePart("variables");
const { isDiverging } = await scenePart("field_style");
const { sceneAxes } = await scenePart("axes");
const { isRgb } = await scenePart("channels");
const { readPlate, readWell } = await scenePart("plate");
const { projectionOf, projectionOfGridMapping } = await scenePart("projection");
const { colormapColors, COLORMAPS } = await scenePart("colormaps");
const { asRange } = await scenePart("limits");
const { coordinateText, momentText, unitText, valueText, withUnit } = await scenePart("value_text");

test("longitudes from 0 to 360 start at the element after 180", () => {
  // Centres at 0.5, 1.5, … 359.5: element 180 is at 180.5, which is -179.5.
  assert.deepEqual(rolled({ start: 0.5, step: 1 }, 360), { x: { start: -179.5, step: 1 }, roll: 180 });
  // Centres at 0, 2.5, … 357.5: element 72 is at 180, which is -180.
  assert.deepEqual(rolled({ start: 0, step: 2.5 }, 144), { x: { start: -180, step: 2.5 }, roll: 72 });
  assert.deepEqual(rolled({ start: -179.5, step: 1 }, 360), { x: { start: -179.5, step: 1 }, roll: 0 });
  assert.deepEqual(rolled({ start: -180, step: 2.5 }, 144), { x: { start: -180, step: 2.5 }, roll: 0 });
  // A region is not rolled. Multiples of 360 degrees are subtracted.
  assert.deepEqual(rolled({ start: 230, step: 0.5 }, 100), { x: { start: -130, step: 0.5 }, roll: 0 });
  assert.deepEqual(rolled({ start: 5, step: 0.5 }, 100), { x: { start: 5, step: 0.5 }, roll: 0 });
});

test("coordinates with equal steps", () => {
  assert.deepEqual(regularPlace([10, 7.5, 5]), { start: 10, step: -2.5 });
  assert.equal(regularPlace([0, 1, 4, 9]), null);
  assert.equal(regularPlace(["a", "b"]), null);
  assert.equal(regularPlace([1]), null);
});

test("the arc of longitudes has no wide gap", () => {
  const range = (from, to) => Array.from({ length: to - from }, (_, at) => from + at + 0.5);
  assert.deepEqual(arcOf(range(-20, 40)), [-20, 40]);
  assert.deepEqual(arcOf(range(160, 200)), [160, 200]);
  assert.deepEqual(arcOf(range(200, 250)), [-160, -110]);
  assert.deepEqual(arcOf(range(0, 355)), [-180, 180]);
});

test("edges of uneven coordinates are half a step outside", () => {
  assert.deepEqual(edgesOf([0, 1, 3]), [-0.5, 4]);
  assert.deepEqual(edgesOf([80, 60, 20]), [0, 90]);
  assert.equal(edgesOf([0, 2, 1]), null);
});

const array = (dimensionNames, attrs = {}, dtype = "float32") => ({
  dimensionNames,
  attrs,
  dtype,
  shape: dimensionNames.map(() => 4),
});
const named = (arrays) => Object.entries(arrays).map(([name, array]) => ({ name, array }));

test("the first variable has the most of t, z, y and x, and is not a coordinate", () => {
  const group = named({
    area: array(["lat", "lon"], {}),
    lat: array(["lat"], { units: "degrees_north" }),
    lat_bnds: array(["lat", "bnds"]),
    lon: array(["lon"]),
    mask: array(["time", "lev", "lat", "lon"], { flag_values: [0, 1] }, "int8"),
    ta: array(["time", "lev", "lat", "lon"], { coordinates: "height2m", cell_measures: "area: area" }),
    tas: array(["time", "lat", "lon"]),
    time: array(["time"], {}, "int64"),
    height2m: array(["lat", "lon"]),
    names: array(["lat", "lon"], {}, "string"),
    xlat: array(["lat", "lon"], { standard_name: "latitude" }),
  });
  const variables = variablesOf(group);
  assert.deepEqual(
    variables.map(({ name }) => name),
    ["mask", "ta", "tas"],
  );
  assert.equal(firstVariable(variables).name, "ta");
  assert.equal(firstVariable([]), undefined);
});

test("titles are long names, else standard names, else names", () => {
  assert.equal(titleOf(array([], { long_name: "2 metre temperature" }), "t2m"), "2 metre temperature");
  assert.equal(titleOf(array([], { standard_name: "air_temperature" }), "t2m"), "Air temperature");
  assert.equal(titleOf(array([]), "t2m"), "t2m");
});

test("a field is centred at zero if its attributes give zero a meaning", () => {
  assert.equal(isDiverging({ standard_name: "eastward_wind" }, -20, 30), true);
  assert.equal(isDiverging({ long_name: "Temperature anomaly", units: "K" }, -3, 4), true);
  assert.equal(isDiverging({ standard_name: "air_temperature", units: "degC" }, -40, 35), true);
  assert.equal(isDiverging({ standard_name: "sea_surface_temperature", units: "degC" }, -1.8, 31), false);
  assert.equal(isDiverging({ standard_name: "eastward_wind" }, 2, 30), false);
  assert.equal(isDiverging({ standard_name: "surface_altitude", units: "m" }, -400, 8000), false);
});

const pyramid = (axes, shape, { dtype = "uint16", channels = [] } = {}) => ({
  axes,
  channels,
  levels: [{ shape, array: { dtype } }],
});
const axis = (name, role) => ({ name, role });

test("axes start in the middle of z and at the first t, unless the metadata says otherwise", () => {
  const own = pyramid(
    [axis("t", "t"), axis("c", "c"), axis("z", "z"), axis("y", "y"), axis("x", "x")],
    [5, 2, 9, 8, 8],
  );
  const starts = (wanted) => sceneAxes(own, wanted).map(({ start }) => start);
  assert.deepEqual(starts({}), [0, 0, 4, 0, 0]);
  assert.deepEqual(starts({ z: 7, t: 2 }), [2, 0, 7, 0, 0]);
  assert.deepEqual(starts({ z: 90, t: -1 }), [0, 0, 0, 0, 0]);
});

test("axes without names get distinct readable names", () => {
  const own = pyramid(
    [axis("dim_0", "other"), axis("dim_1", "other"), axis("dim_2", "y"), axis("dim_3", "x")],
    [2, 2, 4, 4],
  );
  assert.deepEqual(
    sceneAxes(own, {}).map(({ name }) => name),
    ["axis 1", "axis 2", "y", "x"],
  );
});

test("a last dimension of three bytes is a colour", () => {
  const photo = pyramid([axis("dim_0", "other"), axis("dim_1", "y"), axis("dim_2", "x")], [40, 60, 3], {
    dtype: "uint8",
  });
  const axes = sceneAxes(photo, {});
  assert.deepEqual(
    axes.map(({ role }) => role),
    ["y", "x", "c"],
  );
  assert.equal(isRgb(photo, axes), true);
  const stack = pyramid([axis("z", "z"), axis("y", "y"), axis("x", "x")], [40, 60, 3], { dtype: "uint8" });
  assert.deepEqual(
    sceneAxes(stack, {}).map(({ role }) => role),
    ["z", "y", "x"],
  );
});

test("red, green and blue channels with full windows are one picture; others are channels", () => {
  const axes = [axis("c", "c"), axis("y", "y"), axis("x", "x")];
  const window = { start: 0, end: 255, min: 0, max: 255 };
  const colors = (list, own = window) => list.map((color) => ({ color, window: own }));
  const of = (channels, dtype = "uint8") => {
    const image = pyramid(axes, [3, 8, 8], { dtype, channels });
    return isRgb(image, sceneAxes(image, {}));
  };
  assert.equal(of(colors(["FF0000", "00FF00", "0000FF"])), true);
  assert.equal(of(colors(["FF0000", "00FF00", "0000FF"]), "uint16"), false);
  assert.equal(of(colors(["FF0000", "00FF00", "FFFFFF"])), false);
  assert.equal(of(colors(["FF0000", "00FF00", "0000FF"], { ...window, end: 90 })), false);
});

test("plates and wells of OME 0.4 and 0.5", () => {
  const plate = {
    name: "screen",
    rows: [{ name: "A" }, { name: "B" }],
    columns: [{ name: "1" }, { name: "2" }, { name: "3" }],
    wells: [{ path: "A/3", rowIndex: 0, columnIndex: 2 }, { path: "B/1" }, { path: "C/1" }],
  };
  const expected = {
    name: "screen",
    rows: ["A", "B"],
    columns: ["1", "2", "3"],
    wells: [
      { name: "A3", row: 0, column: 2, path: "A/3" },
      { name: "B1", row: 1, column: 0, path: "B/1" },
    ],
  };
  assert.deepEqual(readPlate({ attrs: { plate } }), expected);
  assert.deepEqual(readPlate({ attrs: { ome: { plate } } }), expected);
  assert.equal(readPlate({ attrs: {} }), null);
  assert.deepEqual(readWell({ attrs: { well: { images: [{ path: "0" }, { path: "1" }] } } }), ["0", "1"]);
});

test("reference systems: degrees, codes, zones of UTM, WKT and grid mappings", () => {
  assert.equal(projectionOf({ code: "EPSG:4326" }), "geographic");
  assert.equal(projectionOf({ wkt2: 'GEOGCRS["WGS 84", …]' }), "geographic");
  assert.equal(projectionOf({ projjson: { type: "GeographicCRS" } }), "geographic");
  assert.match(projectionOf({ code: "EPSG:32733" }).definition, /\+proj=utm \+zone=33 \+south/);
  const wkt2 = 'PROJCRS["a grid of ours", …]';
  assert.deepEqual(projectionOf({ wkt2 }), { definition: wkt2, name: "a grid of ours" });
  assert.equal(projectionOf({ code: "EPSG:1" }), undefined);
  assert.equal(projectionOfGridMapping({ grid_mapping_name: "latitude_longitude" }), "geographic");
  const laea = { grid_mapping_name: "lambert_azimuthal_equal_area", latitude_of_projection_origin: 52 };
  assert.match(projectionOfGridMapping(laea).definition, /\+proj=laea.*\+lat_0=52/);
});

test("limits of integers are integers, and differ", () => {
  assert.deepEqual(asRange(0.2, 9.6, true), [0, 10]);
  assert.deepEqual(asRange(5, 5, true), [5, 6]);
  assert.deepEqual(asRange(4, 4, false), [2, 6]);
});

test("colormaps from low to high", () => {
  assert.equal(COLORMAPS[0].name, "viridis");
  // d3's and matplotlib's viridis begins at #440154 and ends at #fde725.
  assert.deepEqual(
    [colormapColors("viridis", 256)[0], colormapColors("viridis", 256)[255]],
    ["#440154", "#fde725"],
  );
  assert.equal(colormapColors("viridis", 256, true)[0], "#fde725");
  assert.equal(colormapColors("gray", 3)[1], "rgb(128, 128, 128)");
});

test("values, units and dates as text", () => {
  assert.equal(unitText("m s-1"), "m s⁻¹");
  assert.equal(unitText("kg m-2 s-1"), "kg m⁻² s⁻¹");
  assert.equal(unitText("micrometer"), "µm");
  assert.equal(unitText("days since 2000-01-01"), "");
  assert.equal(unitText("1"), "");
  assert.equal(valueText(Math.fround(273.15), "float32"), "273.15");
  assert.equal(valueText(-0.1, "float64"), "−0.1");
  assert.equal(valueText(2n ** 60n, "int64"), "1152921504606846976");
  assert.equal(valueText(Number.NaN, "float32"), "no data");
  assert.equal(coordinateText(12.3456789, 0.25), "12.35");
  assert.equal(withUnit("12", "°N"), "12°N");
  assert.equal(withUnit("12", "°C"), "12 °C");
  assert.equal(
    momentText({ year: 850, month: 2, day: 30, hour: 12, minute: 0, second: 0, nanosecond: 0 }),
    "0850-02-30 12:00",
  );
  assert.equal(
    momentText({ year: 2001, month: 1, day: 2, hour: 0, minute: 0, second: 0, nanosecond: 250_000_000 }),
    "2001-01-02 00:00:00.250",
  );
});
