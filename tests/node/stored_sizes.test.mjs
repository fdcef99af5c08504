/**
 * `array.storedSizes` against the files on the disk: their lengths, and the indexes of shards as
 * this file reads them. All kinds of stores, and servers of all kinds.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { after, before, describe, test } from "node:test";
import * as zarr from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/fs";
import { serveRepositories } from "../servers/icechunk.mjs";
import { unpackArchive } from "../support/fixture_archives.mjs";
import { FIXTURES, goodCases, indices } from "./fixture_files.mjs";
import { madeStore } from "./made_stores.mjs";
import { scriptedServer } from "./scripted_server.mjs";

const CHANGED = "Wed, 21 Oct 2015 07:28:00 GMT";
const SHARDED = join(FIXTURES, "zarr-python-3/sharding-missing-v3/store");

async function all(sizes) {
  const found = [];
  for await (const stored of sizes) found.push(stored);
  return found;
}

/** The files of a folder by their keys. */
function filesOf(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(files.map((file) => [`/${relative(folder, file)}`, new Uint8Array(readFileSync(file))]));
}

/** The codecs of indexes whose metadata lack them. */
const USUAL = [{ name: "bytes", configuration: { endian: "little" } }, { name: "crc32c" }];

/** Offset and length of each chunk of a shard in C order; undefined for an absent one. */
function indexOf(bytes, { index_codecs: codecs = USUAL, index_location: location = "end" }, count) {
  const [{ configuration }, checksum] = codecs.map((codec) => (codec.name ? codec : { name: codec }));
  const length = count * 16 + (checksum ? 4 : 0);
  const view = new DataView(
    bytes.buffer,
    bytes.byteOffset + (location === "end" ? bytes.length - length : 0),
  );
  const number = (at) => view.getBigUint64(at * 8, configuration?.endian !== "big");
  return Array.from({ length: count }, (_, at) =>
    number(2 * at) === 2n ** 64n - 1n
      ? undefined
      : [2 * at, 2 * at + 1].map((entry) => Number(number(entry))),
  );
}

/**
 * Puts the size of each chunk in the bytes of a stored object into `sizes`, by its first element.
 * `axes` has the dimension of the array of each dimension here.
 */
function addSizes(bytes, [codec, ...rest] = [], { axes, origin, shape }, sizes) {
  const { name, configuration } = codec ?? {};
  if (name === "transpose") {
    const { order } = configuration;
    // Files of old drafts name the orders.
    const named = { C: axes, F: axes.toReversed() };
    const inner = named[order] ?? order.map((axis) => axes[axis]);
    return addSizes(bytes, rest, { axes: inner, origin, shape }, sizes);
  }
  if (name !== "sharding_indexed" || rest.length > 0) return sizes.set(origin.join(), bytes.length);
  const extents = configuration.chunk_shape;
  const grid = axes.map((axis, at) => shape[axis] / extents[at]);
  const inner = shape.map((_, axis) => extents[axes.indexOf(axis)]);
  const count = grid.reduce((product, along) => product * along, 1);
  const entries = indexOf(bytes, configuration, count).values();
  for (const position of indices(grid)) {
    const [offset, length] = entries.next().value ?? [];
    if (offset === undefined) continue;
    const start = origin.map((first, axis) => first + position[axes.indexOf(axis)] * inner[axis]);
    const part = bytes.subarray(offset, offset + length);
    addSizes(part, configuration.codecs, { axes, origin: start, shape: inner }, sizes);
  }
  return sizes;
}

/** The sizes of the chunks in a shard, by their first element, from the metadata on the disk. */
function sizesIn(bytes, document, index) {
  const shape = document.chunk_grid.configuration.chunk_shape;
  const codecs = document.codecs.map((codec) => (codec.name ? codec : { name: codec }));
  const origin = index.map((at, axis) => at * shape[axis]);
  return addSizes(bytes, codecs, { axes: shape.map((_, axis) => axis), origin, shape }, new Map());
}

/** Whether a codec follows the shards, so that their indexes cannot be read alone. */
const isFollowed = ({ codecs }) =>
  codecs.some(({ name }) => name === "sharding_indexed") && codecs.at(-1).name !== "sharding_indexed";

/** Compares what is stored with the files. Returns the number of chunks that are there. */
function checkSizes(array, found, files) {
  const text = files.get(`${array.path === "/" ? "" : array.path}/zarr.json`);
  let [stored, inner] = [0, 0];
  for (const { chunk, key, bytes, innerChunks } of found) {
    // zarr-python names the only chunk of a draft's scalar `c0`.
    const file = files.get(key) ?? (chunk.length === 0 ? files.get(`${key}0`) : undefined);
    assert.equal(bytes, file?.length, key);
    stored += file ? 1 : 0;
    assert.equal(innerChunks !== undefined, array.shards !== undefined && !isFollowed(array), key);
    // Drafts have their shards elsewhere in the metadata.
    if (!innerChunks || !text) continue;
    const expected = file ? sizesIn(file, JSON.parse(new TextDecoder().decode(text)), chunk) : new Map();
    for (const { chunk: index, bytes: own } of innerChunks) {
      const origin = index.map((at, axis) => at * array.chunks[axis]).join();
      assert.equal(own, expected.get(origin), `${key} ${index}`);
      inner += own === undefined ? 0 : 1;
    }
  }
  return { stored, inner };
}

const isAmongChunks = (key) => !/\/(zarr\.json|\.z\w+|.*\.(array|group)\.json)$/.test(key);

describe("the files of other libraries", () => {
  for (const { name, store, expected } of goodCases())
    test(name, async () => {
      const files = filesOf(store);
      let stored = 0;
      for (const { path, kind } of expected) {
        if (kind !== "array") continue;
        const array = await zarr.open(new FileSystemStore(store), { path, kind: "array" });
        const found = await all(array.storedSizes());
        const objects = await all((await array.plan()).objects());
        assert.deepEqual(
          found.map(({ chunk, key }) => ({ chunk, key })),
          objects,
        );
        stored += checkSizes(array, found, files).stored;
        const chunks = array.gridShape.reduce((product, along) => product * along, 1);
        const told = found.flatMap((object) => object.innerChunks ?? [object]);
        assert.equal(told.length, chunks, path);
        assert.equal(new Set(told.map(({ chunk }) => chunk.join())).size, chunks, path);
      }
      assert.ok(stored <= [...files.keys()].filter(isAmongChunks).length);
    });
});

test("a selection chooses the chunks, in shards too, each once and in C order", async () => {
  const array = await zarr.open(new FileSystemStore(SHARDED), { path: "chunks-end", kind: "array" });
  const files = filesOf(SHARDED);
  const chunksOf = async (selection) => {
    const found = await all(array.storedSizes(selection));
    checkSizes(array, found, files);
    return found.map(({ chunk, innerChunks }) => [
      chunk.join(),
      ...innerChunks.map(({ chunk: index }) => index.join()),
    ]);
  };
  // Shards of 8 × 8 have chunks of 4 × 4.
  assert.deepEqual(await chunksOf([0, 9]), [["0,1", "0,2"]]);
  assert.deepEqual(await chunksOf([zarr.slice(3, 5), zarr.slice(null, 9)]), [
    ["0,0", "0,0", "0,1", "1,0", "1,1"],
    ["0,1", "0,2", "1,2"],
  ]);
  const few = [
    ["0,0", "0,0"],
    ["0,2", "0,4"],
  ];
  assert.deepEqual(await chunksOf([0, [17, 2, 16, 2]]), few);
  assert.deepEqual(await chunksOf([0, zarr.slice(17, 0, -16)]), few);
  assert.deepEqual(await chunksOf(zarr.points([0, 1, 0], [17, 3, 16])), few);
  assert.deepEqual(await chunksOf([zarr.slice(0, 0), null]), []);
  await assert.rejects(all(array.storedSizes([24, 0])), zarr.InvalidSelectionError);
});

test("many stored objects and many chunks in shards come page by page", async () => {
  const description = { shape: [300], chunks: [1], dtype: "uint8" };
  const array = await zarr.open(
    madeStore(description, () => 1, { has: ([at]) => at % 3 === 0 }),
    { kind: "array" },
  );
  const found = await all(array.storedSizes());
  assert.deepEqual(
    found.map(({ chunk: [at], bytes }) => [at, bytes]),
    Array.from({ length: 300 }, (_, at) => [at, at % 3 === 0 ? 1 : undefined]),
  );
});

describe("stores", () => {
  const files = filesOf(SHARDED);
  const paths = ["chunks-end", "chunks-start", "shards", "nothing"];

  async function check(store, seen = files) {
    let inner = 0;
    for (const path of paths) {
      const array = await zarr.open(store, { path, kind: "array" });
      inner += checkSizes(array, await all(array.storedSizes()), seen).inner;
    }
    assert.ok(inner > 3, `${inner} inner chunks`);
  }

  /** The files as an archive. */
  async function archive() {
    const writer = new zarr.ZipWriter();
    for (const [key, bytes] of files) await writer.set(key, bytes);
    return writer.toBlob();
  }

  test("memory: a Map, and a store with get alone", async () => {
    await check(files);
    await check({ get: async (key) => files.get(key) });
  });

  test("a store with size is asked for sizes, with the caller's signal, and no chunk is read", async () => {
    const [asked, { signal }] = [[], new AbortController()];
    const store = {
      get: (key) => assert.fail(`${key} is read`),
      size: async (key, options) => {
        asked.push(key);
        assert.equal(options.signal, signal);
        return files.get(key)?.length;
      },
    };
    const array = await zarr.open(new Map([...files, ...metadataOf("/plain")]), { path: "plain" });
    const counted = new zarr.Array(store, array.path, JSON.parse(array.rawMetadata["zarr.json"]));
    files.set("/plain/c/1", new Uint8Array(5));
    try {
      const found = await all(counted.storedSizes(null, { signal }));
      assert.deepEqual(
        found.map(({ bytes }) => bytes),
        [undefined, 5, undefined],
      );
    } finally {
      files.delete("/plain/c/1");
    }
    assert.deepEqual(asked.sort(), ["/plain/c/0", "/plain/c/1", "/plain/c/2"]);
  });

  test("an archive, of a Blob and below another folder", async () => {
    await check(zarr.ZipFileStore.fromBlob(await archive()));
  });

  test("an overlay: the first store counts", async () => {
    const first = new Map();
    for (const [key, bytes] of files) if (/chunks-start\/c/.test(key)) first.set(key, bytes);
    const rest = new Map([...files].filter(([key]) => !first.has(key)));
    await check(new zarr.OverlayStore(new FileSystemStore(SHARDED), new Map()));
    await check(new zarr.OverlayStore(zarr.ZipFileStore.fromBlob(await archive()), new Map()));
    await check(new zarr.OverlayStore(first, rest));
  });

  test("references: parts of a file, whole files, and values in the document", async () => {
    const server = await scriptedServer(new Map(files));
    server.headers = { "Last-Modified": CHANGED };
    try {
      const spec = {};
      const joined = Buffer.concat([...files.values()]);
      let offset = 0;
      for (const [key, bytes] of files) {
        const isPart = /chunks-start\/c/.test(key);
        const inline = `base64:${Buffer.from(bytes).toString("base64")}`;
        if (isPart) spec[key.slice(1)] = [`${server.url}/joined`, offset, bytes.length];
        else spec[key.slice(1)] = /chunks-end\/c/.test(key) ? [`${server.url}${key}`] : inline;
        offset += bytes.length;
      }
      server.files.set("/joined", new Uint8Array(joined));
      const store = zarr.ReferenceStore.fromSpec(spec, { allowHosts: [new URL(server.url).host] });
      await check(store);
    } finally {
      await server.close();
    }
  });

  test("consolidated metadata, caches and HTTP", async () => {
    const server = await scriptedServer(new Map(files));
    try {
      const http = new zarr.FetchStore(server.url);
      await check(http);
      await check(await zarr.withMaybeConsolidatedMetadata(http));
      await check(zarr.withRangeCoalescing(new zarr.FetchStore(server.url)));
    } finally {
      await server.close();
    }
  });

  test("Icechunk: native chunks have the sizes of their files, and virtual ones those of references", async () => {
    const work = mkdtempSync(join(tmpdir(), "zarr-wasm-sizes-"));
    unpackArchive(join(import.meta.dirname, "../fixtures/icechunk/v2.tar.gz"), join(work, "v2"));
    const server = await serveRepositories(filesOf(work));
    try {
      const store = new zarr.IcechunkStore(`${server.url}/v2`);
      for (const path of ["temperature", "small", "unwritten", "sharded", "scalar"]) {
        const array = await zarr.open(store, { path, kind: "array" });
        for (const { key, bytes, innerChunks = [] } of await all(array.storedSizes())) {
          const value = await store.get(key);
          assert.equal(bytes, value?.length, key);
          const sum = innerChunks.reduce((total, inner) => total + (inner.bytes ?? 0), 0);
          assert.ok(sum <= (bytes ?? 0), key);
        }
      }
    } finally {
      await server.close();
      rmSync(work, { recursive: true, force: true });
    }
  });

  /** The metadata of an array of three chunks. */
  function metadataOf(path) {
    const [[, document]] = madeStore({ shape: [3], chunks: [1], dtype: "uint8" }, () => 1);
    return [[`${path}/zarr.json`, document]];
  }
});

describe("servers", () => {
  let server;
  before(async () => {
    const plain = { shape: [4, 6], chunks: [2, 2], dtype: "uint16", gzip: true };
    const files = madeStore(plain, ([i, j]) => i * 6 + j, { path: "plain", has: ([, at]) => at !== 1 });
    for (const [key, bytes] of filesOf(SHARDED)) files.set(key, bytes);
    server = await scriptedServer(files);
  });
  after(() => server.close());

  async function opened(path, options) {
    Object.assign(server, { act: undefined, headers: {} });
    const array = await zarr.open(new zarr.FetchStore(server.url, options), { path, kind: "array" });
    server.requests.length = 0;
    return array;
  }

  const methods = () => new Set(server.requests.map(({ method }) => method));

  test("one HEAD a chunk, after which the time of its change is known", async () => {
    const array = await opened("plain");
    server.headers = { "Last-Modified": CHANGED };
    const found = await all(array.storedSizes());
    assert.deepEqual(checkSizes(array, found, server.files), { stored: 4, inner: 0 });
    assert.equal(server.requests.length, 6);
    assert.deepEqual(methods(), new Set(["HEAD"]));
    for (const { bytes, lastModified } of found)
      assert.deepEqual(lastModified, bytes === undefined ? undefined : new Date(CHANGED));
  });

  test("an index that a read has fetched costs nothing, and a new one is there for reads", async () => {
    const array = await opened("chunks-end");
    server.headers = { "Last-Modified": CHANGED };
    const found = await all(array.storedSizes());
    checkSizes(array, found, server.files);
    assert.ok(found.some(({ lastModified }) => lastModified?.getTime() === Date.parse(CHANGED)));
    server.requests.length = 0;
    assert.deepEqual(await all(array.storedSizes()), found);
    assert.equal(server.requests.length, 0);
    await array.refresh();
    server.requests.length = 0;
    await all(array.storedSizes([0, 0]));
    assert.ok(server.requests.length > 0);
  });

  test("a server without HEAD, and one whose HEAD has no length", async () => {
    for (const status of [405, 200]) {
      const array = await opened("plain");
      server.act = (request, response) =>
        request.method === "HEAD" &&
        Boolean(response.writeHead(status, { "Transfer-Encoding": "chunked" }).end());
      checkSizes(array, await all(array.storedSizes()), server.files);
      assert.ok(methods().has("GET"));
    }
  });

  test("a server that tells no size at all is an error that says so", async () => {
    const array = await opened("plain");
    server.act = (request, response, bytes) => {
      if (request.method === "HEAD") return Boolean(response.writeHead(405).end());
      return bytes && Boolean(response.writeHead(206, { "Content-Length": 1 }).end(bytes.subarray(0, 1)));
    };
    await assert.rejects(all(array.storedSizes()), { code: "Store", path: "/plain", key: "plain/c/0/0" });
  });

  test("the index tells sizes where Content-Range is hidden", async () => {
    const array = await opened("chunks-start");
    server.act = (request, response, bytes) => {
      const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
      if (first === undefined || !bytes) return false;
      const body = bytes.subarray(Number(first), Number(last) + 1);
      return Boolean(response.writeHead(206, { "Content-Length": body.length }).end(body));
    };
    checkSizes(array, await all(array.storedSizes()), server.files);
    assert.ok(methods().has("HEAD"));
  });

  test("status 403 means what it means for reads", async () => {
    const refuse = (_, response, bytes) => !bytes && Boolean(response.writeHead(403).end());
    const plain = await opened("plain");
    server.act = refuse;
    checkSizes(plain, await all(plain.storedSizes()), server.files);
    const signed = await opened("plain", { headers: { "X-Token": "secret" } });
    server.act = refuse;
    await assert.rejects(all(signed.storedSizes()), { code: "Store", message: /403/ });
    const told = await opened("plain", { headers: { "X-Token": "secret" }, missingOn403: true });
    server.act = refuse;
    checkSizes(told, await all(told.storedSizes()), server.files);
  });

  test("the headers of the store are sent, and asked for again after 401; failures are retried", async () => {
    let [token, failures] = ["first", 0];
    const array = await opened("plain", { headers: () => ({ Authorization: token }) });
    token = "second";
    server.act = (request, response) => {
      if (request.headers.authorization !== "third") {
        token = "third";
        return Boolean(response.writeHead(401).end());
      }
      failures += 1;
      return failures === 1 && Boolean(response.writeHead(503).end());
    };
    checkSizes(array, await all(array.storedSizes()), server.files);
    assert.ok(failures > 6);
  });

  test("an abort ends the requests, and leaving the loop sends no more", async () => {
    const array = await opened("plain");
    const controller = new AbortController();
    server.act = () => true;
    const sizes = all(array.storedSizes(null, { signal: controller.signal }));
    while (server.requests.length === 0) await new Promise((done) => setTimeout(done, 5));
    controller.abort(new Error("enough"));
    await assert.rejects(sizes, /enough/);
    while (!server.requests.every(({ isGivenUp }) => isGivenUp))
      await new Promise((done) => setTimeout(done, 5));
    await assert.rejects(
      all(array.storedSizes(null, { signal: AbortSignal.abort(new Error("before")) })),
      /before/,
    );
    await assert.rejects(all(array.storedSizes(null, { signal: 5 })), { code: "Argument" });
  });
});
