/**
 * Addresses as people paste them: of a node's document, with white space around, paths and `file:`
 * addresses in Node, archives and references by their paths, and maps of other programs. Values
 * follow from the bytes that the tests write.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import * as zarr from "zarr-wasm";
import { metadata } from "./made_stores.mjs";
import { scriptedServer } from "./scripted_server.mjs";

const bytes = (document) => Buffer.from(JSON.stringify(document));
const ARRAY = metadata({ shape: [2], chunks: [2], dtype: "uint8" });
const ZARRAY = {
  ...{ zarr_format: 2, shape: [2], chunks: [2], dtype: "|u1", fill_value: 0, order: "C" },
  ...{ compressor: null, filters: null },
};

/** Hierarchies of both formats, by key. */
const FILES = new Map([
  ["/x.zarr/zarr.json", bytes({ zarr_format: 3, node_type: "group", attributes: { is: "x" } })],
  ["/x.zarr/0/zarr.json", bytes(ARRAY)],
  ["/x.zarr/0/c/0", Buffer.from([1, 2])],
  ["/y.zarr/.zgroup", bytes({ zarr_format: 2 })],
  ["/y.zarr/.zattrs", bytes({ is: "y" })],
  ["/y.zarr/0/.zarray", bytes(ZARRAY)],
  ["/y.zarr/0/0", Buffer.from([3, 4])],
]);

const work = mkdtempSync(join(tmpdir(), "zarr-wasm-addresses-"));
let server;
before(async () => {
  for (const [key, value] of FILES) {
    mkdirSync(dirname(join(work, key)), { recursive: true });
    writeFileSync(join(work, key), value);
  }
  server = await scriptedServer(new Map(FILES));
});
after(async () => {
  await server.close();
  rmSync(work, { recursive: true, force: true });
});

/** The bytes of an archive with these files. */
async function zipOf(files) {
  const writer = new zarr.ZipWriter();
  for (const [key, value] of files) await writer.set(key, value);
  return Buffer.from(await (await writer.toBlob()).arrayBuffer());
}

/** The values of an array at a place. */
const valuesAt = async (place, options) => [...(await (await zarr.open(place, options)).get()).data];

/** The nodes and the addresses of their documents. */
const DOCUMENTS = {
  x: ["x.zarr/zarr.json", "x.zarr/.zattrs", "x.zarr/.zgroup", "x.zarr/.zmetadata", "x.zarr"],
  y: ["y.zarr/.zgroup", "y.zarr/.zattrs", "y.zarr/.zmetadata", "y.zarr/"],
};
const ARRAYS = [
  [
    ["x.zarr/0/zarr.json", "x.zarr/0/.zarray"],
    [1, 2],
  ],
  [
    ["y.zarr/0/.zarray", "y.zarr/0/.zattrs"],
    [3, 4],
  ],
];

test("the address of a document opens the node that it belongs to", async () => {
  for (const [is, addresses] of Object.entries(DOCUMENTS))
    for (const address of addresses)
      for (const place of [`${server.url}/${address}`, new URL(`${server.url}/${address}?signature=1`)]) {
        const node = await zarr.open(place);
        assert.deepEqual([node.kind, node.attrs.is], ["group", is], String(place));
      }
  for (const [addresses, values] of ARRAYS)
    for (const address of addresses) {
      assert.deepEqual(await valuesAt(`${server.url}/${address}`), values, address);
      assert.deepEqual(await valuesAt(` ${server.url}/${address}?a=/b/zarr.json\n`), values, address);
      assert.equal(await zarr.exists(`${server.url}/${address}`), "array");
    }
});

test("the query of a document's address stays on every request", async () => {
  server.requests.length = 0;
  await valuesAt(`${server.url}/x.zarr/0/zarr.json?signature=1`, { path: "" });
  const urls = server.requests.map(({ url, key, query }) => url ?? `${key}${query ?? ""}`);
  assert.ok(urls.length > 0 && !urls.some((url) => url.includes("zarr.json/")), urls.join());
  assert.equal(String(new zarr.FetchStore("https://h/a/zarr.json?x#y").url), "https://h/a?x#y");
  for (const kept of ["https://h/a.json", "https://h/zarr.json.zarr", "https://h/?a=/zarr.json", "/a/b"])
    assert.equal(new zarr.FetchStore(kept).url, kept);
});

test("in Node paths and file: addresses open folders, also by their documents", async () => {
  for (const at of [work, relative(process.cwd(), work), pathToFileURL(work).href])
    for (const [is, addresses] of Object.entries(DOCUMENTS))
      for (const address of addresses) {
        const node = await zarr.open(`${at}/${address}`);
        assert.equal(node.attrs.is, is, `${at}/${address}`);
        assert.ok(node.store instanceof zarr.FileSystemStore);
      }
  assert.deepEqual(await valuesAt(pathToFileURL(join(work, "x.zarr/0/zarr.json"))), [1, 2]);
  assert.deepEqual(await valuesAt(join(work, "y.zarr"), { path: "0" }), [3, 4]);
  const store = new zarr.FileSystemStore(pathToFileURL(work).href);
  assert.deepEqual(await valuesAt(zarr.root(store).resolve("y.zarr/0")), [3, 4]);
  assert.equal(await zarr.exists(join(work, "y.zarr/0")), "array");
});

test("nothing is written or erased at a path that is a text", async () => {
  const place = join(work, "x.zarr");
  const before = readdirSync(work, { recursive: true }).sort();
  for (const text of [place, pathToFileURL(place), relative(process.cwd(), place)])
    for (const change of [
      () => zarr.create(text, { shape: [2], dtype: "uint8" }),
      () => zarr.erase(text),
      () => zarr.consolidate(text),
      () => zarr.createDataset(text, { dimensions: { x: 2 }, variables: {} }),
    ])
      await assert.rejects(change(), { code: "Argument" }, String(text));
  assert.deepEqual(readdirSync(work, { recursive: true }).sort(), before);
});

test("in Node archives and references open by their paths", async () => {
  const archive = join(work, "z.zip");
  writeFileSync(archive, await zipOf([...FILES].map(([key, value]) => [key.slice(7), value]).slice(0, 3)));
  mkdirSync(join(work, "links"), { recursive: true });
  symlinkSync(archive, join(work, "links/z.zip"));
  for (const place of [archive, pathToFileURL(archive), join(work, "links/z.zip")])
    assert.deepEqual(await valuesAt(place, { path: "0" }), [1, 2], String(place));
  const document = join(work, "refs.json");
  writeFileSync(document, bytes({ version: 1, refs: { "zarr.json": ARRAY, "c/0": "base64:BQY=" } }));
  for (const place of [document, pathToFileURL(document)])
    assert.deepEqual(await valuesAt(place), [5, 6], String(place));
});

test("what is not there is NotFound, and what is no address an error of the argument", async () => {
  for (const name of ["none.zarr", "none.zip", "none.json", "none.parq", "x.zarr/zarr.json/a"])
    await assert.rejects(zarr.open(join(work, name)), { code: "NotFound" }, name);
  for (const place of ["", "mailto:a@b", "file://host/a"])
    await assert.rejects(zarr.open(place), { code: "Argument" }, place);
});

test("where there is a page, texts without a scheme are relative URLs and no paths", async () => {
  Object.defineProperty(globalThis, "location", {
    value: new URL(`${server.url}/x.zarr/`),
    configurable: true,
  });
  try {
    assert.deepEqual(await valuesAt("0"), [1, 2]);
    await assert.rejects(zarr.open(join(work, "x.zarr")), { code: "NotFound" });
  } finally {
    delete globalThis.location;
  }
});

test("a map whose keys have no slash before them is read and written so", async () => {
  const map = new Map([...FILES].map(([key, value]) => [key.slice(1), value]));
  assert.deepEqual(await valuesAt(zarr.root(map).resolve("x.zarr/0")), [1, 2]);
  const group = await zarr.open(zarr.root(map).resolve("x.zarr"));
  const paths = [];
  for await (const { path } of group.children()) paths.push(path);
  assert.deepEqual(paths, ["/x.zarr/0"]);
  const array = await zarr.open(zarr.root(map).resolve("x.zarr/0"), { kind: "array" });
  await array.set(null, 9);
  assert.deepEqual([...map.get("x.zarr/0/c/0")], [9, 9]);
  await zarr.create(map, { path: "new", shape: [2], dtype: "uint8" });
  await zarr.erase(zarr.root(map).resolve("y.zarr"));
  assert.ok(map.has("new/zarr.json"));
  const strange = [...map.keys()].filter((key) => key.startsWith("/") || key.startsWith("y.zarr"));
  assert.deepEqual(strange, []);
});

test("references in an archive are read from it, and reach only its own server", async () => {
  const refs = (chunk) => bytes({ version: 1, refs: { "zarr.json": ARRAY, "c/0": chunk } });
  const own = await zipOf([["/refs.json", refs(["x.zarr/0/c/0"])]]);
  const foreign = await zipOf([["/refs.json", refs(["http://elsewhere.example/c/0"])]]);
  server.files.set("/own.zip", own).set("/foreign.zip", foreign);
  server.files.set("/none.zip", await zipOf([["/a.txt", Buffer.from("a")]]));
  for (const open of [
    (url) => zarr.open(url),
    async (url) => zarr.open(await zarr.ReferenceStore.fromUrl(url)),
  ]) {
    const array = await open(`${server.url}/own.zip`);
    assert.deepEqual([...(await array.get()).data], [1, 2]);
    const refused = await open(`${server.url}/foreign.zip`);
    await assert.rejects(refused.get(), { message: /allowHosts.*elsewhere.example/ });
  }
  await assert.rejects(zarr.ReferenceStore.fromUrl(`${server.url}/none.zip`), {
    code: "Format",
    message: /no references in the archive \/none.zip/,
  });
});

test("a server with a port before a bucket is that server, in addresses and in STAC documents", async () => {
  const address = "s3://objects.example:443/e05ab:data/x.zarr";
  assert.equal(zarr.ReferenceStore.resolveUri(address), "https://objects.example:443/e05ab:data/x.zarr");
  const hrefs = ["https://objects.example:443/e05ab:data/x.zarr/0", `${address}/0`];
  const assets = Object.fromEntries(
    hrefs.map((href, at) => [`a${at}`, { href, type: "application/vnd+zarr", roles: ["data"] }]),
  );
  const found = await zarr.assetsOf({ type: "Feature", stac_version: "1.0.0", id: "x", assets, links: [] });
  assert.deepEqual(
    found.map(({ url, path }) => [new URL(zarr.ReferenceStore.resolveUri(url)).href, path]),
    hrefs.map(() => ["https://objects.example/e05ab:data/x.zarr", "0"]),
  );
  // The engine takes the same server.
  const asked = [];
  const fetch = async ({ url }) => {
    asked.push(url);
    return new Response(null, { status: 404 });
  };
  await assert.rejects(zarr.open(new zarr.FetchStore(address, { fetch })), { code: "NotFound" });
  assert.ok(
    asked.every((url) => url.startsWith("https://objects.example/e05ab:data/x.zarr/")),
    asked.join(),
  );
});
