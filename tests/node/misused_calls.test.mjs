/**
 * Calls that are made wrongly, and what their errors say: the option or the entry, what may be
 * there, and what was found. What is not for users is no method. And what is short to write and to
 * look at: dates of an axis, nodes as text.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { inspect } from "node:util";
import * as zarr from "../../dist/index.js";
import * as zip from "../../dist/zip.js";
import { publicCalls } from "../support/declarations/calls.mjs";

after(() => zarr.dispose());

const GRID = { shape: [4, 6], chunkShape: [2, 3], dtype: "float32", dimensionNames: ["y", "x"] };
const made = (options = {}) => zarr.create(new Map(), { path: "air", ...GRID, ...options });
const PICTURE = { data: new Uint8Array(64), shape: [8, 8] };
const AXES = { axes: ["y", "x"] };

test("a misspelt option is refused with the name that was meant", async () => {
  const array = await made();
  for (const read of [
    (options) => array.get(null, options),
    (options) => zarr.get(array, null, options),
    async (options) => array.stream(null, options).next(),
  ])
    await assert.rejects(read({ decod: "cf" }), {
      code: "Argument",
      field: "decod",
      message: "there is no option decod: did you mean decode?",
    });
  await assert.rejects(array.get(null, { memory_ordr: ["x"] }), /did you mean memoryOrder\?/);
  await assert.rejects(array.get(null, { decode: { convention: "cf", vald: false } }), {
    field: "decode.vald",
    expected: "valid",
  });
  await assert.rejects(zarr.exists(new Map(), { nothing: 1 }), { field: "nothing", expected: "signal" });
});

test("options of the user's store pass, but not those that are misspelt ones of this package", async () => {
  const inner = new Map();
  await zarr.create(inner, { shape: [2], dtype: "int8" });
  const seen = [];
  const store = {
    get(key, options) {
      seen.push(options);
      return inner.get(key);
    },
  };
  const array = await zarr.open(store, { kind: "array" });
  await array.get(null, { token: "a" });
  assert.equal(seen.at(-1).token, "a");
  await assert.rejects(array.get(null, { prioriti: 1 }), /did you mean priority\?/);
  // A `Map` takes no options.
  const plain = await zarr.open(inner, { kind: "array" });
  await assert.rejects(plain.get(null, { token: "a" }), { code: "Argument", field: "token" });
});

test("an entry of a selection names its dimension, the choices and what was found", async () => {
  const array = await made();
  await assert.rejects(array.get({ x: "all" }), (error) => {
    assert.ok(error instanceof zarr.InvalidSelectionError);
    assert.match(error.message, /dimension x/);
    assert.match(error.message, /expected an integer, a slice.*found "all"/);
    return true;
  });
  await assert.rejects(array.get([null, 1.5]), /not an integer.*dimension x.*found 1\.5/);
  await assert.rejects(array.get({ lat: 0 }), /"lat".*expected one of "y", "x"/);
  await assert.rejects(zarr.reduce(array, [null, 9], { op: "mean" }), /dimension 1.*-6 to 5, found 9/);
});

test("errors of a reduction name the option, the choices and what was found", async () => {
  const array = await made();
  const failing = [
    [{ op: "men" }, /^op must be .*mean.*found men$/],
    [{ op: "quantile", q: 2 }, /^q must be a number from 0 to 1, or several, found 2$/],
    [{ op: "mean", over: "lat" }, /^over must be "y", "x", found lat$/],
    [{ op: "mean", groups: { x: "yer" } }, /^groups\.x must be year, .*found yer$/],
  ];
  for (const [options, message] of failing)
    await assert.rejects(zarr.reduce(array, null, options), { code: "Argument", message });
});

test("errors of create name options as the caller wrote them", async () => {
  const create = (options) => zarr.create(new Map(), options);
  await assert.rejects(create({ shape: [2] }), { code: "Argument", field: "dtype", message: /^dtype must/ });
  for (const [name, shape] of [
    ["chunkShape", [0]],
    ["chunks", [0]],
    ["chunk_shape", [0]],
  ])
    await assert.rejects(create({ shape: [2], dtype: "int8", [name]: shape }), (error) => {
      assert.match(error.field, new RegExp(`^${name}\\b`));
      assert.match(error.message, new RegExp(`\\b${name}\\b`));
      return error.code === "Argument";
    });
  await assert.rejects(create({ shape: [2], dtype: "int9" }), (error) =>
    /^dtype/.test(error.field ?? "dtype"),
  );
});

test("lists of records with holes are errors of their option", async () => {
  const pyramid = (options) => zarr.createPyramid(new Map(), PICTURE, { ...AXES, ...options });
  const channel = { axes: [{ name: "c", type: "channel" }, "y", "x"] };
  const source = { data: new Uint8Array(64), shape: [1, 8, 8] };
  const holes = {
    channels: () => zarr.createPyramid(new Map(), source, { ...channel, channels: [undefined] }),
    axes: () => pyramid({ axes: [undefined, "x"] }),
    statistics: () => pyramid({ statistics: [undefined] }),
    factors: () => pyramid({ factors: [7] }),
    missing: () => pyramid({ missing: [undefined] }),
    label: () => pyramid({ label: { properties: [undefined] } }),
    colors: () => pyramid({ label: { colors: [undefined] } }),
    variables: () => zarr.createDataset(new Map(), { variables: { a: undefined } }),
    coords: () => zarr.createDataset(new Map(), { coords: { a: undefined } }),
    codecs: () => zarr.create(new Map(), { shape: [1], dtype: "int8", codecs: [undefined] }),
    filters: () => zarr.create(new Map(), { shape: [1], dtype: "|i1", zarrFormat: 2, filters: [undefined] }),
    hosts: async () => new zarr.ReferenceStore({ refs: {} }, { allowHosts: [undefined] }),
  };
  const faults = [];
  for (const [name, call] of Object.entries(holes)) {
    const error = await call().then(
      () => undefined,
      (reason) => reason,
    );
    if (!(error instanceof zarr.ZarrError)) faults.push(`${name}: ${error?.stack ?? "no error"}`);
  }
  assert.deepEqual(faults, []);
});

/** Methods of a class, with those that it inherits from classes of this package. */
function* methodsOf(Class) {
  const foreign = [Object, Error, Map, Array].map(({ prototype }) => prototype);
  for (let at = Class.prototype; at && !foreign.includes(at); at = Object.getPrototypeOf(at))
    for (const name of Object.getOwnPropertyNames(at))
      if (typeof Object.getOwnPropertyDescriptor(at, name).value === "function") yield name;
}

test("what is not for users is no method of a public class", () => {
  const declared = publicCalls(["index", "zip"]);
  const isClass = (value) =>
    typeof value === "function" && /^class\b/.test(Function.prototype.toString.call(value));
  /** Those of every object, which the wrapper classes of elements have of their own. */
  const ofObject = Object.getOwnPropertyNames(Object.prototype);
  const hidden = [];
  for (const [name, Class] of Object.entries({ ...zip, ...zarr }).filter(([, value]) => isClass(value)))
    for (const method of methodsOf(Class))
      if (!ofObject.includes(method) && !declared[`${name}.${method}`]) hidden.push(`${name}.${method}`);
  assert.deepEqual(hidden, []);
});

test("the dates of an axis come in one call, and its numbers as numbers", async () => {
  const store = new Map();
  await zarr.create(store);
  const array = await zarr.create(store, { path: "v", shape: [3], dtype: "int8", dimensionNames: ["time"] });
  const line = { shape: [3], dtype: "int32", dimensionNames: ["time"] };
  const attributes = { units: "days since 2000-01-01" };
  const time = await zarr.create(store, { path: "time", ...line, attributes });
  await time.set(null, [0, 1, 366]);
  const axis = await zarr.coords(array, "time");
  assert.deepEqual(
    (await axis.dates()).map((date) => date.toISOString().slice(0, 10)),
    ["2000-01-01", "2000-01-02", "2001-01-01"],
  );
  assert.deepEqual(axis.numbers, new Float64Array([0, 1, 366]));
  const names = await zarr.create(store, {
    path: "g/name",
    shape: [2],
    dtype: "string",
    dimensionNames: ["name"],
  });
  await names.set(null, ["a", "b"]);
  const text = await zarr.coords(names, "name");
  assert.throws(() => text.numbers, { code: "Argument", message: /an axis of numbers, found text/ });
  await assert.rejects(text.dates(), { code: "Argument", message: /a time axis/ });
});

test("nodes as text and in Node's inspection are short", async () => {
  const array = await made({ attributes: { long: "x".repeat(1000) } });
  const group = await zarr.create(new Map(), { path: "g" });
  assert.equal(String(array), "Array /air float32 [4, 6]");
  assert.equal(inspect(array), "Array /air float32 [4, 6]");
  assert.equal(`${group}`, "Group /g");
  assert.equal(inspect({ group }), "{ group: Group /g }");
  assert.equal(inspect(zarr.root(new Map()).resolve("a")), "Location /a");
});
