/** Missing values in copies: v2's null fill value, compared with what xarray reads in fixtures. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import * as zarr from "zarr-wasm";

const COPIES = join(import.meta.dirname, "../fixtures/conventions/cf/copies.json");
const { cases } = JSON.parse(readFileSync(COPIES, "utf8"));
const bytesOf = (base64) => Uint8Array.from(Buffer.from(base64, "base64"));
const storeOf = (keys) => new Map(Object.entries(keys).map(([key, value]) => [`/${key}`, bytesOf(value)]));
// Python writes NaN without quotes in the attributes, which are copied unchanged.
const documentAt = (store, key) =>
  JSON.parse(new TextDecoder().decode(store.get(key)).replaceAll(/: ?NaN/g, ': "NaN"'));

/** The numbers as xarray reads them, null for missing ones; `undefined` for other types. */
async function decoded(array) {
  if (!/^(u?int|float)\d+$/.test(array.dtype)) return undefined;
  const { data } = await array.get(null, { decode: "cf" });
  return Array.from(data, (value) => (Number.isNaN(value) ? null : Number(value)));
}

async function sameVariables(root, variables) {
  for (const [name, { values }] of Object.entries(variables)) {
    const found = await decoded(await zarr.open(root.resolve(name), { kind: "array" }));
    if (found) assert.deepEqual(found, values, name);
  }
}

/** The missing value in a copy's metadata. */
function said(store, zarrFormat, name) {
  if (zarrFormat === 2) return documentAt(store, `/${name}/.zarray`).fill_value;
  return documentAt(store, `/${name}/zarr.json`).attributes._FillValue ?? null;
}

describe("copies of xarray's data sets to the other format", () => {
  for (const { zarrFormat, store, variables, missingInTheOther } of cases) {
    test(`from v${zarrFormat} and back: the values that xarray sees`, async () => {
      const source = await zarr.open(storeOf(store), { kind: "group" });
      await sameVariables(source, variables);
      const copied = await zarr.copy(source, new Map(), { zarrFormat: 5 - zarrFormat });
      await sameVariables(copied, variables);
      await sameVariables(await zarr.copy(copied, new Map(), { zarrFormat }), variables);
    });
    test(`from v${zarrFormat}: the missing value is written as xarray does in v${5 - zarrFormat}`, async () => {
      const copied = new Map();
      await zarr.copy(storeOf(store), copied, { zarrFormat: 5 - zarrFormat });
      for (const [name, expected] of Object.entries(missingInTheOther)) {
        assert.deepEqual(said(copied, 5 - zarrFormat, name), expected, name);
      }
    });
  }
});

test("a scalar of v3 gets the attribute that xarray requires in v2", async () => {
  const scalar = await zarr.create(new Map(), { shape: [], dtype: "int32" });
  const copied = await zarr.copy(scalar, new Map(), { zarrFormat: 2 });
  assert.deepEqual(copied.attrs, { _ARRAY_DIMENSIONS: [] });
});

test("the fill value of v2 is null by default, and stays null", async () => {
  const options = { shape: [4], chunkShape: [2], dtype: "int16" };
  const fillOf = async (more) => {
    const store = new Map();
    const array = await zarr.create(store, { ...options, ...more });
    const key = array.zarrFormat === 2 ? "/.zarray" : "/zarr.json";
    return [documentAt(store, key).fill_value, array.fillValue];
  };
  assert.deepEqual(await fillOf({ zarrFormat: 2 }), [null, null]);
  assert.deepEqual(await fillOf({ zarrFormat: 2, fillValue: null }), [null, null]);
  assert.deepEqual(await fillOf({ zarrFormat: 2, fillValue: 0 }), [0, 0]);
  assert.deepEqual(await fillOf({ zarrFormat: 3, fillValue: null }), [0, 0]);
  assert.deepEqual(await fillOf({ zarrFormat: 2, dtype: "string" }), [null, null]);

  const array = await zarr.create(new Map(), { ...options, zarrFormat: 2, attributes: { a: 1 } });
  assert.deepEqual([...(await array.get()).data], [0, 0, 0, 0]);
  await array.resize([6]);
  await array.updateAttributes({ b: 2 });
  const copied = new Map();
  await zarr.copy(array, copied, { array: { chunkShape: [3] } });
  assert.deepEqual(
    [array.store, copied].map((store) => documentAt(store, "/.zarray").fill_value),
    [null, null],
  );
});

test("chunks of zeros are stored if the fill value is null, because readers differ", async () => {
  const keys = async (fillValue) => {
    const store = new Map();
    const array = await zarr.create(store, {
      zarrFormat: 2,
      shape: [4],
      chunkShape: [2],
      dtype: "int16",
      fillValue,
    });
    await array.set(null, 0);
    return [...store.keys()].filter((key) => /^\/\d$/.test(key));
  };
  assert.deepEqual(await keys(null), ["/0", "/1"]);
  assert.deepEqual(await keys(0), []);
});
