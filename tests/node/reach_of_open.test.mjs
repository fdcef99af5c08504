/**
 * `allowHosts` of `open`: references, in JSON and in Parquet, that `open` finds at an address lead
 * to the servers that the caller allows, and to no other one. The servers are real.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import * as zarr from "zarr-wasm";
import { unpackFixtures } from "../support/fixture_archives.mjs";
import { recordingServer } from "./recording_servers.mjs";

const KERCHUNK = join(unpackFixtures(), "kerchunk");
/** A file in the tables of the fixture, and a name of the same length at the other server. */
const [NAMED, SHORT] = ["https://data.example/values.bin", "/values.b"];

/** The server of the documents, and the one that they name. */
let own;
let other;

before(async () => {
  own = await recordingServer();
  other = await recordingServer({ address: "127.0.0.2" });
  other.files.set("/data", Buffer.from("0123456789"));
  other.files.set(SHORT, readFileSync(join(KERCHUNK, "files/values.bin")));
  own.files.set("/kept/values.bin", other.files.get(SHORT));
  own.files.set("/kept/refs.json", Buffer.from(JSON.stringify(document())));
  for (const folder of ["model.parq", "tables"]) addTables(`/kept/${folder}`);
});
after(() => Promise.all([own.close(), other.close()]));
beforeEach(() => {
  other.requests.length = 0;
});

/** References of kerchunk to an array of ten bytes. */
function document() {
  const array = { zarr_format: 2, shape: [10], chunks: [10], dtype: "|u1", compressor: null };
  const zarray = JSON.stringify({ ...array, filters: null, fill_value: null, order: "C" });
  return { version: 1, refs: { "x/.zarray": zarray, "x/0": [`${other.url}/data`] } };
}

/** Serves the tables of the fixture, in which the other server takes the place of the writer's. */
function addTables(at) {
  const place = `${other.url}${SHORT}`;
  assert.equal(place.length, NAMED.length);
  const root = join(KERCHUNK, "uncompressed");
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const text = readFileSync(path).toString("latin1").replaceAll(NAMED, place);
    own.files.set(`${at}/${relative(root, path)}`, Buffer.from(text, "latin1"));
  }
}

const expected = JSON.parse(readFileSync(join(KERCHUNK, "expected.json"), "utf8")).uncompressed.arrays.plane;
const PLANE = [...new Int32Array(Uint8Array.from(Buffer.from(expected.values, "base64")).buffer)];
const TEN = [..."0123456789"].map((digit) => digit.charCodeAt(0));

/** What `open` is given, the path of an array, and its elements. */
const CASES = [
  ["/kept/refs.json", "x", TEN],
  ["/kept/refs.json?X-Amz-Signature=s", "x", TEN],
  ["/kept/model.parq", "plane", PLANE],
  ["/kept/model.parq/", "plane", PLANE],
  ["/kept/tables", "plane", PLANE],
];

const read = async (place, path, options) =>
  Array.from((await (await zarr.open(`${own.url}${place}`, { path, ...options })).get()).data);

for (const [place, path, elements] of CASES) {
  test(`${place}: the servers that the caller allows are asked`, async () => {
    const { host } = other;
    const url = `${other.url}/any/path`;
    for (const allowHosts of [[host], [` ${host} `], [url], ["*"], ["elsewhere.example", host]])
      assert.deepEqual(await read(place, path, { allowHosts }), elements, String(allowHosts));
    assert.ok(other.requests.length > 0);
  });

  test(`${place}: no other server is asked`, async () => {
    const { port } = other;
    const near = ["127.0.0.2", `127.0.0.3:${port}`, "*.example", "s3://bucket", own.host];
    for (const allowHosts of [undefined, [], ...near.map((entry) => [entry])])
      await assert.rejects(
        read(place, path, { allowHosts }),
        { code: "Argument", message: /pass the option `allowHosts: \["127\.0\.0\.2:\d+"\]`/ },
        String(allowHosts),
      );
    assert.deepEqual(other.requests, []);
  });
}

test("entries of allowHosts are checked at once", async () => {
  for (const [place, path] of CASES)
    for (const allowHosts of [[""], ["a b"], [5], "host"])
      await assert.rejects(read(place, path, { allowHosts }), { code: "Argument" }, `${place} ${allowHosts}`);
});

test("an address that ends in zarr.json is no document of references", async () => {
  await assert.rejects(zarr.open(`${own.url}/kept/zarr.json`), { code: "NotFound" });
  await assert.rejects(zarr.open(`${own.url}/kept/none.json`), { code: "NotFound" });
});
