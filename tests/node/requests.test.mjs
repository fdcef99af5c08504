/**
 * The documents that are requested between a URL and the first chunk, on a real server: each once,
 * and no absent ones.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { after, before, beforeEach, test } from "node:test";
import * as zarr from "zarr-wasm";
import { scriptedServer } from "./scripted_server.mjs";

const FIXTURES = join(import.meta.dirname, "../fixtures");
const SAMPLES = join(import.meta.dirname, "../../www/samples");

/** v2 documents are requested after 60 ms without v3's. A busy machine may take that long. */
const SLOW_NS = 25e6;
const V2_DOCUMENT = /\/\.z(array|group|attrs|metadata)$/;

function filesBelow(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [`/${relative(folder, path)}`, readFileSync(path)]),
  );
}

/** A store of another library. */
function documentsOf(file) {
  const { documents } = JSON.parse(readFileSync(join(FIXTURES, "conventions/stores", file), "utf8"));
  return new Map(
    Object.entries(documents).map(([key, document]) => [`/${key}`, Buffer.from(JSON.stringify(document))]),
  );
}

let server;
const delay = monitorEventLoopDelay({ resolution: 5 });
before(async () => {
  await zarr.init();
  delay.enable();
  server = await scriptedServer(new Map());
});
after(() => server.close());
beforeEach(() => {
  delay.reset();
  server.requests.length = 0;
});

/** The requested keys since the last call. Checks that each exists and was requested once. */
async function asked() {
  // Some requests arrive after the call has ended.
  await new Promise((resolve) => setTimeout(resolve, 100));
  const wasSlow = delay.max > SLOW_NS;
  const all = server.requests.map(({ key }) => key);
  const keys = all.filter((key) => !wasSlow || server.files.has(key) || !V2_DOCUMENT.test(key));
  server.requests.length = 0;
  assert.deepEqual(
    keys.filter((key) => !server.files.has(key)),
    [],
    "what is not there was asked for",
  );
  assert.equal(new Set(keys).size, keys.length, `twice: ${keys}`);
  return keys.sort();
}

test("an OME image of v3: its group, its levels, its labels, and no coordinates", async () => {
  server.files = filesBelow(join(SAMPLES, "tissue.ome.zarr"));
  const group = await zarr.open(server.url, { kind: "group" });
  const pyramid = await zarr.pyramid(group);
  assert.deepEqual(pyramid.labels, ["/labels/cells", "/labels/nuclei"]);
  const [{ array }] = pyramid.levels;
  for (const axis of array.shape.keys()) {
    assert.equal((await zarr.coords(array, axis)).source, "affine");
    assert.equal((await zarr.coords(array, axis, { pyramid })).source, "affine");
  }
  await zarr.conventions(group);
  const { levels } = await zarr.pyramid(group);
  assert.equal(levels[0].array, array);
  const documents = ["labels", "s0", "s1", "s2"].map((name) => `/${name}/zarr.json`);
  assert.deepEqual(await asked(), [...documents, "/zarr.json"]);
  // For an array that was opened directly, the pyramid is searched once.
  const alone = await zarr.open(group.resolve("s0"), { kind: "array" });
  await zarr.coords(alone, 2);
  server.requests.length = 0;
  for (const axis of [0, 1, 2]) assert.equal((await zarr.coords(alone, axis)).source, "affine");
  assert.deepEqual(await asked(), []);
});

test("label images are searched, except with labels: false", async () => {
  server.files = documentsOf("ome-zarr-py-0.5.json");
  const group = await zarr.open(server.url, { kind: "group" });
  await zarr.pyramid(group, { labels: false });
  assert.ok(!(await asked()).includes("/labels/zarr.json"));
  const local = await zarr.open(filesBelow(join(SAMPLES, "tissue.ome.zarr")), { kind: "group" });
  assert.deepEqual((await zarr.pyramid(local)).labels, ["/labels/cells", "/labels/nuclei"]);
  assert.deepEqual((await zarr.pyramid(local, { labels: false })).levels.length, 3);
});

test("a pyramid without labels asks for them, and for nothing that is not Zarr", async () => {
  server.files = documentsOf("ome-zarr-py-0.5.json");
  const group = await zarr.open(server.url, { kind: "group" });
  await zarr.pyramid(group);
  await zarr.open(group.resolve("absent")).catch(() => {});
  await zarr.open.v3(group.resolve("absent too")).catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 100));
  const keys = server.requests.map(({ key }) => key).filter((key) => !V2_DOCUMENT.test(key));
  const documents = ["/s0", "/s1", "/absent", "/absent too", "/labels", ""].map(
    (path) => `${path}/zarr.json`,
  );
  assert.deepEqual([...new Set(keys)].sort(), documents.sort());
});

test("consolidated metadata: v2's document waits for the server, not for the engine's start", async () => {
  server.files = documentsOf("zarr-cm-geozarr.json");
  zarr.dispose();
  await zarr.open(server.url, { consolidated: true });
  await new Promise((resolve) => setTimeout(resolve, 100));
  const keys = server.requests.map(({ key }) => key);
  assert.deepEqual(keys, ["/zarr.json"]);
});

test("arrays of v2 are requested as arrays", async () => {
  server.files = documentsOf("ome-zarr-py-0.4.json");
  const group = await zarr.open.v2(new zarr.FetchStore(server.url), { kind: "group" });
  const { levels } = await zarr.pyramid(group, { labels: false });
  await new Promise((resolve) => setTimeout(resolve, 100));
  const keys = server.requests.map(({ key }) => key).sort();
  const documents = levels.flatMap(({ path }) => [`${path}/.zarray`, `${path}/.zattrs`]);
  assert.deepEqual(keys, ["/.zattrs", "/.zgroup", ...documents].sort());
});

test("CF with consolidated metadata: one document, then only coordinates and chunks", async () => {
  server.files = filesBelow(join(SAMPLES, "climate.zarr"));
  const store = await zarr.withConsolidatedMetadata(new zarr.FetchStore(server.url), { format: "v3" });
  const array = await zarr.open(zarr.root(store).resolve("air_temperature"), { kind: "array" });
  const pyramid = await zarr.pyramid(array);
  for (const { name } of pyramid.axes) await zarr.coords(array, name);
  const other = await zarr.open(zarr.root(store).resolve("precipitation"), { kind: "array" });
  await zarr.pyramid(other);
  assert.deepEqual(await asked(), ["/latitude/c/0", "/longitude/c/0", "/time/c/0", "/zarr.json"]);
  // There is no request for a coordinate that consolidated metadata does not list.
  await assert.rejects(
    zarr.coords(await zarr.open(zarr.root(store).resolve("latitude"), { kind: "array" }), "bnds"),
  );
  assert.deepEqual(await asked(), []);
});

test("CF of v3 without consolidated metadata: each variable once", async () => {
  server.files = new Map(
    Object.entries(
      JSON.parse(readFileSync(join(FIXTURES, "conventions/warp/lambert-kilometres.json"), "utf8")).files,
    ).map(([key, text]) => [`/${key}`, Buffer.from(text, "base64")]),
  );
  const store = new zarr.FetchStore(server.url);
  const array = await zarr.open(zarr.root(store).resolve("t2m"), { kind: "array" });
  const { crs } = await zarr.pyramid(array);
  assert.equal(crs.gridMapping, "lambert_conformal_conic");
  for (const axis of ["y", "x", "y", "x"]) await zarr.coords(array, axis);
  await zarr.pyramid(array);
  const documents = (await asked()).filter((key) => key.endsWith("zarr.json"));
  assert.deepEqual(
    documents,
    ["crs", "t2m", "x", "y"].map((name) => `/${name}/zarr.json`),
  );
});

test("consolidated metadata: v2's document is asked for only where there is none of v3, or by name", async () => {
  const group = JSON.stringify({ zarr_format: 3, node_type: "group" });
  server.files = new Map([["/zarr.json", Buffer.from(group)]]);
  const store = new zarr.FetchStore(server.url);
  assert.equal(await zarr.withMaybeConsolidatedMetadata(store), store);
  assert.deepEqual(await asked(), ["/zarr.json"]);
  await assert.rejects(zarr.withConsolidatedMetadata(store), { name: "InvalidMetadataError" });
  // Of a migration both are there: nodes of v3 are opened, so those of v2 are not listed.
  const old = { zarr_consolidated_format: 1, metadata: { ".zgroup": { zarr_format: 2 } } };
  server.files.set("/.zmetadata", Buffer.from(JSON.stringify(old)));
  assert.equal(await zarr.withMaybeConsolidatedMetadata(store), store);
  const named = await zarr.withMaybeConsolidatedMetadata(store, { format: ["v3", "v2"] });
  assert.deepEqual(named.contents(), [{ path: "/", kind: "group" }]);
  server.files.delete("/zarr.json");
  const found = await zarr.withMaybeConsolidatedMetadata(store);
  assert.deepEqual(found.contents(), [{ path: "/", kind: "group" }]);
});
