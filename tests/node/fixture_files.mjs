/**
 * The common part of the fixture runners: lists the cases of tests/fixtures, and reads the elements
 * of `expected.json`.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BoolArray } from "zarr-wasm";
import { unpackFixtures } from "../support/fixture_archives.mjs";
import { VIEWS } from "../support/number_views.mjs";

/** The unpacked tree of tests/fixtures. */
export const FIXTURES = unpackFixtures();

/** Folders that hold no stores with a list of nodes. */
const OTHERS = [
  "bad",
  "kerchunk",
  "unreadable",
  "viewer",
  "viewer-linked",
  "viewer-marks",
  "viewer-plates",
  "viewer-warped",
];

const folders = (path) =>
  readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();

const json = (path) => JSON.parse(readFileSync(join(FIXTURES, path), "utf8"));

/** A suite without cases would pass: it fails instead. */
function atLeastOne(cases, kind) {
  if (cases.length === 0) throw new Error(`${FIXTURES} has no ${kind} cases`);
  return cases;
}

const goodCase = (name) => ({
  name,
  store: join(FIXTURES, name, "store"),
  expected: json(`${name}/expected.json`),
});

/** All stores that must be readable, with their nodes. */
export const goodCases = () =>
  atLeastOne(
    folders(FIXTURES)
      .filter((writer) => !OTHERS.includes(writer))
      .flatMap((writer) => folders(join(FIXTURES, writer)).map((name) => goodCase(`${writer}/${name}`))),
    "good",
  );

/** All stores that must be refused. */
export function badCases() {
  const [expectations, stores] = [json("bad/expected.json"), join(FIXTURES, "bad/stores")];
  assert.deepEqual(folders(stores), Object.keys(expectations).sort(), "stores, and bad/expected.json");
  const cases = Object.entries(expectations).map(([name, expected]) => ({
    name: `bad/${name}`,
    store: join(stores, name),
    expected,
  }));
  return atLeastOne(cases, "bad");
}

/** Converts a float16 to a number, as IEEE 754 defines it. */
function half(bits) {
  const sign = bits >> 15 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = (bits & 1023) / 1024;
  if (exponent === 31) return fraction ? Number.NaN : sign * Infinity;
  return exponent === 0 ? sign * 2 ** -14 * fraction : sign * 2 ** (exponent - 15) * (1 + fraction);
}

/** Whether elements are compared as numbers. Other fixed-size types are compared as bytes. */
export const isNumber = (dtype) => dtype in VIEWS || dtype === "float16";

/** Elements from base64 of little-endian bytes, as numbers and bigints; booleans are 0 and 1. */
export function elements(dtype, base64) {
  const bytes = new Uint8Array(Buffer.from(base64, "base64"));
  if (dtype === "float16") return Array.from(new Uint16Array(bytes.buffer), half);
  return Array.from(new VIEWS[dtype](bytes.buffer));
}

/** All indices of a shape in C order. */
export function* indices(shape) {
  const index = shape.map(() => 0);
  if (shape.includes(0)) return;
  for (;;) {
    yield index;
    let axis = shape.length - 1;
    for (; axis >= 0; axis -= 1) {
      index[axis] += 1;
      if (index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
    if (axis < 0) return;
  }
}

const at = (data, place) => (data instanceof BoolArray ? Number(data.get(place)) : data[place]);

/** A chunk's elements in C order, according to its strides. */
export const unstrided = ({ data, shape, stride }) =>
  Array.from(indices(shape), (index) =>
    at(
      data,
      index.reduce((place, value, axis) => place + value * stride[axis], 0),
    ),
  );

/** A text about the first difference of two lists. NaN equals NaN, and 0 differs from -0. */
export function difference(actual, expected) {
  if (actual.length !== expected.length) return `${actual.length} elements instead of ${expected.length}`;
  const place = expected.findIndex((value, idx) => !Object.is(value, actual[idx]));
  return place < 0 ? undefined : `element ${place} is ${actual[place]} instead of ${expected[place]}`;
}
