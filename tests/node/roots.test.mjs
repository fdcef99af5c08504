/**
 * Keys cannot leave the root of a store: not by node paths, names in listings and consolidated
 * metadata, chunk key encodings, entries of archives or references. Each test has a file beside
 * the root, which nothing may read or change.
 */
import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import * as zarr from "zarr-wasm";
import { storedZip } from "../browser/stored_zip.mjs";

/** Paths that lead out of a root, for one of the parsers on the way. */
const OUTWARD = [
  "..",
  "../secret",
  "/../secret",
  "a/../../secret",
  "./../secret",
  "..\\secret",
  "a\\..\\..\\secret",
  "%2e%2e/secret",
  "%2E%2E%2Fsecret",
  "..%2fsecret",
  ".%2e/secret",
  "%252e%252e/secret",
  "..;/secret",
  "..\0/secret",
  "secret\0/..",
  "/secret/..",
  "C:\\secret",
  "C:/secret",
  "//127.0.0.1/secret",
  "file:///secret",
];

const GROUP = '{"zarr_format": 3, "node_type": "group", "attributes": {"is": "secret"}}';
const root = '{"zarr_format": 3, "node_type": "group"}';
const utf8 = (text) => new TextEncoder().encode(text);

let folder;
let server;
let url;
/** The paths of all requests, as they came. */
const asked = [];
/** Texts of the server by path. */
const texts = new Map();

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "zarr-wasm-roots-"));
  mkdirSync(join(folder, "secret"));
  writeFileSync(join(folder, "secret/zarr.json"), GROUP);
  mkdirSync(join(folder, "data/a"), { recursive: true });
  writeFileSync(join(folder, "data/zarr.json"), root);
  server = createServer((request, response) => {
    asked.push(request.url);
    const text = texts.get(request.url);
    const type = text?.startsWith("<") ? "text/html" : "application/json";
    response.writeHead(text === undefined ? 404 : 200, { "Content-Type": type }).end(text);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  url = `http://127.0.0.1:${server.address().port}`;
  texts.set("/secret/zarr.json", GROUP);
  texts.set("/zarr.json", GROUP);
  texts.set("/data/zarr.json", root);
});
after(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Requests for anything that is not below `/data/`, after all parsers. */
const outside = () => asked.filter((path) => !new URL(path, url).pathname.startsWith("/data"));

/** Opens a path. Resolves to the attributes of what was found; undefined for an error. */
async function found(store, path) {
  const node = await zarr.open(store, { path }).catch((error) => {
    assert.ok(
      ["Argument", "NotFound", "Store"].includes(error.code),
      `${JSON.stringify(path)}: ${error.stack}`,
    );
  });
  return node?.attrs;
}

const isSecret = (attrs) => attrs?.is === "secret";

test("node paths and keys do not leave an HTTP store", async () => {
  asked.length = 0;
  const store = new zarr.FetchStore(`${url}/data`);
  for (const path of OUTWARD) {
    assert.ok(!isSecret(await found(store, path)), JSON.stringify(path));
    const bytes = await store.get(`/${path}/zarr.json`).catch(() => undefined);
    assert.equal(bytes, undefined, JSON.stringify(path));
  }
  assert.deepEqual(outside(), []);
});

test("node paths and keys do not leave a folder", async () => {
  const store = new zarr.FileSystemStore(join(folder, "data"));
  for (const path of OUTWARD) {
    assert.ok(!isSecret(await found(store, path)), JSON.stringify(path));
    const bytes = await store.get(`/${path}/zarr.json`).catch(() => undefined);
    assert.equal(bytes, undefined, JSON.stringify(path));
    await store.set(`/${path}/zarr.json`, utf8("{}")).catch(() => {});
    await store.delete(`/${path}/zarr.json`).catch(() => {});
    await zarr.create(store, { path, overwrite: true }).catch(() => {});
    await zarr.erase(zarr.root(store).resolve(path)).catch(() => {});
    assert.equal(readFileSync(join(folder, "secret/zarr.json"), "utf8"), GROUP, JSON.stringify(path));
  }
  assert.deepEqual(readdirSync(folder).sort(), ["data", "secret"]);
  assert.ok(existsSync(join(folder, "data")));
});

test("names in index pages do not leave an HTTP store", async () => {
  const links = OUTWARD.map((path) => `<a href="${path.replaceAll("\0", "%00")}">x</a>`);
  const page = `<html><title>Index of /data/</title>${links.join("")}<a href="b/">b/</a></html>`;
  texts.set("/data/", page);
  texts.set("/data/b/zarr.json", root);
  asked.length = 0;
  const group = await zarr.open(new zarr.FetchStore(`${url}/data`), { kind: "group" });
  const children = [];
  for await (const child of group.children()) children.push([child.path, isSecret(child.attrs)]);
  assert.ok(children.some(([path]) => path === "/b"));
  assert.ok(children.every(([, secret]) => !secret));
  // A listing is also looked for at the top of the server, which may be a bucket.
  const documents = outside().filter((path) => !path.includes("list-type=2"));
  assert.deepEqual(documents, []);
});

test("names in consolidated metadata do not leave a store", async () => {
  const child = { zarr_format: 3, node_type: "group", attributes: {} };
  const metadata = Object.fromEntries(OUTWARD.map((path) => [path, child]));
  const document = { zarr_format: 3, node_type: "group", attributes: {} };
  document.consolidated_metadata = {
    kind: "inline",
    must_understand: false,
    metadata: { ...metadata, b: child },
  };
  texts.set("/data/zarr.json", JSON.stringify(document));
  asked.length = 0;
  try {
    const known = await zarr
      .withConsolidatedMetadata(new zarr.FetchStore(`${url}/data`))
      .catch((error) => assert.equal(error.code, "Format"));
    for (const { path } of known?.contents() ?? []) {
      assert.ok(!path.split("/").includes(".."), path);
      assert.ok(!isSecret(await found(known, path)), path);
    }
    assert.deepEqual(outside(), []);
  } finally {
    texts.set("/data/zarr.json", root);
  }
});

/** Metadata of an array of one chunk, whose key has this encoding. */
const arrayWith = (encoding) =>
  JSON.stringify({
    zarr_format: 3,
    node_type: "array",
    shape: [4],
    data_type: "uint8",
    chunk_grid: { name: "regular", configuration: { chunk_shape: [4] } },
    chunk_key_encoding: encoding,
    codecs: [{ name: "bytes" }],
    fill_value: 7,
  });

test("chunk key encodings do not leave a store", async () => {
  for (const outward of ["../../secret/zarr.json", "..", "/../../", "..\\", "%2e%2e/", "\0"]) {
    const encodings = [
      { name: "default", configuration: { separator: outward } },
      { name: "v2", configuration: { separator: outward } },
      { name: "suffix", configuration: { suffix: outward, "base-encoding": { name: "default" } } },
      { name: "prefix", configuration: { prefix: outward, "base-encoding": { name: "default" } } },
      { name: "template", configuration: { template: `${outward}{0}` } },
    ];
    for (const encoding of encodings) {
      texts.set("/data/a/zarr.json", arrayWith(encoding));
      asked.length = 0;
      const what = JSON.stringify(encoding);
      const read = await zarr
        .open(new zarr.FetchStore(`${url}/data`), { path: "a", kind: "array" })
        .then((array) => array.get())
        .catch((error) => assert.ok(error.code, `${what}: ${error.stack}`));
      // A key that stays inside is not there, so its chunk is filled.
      if (read) assert.deepEqual([...read.data], [7, 7, 7, 7], what);
      assert.deepEqual(outside(), [], what);
    }
  }
});

test("names in an archive do not leave it, and do not hide other entries", async () => {
  const entries = OUTWARD.map((path) => [`${path}/zarr.json`, utf8(GROUP)]);
  const archive = new Blob([storedZip([["zarr.json", utf8(root)], ...entries, ["b/zarr.json", utf8(root)]])]);
  const store = zarr.ZipFileStore.fromBlob(archive);
  const group = await zarr
    .open(store, { kind: "group" })
    .catch((error) => assert.ok(error.code, error.stack));
  if (!group) return;
  for (const path of OUTWARD.filter((each) => each.split(/[\\/]/).includes("..")))
    assert.ok(!isSecret(await found(store, path.replaceAll("\\", "/"))), JSON.stringify(path));
});

test("references reach no files, and no servers but those that are allowed", async () => {
  const targets = [
    "file:///etc/passwd",
    "/etc/passwd",
    "http://127.0.0.1:9/x",
    "..\\x",
    "data:,x",
    "ftp://a/x",
  ];
  for (const target of targets) {
    const document = { "zarr.json": arrayWith({ name: "default" }), "c/0": [target] };
    texts.set("/data/references.json", JSON.stringify(document));
    asked.length = 0;
    const store = await zarr.ReferenceStore.fromUrl(`${url}/data/references.json`, { allowHosts: [] });
    const array = await zarr.open(store, { kind: "array" });
    const read = await array.get().catch((error) => assert.ok(error.code, `${target}: ${error.stack}`));
    // What is on the document's server may be asked for, and is not there.
    if (read) assert.deepEqual([...read.data], [7, 7, 7, 7], target);
  }
  for (const key of OUTWARD) {
    const document = { "zarr.json": root, [`${key}/zarr.json`]: GROUP };
    await zarr
      .open(zarr.ReferenceStore.fromSpec(document), { kind: "group" })
      .catch((error) => assert.ok(["Argument", "Format"].includes(error.code), `${key}: ${error.stack}`));
  }
});
