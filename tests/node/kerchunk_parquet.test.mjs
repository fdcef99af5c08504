/**
 * kerchunk's references in Parquet: stores of kerchunk, fsspec and VirtualiZarr
 * (`make/kerchunk_parquet.py`), over HTTP, in an archive and in a store of the user.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import * as zarr from "zarr-wasm";
import { parseRange } from "../../scripts/serve.mjs";
import { storedZip } from "../browser/stored_zip.mjs";
import { unpackFixtures } from "../support/fixture_archives.mjs";

const FOLDER = join(unpackFixtures(), "kerchunk");
const HOST = "https://data.example/";
const EXPECTED = JSON.parse(readFileSync(join(FOLDER, "expected.json"), "utf8"));
const CASES = Object.keys(EXPECTED);

/** The files of a folder by path. */
const filesOf = (folder) =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => [join(entry.parentPath, entry.name), entry])
      .map(([path]) => [path.slice(folder.length + 1), readFileSync(path)]),
  );

const VALUES = filesOf(join(FOLDER, "files"));

const zipOf = async (files) => Buffer.from(await storedZip([...files]).arrayBuffer());

/** A server of objects by path, and what it is asked. */
function server(objects, log = []) {
  const fetch = async (request) => {
    const { pathname } = new URL(request.url);
    const bytes = objects.get(decodeURIComponent(pathname.slice(1)));
    const wanted = request.headers.get("range");
    log.push(wanted ? `${request.method} ${pathname} ${wanted}` : `${request.method} ${pathname}`);
    if (!bytes) return new Response("gone", { status: 404 });
    const range = parseRange(wanted ?? undefined, bytes.length);
    if (!range) return new Response(bytes);
    const headers = { "Content-Range": `bytes ${range.first}-${range.last}/${bytes.length}` };
    return new Response(bytes.subarray(range.first, range.last + 1), { status: 206, headers });
  };
  return { fetch, log };
}

/** The objects of a case: its tables below `<case>.parq`, and the files beside it. */
function objectsOf(name, change = (files) => files) {
  const tables = change(filesOf(join(FOLDER, name)));
  return new Map([...VALUES, ...[...tables].map(([path, bytes]) => [`${name}.parq/${path}`, bytes])]);
}

const storeOf = (name, options, change) =>
  new zarr.ReferenceStore(new URL(`${name}.parq`, HOST), {
    fetch: server(objectsOf(name, change)).fetch,
    ...options,
  });

const elements = ({ values }) => {
  const bytes = Buffer.from(values, "base64");
  return [...new Int32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))];
};

/** Compares all arrays of a store with the writer's formula. */
async function compare(store, { arrays }) {
  for (const [path, expected] of Object.entries(arrays)) {
    const array = await zarr.open(store, { path, kind: "array" });
    const { data, shape } = await array.get();
    assert.deepEqual([shape, [...data]], [expected.shape, elements(expected)], path);
  }
}

for (const name of CASES) {
  test(`${name}: elements are those of the writer's formula`, async () => {
    await compare(storeOf(name), EXPECTED[name]);
  });

  test(`${name}: chunks that exist are listed`, async () => {
    const store = storeOf(name);
    const { references, arrays } = EXPECTED[name];
    const listed = await store.list();
    const chunks = listed.map((key) => key.slice(1)).filter((key) => !/\.z\w+$/.test(key));
    const there = Object.keys(references).filter((key) => references[key] !== null);
    assert.deepEqual(chunks.sort(), there.sort());
    for (const path of Object.keys(arrays)) {
      const { keys = [], ...rest } = await store.listDir(`/${path}`);
      assert.ok(
        keys.every((key) => key.startsWith(`/${path}/`)),
        JSON.stringify(rest),
      );
    }
  });
}

test("a first chunk takes the document, its file and the chunk", async () => {
  const { fetch, log } = server(objectsOf("pyarrow"));
  const store = new zarr.ReferenceStore(new URL("pyarrow.parq", HOST), { fetch });
  const array = await zarr.open(store, { path: "g/row", kind: "array" });
  await array.get([{ start: 20, stop: 30, step: null }]);
  const before = ["GET /pyarrow.parq/.zmetadata", "GET /pyarrow.parq/g/row/refs.0.parq"];
  assert.deepEqual(log, [...before, "GET /values.bin bytes=4080-4119"]);
  await array.get([{ start: 40, stop: 50, step: null }]);
  assert.deepEqual(log.slice(3), ["GET /values.bin bytes=4160-4199"]);
});

test("a file is requested once by reads at the same time", async () => {
  const { fetch, log } = server(objectsOf("categorical"));
  const store = new zarr.ReferenceStore(new URL("categorical.parq", HOST), { fetch });
  const array = await zarr.open(store, { path: "plane", kind: "array" });
  await Promise.all([array.get(), array.get([0, null]), array.get([null, 22])]);
  const tables = log.filter((line) => line.includes("refs."));
  assert.deepEqual(
    tables.sort(),
    [0, 1, 2].map((file) => `GET /categorical.parq/plane/refs.${file}.parq`),
  );
});

test("open() takes the address of a folder or of an archive, whatever its name", async (t) => {
  const { arrays } = EXPECTED.fastparquet;
  const real = globalThis.fetch;
  t.after(() => {
    globalThis.fetch = real;
  });
  const objects = objectsOf("fastparquet");
  for (const [path, bytes] of filesOf(join(FOLDER, "fastparquet"))) objects.set(`plain/${path}`, bytes);
  objects.set("tables.zip", await zipOf(filesOf(join(FOLDER, "fastparquet"))));
  const { fetch } = server(objects);
  globalThis.fetch = (input, init) => fetch(new Request(input, init));
  for (const address of ["fastparquet.parq", "fastparquet.parq/", "plain", "plain/?a=1", "tables.zip"]) {
    const array = await zarr.open(new URL(address, HOST), { path: "g/row", kind: "array" });
    const { data } = await array.get();
    assert.deepEqual([...data], elements(arrays["g/row"]), address);
    const group = await zarr.open(new URL(address, HOST), { kind: "group" });
    assert.ok(group.store instanceof zarr.ReferenceStore, address);
  }
  await assert.rejects(zarr.open(new URL("nothing", HOST)), { code: "NotFound" });
  await assert.rejects(zarr.open(new URL("plain", HOST), { path: "none" }), { code: "NotFound" });
});

test("tables in an archive and in a user's store", async () => {
  const options = { fetch: server(VALUES).fetch, allowHosts: ["data.example"] };
  const files = filesOf(join(FOLDER, "categorical"));
  const archive = zarr.ZipFileStore.fromBlob(new Blob([await zipOf(files)]));
  await compare(zarr.ReferenceStore.fromStore(archive, options), EXPECTED.categorical);
  const map = new Map([...files].map(([path, bytes]) => [`/${path}`, new Uint8Array(bytes)]));
  await compare(zarr.ReferenceStore.fromStore(map, options), EXPECTED.categorical);
  const alone = zarr.ReferenceStore.fromStore(map, { fetch: server(VALUES).fetch });
  const array = await zarr.open(alone, { path: "g/row", kind: "array" });
  await assert.rejects(array.get(), /allowHosts: \["data\.example"\]/);
  // What is inline needs no server.
  const plane = await zarr.open(alone, { path: "plane", kind: "array" });
  assert.deepEqual([...(await plane.get([0, 20])).data], [16]);
});

test("references lead to no other server", async () => {
  const { fetch, log } = server(objectsOf("categorical"));
  const store = new zarr.ReferenceStore(new URL("https://other.example/categorical.parq"), { fetch });
  const array = await zarr.open(store, { path: "scalar", kind: "array" });
  await assert.rejects(array.get(), /allowHosts: \["data\.example"\]/);
  assert.ok(!log.some((line) => line.includes("values.bin")));
});

test("groups are listed", async () => {
  const group = await zarr.open(storeOf("pyarrow"), { path: "g", kind: "group" });
  const names = [];
  for await (const child of group.children()) names.push(`${child.kind} ${child.path}`);
  assert.deepEqual(names.sort(), ["array /g/late", "array /g/nothing", "array /g/row", "group /g/deep"]);
  assert.equal(await storeOf("pyarrow").has("/plane/0.3"), false);
  assert.equal(await storeOf("pyarrow").size("/plane/0.1"), 48);
});

/** The files with those whose name ends so replaced; undefined removes. */
const with_ = (end, bytes) => (files) => {
  for (const path of files.keys()) {
    if (!path.endsWith(end)) continue;
    if (bytes === undefined) files.delete(path);
    else files.set(path, bytes);
  }
  return files;
};

test("a missing file means missing chunks, and a corrupt one is an error", async () => {
  const read = async (change) => {
    const array = await zarr.open(storeOf("pyarrow", {}, change), { path: "plane", kind: "array" });
    return array.get([
      { start: 0, stop: 3, step: null },
      { start: 4, stop: 8, step: null },
    ]);
  };
  assert.deepEqual(new Set((await read(with_("plane/refs.0.parq"))).data), new Set([-1]));
  const whole = filesOf(join(FOLDER, "pyarrow")).get("plane/refs.0.parq");
  const other = filesOf(join(FOLDER, "virtualizarr")).get(".zmetadata");
  for (const bytes of [whole.subarray(0, 700), Buffer.alloc(0), other, Buffer.from("PAR1PAR1")]) {
    await assert.rejects(read(with_("plane/refs.0.parq", bytes)), (error) => {
      assert.match(String(error), /Parquet file is corrupt.*plane\/refs\.0\.parq/s);
      return true;
    });
  }
});

test("a referenced file that is gone is an error", async () => {
  const objects = objectsOf("fastparquet");
  for (const path of [...objects.keys()]) if (path.endsWith(".bin")) objects.delete(path);
  const store = new zarr.ReferenceStore(new URL("fastparquet.parq", HOST), { fetch: server(objects).fetch });
  for (const path of ["g/deep/whole", "g/row"]) {
    const array = await zarr.open(store, { path, kind: "array" });
    await assert.rejects(array.get(), { code: "Store", message: /does not exist/ });
  }
});

test("a document of another kind is named", async () => {
  const open = (text) =>
    zarr.open(storeOf("pyarrow", {}, with_(".zmetadata", text && Buffer.from(text))), { kind: "group" });
  await assert.rejects(
    open('{"metadata":{},"zarr_consolidated_format":1}'),
    /consolidated metadata of Zarr v2/,
  );
  await assert.rejects(open('{"metadata":{},"record_size":0}'), { code: "Format" });
  await assert.rejects(open('{"metadata":{},"record_size":1e9}'), /record_size|rows/);
  await assert.rejects(open('{"metadata":{},"record_size":1000000000}'), { code: "Limit" });
  await assert.rejects(open('{"record_size":1}'), { code: "Format" });
  await assert.rejects(open(undefined), { code: "NotFound" });
});

test("consolidated metadata is not taken from tables, and the error names the store for them", async () => {
  const store = new zarr.FetchStore(new URL("pyarrow.parq", HOST), {
    fetch: server(objectsOf("pyarrow")).fetch,
  });
  for (const call of [zarr.withConsolidatedMetadata, zarr.withMaybeConsolidatedMetadata]) {
    await assert.rejects(call(store), { code: "Unsupported", message: /kerchunk Parquet.*ReferenceStore/ });
  }
});
