/**
 * Arrays in the pixels of maps, compared with xarray, pyproj and GDAL
 * (tests/fixtures/make/warp.py).
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import proj4 from "proj4";
import * as zarr from "zarr-wasm";
import { madeStore, metadata } from "./made_stores.mjs";
import { scriptedServer } from "./scripted_server.mjs";

const CASES = join(import.meta.dirname, "../fixtures/conventions/warp");
const caseOf = (name) => JSON.parse(readFileSync(join(CASES, `${name}.json`), "utf8"));
const storeOf = (files) =>
  new Map(
    Object.entries(files).map(([key, text]) => [`/${key}`, new Uint8Array(Buffer.from(text, "base64"))]),
  );

/** Tolerance for float32 and unpacking. */
const EPSILON = 2e-5;

/** The error of a pixel; undefined if it is correct. */
function wrongWith(value, mask, expected) {
  if (expected === "unsure") return undefined;
  if (expected === null) return Number.isNaN(value) && mask === 0 ? undefined : "has a value";
  if (Number.isNaN(value) || mask !== 255) return "is missing";
  const slack = EPSILON * Math.max(1, Math.abs(value));
  return value >= expected[0] - slack && value <= expected[1] + slack ? undefined : "is another";
}

for (const file of readdirSync(CASES)) {
  const { files, array, at, defs = {}, maps } = JSON.parse(readFileSync(join(CASES, file), "utf8"));
  for (const { name, crs, extent, size, method, pixels } of maps) {
    test(`${file.replace(".json", "")}: ${name}, ${method}`, async () => {
      for (const [code, text] of Object.entries(defs)) proj4.defs(code, text);
      const node = await zarr.open(zarr.root(storeOf(files)).resolve(array), { kind: "array" });
      const warped = await zarr.warp(node, { crs, extent, size, method, at, proj4 });
      assert.deepEqual(warped.shape, [size[1], size[0]]);
      const wrong = pixels.flatMap((expected, place) => {
        const problem = wrongWith(warped.data[place], warped.mask[place], expected);
        const where = `row ${Math.floor(place / size[0])}, column ${place % size[0]}`;
        return problem ? [`${where} ${problem}: ${warped.data[place]}, not ${JSON.stringify(expected)}`] : [];
      });
      assert.deepEqual(wrong.slice(0, 5), [], `${wrong.length} of ${pixels.length}`);
      // A map without values would prove nothing.
      const said = pixels.filter((expected) => Array.isArray(expected));
      assert.ok(said.length > pixels.length / 4, `${said.length} of ${pixels.length}`);
    });
  }
}

let server;
before(async () => {
  server = await scriptedServer(new Map());
});
after(() => server.close());

test("only the chunks of the map are fetched, also across the date line", async () => {
  const description = {
    shape: [18, 36],
    chunks: [3, 6],
    dtype: "float32",
    names: ["lat", "lon"],
    attributes: {
      "proj:code": "EPSG:4326",
      "spatial:dimensions": ["lat", "lon"],
      "spatial:transform": [10, 0, 0, 0, -10, 90],
    },
  };
  server.files = madeStore(description, ([row, column]) => 100 * row + column);
  const array = await zarr.open(server.url, { kind: "array" });
  server.requests.length = 0;
  const { data } = await zarr.warp(array, {
    crs: "EPSG:4326",
    extent: [-20, 0, 20, 20],
    size: [4, 2],
    method: "nearest",
  });
  assert.deepEqual([...data], [734, 735, 700, 701, 834, 835, 800, 801]);
  const chunks = server.requests.map(({ key }) => key).sort();
  assert.deepEqual(
    chunks,
    ["/c/2/0", "/c/2/5"].concat(chunks.includes("/c/3/0") ? ["/c/3/0", "/c/3/5"] : []),
  );
  server.requests.length = 0;
  const none = await zarr.warp(array, { crs: "EPSG:4326", extent: [0, 95, 10, 99], size: [2, 2] });
  assert.deepEqual([...none.mask, server.requests.length], [0, 0, 0, 0, 0]);
});

test("unknown coordinates and invalid options are errors with advice", async () => {
  const { files } = caseOf("globe-from-greenwich");
  const array = await zarr.open(zarr.root(storeOf(files)).resolve("tas"), { kind: "array" });
  const map = { crs: "EPSG:4326", extent: [0, 0, 10, 10], size: [2, 2] };
  await assert.rejects(zarr.warp(array, { ...map, crs: "EPSG:3857" }), {
    code: "Argument",
    message: /proj4/,
  });
  await assert.rejects(zarr.warp(array, { ...map, crs: "EPSG:999999", proj4 }), {
    code: "Unsupported",
    message: /EPSG:999999 of the map/,
  });
  await assert.rejects(zarr.warp(array, { ...map, extent: [10, 0, 0, 10] }), { code: "Argument" });
  await assert.rejects(zarr.warp(array, { ...map, size: [0, 2] }), { code: "Argument" });
  const ended = AbortSignal.abort(new Error("ended"));
  await assert.rejects(zarr.warp(array, { ...map, signal: ended }), /ended/);
  const plain = madeStore({ shape: [4, 4], chunks: [2, 2], dtype: "int32", names: ["y", "x"] }, () => 1);
  const unplaced = await zarr.open(plain, { kind: "array" });
  await assert.rejects(zarr.warp(unplaced, map), { code: "Unsupported", message: /reference system/ });
});

test("a map of a plane that no list of coordinates could hold", async () => {
  const attributes = {
    multiscales: { layout: [{ asset: "0" }] },
    "spatial:dimensions": ["y", "x"],
    "spatial:transform": [2, 0, 99, 0, -2, 5001],
    "proj:code": "EPSG:3857",
  };
  const encode = (document) => new TextEncoder().encode(JSON.stringify(document));
  const level = metadata({ shape: [3e9, 4e9], chunks: [2, 2], dtype: "uint8", names: ["y", "x"] });
  const store = new Map([
    ["/zarr.json", encode({ zarr_format: 3, node_type: "group", attributes })],
    ["/0/zarr.json", encode({ ...level, codecs: [{ name: "bytes" }] })],
    ["/0/c/1/1", Uint8Array.of(1, 2, 3, 4)],
  ]);
  // Opened alone: its place is searched for in the group above.
  const array = await zarr.open(store, { kind: "array", path: "0" });
  // Rows 2 and 3 and columns 2 and 3, whose centres are at 104 and 106, 4996 and 4994.
  const map = { crs: "EPSG:3857", extent: [103, 4993, 107, 4997], size: [2, 2] };
  const { data, mask } = await zarr.warp(array, map);
  assert.deepEqual(
    [[...data], [...mask]],
    [
      [1, 2, 3, 4],
      [255, 255, 255, 255],
    ],
  );
});
