/** All stores of Node, with the suite of all stores, and tests of single stores. */
import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import * as zarr from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/fs";
import { serve } from "../../scripts/serve.mjs";
import { content, readingSuite, writingSuite } from "../support/store_suite.mjs";
import { objectServer } from "./object_server.mjs";
import { scriptedServer } from "./scripted_server.mjs";

const equal = (actual, expected, what) => assert.deepEqual(actual, expected, what);
const rejects = (promise, matches) => assert.rejects(promise, matches);
const kit = { zarr, test, equal, rejects };
const STORES = join(import.meta.dirname, "../fixtures/containers");

const folders = [];
const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "zarr-wasm-stores-"));
  folders.push(folder);
  return folder;
};
const servers = [];
const start = async (promise) => {
  const server = await promise;
  servers.push(server);
  return server;
};
/** The URL of a server whose every answer is this text. */
async function documentServer(text) {
  const server = createServer((_, response) => response.end(text));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  servers.push({ close: () => new Promise((resolve) => server.close(resolve)) });
  return `http://127.0.0.1:${server.address().port}`;
}
after(async () => {
  for (const server of servers) await server.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

async function fill(store, files) {
  for (const [key, bytes] of files) await store.set(key, bytes);
  return store;
}

async function archiveOf(files, options) {
  const writer = new zarr.ZipWriter(options);
  await fill(writer, files);
  return writer.toBlob();
}

/** Starts a server of objects with a bucket. */
const bucket = async (options) => {
  const server = await start(objectServer(options));
  return `${server.url}/bucket/some%20where`;
};

/** A store with only zarrita's interface. */
const userObject = (files) => ({
  get: async (key) => files.get(key),
  getRange: async (key, range) => {
    const bytes = files.get(key);
    if ("suffixLength" in range) return bytes?.slice(-range.suffixLength);
    return bytes?.slice(range.offset, range.offset + range.length);
  },
});

/** References: half of the files are inline, half are ranges of one file on a server. */
async function referencesOf(files) {
  const parts = [];
  let offset = 5;
  const refs = {};
  for (const [key, bytes] of files) {
    const name = key.slice(1);
    if (parts.length % 2 === 0 || name.endsWith(".json")) {
      refs[name] = `base64:${Buffer.from(bytes).toString("base64")}`;
    } else {
      refs[name] = ["{{f(c='data')}}", offset, bytes.length];
    }
    parts.push(bytes);
    offset += bytes.length;
  }
  const folder = newFolder();
  writeFileSync(join(folder, "data.bin"), Buffer.concat([Buffer.from("start"), ...parts]));
  writeFileSync(
    join(folder, "refs.json"),
    JSON.stringify({ version: 1, templates: { f: "{{c}}.bin" }, refs }),
  );
  const { url } = await start(serve({ "/": folder }, { data: ["/"] }));
  return zarr.ReferenceStore.fromUrl(`${url}/refs.json`);
}

readingSuite(kit, "Map", (files) => files, { ranges: false, sizes: false, lists: false });
readingSuite(kit, "user object", userObject, { sizes: false, lists: false });
readingSuite(kit, "FetchStore on a bucket", async (files) =>
  fill(new zarr.FetchStore(await bucket()), files),
);
readingSuite(kit, "FetchStore on a bucket of the first version", async (files) =>
  fill(new zarr.FetchStore(await bucket({ version: 1, page: 3 })), files),
);
readingSuite(kit, "FetchStore on pages of folders", async (files) =>
  fill(new zarr.FetchStore(await bucket({ lists: "pages" })), files),
);
readingSuite(
  kit,
  "FetchStore on a server that cannot list",
  async (files) => fill(new zarr.FetchStore(await bucket({ lists: "none" })), files),
  { lists: false },
);
readingSuite(kit, "ZipFileStore of a Blob", async (files) =>
  zarr.ZipFileStore.fromBlob(await archiveOf(files)),
);
readingSuite(kit, "ZipFileStore of a URL", async (files) => {
  const folder = newFolder();
  const archive = await archiveOf(files, { omeVersion: "0.5" });
  writeFileSync(join(folder, "a.ozx"), Buffer.from(await archive.arrayBuffer()));
  const { url } = await start(serve({ "/": folder }, { data: ["/"] }));
  return zarr.ZipFileStore.fromUrl(`${url}/a.ozx`);
});
readingSuite(kit, "ZipFileStore of a reader", async (files) => {
  const bytes = new Uint8Array(await (await archiveOf(files)).arrayBuffer());
  const read = async (offset, length) => bytes.slice(offset, offset + length);
  return new zarr.ZipFileStore({ getLength: async () => bytes.length, read });
});
readingSuite(kit, "ZipWriter", (files) => fill(new zarr.ZipWriter(), files));
readingSuite(kit, "ReferenceStore", referencesOf);
readingSuite(kit, "OverlayStore", async (files) => {
  const entries = [...files];
  const [first, second] = [new zarr.ZipWriter(), new zarr.ZipWriter()];
  await fill(
    first,
    entries.filter((_, at) => at % 2 === 0),
  );
  await fill(
    second,
    entries.map(([key, bytes], at) => [key, at % 2 === 0 ? Uint8Array.of(0) : bytes]),
  );
  return new zarr.OverlayStore(first, second);
});
readingSuite(kit, "FileSystemStore", (files) => fill(new FileSystemStore(newFolder()), files));

writingSuite(kit, "FetchStore on a bucket", async () => new zarr.FetchStore(await bucket()));
writingSuite(
  kit,
  "FetchStore on a server that cannot list",
  async () => new zarr.FetchStore(await bucket({ lists: "none" })),
  {
    lists: false,
  },
);
writingSuite(kit, "ZipWriter", () => new zarr.ZipWriter(), { strict: false });
writingSuite(kit, "Map", () => new Map(), { lists: false, strict: false });
writingSuite(kit, "FileSystemStore", () => new FileSystemStore(newFolder()));

const EXPECTED = JSON.parse(readFileSync(join(STORES, "expected.json"), "utf8"));
const flat = (values) => values.flat(Number.POSITIVE_INFINITY);

for (const [name, arrays] of Object.entries(EXPECTED)) {
  test(`${name} of another program`, async () => {
    const { url } = await start(serve({ "/": STORES }, { data: ["/"] }));
    const place = `${url}/${name}`;
    const store = name.endsWith(".json") ? await zarr.ReferenceStore.fromUrl(place) : undefined;
    for (const [path, expected] of Object.entries(arrays)) {
      const array = await zarr.open(store ?? place, { path, kind: "array" });
      equal([...(await array.get()).data].map(Number), flat(expected), `${name} ${path}`);
    }
    if (!store) {
      const blob = new Blob([readFileSync(join(STORES, name))]);
      equal([...(await (await zarr.open(blob, { path: "a", kind: "array" })).get()).data], flat(arrays.a));
    }
  });
}

test("an archive with the hierarchy in a folder: the error names its path", async () => {
  const blob = new Blob([readFileSync(join(STORES, "beside.zip"))]);
  for (const options of [{}, { path: "a" }]) {
    await assert.rejects(zarr.open(blob, options), (error) => {
      equal(error.code, "NotFound");
      assert.match(error.message, /there is one at "data\.zarr"/);
      return true;
    });
  }
  const array = await zarr.open(blob, { path: "data.zarr/a", kind: "array" });
  equal([...(await array.get()).data], flat(EXPECTED["folder.zip"].a));
});

test("an archive needs few requests, and is fetched once from a server that ignores ranges", async () => {
  const files = content();
  files.set("/large", new Uint8Array(200_000).fill(7));
  const bytes = Buffer.from(await (await archiveOf(files)).arrayBuffer());
  let requests = [];
  const fetchBytes = (ranges) => async (request) => {
    const range = /bytes=(\d+)-(\d+)/.exec(request.headers.get("Range") ?? "");
    requests.push(`${request.method} ${range?.[0] ?? ""}`);
    if (request.method === "HEAD") return new Response(null, { headers: { "Content-Length": bytes.length } });
    if (!range || !ranges) return new Response(bytes);
    const part = bytes.subarray(Number(range[1]), Number(range[2]) + 1);
    return new Response(part, {
      status: 206,
      headers: { "Content-Range": `bytes ${range[1]}-${range[2]}/${bytes.length}` },
    });
  };
  const store = zarr.ZipFileStore.fromUrl("https://host/a.zip", { fetch: fetchBytes(true) });
  equal(Buffer.from(await store.get("/ab/c")).toString(), "0123456789");
  const before = requests.length;
  await store.get("/a/b/c/d");
  assert.ok(before <= 3 && requests.length <= before + 1, requests.join("\n"));
  requests = [];
  const whole = zarr.ZipFileStore.fromUrl("https://host/b.zip", { fetch: fetchBytes(false) });
  for (const key of files.keys()) await whole.get(key);
  assert.ok(requests.length <= 3, requests.join("\n"));
});

test("an archive through the readers of @zarrita/storage/zip", async (t) => {
  const { BlobReader, HTTPRangeReader } = await import("zarr-wasm/zip");
  const bytes = readFileSync(join(STORES, "deflated.zip"));
  const server = await scriptedServer(new Map([["/a.zip", bytes]]));
  t.after(() => server.close());
  const url = `${server.url}/a.zip`;
  const overrides = { headers: { "X-Name": "value" } };
  const own = [];
  server.act = (request) => void own.push(request.headers["x-name"]);
  const readers = [new BlobReader(new Blob([bytes])), new HTTPRangeReader(new URL(url), { overrides })];
  for (const reader of readers) {
    equal(await reader.getLength(), bytes.length);
    equal(await reader.getLength(), bytes.length);
    equal(Buffer.from(await reader.read(5, 9)), bytes.subarray(5, 14));
    equal((await reader.read(5, 0)).length, 0);
    const array = await zarr.open(new zarr.ZipFileStore(reader), { path: "a", kind: "array" });
    equal([...(await array.get()).data], flat(EXPECTED["deflated.zip"].a));
  }
  assert.ok(own.length > 0 && own.every((value) => value === "value"), String(own));
  equal(server.requests.filter(({ method }) => method === "HEAD").length, 1);
  server.act = (_request, response) => Boolean(response.end(bytes)); // without ranges
  equal(Buffer.from(await readers[1].read(5, 9)), bytes.subarray(5, 14));
  await assert.rejects(readers[1].read(bytes.length - 1, 9), { code: "Store", actual: "1" });
  server.act = undefined;
  const absent = new HTTPRangeReader(`${server.url}/b.zip`);
  for (const asked of [() => absent.getLength(), () => absent.read(0, 5)])
    await assert.rejects(asked(), { code: "Store", actual: "404 Not Found" });
});

test("transformEntries renames entries", async () => {
  const blob = await archiveOf(
    new Map([
      ["/x/a", Uint8Array.of(1)],
      ["/x/b", Uint8Array.of(2)],
      ["/y", Uint8Array.of(3)],
    ]),
  );
  const store = zarr.ZipFileStore.fromBlob(blob, {
    transformEntries: (entries) =>
      Object.fromEntries(
        Object.entries(entries).flatMap(([name, entry]) =>
          name.startsWith("x/") ? [[name.slice(2), entry]] : [],
        ),
      ),
  });
  equal([...(await store.get("/a"))], [1]);
  equal(await store.get("/x/a"), undefined);
  equal(await store.list("/"), ["/a", "/b"]);
});

test("archives are written to streams, and an OME-Zarr archive requires its document", async () => {
  const writer = new zarr.ZipWriter({ omeVersion: "0.5" });
  await writer.set("/a/c/0", Uint8Array.of(1, 2));
  await assert.rejects(writer.toBlob(), { code: "Argument" });
  await writer.set("/a/zarr.json", Buffer.from("{}"));
  await writer.set("/zarr.json", Buffer.from("{}"));
  const chunks = [];
  await writer.pipeTo(new WritableStream({ write: (chunk) => void chunks.push(chunk) }));
  const streamed = Buffer.concat(chunks);
  equal(streamed, Buffer.from(await (await writer.toBlob()).arrayBuffer()));
  assert.ok(streamed.indexOf("zarr.json") < streamed.indexOf("a/zarr.json"));
  assert.ok(streamed.indexOf("a/zarr.json") < streamed.indexOf("a/c/0"));
  const failing = new WritableStream({ write: () => Promise.reject(new Error("disk full")) });
  await assert.rejects(writer.pipeTo(failing), /disk full/);
});

test("a document that the caller gives may name any server, and others only their own", async () => {
  const { url } = await start(serve({ "/": STORES }, { data: ["/"] }));
  const host = new URL(url).host;
  const spec = { ".zgroup": '{"zarr_format": 2}', "a/0": [`${url}/data.h5`, 0, 8] };
  const own = zarr.ReferenceStore.fromSpec(spec);
  equal(Buffer.from(await own.get("/.zgroup")).toString(), '{"zarr_format": 2}');
  equal([...(await own.get("/a/0"))].slice(1, 4), [72, 68, 70]);
  const text = await zarr.ReferenceStore.fromSpec(Promise.resolve(JSON.stringify(spec)));
  equal([...(await text.get("/a/0"))].slice(1, 4), [72, 68, 70]);
  const narrowed = zarr.ReferenceStore.fromSpec(spec, { allowHosts: ["other.example"] });
  const refused = {
    code: "Argument",
    message: new RegExp(`pass the option \`allowHosts: \\["${host}"\\]\``),
  };
  await assert.rejects(narrowed.get("/a/0"), refused);
  const documents = await documentServer(JSON.stringify(spec));
  const others = await zarr.ReferenceStore.fromUrl(`${documents}/refs.json`);
  await assert.rejects(others.get("/a/0"), refused);
  const allowed = await zarr.ReferenceStore.fromUrl(`${documents}/refs.json`, { allowHosts: [host] });
  equal([...(await allowed.get("/a/0"))].slice(1, 4), [72, 68, 70]);
  const target = zarr.ReferenceStore.fromSpec({ x: [null, 1, 3] }, { target: `${url}/data.h5` });
  equal([...(await target.get("/x"))], [72, 68, 70]);
  await assert.rejects(zarr.ReferenceStore.fromUrl(`${url}/expected.txt`), { code: "NotFound" });
  await assert.rejects(zarr.ReferenceStore.fromUrl(`${url}/data.h5`), { code: "Format" });
  equal(zarr.ReferenceStore.resolveUri("s3://b/c d"), "https://b.s3.amazonaws.com/c d");
});

test("listing a store that cannot list is an error", async () => {
  const store = new zarr.FetchStore(await bucket({ lists: "none" }));
  await assert.rejects(store.list("/"), {
    code: "Unsupported",
    message: /this store cannot list; open by path/,
  });
});

test("a write to a read-only server is an error with the key", async () => {
  const { url } = await start(serve({ "/": STORES }, { data: ["/"] }));
  const store = new zarr.FetchStore(url);
  await assert.rejects(store.set("/x", Uint8Array.of(1)), { code: "Unsupported", key: "x" });
  await assert.rejects(store.delete("/x"), { code: "Unsupported" });
});

test("writes use the user's fetch, which signs requests", async () => {
  const seen = [];
  const store = new zarr.FetchStore(`${await bucket()}?signature=a`, {
    overrides: { headers: { "x-one": "1" } },
    fetch: (request) => {
      seen.push(`${request.method} ${request.headers.get("x-one")} ${new URL(request.url).search}`);
      return fetch(request);
    },
  });
  await store.set("/a", Uint8Array.of(1, 2, 3));
  equal([...(await store.get("/a"))], [1, 2, 3]);
  await store.delete("/a");
  equal(seen, ["PUT 1 ?signature=a", "GET 1 ?signature=a", "DELETE 1 ?signature=a"]);
});

test("the names of @zarrita/storage have its paths", async () => {
  for (const [entry, name, ...others] of [
    ["fetch", "FetchStore"],
    ["fs", "FileSystemStore"],
    ["ref", "ReferenceStore"],
    ["zip", "ZipFileStore", "BlobReader", "HTTPRangeReader"],
  ]) {
    const module = await import(`zarr-wasm/${entry}`);
    equal(Object.keys(module).sort(), [name, ...others, "default"].sort());
    equal(module.default, module[name]);
  }
  equal((await import("zarr-wasm/zip")).ZipFileStore, zarr.ZipFileStore);
});

test("a folder: links to the outside are refused, others are followed", async () => {
  const [outside, root] = [newFolder(), newFolder()];
  writeFileSync(join(outside, "secret"), "secret");
  mkdirSync(join(root, "in"));
  writeFileSync(join(root, "in/file"), "inside");
  symlinkSync(join(outside, "secret"), join(root, "file-out"));
  symlinkSync(outside, join(root, "folder-out"));
  symlinkSync(join(root, "in"), join(root, "folder-in"));
  symlinkSync(root, join(root, "in/loop"));
  symlinkSync(join(root, "nowhere"), join(root, "broken"));
  const store = new FileSystemStore(root);
  const code = { code: "Argument" };
  for (const key of ["/file-out", "/folder-out/secret"]) {
    await assert.rejects(store.get(key), code, key);
    await assert.rejects(store.getRange(key, { offset: 0, length: 1 }), code, key);
    await assert.rejects(store.size(key), code, key);
  }
  await assert.rejects(store.set("/folder-out/new", Uint8Array.of(1)), code);
  await assert.rejects(store.set("/folder-out/new/deep", Uint8Array.of(1)), code);
  await assert.rejects(store.deletePrefix("/folder-out/"), code);
  equal(readdirSync(outside), ["secret"]);
  equal(Buffer.from(await store.get("/folder-in/file")).toString(), "inside");
  equal(await store.get("/broken"), undefined);
  // Replaces the link and not its target.
  await store.set("/file-out", Uint8Array.of(1));
  equal(readFileSync(join(outside, "secret"), "utf8"), "secret");
  equal((await store.listDir("/")).keys, ["/file-out"]);
});

test("a folder: a value and a folder of one name, prefixes, and no temporary files", async () => {
  const root = newFolder();
  const store = new FileSystemStore(join(root, "made/later"));
  equal(await store.get("/a"), undefined);
  equal(await store.listDir("/"), { keys: [], prefixes: [] });
  await store.set("/a", Uint8Array.of(1));
  await assert.rejects(store.set("/a/b", Uint8Array.of(1)), { code: "Store", key: "/a/b" });
  await store.set("/d/e/f", Uint8Array.of(1));
  await assert.rejects(store.set("/d/e", Uint8Array.of(1)), { code: "Store", key: "/d/e" });
  equal(await store.delete("/d"), false);
  equal(readdirSync(join(root, "made/later")).sort(), ["a", "d"]);
  equal(readdirSync(join(root, "made/later/d")), ["e"]);
  await store.deletePrefix("/d/");
  equal(existsSync(join(root, "made/later/d")), false);
  await store.deletePrefix("/");
  equal(await store.listDir("/"), { keys: [], prefixes: [] });
});
