/**
 * Servers without ranges send an object once: whatever its size, however many reads want parts of
 * it at once, and also if no cache of the network may keep it. The servers' logs tell.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { after, before, test } from "node:test";
import * as zarr from "zarr-wasm";
import { serveRepositories } from "../servers/icechunk.mjs";
import { unpackArchive } from "../support/fixture_archives.mjs";
import { metadata } from "./made_stores.mjs";
import { scriptedServer } from "./scripted_server.mjs";

const MIB = 2 ** 20;
const LARGE = 70;
const ANSWERS = {
  plain: {},
  "no-cache": { "Cache-Control": "no-cache" },
  "no-store": { "Cache-Control": "no-store" },
  neither: { "Cache-Control": "no-cache, no-store, must-revalidate" },
};

/** The value of all elements of an inner chunk. */
const filling = (chunk) => 1 + (chunk % 251);

/** An array of shards with `size` inner chunks of 1 MiB, in which each row is a chunk. */
function rowsInShards(path, shards, size, store = new Map()) {
  const inner = metadata({ shape: [shards * size, MIB], chunks: [1, MIB], dtype: "uint8" });
  const [bytes] = inner.codecs;
  const configuration = { chunk_shape: [1, MIB], codecs: [bytes], index_codecs: [bytes] };
  const document = {
    ...inner,
    chunk_grid: { name: "regular", configuration: { chunk_shape: [size, MIB] } },
    codecs: [{ name: "sharding_indexed", configuration }],
  };
  store.set(`${path}/zarr.json`, Buffer.from(JSON.stringify(document)));
  for (let shard = 0; shard < shards; shard += 1) {
    const stored = Buffer.alloc(size * (MIB + 16));
    for (let at = 0; at < size; at += 1) {
      stored.fill(filling(shard * size + at), at * MIB, (at + 1) * MIB);
      stored.writeBigUInt64LE(BigInt(at * MIB), size * MIB + 16 * at);
      stored.writeBigUInt64LE(BigInt(MIB), size * MIB + 16 * at + 8);
    }
    store.set(`${path}/c/${shard}/0`, stored);
  }
  return store;
}

const files = rowsInShards("/small", 3, 4);
rowsInShards("/large", 1, LARGE, files);

let server;
before(async () => {
  server = await scriptedServer(files);
  server.act = (request, response, bytes) => {
    if (!bytes) return false;
    response.writeHead(200, { "Content-Length": bytes.length, ...server.headers });
    response.end(request.method === "HEAD" ? undefined : bytes);
    return true;
  };
});
after(() => server.close());

/** How often each chunk or archive was sent while a function ran, also in part. */
async function sentBy(run) {
  server.requests.length = 0;
  await run();
  const sent = {};
  for (const { method, key } of server.requests)
    if (method === "GET" && /\/c\/|\.zip$/.test(key)) sent[key] = (sent[key] ?? 0) + 1;
  return sent;
}

const onceEach = (...keys) => Object.fromEntries(keys.map((key) => [key, 1]));
const SMALL = ["/small/c/0/0", "/small/c/1/0", "/small/c/2/0"];
const BIG = ["/large/c/0/0"];

const open = (name) => zarr.open(new zarr.FetchStore(`${server.url}/${name}`), { kind: "array" });

async function checkRows(array, selection, rows) {
  const { data } = await array.get(selection);
  const width = data.length / rows.length;
  for (const [at, row] of rows.entries())
    for (const place of [0, width - 1]) assert.equal(data[at * width + place], filling(row), `row ${row}`);
}

const rowsFrom = (first, last) => Array.from({ length: last - first }, (_, at) => first + at);

test("shards of 4 and of 70 MiB are sent once for all reads of them", async () => {
  server.headers = {};
  const sent = await sentBy(async () => {
    const small = await open("small");
    await checkRows(small, [5, zarr.slice(9)], [5]);
    await checkRows(small, null, rowsFrom(0, 12));
    await checkRows(small, [zarr.slice(2, 9), zarr.slice(7)], rowsFrom(2, 9));
    const large = await open("large");
    await checkRows(large, [60, zarr.slice(9)], [60]);
    await checkRows(large, [zarr.slice(0, LARGE), zarr.slice(0, 9)], rowsFrom(0, LARGE));
    await checkRows(large, [zarr.slice(30, 50), zarr.slice(0, 100_000)], rowsFrom(30, 50));
  });
  assert.deepEqual(sent, onceEach(...SMALL, ...BIG));
});

for (const [name, headers] of Object.entries(ANSWERS)) {
  test(`${name}: a read of several parts gets each object once`, async () => {
    server.headers = headers;
    const [small, large] = [await open("small"), await open("large")];
    const ofSmall = () => checkRows(small, null, rowsFrom(0, 12));
    assert.deepEqual(await sentBy(ofSmall), onceEach(...SMALL));
    const again = await sentBy(ofSmall);
    assert.deepEqual(again, name === "no-cache" ? onceEach(...SMALL) : {});
    assert.deepEqual(
      await sentBy(() => checkRows(large, [zarr.slice(3, 40), 5], rowsFrom(3, 40))),
      onceEach(...BIG),
    );
  });

  test(`${name}: parallel tiles of a shard share it`, async () => {
    server.headers = headers;
    const large = await open("large");
    const tiles = Array.from({ length: 24 }, (_, at) => [(at * 13) % LARGE, at * 1000]);
    const sent = await sentBy(() =>
      Promise.all(tiles.map(([row, from]) => checkRows(large, [row, zarr.slice(from, from + 512)], [row]))),
    );
    assert.deepEqual(sent, onceEach(...BIG));
  });

  test(`${name}: an archive is sent once`, async () => {
    server.headers = headers;
    const writer = new zarr.ZipWriter();
    for (const [key, bytes] of files) if (key.startsWith("/small")) await writer.set(key, bytes);
    server.files = new Map([["/a.zip", Buffer.from(await (await writer.toBlob()).arrayBuffer())]]);
    try {
      const sent = await sentBy(async () => {
        const store = zarr.ZipFileStore.fromUrl(`${server.url}/a.zip`);
        const array = await zarr.open(store, { path: "small", kind: "array" });
        await checkRows(array, null, rowsFrom(0, 12));
        await checkRows(array, [zarr.slice(3, 9), 7], rowsFrom(3, 9));
      });
      assert.deepEqual(sent, onceEach("/a.zip"));
    } finally {
      server.files = files;
    }
  });
}

test("a file of which references have parts is sent once", async () => {
  server.headers = {};
  const document = metadata({ shape: [LARGE, MIB], chunks: [1, MIB], dtype: "uint8" });
  const references = { "zarr.json": JSON.stringify(document) };
  for (let row = 0; row < LARGE; row += 1)
    references[`c/${row}/0`] = [`${server.url}${BIG[0]}`, row * MIB, MIB];
  const sent = await sentBy(async () => {
    const store = zarr.ReferenceStore.fromSpec(references, { allowHosts: [new URL(server.url).host] });
    const array = await zarr.open(store, { kind: "array" });
    await Promise.all([3, 30, 66].map((row) => checkRows(array, [row, zarr.slice(64)], [row])));
    await checkRows(array, [zarr.slice(0, LARGE), 5], rowsFrom(0, LARGE));
  });
  assert.deepEqual(sent, onceEach(...BIG));
});

test("a file of virtual chunks is sent once", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "zarr-wasm-whole-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  unpackArchive(join(import.meta.dirname, "../fixtures/icechunk/virtual.tar.gz"), join(folder, "virtual"));
  const stored = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = stored.map((entry) => join(entry.parentPath, entry.name));
  const host = await serveRepositories(
    new Map(paths.map((path) => [`/${relative(folder, path)}`, readFileSync(path)])),
  );
  t.after(() => host.close());
  const sent = {};
  const fetchWhole = (request) => {
    const { host: bucket, pathname } = new URL(request.url);
    // The endpoint of the fixture's bucket. The server here has its files.
    if (bucket !== "127.0.0.1:28917") return fetch(request);
    if (request.method === "GET") sent[pathname] = (sent[pathname] ?? 0) + 1;
    return fetch(`${host.url}/virtual${pathname}`, { method: request.method, signal: request.signal });
  };
  const store = new zarr.IcechunkStore(`${host.url}/virtual`, {
    fetch: fetchWhole,
    allowHosts: ["s3://bucket"],
  });
  const array = await zarr.open(store, { path: "s3", kind: "array" });
  const { virtual } = JSON.parse(
    readFileSync(join(import.meta.dirname, "../fixtures/icechunk/virtual.expected.json"), "utf8"),
  );
  assert.deepEqual(Array.from((await array.get()).data), virtual.s3);
  const counts = Object.values(sent);
  assert.ok(counts.length > 0 && counts.every((count) => count === 1), JSON.stringify(sent));
});

test("a new version of an object is not mixed with the one before", async () => {
  server.headers = { ETag: '"1"' };
  const small = await open("small");
  await checkRows(small, [zarr.slice(0, 2), 5], [0, 1]);
  const changed = rowsInShards("/small", 3, 4);
  for (const key of SMALL) {
    const { length } = changed.get(key);
    changed.get(key).fill(99, 0, length - 64);
  }
  server.files = changed;
  server.headers = { ETag: '"2"' };
  try {
    const { data } = await small.get(null, { cache: "reload" });
    assert.ok(data.every((value) => value === 99));
  } finally {
    server.files = files;
  }
});

test("Python's server sends each shard once", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "zarr-wasm-python-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [key, bytes] of files) {
    mkdirSync(dirname(join(folder, key)), { recursive: true });
    writeFileSync(join(folder, key), bytes);
  }
  const python = spawn("python3", ["-u", "-m", "http.server", "0", "--bind", "127.0.0.1"], { cwd: folder });
  t.after(() => python.kill());
  let log = "";
  python.stderr.on("data", (text) => {
    log += text;
  });
  const [started] = await once(python.stdout, "data");
  const port = /port (\d+)/.exec(started)?.[1];
  const of = (name) => zarr.open(new zarr.FetchStore(`http://127.0.0.1:${port}/${name}`), { kind: "array" });
  const [small, large] = [await of("small"), await of("large")];
  await checkRows(small, null, rowsFrom(0, 12));
  await checkRows(small, [zarr.slice(3, 9), 7], rowsFrom(3, 9));
  await Promise.all([1, 33, 69].map((row) => checkRows(large, [row, zarr.slice(64)], [row])));
  const sent = [...log.matchAll(/"GET (\S+\/c\/\S+)/g)].map(([, path]) => path).sort();
  assert.deepEqual(sent, [...BIG, ...SMALL]);
});
