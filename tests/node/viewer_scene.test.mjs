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
import proj4 from "proj4";
import * as zarr from "zarr-wasm";
import { rolled } from "zarr-wasm/openlayers";
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

async function scenePart(name, room = "model/scene") {
  const outfile = join(folder, `${name}.mjs`);
  await build({
    entryPoints: [join(ROOT, "www/src", room, `${name}.ts`)],
    bundle: true,
    format: "esm",
    outfile,
    logLevel: "error",
    plugins: [builtPackage],
  });
  return import(pathToFileURL(outfile).href);
}

const { variablesOf, firstVariable, titleOf } = await scenePart("variables");
const { isDiverging } = await scenePart("field_style");
const { sceneAxes } = await scenePart("axes");
const { isRgb } = await scenePart("channels");
const { readPlate, readWell } = await scenePart("ome");
const { definitionOf } = await scenePart("projection");
const { colormapColors, COLORMAPS } = await scenePart("colormaps");
const { asRange } = await scenePart("limits");
const { graticuleLines, graticuleLabels } = await scenePart("graticule", "map");
const { scaleTexts } = await scenePart("numbers", "model/text");
const { javascriptOf } = await scenePart("javascript_code", "tools/share");
const { pythonOf } = await scenePart("python_code", "tools/share");
const { runsOf } = await scenePart("view_reads", "widgets/views");
const { codecWords } = await scenePart("codec_words", "tools/insight");
const { fileName } = await scenePart("save_file", "widgets/page");
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

test("the colours of pixels are those that the pyramid says", async () => {
  const made = (dimensionNames) =>
    zarr.create(new Map(), { shape: [40, 60, 3], chunkShape: [40, 60, 3], dtype: "uint8", dimensionNames });
  const photo = await zarr.pyramid(await made());
  const axes = sceneAxes(photo, {});
  assert.deepEqual(
    axes.map(({ role, name }) => [role, name]),
    [
      ["y", "y"],
      ["x", "x"],
      ["c", "channel"],
    ],
  );
  assert.equal(isRgb(photo, axes), true);
  const stack = await zarr.pyramid(await made(["z", "y", "x"]));
  const [z] = sceneAxes(stack, {});
  assert.equal(z.role, "z");
  assert.equal(isRgb(stack, sceneAxes(stack, {})), false);
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
  const wells = [{ path: "./A/3", rowIndex: 0, columnIndex: 2 }, { path: "B\\1" }, { path: "../B/1" }];
  assert.deepEqual(readPlate({ attrs: { plate: { ...plate, wells } } }), expected);
  assert.equal(readPlate({ attrs: {} }), null);
  const images = [{ path: "0" }, { path: "./1/" }, { path: 2 }, { path: null }];
  assert.deepEqual(readWell({ attrs: { well: { images } } }), ["0", "1", "2"]);
});

test("reference systems for proj4: codes, zones of UTM, and other forms", () => {
  assert.match(definitionOf("EPSG:3413"), /^\+proj=stere \+lat_0=90/);
  assert.match(definitionOf("EPSG:32733"), /\+proj=utm \+zone=33 \+south/);
  assert.equal(definitionOf("EPSG:32799"), undefined);
  const wkt2 = 'PROJCRS["a grid of ours", …]';
  assert.equal(definitionOf(wkt2), wkt2);
  assert.equal(definitionOf("EPSG:1", { wkt2 }), wkt2);
  assert.equal(definitionOf("EPSG:1"), undefined);
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

/** Maps of which a graticule is drawn: a rectangle, its width on the screen, and degrees on it. */
const MAPS = {
  "the world": { extent: [-180, -90, 180, 90], told: ["30°N", "0°", "30°S", "60°E", "60°W"] },
  "the Pacific": { extent: [150, -40, 240, 40], told: ["180°", "170°E", "150°W", "0°", "20°N"] },
  "the north pole": {
    definition: "+proj=stere +lat_0=90 +lat_ts=70 +lon_0=-45 +datum=WGS84 +units=m",
    extent: [-3.85e6, -5.35e6, 3.75e6, 5.85e6],
    told: ["80°N", "70°N", "60°N", "0°", "90°E", "180°"],
  },
  "UTM beside the antimeridian": {
    definition: "+proj=utm +zone=60 +south +datum=WGS84 +units=m",
    extent: [400000, 7600000, 1200000, 8400000],
    told: ["180°", "178°E", "178°W", "16°S", "20°S"],
  },
  "a few kilometres": {
    definition: "+proj=utm +zone=33 +datum=WGS84 +units=m",
    extent: [380000, 5797000, 384000, 5800000],
    told: ["13.26°E", "52.32°N"],
  },
  Europe: {
    definition: "+proj=laea +lat_0=52 +lon_0=10 +x_0=4321000 +y_0=3210000 +ellps=GRS80 +units=m",
    extent: [2600000, 1400000, 7000000, 5400000],
    told: ["50°N", "40°N", "10°E", "20°E"],
  },
};

for (const [name, { definition, extent, told }] of Object.entries(MAPS)) {
  test(`the degrees around ${name} are round, inside of it, and apart`, () => {
    const same = (point) => point;
    const projection = definition && proj4("EPSG:4326", definition);
    const globe = projection
      ? { toMap: projection.forward, toDegrees: projection.inverse }
      : { toMap: same, toDegrees: same };
    const [left, bottom, right, top] = extent;
    const [width, textHeight] = [700, 11];
    const resolution = (right - left) / width;
    const height = (top - bottom) / resolution;
    const lines = graticuleLines(extent, globe, resolution);
    const labels = graticuleLabels(lines, extent, { width, height, textHeight });
    const texts = labels.map(({ text }) => text);
    for (const text of texts) assert.match(text, /^\d{1,3}(\.\d{1,3})?°[NSEW]?$/);
    for (const text of told) assert.ok(texts.includes(text), `${text} is not among ${texts}`);
    const boxes = labels.map(({ text, point: [x, y] }) => {
      // A letter of a text is at least half as wide as it is high.
      const half = (text.length * textHeight) / 4;
      return [x - half, y - textHeight / 2, x + half, y + textHeight / 2];
    });
    for (const [at, [x0, y0, x1, y1]] of boxes.entries()) {
      assert.ok(x0 >= 0 && y0 >= 0 && x1 <= width && y1 <= height, `${texts[at]} is cut off`);
      const other = boxes.findIndex(
        (box, index) => index > at && x0 < box[2] && box[0] < x1 && y0 < box[3] && box[1] < y1,
      );
      assert.equal(other, -1, `${texts[at]} lies over ${texts[other]}`);
    }
    // Lines are where proj4 has their degrees, and nowhere beyond the map.
    for (const { degrees, isMeridian, parts } of lines) {
      for (const [x, y] of parts.flat()) {
        assert.ok(x >= left - 1e-6 && x <= right + 1e-6 && y >= bottom - 1e-6 && y <= top + 1e-6);
      }
      const point = globe.toDegrees([...parts[0][1]]);
      const off = isMeridian ? (((point[0] - degrees) % 360) + 540) % 360 : point[1] - degrees + 180;
      if (parts[0].length > 2) assert.ok(Math.abs(off - 180) < 0.5, `${degrees}: ${point}`);
    }
  });
}

test("numbers of a scale are told apart, large ones and small ones too", () => {
  assert.deepEqual(scaleTexts([16777250, 16777300]), ["16777250", "16777300"]);
  assert.deepEqual(scaleTexts([1e-6, 1.5e-6]), ["1 × 10⁻⁶", "1.5 × 10⁻⁶"]);
  assert.deepEqual(scaleTexts([0.1, 0.2]), ["0.1", "0.2"]);
});

/** What is on the screen: rows 1 to 3 of a plane, at index 5 of an axis without a name. */
const READ = {
  title: "wind",
  store: { kind: "folder", address: 'https://host/a "b".zarr', isLocal: false },
  path: "größe/wind speed",
  zarrFormat: 3,
  level: null,
  axes: [
    { name: "", read: 5 },
    { name: "lat-lon", read: [[1, 3]] },
  ],
  unpacking: null,
  isInDataset: false,
  isWarped: false,
};

const alone = (read) => ({ reads: [read], difference: null });

test("code quotes addresses and paths, and selects by position where a dimension has no name", () => {
  const own = javascriptOf(alone(READ), "zarr-wasm");
  assert.ok(own.includes(String.raw`new zarr.FetchStore("https://host/a \"b\".zarr")`), own);
  assert.ok(own.includes("array.get([5, zarr.slice(1, 3)])"), own);
  const named = { ...READ, axes: READ.axes.map((axis) => ({ ...axis, name: axis.name || "time" })) };
  assert.ok(javascriptOf(alone(named), "zarr-wasm").includes('{ time: 5, "lat-lon": zarr.slice(1, 3) }'));
  const dataset = pythonOf(alone({ ...named, isInDataset: true }), "xarray");
  assert.ok(
    dataset.includes('xr.open_zarr(store, group="größe", chunks=None, mask_and_scale=False)["wind speed"]'),
    dataset,
  );
  assert.ok(dataset.includes('array.isel({"time": 5, "lat-lon": slice(1, 3)})'), dataset);
  assert.ok(pythonOf(alone(READ), "xarray").includes('xr.DataArray(data, dims=["lat-lon"])'));
});

test("code is not written for stores that a library does not read", () => {
  const version = { kind: "branch", name: "dev" };
  const repository = { ...READ, store: { ...READ.store, kind: "icechunk", version } };
  assert.ok(javascriptOf(alone(repository), "zarr-wasm").includes('{ branch: "dev" }'));
  for (const code of [
    javascriptOf(alone(repository), "zarrita"),
    pythonOf(alone(repository), "xarray"),
    pythonOf(
      alone({ ...READ, store: { kind: "references", address: "r.json", isLocal: true } }),
      "zarr-python",
    ),
  ])
    assert.equal(code, null);
});

test("code masks values outside of the valid ones, which xarray does not", () => {
  const limits = { scale: 0.5, offset: -1, missing: [9], valid: [0, 100], isReinterpreted: false };
  const read = { ...READ, isInDataset: true, unpacking: { ...limits, hasFillValue: true } };
  const formula = "(stored < 0) | (stored > 100), np.nan, stored * 0.5 + -1)";
  for (const library of ["xarray", "zarr-python"]) {
    const code = pythonOf(alone(read), library);
    assert.ok(code.includes(`np.where(np.isin(stored, [9]) | ${formula}`), code);
  }
  assert.ok(
    javascriptOf(alone(read), "zarrita").includes("[9].includes(value) || value < 0 || value > 100 ? NaN"),
  );
});

test("indices are ranges in ascending order, each once", () => {
  assert.deepEqual(runsOf([4, 0, 1, 1, 3]), [
    [0, 2],
    [3, 5],
  ]);
});

test("names of files have no signs that file systems forbid", () => {
  assert.equal(fileName(["a/b.zarr", "2 m: température"], "png"), "a-b.zarr-2-m-température.png");
  assert.equal(fileName(["///"], "gif"), "zarr.gif");
});

test("codecs are told in words, with those inside of shards", () => {
  const inner = [
    { name: "bytes", configuration: { endian: "little" } },
    { name: "zstd", configuration: { level: 3 } },
  ];
  const sharding = { name: "sharding_indexed", configuration: { chunk_shape: [32, 32], codecs: inner } };
  const [shards] = codecWords([sharding]);
  assert.equal(shards.words, "each shard is split into chunks of 32 × 32, found by an index at its end");
  assert.deepEqual(
    shards.inner.map(({ words }) => words),
    ["elements follow each other, little-endian", "compressed by Zstandard, level 3"],
  );
  const blosc = { name: "blosc", configuration: { cname: "lz4", clevel: 5, shuffle: 1 } };
  assert.equal(codecWords([blosc])[0].words, "compressed by Blosc (lz4, level 5, bytes shuffled)");
  assert.equal(
    codecWords([{ name: "numcodecs.delta" }])[0].words,
    "each element is stored as the difference from the one before",
  );
  // Names of metadata are no properties of our table.
  assert.equal(codecWords([{ name: "constructor" }])[0].words, "encoded by constructor");
});
