/**
 * STAC documents: what they name, and opening it. The documents are records of public ones
 * (`tests/fixtures/stac/README.md`); the stores that are opened are zarr-python's and Icechunk's.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, test } from "node:test";
import * as zarr from "zarr-wasm";
import { serve } from "../../scripts/serve.mjs";
import { unpackFixtures } from "../support/fixture_archives.mjs";

const FOLDER = join(import.meta.dirname, "../fixtures/stac");
const document = (name) => JSON.parse(readFileSync(join(FOLDER, `${name}.json`), "utf8"));

/** The assets in short: key, url, path, format, roles. */
const short = (assets) =>
  assets.map(({ key, url, path, format, roles }) => [key, url, path, format, roles.join()]);

const EOPF =
  "https://objectstore.eodc.eu:2222/e05ab01a9d56408d82ac32d69a5aae2a:202505-s02msil2a/22/products/cpm_v256/" +
  "S2B_MSIL2A_20250522T125039_N0511_R095_T26TML_20250522T133252.zarr";
const AZURE = "https://cpdataeuwest.blob.core.windows.net";
const GDDP = "https://nasagddp.blob.core.windows.net/nex-gddp-cmip6-references";

/** What each recorded document names. */
const NAMED = {
  "eopf-sentinel-2-l2a": [
    ["SR_10m", EOPF, "measurements/reflectance/r10m", "zarr", "data,reflectance,dataset"],
    ["SR_20m", EOPF, "measurements/reflectance/r20m", "zarr", "data,reflectance,dataset"],
    ["B02_10m", EOPF, "measurements/reflectance/r10m/b02", "zarr", "data,reflectance"],
    ["product", EOPF, "", "zarr", "data,metadata"],
  ],
  "eopf-explorer-s1-rtc": [
    ["vv", "https://gw/x/s1-rtc-31TCH.zarr", "ascending", "zarr", "data"],
    ["vv", "s3://bkt/x/s1-rtc-31TCH.zarr", "ascending", "zarr", "data"],
    ["zarr-store", "https://gw/x/s1-rtc-31TCH.zarr", "", "zarr", "data"],
    ["zarr-store", "s3://bkt/x/s1-rtc-31TCH.zarr", "", "zarr", "data"],
    ["store", "https://gw/x/s1-rtc-31TCH.zarr", "", "zarr", "store"],
  ],
  "pc-era5-pds-2020-12-an": [
    ["surface_air_pressure", `${AZURE}/era5/ERA5/2020/12/surface_air_pressure.zarr`, "", "zarr", "data"],
    [
      "sea_surface_temperature",
      `${AZURE}/era5/ERA5/2020/12/sea_surface_temperature.zarr`,
      "",
      "zarr",
      "data",
    ],
    [
      "air_temperature_at_2_metres",
      `${AZURE}/era5/ERA5/2020/12/air_temperature_at_2_metres.zarr`,
      "",
      "zarr",
      "data",
    ],
  ],
  // Twins stay two.
  "pc-terraclimate": [
    ["zarr-abfs", `${AZURE}/cpdata/terraclimate.zarr`, "", "zarr", "data,zarr,abfs"],
    ["zarr-https", `${AZURE}/cpdata/terraclimate.zarr`, "", "zarr", "data,zarr,https"],
  ],
  "pc-daymet-daily-hi": [
    [
      "zarr-abfs",
      "https://daymeteuwest.blob.core.windows.net/daymet-zarr/daily/hi.zarr",
      "",
      "zarr",
      "data,zarr,abfs",
    ],
    [
      "zarr-https",
      "https://daymeteuwest.blob.core.windows.net/daymet-zarr/daily/hi.zarr",
      "",
      "zarr",
      "data,zarr,https",
    ],
  ],
  // Definitions of the assets of items have no addresses.
  "pc-nasa-nex-gddp-cmip6": [
    ["ACCESS-CM2.historical", `${GDDP}/ACCESS-CM2_historical.json`, "", "references", "references"],
    ["CESM2.historical", `${GDDP}/CESM2_historical.json`, "", "references", "references"],
  ],
  "nasa-nldas-3": [
    [
      "nldas-3@YTNGFY4WY9189GEH1FNG",
      "https://nasa-waterinsight.s3.us-west-2.amazonaws.com/virtual-zarr-store/NLDAS-3-icechunk",
      "",
      "icechunk",
      "data,references,virtual,latest-version",
    ],
  ],
  "nasa-cmr-emit": [],
  "dynamical-noaa-gfs-forecast": [
    ["icechunk", "s3://dynamical-noaa-gfs/noaa-gfs-forecast/v0.2.7.icechunk", "", "icechunk", "data"],
    [
      "icechunk-https",
      "https://dynamical-noaa-gfs.s3.us-west-2.amazonaws.com/noaa-gfs-forecast/v0.2.7.icechunk",
      "",
      "icechunk",
      "data",
    ],
  ],
  "sprint-virtualizarr": [
    [
      "store",
      "https://some.path/kerchunk/CMIP6_ScenarioMIP_NCAR_CESM2-WACCM_ssp585_r1i1p1f1_day_rlus_gn_v20200702_kr1.0.json",
      "",
      "references",
      "store",
    ],
  ],
};

for (const [name, expected] of Object.entries(NAMED)) {
  test(`the assets of ${name}`, async () => {
    assert.deepEqual(short(await zarr.assetsOf(document(name))), expected);
  });
}

test("a list has the assets of all its documents", async () => {
  const names = Object.keys(NAMED);
  const features = names.map(document);
  const assets = await zarr.assetsOf({ type: "FeatureCollection", features });
  assert.deepEqual(
    short(assets),
    names.flatMap((name) => NAMED[name]),
  );
  assert.equal(assets[0].document, "S2B_MSIL2A_20250522T125039_N0511_R095_T26TML_20250522T133252");
  const collections = await zarr.assetsOf({ collections: features, links: [] });
  assert.deepEqual(collections, assets);
  assert.deepEqual(await zarr.assetsOf({ type: "FeatureCollection", features: [] }), []);
});

test("titles, alternatives, and what documents say of formats", async () => {
  const of = async (name, key) => (await zarr.assetsOf(document(name))).filter((asset) => asset.key === key);
  const [product] = await of("eopf-sentinel-2-l2a", "product");
  assert.deepEqual([product.title, product.role, product.consolidated], ["EOPF Product", "data", true]);
  const [, vv] = await of("eopf-explorer-s1-rtc", "vv");
  assert.equal(vv.alternate, "s3");
  const [references] = await of("pc-nasa-nex-gddp-cmip6", "CESM2.historical");
  assert.deepEqual([references.title, references.consolidated], ["CESM2-historical references", false]);
  const [cube] = await of("nasa-nldas-3", "nldas-3@YTNGFY4WY9189GEH1FNG");
  assert.deepEqual([cube.snapshot, cube.zarrFormat, cube.consolidated], ["YTNGFY4WY9189GEH1FNG", 3, false]);
  const [gfs] = await of("dynamical-noaa-gfs-forecast", "icechunk");
  assert.deepEqual(gfs.hosts, ["s3://noaa-gfs-bdp-pds/"]);
  const [link] = await of("sprint-virtualizarr", "store");
  assert.deepEqual([link.title, link.zarrFormat], ["VirtualiZarr Store", 2]);
});

/** An item with one asset, and what `assetsOf` makes of that. */
async function oneAsset(asset, rest = {}, options = {}) {
  const item = { type: "Feature", stac_version: "1.1.0", id: "item", assets: { data: asset }, ...rest };
  const assets = await zarr.assetsOf(item, options);
  return assets[0] && [assets[0].url, assets[0].path, assets[0].format];
}

const ZARR = "application/vnd.zarr; version=3; profile=multiscales";

test("addresses: relative, signed, in buckets, in Azure", async () => {
  const self = { links: [{ rel: "self", href: "https://host/items/a/item.json" }] };
  const cases = [
    [{ href: "./b.zarr/c" }, self, "https://host/items/a/b.zarr", "c"],
    [{ href: "/b.zarr" }, self, "https://host/b.zarr", ""],
    [{ href: "b.zarr" }, { links: [{ rel: "self", href: "../x/i.json" }] }, "https://base/x/b.zarr", ""],
    [{ href: "b.zarr" }, {}, "https://base/here/b.zarr", ""],
    [
      { href: "https://h/b.zarr/g%20h/%C3%A9?sv=1&sig=a%2Fb#x" },
      {},
      "https://h/b.zarr?sv=1&sig=a%2Fb",
      "g h/é",
    ],
    [{ href: "s3://bucket/b.zarr/a b/c%20d" }, {}, "s3://bucket/b.zarr", "a b/c%20d"],
    [{ href: "gs://Bucket/b.zarr" }, {}, "gs://Bucket/b.zarr", ""],
    [
      {
        href: "s3://b/c.zarr",
        "xarray:storage_options": { client_kwargs: { endpoint_url: "https://osn.example" } },
      },
      {},
      "https://osn.example/b/c.zarr",
      "",
    ],
    [
      { href: "abfs://c@account.dfs.core.windows.net/d.zarr/e" },
      {},
      "https://account.blob.core.windows.net/c/d.zarr",
      "e",
    ],
    // As Planetary Computer's library signs it.
    [
      {
        href: "abfs://c/d.zarr/e",
        "xarray:storage_options": { account_name: "account", credential: "se=1&sig=x" },
      },
      {},
      "https://account.blob.core.windows.net/c/d.zarr?se=1&sig=x",
      "e",
    ],
    // Whose account this is, the document does not say.
    [{ href: "abfs://c/d.zarr" }, {}, "abfs://c/d.zarr", ""],
    [
      { href: "abfs://c/d.zarr", "xarray:storage_options": { account_name: "evil.example/" } },
      {},
      "abfs://c/d.zarr",
      "",
    ],
    // A link names the root, and no folder has the ending.
    [{ href: "https://h/p/q/r" }, { links: [{ rel: "store", href: "https://h/p/" }] }, "https://h/p", "q/r"],
    [{ href: "https://h/pq/r" }, { links: [{ rel: "store", href: "https://h/p" }] }, "https://h/pq/r", ""],
    // The nearest store counts.
    [{ href: "https://h/a.zarr/b.zarr/c" }, {}, "https://h/a.zarr/b.zarr", "c"],
    [{ href: "https://h/a.zarr/b/zarr.json" }, {}, "https://h/a.zarr", "b"],
  ];
  for (const [asset, rest, url, path] of cases) {
    const found = await oneAsset({ type: ZARR, ...asset }, rest, { base: "https://base/here/item.json" });
    assert.deepEqual(found, [url, path, "zarr"], asset.href);
  }
});

test("formats: by type, role and field, and then by name", async () => {
  const cases = [
    [{ href: "https://h/a", type: "application/vnd.zarr; version=2" }, "zarr"],
    [{ href: "https://h/a", type: "application/x-zarr" }, "zarr"],
    [{ href: "https://h/a", type: "application/vnd+zarr+kerchunk" }, "references"],
    [{ href: "https://h/a", type: "application/vnd.zarr+icechunk" }, "icechunk"],
    [{ href: "https://h/a.icechunk", type: "application/vnd.zarr; version=3" }, "icechunk"],
    [{ href: "https://h/a.parq", type: "application/vnd.zarr; version=2" }, "references"],
    [{ href: "https://h/a.parquet", type: "application/vnd.apache.parquet", roles: ["index"] }, "references"],
    [{ href: "https://h/a.parquet", type: "application/vnd.apache.parquet", roles: ["data"] }, undefined],
    [{ href: "https://h/a.json", type: "application/json", roles: ["reference"] }, "references"],
    [{ href: "https://h/a.json", type: "application/json", roles: ["metadata"] }, undefined],
    [{ href: "https://h/a.json" }, undefined],
    [{ href: "https://h/a.zarr.zip", type: "application/zip" }, "zip"],
    [{ href: "https://h/a.zip", type: "application/zip" }, undefined],
    [{ href: "https://h/a", "zarr:node_type": "array" }, "zarr"],
    [{ href: "https://h/a", roles: ["zarr"] }, "zarr"],
    [{ href: "https://h/a.zarr", type: "application/octet-stream" }, "zarr"],
    [{ href: "https://h/a.zarr/thumbnail.png", roles: ["thumbnail"] }, undefined],
    [{ href: "https://h/a.zarr", type: "image/tiff" }, undefined],
    [{ href: "https://h/a", type: "text/html" }, undefined],
    [{ href: "https://h/a" }, undefined],
  ];
  for (const [asset, format] of cases)
    assert.equal((await oneAsset(asset))?.[2], format, JSON.stringify(asset));
});

test("a malformed asset is left out with a warning that names it, and is an error alone", async (t) => {
  const warnings = [];
  zarr.init({ onWarning: (message) => warnings.push(message) });
  t.after(() => zarr.init({ onWarning: undefined }));
  const good = { type: ZARR, href: "https://h/a.zarr" };
  const assets = { none: { type: ZARR }, good, relative: { type: ZARR, href: "b.zarr" } };
  const item = { stac_version: "1.1.0", id: "i", assets };
  const listed = await zarr.assetsOf(item);
  assert.deepEqual(short(listed), [["good", "https://h/a.zarr", "", "zarr", ""]]);
  assert.equal(warnings.length, 2);
  assert.match(warnings[0], /^assets\.none\.href of "i" is left out: .*no address/);
  assert.match(warnings[1], /^assets\.relative\.href of "i" is left out: .*the option base/);
  // In a list, the good asset of another item is enough.
  const bad = { stac_version: "1.1.0", id: "j", assets: { none: { type: ZARR } } };
  const listOf = (features) => ({ type: "FeatureCollection", features });
  assert.equal((await zarr.assetsOf(listOf([bad, item]))).length, 1);
  assert.match(warnings[2], /of "j" is left out/);
  await assert.rejects(zarr.assetsOf(listOf([bad, bad])), { code: "Format", field: "assets.none.href" });
  assert.equal(warnings.length, 5);
});

test("other documents are errors that say what they are", async () => {
  const invalid = { code: "Format", name: "InvalidMetadataError" };
  const cases = [
    [
      { version: 1, refs: {} },
      { ...invalid, actual: /references of kerchunk: use ReferenceStore/ },
    ],
    [
      { zarr_format: 3, node_type: "group" },
      { ...invalid, actual: /metadata of Zarr: use open/ },
    ],
    [{ type: "Topology" }, { ...invalid, field: "stac_version", actual: /JSON of type Topology/ }],
    [[], { ...invalid, actual: /a list/ }],
  ];
  for (const [other, expected] of cases) await assert.rejects(zarr.assetsOf(other), expected);
  const missing = { ...invalid, field: "assets.data.href", actual: "undefined" };
  await assert.rejects(oneAsset({ type: ZARR }), missing);
  await assert.rejects(oneAsset({ type: ZARR, href: 5 }), { ...invalid, field: "assets.data.href" });
  await assert.rejects(oneAsset({ type: ZARR, href: "a.zarr" }), { ...invalid, expected: /the option base/ });
  await assert.rejects(oneAsset({ type: ZARR, href: `https://h/${"a".repeat(5000)}` }), invalid);
  // What is not Zarr may be anything.
  assert.equal(await oneAsset({ type: "image/png", href: 5 }), undefined);
  assert.deepEqual(await zarr.assetsOf({ stac_version: "1.0.0", assets: [], links: "none" }), []);
  const many = Object.fromEntries(
    Array.from({ length: 70_000 }, (_, at) => [at, { type: ZARR, href: "s3://b/c" }]),
  );
  await assert.rejects(zarr.assetsOf({ stac_version: "1.1.0", assets: many }), { code: "Limit" });
  for (const wrong of [5, null, undefined]) await assert.rejects(zarr.assetsOf(wrong), { code: "Argument" });
  await assert.rejects(zarr.assetsOf("https://h/i.json", { fetch: 5 }), { code: "Argument" });
  await assert.rejects(zarr.assetsOf({ stac_version: "1.1.0" }, { base: 5 }), { code: "Argument" });
});

/** The stores of the fixtures, and a server of them that remembers what it was asked. */
const STORES = unpackFixtures();
const requests = [];
const items = new Map();
/** Answers with a document of `items`. */
function intercept(request, response) {
  requests.push(request.url);
  const item = items.get(request.url);
  if (item === undefined) return false;
  response.writeHead(200, { "Content-Type": "application/geo+json" }).end(item);
  return true;
}

const server = await serve({ "/": STORES }, { data: ["/"], intercept });
after(() => server.close());

const V2 = "/zarr-python-2/hierarchy/store";
const V3 = "/zarr-python-3/hierarchy-v3/store";
const expected = (store) => JSON.parse(readFileSync(join(STORES, store, "../expected.json"), "utf8"));

/** Serves an item, and returns its address. */
function served(path, assets, links = []) {
  items.set(path, JSON.stringify({ type: "Feature", stac_version: "1.1.0", id: "own", assets, links }));
  return server.url + path;
}

test("an array inside of a store is opened with the metadata at the root", async () => {
  for (const [store, metadata, node] of [
    [V2, "/.zmetadata", expected(V2).find(({ path }) => path === "Level 1/level-2/data")],
    [V3, "/zarr.json", expected(V3).find(({ kind, values }) => kind === "array" && values)],
  ]) {
    const path = node.path.split("/").map(encodeURIComponent).join("/");
    const href = `${server.url}${store}/${path}?sig=secret`;
    const links = [{ rel: "store", href: server.url + store }];
    const address = served("/items/own?of=it", { data: { type: ZARR, href } }, links);
    const [asset] = await zarr.assetsOf(address);
    assert.deepEqual([asset.url, asset.path], [`${server.url}${store}?sig=secret`, node.path]);
    requests.length = 0;
    const array = await zarr.open(asset.url, { path: asset.path, consolidated: true, kind: "array" });
    assert.deepEqual(array.shape, node.shape);
    const asked = requests.map((url) => url.slice(store.length).replace("?sig=secret", ""));
    assert.ok(asked.includes(metadata), `${asked}`);
    // v3 is looked for first, and both formats where a server takes long.
    assert.deepEqual(
      asked.filter((key) => key !== "/zarr.json" && key !== "/.zmetadata"),
      [],
    );
    const { data } = await array.get(undefined, { as: "bytes" });
    assert.equal(Buffer.from(data).toString("base64"), node.values);
    assert.ok(requests.every((url) => url.endsWith("?sig=secret")));
    // The candidate is itself the options.
    assert.deepEqual((await zarr.open(asset.url, asset)).shape, node.shape);
  }
});

test("open: consolidated", async () => {
  const group = await zarr.open(server.url + V2, { consolidated: true });
  assert.equal(group.kind, "group");
  assert.equal((await zarr.open.v2(server.url + V2, { path: "plain", consolidated: true })).kind, "array");
  await assert.rejects(zarr.open.v3(server.url + V2, { consolidated: true }), { code: "NotFound" });
  const none = `${server.url}/zarr-python-2/root-array/store`;
  await assert.rejects(zarr.open(none, { consolidated: true }), { code: "NotFound" });
  await assert.rejects(zarr.open(server.url + V2, { consolidated: true, path: "absent" }), {
    code: "NotFound",
  });
  await assert.rejects(zarr.open(server.url + V2, { consolidated: 1 }), {
    code: "Argument",
    field: "consolidated",
  });
});

test("open says what to do with a STAC document, and opens JSON of references", async () => {
  const item = served("/collections/c/items/own", {});
  const list = `${server.url}/list.geojson`;
  items.set("/list.geojson", JSON.stringify({ type: "FeatureCollection", features: [] }));
  for (const address of [item, list])
    await assert.rejects(zarr.open(address), { name: "InvalidMetadataError", message: /STAC.*assetsOf/ });
  const references = {
    ".zgroup": '{"zarr_format": 2}',
    "a/.zarray":
      '{"zarr_format":2,"shape":[3],"chunks":[3],"dtype":"<i2","compressor":null,"filters":null,"fill_value":0,"order":"C"}',
    "a/0": "base64:AQACAAMA",
  };
  items.set("/refs.json", JSON.stringify({ version: 1, refs: references }));
  const [asset] = await zarr.assetsOf(
    served("/items/refs", { refs: { href: "/refs.json", type: "application/json", roles: ["references"] } }),
  );
  const array = await zarr.open(asset.url, { ...asset, path: "a" });
  assert.deepEqual([...(await array.get()).data], [1, 2, 3]);
  await assert.rejects(zarr.open(`${server.url}/none.json`), { code: "NotFound" });
  items.set("/other.json", "{}");
  await assert.rejects(zarr.open(`${server.url}/other.json`), { code: "NotFound" });
});

/** A server of one answer. */
async function answering(status, headers, body) {
  const one = createServer((_, response) => response.writeHead(status, headers).end(body));
  await new Promise((done) => one.listen(0, "127.0.0.1", done));
  after(() => one.closeAllConnections());
  after(() => one.close());
  return `http://127.0.0.1:${one.address().port}/item.json?sig=secret`;
}

test("documents that cannot be read", async () => {
  const json = { "Content-Type": "application/json" };
  const cases = [
    [404, {}, "", { code: "NotFound", message: /item\.json/, actual: "status 404" }],
    [403, {}, "", { code: "Store", actual: "status 403" }],
    [200, json, "<!doctype html>", { code: "Format", actual: "<!doctype html>" }],
    [200, { ...json, "Content-Length": String(2 ** 27) }, "", { code: "Limit" }],
    [200, json, "{}", { code: "Format" }],
  ];
  for (const [status, headers, body, error] of cases) {
    const address = await answering(status, headers, body);
    await assert.rejects(zarr.assetsOf(address), (thrown) => {
      assert.doesNotMatch(`${thrown.message} ${thrown.actual} ${thrown.expected}`, /secret/);
      for (const [name, value] of Object.entries(error))
        if (value instanceof RegExp) assert.match(thrown[name], value);
        else assert.equal(thrown[name], value, `${status}`);
      return true;
    });
  }
  await assert.rejects(zarr.assetsOf("http://127.0.0.1:9/item.json"), { code: "Store" });
  const stopped = new Error("stopped");
  await assert.rejects(
    zarr.assetsOf("http://127.0.0.1:9/i", { signal: AbortSignal.abort(stopped) }),
    stopped,
  );
});

test("the request for a document may be the caller's own", async () => {
  const item = {
    type: "Feature",
    stac_version: "1.0.0",
    id: "own",
    assets: { d: { type: ZARR, href: "d.zarr" } },
  };
  const asked = [];
  const fetch = async (request) => {
    asked.push(request.url);
    return Response.json(item);
  };
  const [asset] = await zarr.assetsOf("s3://bucket/items/own.json", { fetch });
  assert.deepEqual(asked, ["https://bucket.s3.amazonaws.com/items/own.json"]);
  assert.equal(asset.url, "https://bucket.s3.amazonaws.com/items/d.zarr");
});
