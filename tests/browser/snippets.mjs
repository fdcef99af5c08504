/**
 * The code that the viewer writes for what it shows: opens views, takes the code of each library
 * from the dialog, runs it, and compares the values with each other and with what the page says
 * under the pointer. The browser lane runs the JavaScript, the conformance lane the Python, too.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "./served.mjs";

/** Inside of the project, so that code finds the packages by their names. */
const FOLDER = join(ROOT, "target/snippets");
/** Displayed values are rounded to six digits. */
const DISPLAYED = 1e-5;
/** The places of the corner elements, as shares of the view. */
const LEFT_UPPER = [0.001, 0.001];
const RIGHT_LOWER = [0.998, 0.998];
/** Float32 and float64. */
const CLOSE = 1e-6;

/** The views: where they are, and what is set. `rows` and `columns` name the axes of the plane. */
export const VIEWS = {
  "packed values of a map, across the seam of its world": {
    parameters: {
      source: "./samples/climate.zarr",
      path: "air_temperature",
      at: "time:6",
      view: "10.3,20.2,0.1",
    },
    rows: "latitude",
    columns: "longitude",
    wraps: 360,
  },
  "two of three channels": {
    parameters: {
      source: "./samples/cells.ome.zarr",
      at: "t:1,z:4",
      view: "12,-12,0.01",
      channels: "0:ff0000:0:3000:1:on,1:00ff00:0:3000:1:off,2:0000ff:0:3000:1:on",
    },
    rows: "y",
    columns: "x",
  },
  "a level of a pyramid of groups": {
    parameters: { source: "./samples/arctic.zarr", variable: "elevation", level: "1", view: "0,0,4000" },
    rows: "y",
    columns: "x",
  },
  "a world from 0 to 360, across its seam": {
    parameters: { source: "/fixtures/viewer/from-0-to-360", view: "0,10,0.05" },
    rows: "lat",
    columns: "lon",
    wraps: 36,
  },
  "an archive of Zarr 2": {
    parameters: { source: "/stores/v2.zip", path: "a", view: "4,-3,0.004" },
    rows: "y",
    columns: "x",
  },
  "references to HDF5": {
    parameters: { source: "/stores/hdf5.json", path: "temperature", view: "4,-3,0.004" },
    rows: "phony_dim_0",
    columns: "phony_dim_1",
  },
  "a stack from the side": {
    parameters: { source: "./samples/cells.ome.zarr", plane: "x,z", at: "t:0,y:100", view: "12,-2.4,0.005" },
    rows: "z",
    columns: "x",
  },
};

/** Opens a view, and resolves to the code by library. */
async function codeOf(viewer, languages) {
  await viewer.page.click("#share-switch");
  await viewer.page.click('#share-menu >> text="Copy as code…"');
  const code = {};
  for (const language of languages) {
    await viewer.page.click(`#tab-${language}`);
    code[language] = await viewer.page.textContent(".code");
  }
  await viewer.page.keyboard.press("Escape");
  return code;
}

const TELL = {
  mjs: `
const told = typeof parts === "undefined" ? [{ data, shape }] : parts;
console.log(JSON.stringify(told.map((part) => ({ shape: part.shape, values: Array.from(part.data, Number) }))));
`,
  py: `
import json
import numpy
told = numpy.asarray(data)
values = [None if value != value else value for value in told.astype("float64").ravel().tolist()]
print(json.dumps([{"shape": list(told.shape), "values": values}]))
`,
};

/** Runs code with a program. Resolves to its parts, each `{shape, values}`. */
async function run(program, ending, name, code) {
  mkdirSync(FOLDER, { recursive: true });
  const file = join(FOLDER, `${name.replace(/\W+/g, "-")}.${ending}`);
  writeFileSync(file, code + TELL[ending]);
  const { stdout } = await promisify(execFile)(program, [file], { timeout: 60_000, maxBuffer: 2 ** 28 });
  return JSON.parse(stdout.trim().split("\n").at(-1));
}

/** Joins parts along an axis. */
function joined(parts, axis) {
  const [{ shape }] = parts;
  const lines = shape.slice(0, axis).reduce((product, length) => product * length, 1);
  const values = Array.from({ length: lines }, (_, line) =>
    parts.flatMap((part) => {
      const width = part.values.length / lines;
      return part.values.slice(line * width, (line + 1) * width);
    }),
  ).flat();
  const length = parts.reduce((sum, part) => sum + part.shape[axis], 0);
  return { shape: shape.with(axis, length), values };
}

const isClose = (one, other, tolerance) =>
  one === other ||
  (one !== null && other !== null && Math.abs(one - other) <= tolerance * Math.max(1, Math.abs(other)));

function compare(actual, expected, what) {
  assert.deepEqual(actual.shape, expected.shape, what);
  const wrong = actual.values.findIndex((value, at) => !isClose(value, expected.values[at], CLOSE));
  assert.equal(
    wrong,
    -1,
    `${what}: element ${wrong} is ${actual.values[wrong]}, not ${expected.values[wrong]}`,
  );
}

/** The value of the first channel at a place, from the elements that code has read. */
function valueAt({ shape, values }, middle, corners, { rows, columns, wraps = 0 }) {
  const [height, width] = shape.slice(-2);
  const first = Math.min(...corners.map(({ index }) => index[rows]));
  const row = middle[rows] - first;
  const right = middle[columns] - corners[0].index[columns];
  const column = right < 0 ? right + wraps : right;
  assert.ok(
    row >= 0 && row < height && column >= 0 && column < width,
    `row ${row} and column ${column} are in ${shape}: ${JSON.stringify(middle)}`,
  );
  return values[row * width + column];
}

/** Runs the code of a view. `python` is null where only JavaScript is run. */
export async function checkView(viewer, name, python) {
  const { parameters, ...axes } = VIEWS[name];
  const source = new URL(parameters.source, viewer.viewer).href;
  await viewer.goto({ ...parameters, source, layers: "" });
  await viewer.drawn();
  const corners = [await viewer.reading(LEFT_UPPER), await viewer.reading(RIGHT_LOWER)];
  const middle = await viewer.reading();
  const code = await codeOf(viewer, ["zarr-wasm", "zarrita", ...(python ? ["xarray", "zarr-python"] : [])]);
  const results = [];
  for (const [language, text] of Object.entries(code)) {
    const isPython = /python|xarray/.test(language);
    const [program, ending] = isPython ? [python, "py"] : [process.execPath, "mjs"];
    const parts = await run(program, ending, `${language} ${name}`, text);
    results.push([
      language,
      parts.length === 1 ? parts[0] : joined(parts, axes.wraps ? parts[0].shape.length - 1 : 0),
    ]);
  }
  const [[, own], ...others] = results;
  for (const [language, result] of others) compare(result, own, `${language}, ${name}`);
  const read = valueAt(own, middle.index, corners, axes);
  assert.ok(isClose(read, middle.value, DISPLAYED), `the page says ${middle.value}, the code ${read}`);
}
