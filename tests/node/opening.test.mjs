/** The requests and round trips of opening nodes on a slow line. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import * as zarr from "zarr-wasm";
import { addGroup, madeStore, metadata } from "./made_stores.mjs";
import { scriptedServer } from "./scripted_server.mjs";

/** Requests of one round trip begin within this time, also on a machine that does other work. */
const LATENCY = 600;
const description = { shape: [4, 4], chunks: [2, 2], dtype: "int32" };
const encoded = (value) => new TextEncoder().encode(JSON.stringify(value));

const v3 = madeStore(description, ([i, j]) => 4 * i + j, { path: "a" });
addGroup(v3);

const zarray = {
  zarr_format: 2,
  shape: [4],
  chunks: [2],
  dtype: "<i2",
  compressor: null,
  fill_value: 0,
  order: "C",
  filters: null,
};
const v2 = new Map([
  ["/.zgroup", encoded({ zarr_format: 2 })],
  ["/a/.zarray", encoded(zarray)],
  ["/a/.zattrs", encoded({ unit: "m" })],
]);
const consolidatedV2 = new Map([
  ...v2,
  [
    "/.zmetadata",
    encoded({
      zarr_consolidated_format: 1,
      metadata: { ".zgroup": { zarr_format: 2 }, "a/.zarray": zarray, "a/.zattrs": { unit: "m" } },
    }),
  ],
]);
const consolidatedV3 = new Map([
  ...v3,
  [
    "/zarr.json",
    encoded({
      zarr_format: 3,
      node_type: "group",
      attributes: {},
      consolidated_metadata: {
        kind: "inline",
        must_understand: false,
        metadata: { a: metadata(description) },
      },
    }),
  ],
]);

let server;
before(async () => {
  await zarr.init();
  server = await scriptedServer(v3);
});
after(() => server.close());
beforeEach(async () => {
  // Aborted probes arrive late.
  await new Promise((resolve) => setTimeout(resolve, 30));
  server.latency = LATENCY;
  server.requests.length = 0;
});

/** The number of requests and round trips. A request after an answer is another round trip. */
async function costOf(run) {
  const result = await run();
  await new Promise((resolve) => setTimeout(resolve, 30));
  const { requests } = server;
  let trips = 0;
  let answered = Number.NEGATIVE_INFINITY;
  for (const { began } of requests) {
    if (began < answered) continue;
    trips += 1;
    answered = began + LATENCY;
  }
  return { result, requests: requests.map(({ key }) => key).sort(), trips };
}

test("a v3 array or group: one round trip", async () => {
  server.files = v3;
  const group = await costOf(() => zarr.open(server.url));
  assert.equal(group.result.kind, "group");
  assert.equal(group.trips, 1);
  assert.deepEqual(group.requests, ["/.zarray", "/.zattrs", "/.zgroup", "/zarr.json"]);
  server.requests.length = 0;
  // The store is known to hold v3, so only v3 documents are requested.
  const array = await costOf(() => zarr.open(group.result.resolve("a"), { kind: "array" }));
  assert.deepEqual(array.result.shape, [4, 4]);
  assert.deepEqual([array.trips, array.requests], [1, ["/a/zarr.json"]]);
});

const CORNER = [zarr.slice(0, 2), zarr.slice(0, 2)];

test("a second array of a store costs one document and its chunk", async () => {
  server.files = madeStore(description, ([i, j]) => i - j, { path: "b", store: new Map(v3) });
  const store = new zarr.FetchStore(server.url);
  const first = await zarr.open(store, { path: "a", kind: "array" });
  await first.get(CORNER);
  server.requests.length = 0;
  const { result, requests, trips } = await costOf(async () => {
    const second = await zarr.open(store, { path: "b", kind: "array" });
    return second.get(CORNER);
  });
  assert.deepEqual([...result.data], [0, -1, 1, 0]);
  assert.deepEqual([trips, requests], [2, ["/b/c/0/0", "/b/zarr.json"]]);
});

test("a v2 array: one round trip, attributes included", async () => {
  server.files = v2;
  const { result, trips } = await costOf(() => zarr.open(server.url, { path: "a" }));
  assert.equal(trips, 1);
  assert.deepEqual(result.attrs, { unit: "m" });
});

test("v2 nodes after v3 nodes are found, and a node with both formats is v3", async () => {
  const mixed = new Map(v3);
  for (const [key, bytes] of v2) if (key.startsWith("/a/")) mixed.set(key.replace("/a/", "/b/"), bytes);
  mixed.set("/a/.zarray", v2.get("/a/.zarray"));
  server.files = mixed;
  const group = await zarr.open(server.url);
  const b = await zarr.open(group.resolve("b"));
  assert.equal(b.zarrFormat, 2);
  const a = await zarr.open(group.resolve("a"));
  assert.equal(a.zarrFormat, 3);
  await assert.rejects(zarr.open(group.resolve("c")), { code: "NotFound" });
});

test("consolidated metadata of either format: one round trip, and none for the nodes in it", async () => {
  for (const files of [consolidatedV2, consolidatedV3]) {
    server.files = files;
    server.requests.length = 0;
    const store = new zarr.FetchStore(server.url);
    const loaded = await costOf(() => zarr.withMaybeConsolidatedMetadata(store));
    assert.equal(loaded.trips, 1);
    assert.deepEqual(loaded.requests, ["/.zmetadata", "/zarr.json"]);
    assert.equal(loaded.result.contents().length, 2);
    server.requests.length = 0;
    const opened = await costOf(() => zarr.open(loaded.result, { path: "a", kind: "array" }));
    assert.deepEqual([opened.trips, opened.requests], [0, []]);
  }
});

/** Opens a node in a new process, in which the wasm is available after `delay` ms. */
function openCold(url, delay) {
  const program = `
    import { readFile } from "node:fs/promises";
    import * as zarr from "zarr-wasm/slim";
    const wasm = new Promise((resolve) => setTimeout(() => resolve(readFile("dist/zarr_wasm.wasm")), ${delay}));
    zarr.init({ wasm }).catch(() => {});
    const begun = performance.now();
    const node = await zarr.open(${JSON.stringify(url)}, { kind: "array" });
    console.log(JSON.stringify([node.shape, Math.round(performance.now() - begun), zarr.info().wire]));
  `;
  return new Promise((resolve, reject) => {
    import("node:child_process").then(({ execFile }) =>
      execFile(
        process.execPath,
        ["--input-type=module", "--eval", program],
        { cwd: join(import.meta.dirname, "../.."), timeout: 60_000 },
        (error, stdout) => (error ? reject(error) : resolve(JSON.parse(stdout))),
      ),
    );
  });
}

test("the requests of the first open start while the wasm loads, and are not repeated", async () => {
  server.files = v3;
  const [delay, latency] = [3000, 1500];
  server.latency = latency;
  const started = performance.now();
  const [shape, took] = await openCold(`${server.url}/a?sig=x%20y`, delay);
  assert.deepEqual(shape, [4, 4]);
  const keys = server.requests.map(({ key, search }) => key + search).sort();
  assert.deepEqual(
    keys,
    [".zarray", ".zattrs", ".zgroup", "zarr.json"].map((name) => `/a/${name}?sig=x%20y`),
  );
  assert.ok(started > 0 && took >= delay);
  const document = server.requests.find(({ key }) => key.endsWith("zarr.json"));
  const others = server.requests.filter(({ key }) => !key.endsWith("zarr.json"));
  assert.equal(document.isGivenUp, false);
  assert.equal(others.length, 3);
  // Requests that waited for the wasm would have their answers later.
  assert.ok(took < delay + latency, `${took} ms`);
});

test("a process that opens nothing sends nothing", () => {
  const { status } = spawnSync(
    process.execPath,
    [
      "--input-type=module",
      "--eval",
      `import * as zarr from "zarr-wasm"; new zarr.FetchStore(${JSON.stringify(server.url)})`,
    ],
    { cwd: join(import.meta.dirname, "../.."), encoding: "utf8" },
  );
  assert.equal(status, 0);
  assert.deepEqual(server.requests, []);
});

/** Consolidated metadata as by zarr-python: groups of 1000 arrays, with unquoted NaNs. */
function manyNodes(count) {
  const array = JSON.stringify({
    ...JSON.parse(new TextDecoder().decode(v3.get("/a/zarr.json"))),
    attributes: { units: "K", standard_name: "air_temperature", valid_range: [150, 350], missing: "MISSING" },
  }).replace('"MISSING"', "NaN");
  const entries = [];
  for (let at = 0; at < count; at++) {
    const group = `"group_${Math.floor(at / 1000)}`;
    if (at % 1000 === 0) entries.push(`${group}":{"zarr_format":3,"node_type":"group","attributes":{}}`);
    entries.push(`${group}/array_${at}":${array}`);
  }
  const metadata = `{"kind":"inline","must_understand":false,"metadata":{${entries.join(",")}}}`;
  return `{"zarr_format":3,"node_type":"group","consolidated_metadata":${metadata},"attributes":{"last":NaN}}`;
}

/** Runs an action. Resolves to its result and the number of other tasks that ran meanwhile. */
async function turnsDuring(act) {
  let turns = 0;
  let timer = setImmediate(function count() {
    turns += 1;
    timer = setImmediate(count);
  });
  try {
    return [await act(), turns];
  } finally {
    clearImmediate(timer);
  }
}

test("consolidated metadata of 10^5 nodes is read in short tasks, and its text is unchanged", async () => {
  const text = manyNodes(100_000);
  const store = new Map([["/zarr.json", new TextEncoder().encode(text)]]);
  await zarr.init();
  const [group, openTurns] = await turnsDuring(() => zarr.open(store, { kind: "group" }));
  assert.ok(openTurns >= 6, `${openTurns} turns while it was opened`);
  assert.deepEqual(group.attrs, { last: Number.NaN });
  assert.equal(group.rawMetadata["zarr.json"], text);
  const [consolidated, turns] = await turnsDuring(() => zarr.withConsolidatedMetadata(store));
  assert.ok(turns >= 6, `${turns} turns while it was indexed`);
  const contents = consolidated.contents();
  assert.equal(contents.length, 1 + 100 + 100_000);
  assert.deepEqual(contents.slice(0, 3), [
    { path: "/", kind: "group" },
    { path: "/group_0", kind: "group" },
    { path: "/group_0/array_0", kind: "array" },
  ]);
  assert.deepEqual(contents.at(-1), { path: "/group_99/array_99999", kind: "array" });
  const root = await zarr.open(consolidated, { kind: "group" });
  assert.equal(root.rawMetadata["zarr.json"], text);
  assert.equal(new TextDecoder().decode(await consolidated.get("/zarr.json")), text);
  const array = await zarr.open(root.resolve("group_50/array_50123"), { kind: "array" });
  assert.deepEqual([array.shape, array.attrs.missing], [[4, 4], Number.NaN]);
  const names = [];
  for await (const { path } of (await zarr.open(root.resolve("group_7"))).children()) names.push(path);
  assert.deepEqual(
    [names.length, names[0], names.at(-1)],
    [1000, "/group_7/array_7000", "/group_7/array_7999"],
  );
});
