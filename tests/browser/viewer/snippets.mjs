/**
 * The code that the viewer writes for what it shows: opens views, takes the code of each library
 * from the dialog, runs it, and compares the values with each other and with what the page says
 * under the pointer. `code.spec.mjs` runs them.
 */
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "../fixtures.mjs";
import { ROOT } from "../places.mjs";

/** Inside of the project, so that code finds the packages by their names. */
const FOLDER = join(ROOT, "target/snippets");
/** Displayed values are rounded to six digits. */
const DISPLAYED = 1e-5;
/** The points of the corner elements, as shares of the view. */
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

/**
 * Views with several pictures. `names` are the variables of the program, of which `difference` is
 * what the second picture shows.
 */
export const COMPARISONS = {
  "the difference of two months, across the seam of the world": {
    parameters: {
      source: "./samples/climate.zarr",
      variable: "air_temperature",
      at: "time:6",
      view: "10.3,20.2,0.1",
      compare: "difference",
      with: "at=time:0",
    },
    names: ["data", "data2", "difference"],
    rows: "latitude",
    columns: "longitude",
    wraps: 360,
  },
  "the difference of a channel at two times": {
    parameters: {
      source: "./samples/cells.ome.zarr",
      at: "t:1,z:4",
      view: "12,-12,0.01",
      compare: "difference,channel2",
      with: "at=t:0",
    },
    names: ["data", "data2", "difference"],
    rows: "y",
    columns: "x",
  },
  "two variables of a map": {
    parameters: {
      source: "./samples/climate.zarr",
      variable: "air_temperature",
      at: "time:6",
      view: "-40,20,0.1",
      compare: "swipe",
      with: "variable=sea_surface_temperature",
    },
    names: ["data", "data2"],
    wraps: 360,
  },
  "three planes of a volume": {
    parameters: { source: "/fixtures/viewer-linked/volume", planes: "" },
    names: ["data", "data2", "data3"],
  },
};

/** The picture beside the first one. */
const SECOND = { map: ".compared .map", readout: ".compared .readout" };

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

/** Code that prints what variables hold: for each the parts `{shape, values}`. */
const TELL = {
  mjs: (names) => `
const told = [${names.map((name) => `() => ${jsExpression(name)}`).join(", ")}].map((tell) =>
  tell().map((part) => ({ shape: part.shape, values: Array.from(part.data, Number) })),
);
console.log(JSON.stringify(told));
`,
  py: (names) => `
import json
import numpy
def parts_of(given):
    told = numpy.asarray(given)
    values = [None if value != value else value for value in told.astype("float64").ravel().tolist()]
    return [{"shape": list(told.shape), "values": values}]
print(json.dumps([parts_of(each) for each in [${names.join(", ")}]]))
`,
};

/** A read leaves `data` and `shape`, or `parts`. A difference is one part or a list. */
function jsExpression(name) {
  if (name === "difference") return "[difference].flat()";
  const [parts, shape] = ["parts", "shape"].map((base) => name.replace("data", base));
  return `typeof ${parts} === "undefined" ? [{ data: ${name}, shape: ${shape} }] : ${parts}`;
}

/** Runs code with a program. Resolves to the parts of each variable. */
async function run(program, ending, name, code, names) {
  mkdirSync(FOLDER, { recursive: true });
  const file = join(FOLDER, `${name.replace(/\W+/g, "-")}.${ending}`);
  writeFileSync(file, code + TELL[ending](names));
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
  expect(actual.shape, what).toEqual(expected.shape);
  const wrong = actual.values.findIndex((value, at) => !isClose(value, expected.values[at], CLOSE));
  expect(wrong, `${what}: element ${wrong} is ${actual.values[wrong]}, not ${expected.values[wrong]}`).toBe(
    -1,
  );
}

/** The value of the first channel at a point, from the elements that code has read. */
function valueAt({ shape, values }, middle, corners, { rows, columns, wraps = 0 }) {
  const [height, width] = shape.slice(-2);
  const first = Math.min(...corners.map(({ index }) => index[rows]));
  const row = middle[rows] - first;
  const right = middle[columns] - corners[0].index[columns];
  const column = right < 0 ? right + wraps : right;
  expect(
    row >= 0 && row < height && column >= 0 && column < width,
    `row ${row} and column ${column} are in ${shape}: ${JSON.stringify(middle)}`,
  ).toBeTruthy();
  return values[row * width + column];
}

/** Runs the code of a view. Without `python` only JavaScript is run. */
export async function checkView(viewer, name, python) {
  const { parameters, ...axes } = VIEWS[name];
  const source = new URL(parameters.source, viewer.viewer).href;
  await viewer.goto({ ...parameters, source, layers: "" });
  await viewer.drawn();
  const corners = [await viewer.reading(LEFT_UPPER), await viewer.reading(RIGHT_LOWER)];
  const middle = await viewer.reading();
  const { data } = await resultsOf(viewer, { name, names: ["data"], axes, python });
  const read = valueAt(data, middle.index, corners, axes);
  expect(
    isClose(read, middle.value, DISPLAYED),
    `the page says ${middle.value}, the code ${read}`,
  ).toBeTruthy();
}

/** Runs the code in each language, and compares. Resolves to the values of the variables. */
async function resultsOf(viewer, { name, names, axes, python }) {
  const code = await codeOf(viewer, ["zarr-wasm", "zarrita", ...(python ? ["xarray", "zarr-python"] : [])]);
  let own;
  for (const [language, text] of Object.entries(code)) {
    const isPython = /python|xarray/.test(language);
    const [program, ending] = isPython ? [python, "py"] : [process.execPath, "mjs"];
    const told = await run(program, ending, `${language} ${name}`, text, names);
    const results = told.map((parts) =>
      parts.length === 1 ? parts[0] : joined(parts, axes.wraps ? parts[0].shape.length - 1 : 0),
    );
    own ??= results;
    results.forEach((result, at) => {
      compare(result, own[at], `${names[at]} in ${language}, ${name}`);
    });
  }
  return Object.fromEntries(names.map((each, at) => [each, own[at]]));
}

/** Runs the code of several pictures, and compares a difference with what the page says. */
export async function checkComparison(viewer, name, python) {
  const { parameters, names, ...axes } = COMPARISONS[name];
  const source = new URL(parameters.source, viewer.viewer).href;
  await viewer.goto({ ...parameters, source, layers: "" });
  await viewer.allDrawn();
  const isDifference = names.includes("difference");
  const corners = isDifference && [await viewer.reading(LEFT_UPPER), await viewer.reading(RIGHT_LOWER)];
  const middle = isDifference && (await viewer.reading(undefined, SECOND));
  const results = await resultsOf(viewer, { name, names, axes, python });
  const { data, data2, difference } = results;
  expect(data.values, "the pictures differ").not.toEqual(data2.values);
  if (!difference) return;
  const expected = { ...data, values: data.values.map((value, at) => minus(value, data2.values[at])) };
  compare({ shape: data.shape, values: difference.values }, expected, name);
  const read = valueAt(expected, middle.index, corners, axes);
  expect(
    isClose(read, middle.value, DISPLAYED),
    `the page says ${middle.value}, the code ${read}`,
  ).toBeTruthy();
}

const minus = (one, other) => (one === null || other === null ? null : one - other);
