/**
 * Shards with the index at their end, for pages that cannot request suffixes. The size of a shard
 * is computed from its contents, or estimated from other shards. A real server counts requests.
 */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import * as zarr from "zarr-wasm";
import { shardedStore } from "./made_stores.mjs";
import { scriptedServer } from "./scripted_server.mjs";

const [SIDE, SHARDS] = [64, 6];
const INNER = SIDE * SIDE * 4;
const INDEX = 16 * 16;
const FULL = 16 * INNER + INDEX;
const FILL = 7;

/** Numbers that gzip compresses to about half. */
const valueAt = ([row, column]) => (Math.imul(row * 256 + column + 1, 2654435761) >>> 16) % 65536;

/**
 * A column of shards of 256 × 256 with inner chunks of 64 × 64. `rows` has the number of stored
 * rows of inner chunks for each shard.
 */
const madeShards = (gzip, rows = () => 4) =>
  shardedStore(
    {
      shape: [256 * SHARDS, 256],
      chunks: [SIDE, SIDE],
      shards: [256, 256],
      dtype: "int32",
      fill: FILL,
      gzip,
    },
    valueAt,
    { has: ([row]) => row % 4 < rows(Math.floor(row / 4)) },
  );

let server;
before(async () => {
  server = await scriptedServer(new Map());
});
after(() => server.close());
beforeEach(() => {
  server.act = undefined;
});

async function openShards(files) {
  server.files = files;
  const array = await zarr.open(new zarr.FetchStore(server.url, { useSuffixRequest: false }), {
    kind: "array",
  });
  server.requests.length = 0;
  return array;
}

/** Reads an element of a shard. Returns the requests. */
async function readOne(array, shard, expected = valueAt([shard * 256 + 3, 5])) {
  server.requests.length = 0;
  const { data } = await array.get([zarr.slice(shard * 256 + 3, shard * 256 + 4), zarr.slice(5, 6)]);
  assert.deepEqual([...data], [expected]);
  return server.of(`/c/${shard}/0`);
}

const methods = (asked) => asked.map((request) => request.split(" ")[0]);
const lengthOf = (request) => {
  const [, first, last] = /bytes=(\d+)-(\d+)$/.exec(request);
  return Number(last) - Number(first) + 1;
};

test("without compression the first request is for the index, also for the first shard", async () => {
  const array = await openShards(madeShards(false));
  for (const shard of [0, 1]) {
    assert.equal((await readOne(array, shard))[0], `GET bytes=${16 * INNER}-${FULL}`);
    assert.equal(server.of(`/c/${shard}/0`).length, 2);
  }
});

test("with compression only the size of the first shard is requested; others are estimated", async () => {
  const array = await openShards(madeShards(true));
  assert.deepEqual(methods(await readOne(array, 0)), ["HEAD", "GET", "GET"]);
  for (let shard = 1; shard < SHARDS; shard += 1) {
    const asked = await readOne(array, shard);
    assert.deepEqual(methods(asked), ["GET", "GET"], asked.join("\n"));
    assert.ok(lengthOf(asked[0]) < (128 << 10) + 2 * INDEX);
  }
});

test("a wrong estimate costs no more requests than asking for the size", async () => {
  // Some shards are stored only in part.
  const rows = (shard) => [4, 1, 4, 0, 2, 3][shard];
  for (const gzip of [false, true]) {
    const files = madeShards(gzip, rows);
    files.delete("/c/3/0");
    const array = await openShards(files);
    for (let shard = 0; shard < SHARDS; shard += 1) {
      const asked = await readOne(array, shard, rows(shard) > 0 ? undefined : FILL);
      assert.ok(asked.length <= (rows(shard) > 0 ? 3 : 1), asked.join("\n"));
    }
  }
});

test("without Content-Range a short answer shows the size; else it is requested from then on", async () => {
  const array = await openShards(madeShards(false, (shard) => (shard === 1 ? 1 : 4)));
  server.act = (request, response, bytes) => {
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
    if (first === undefined) return false;
    if (Number(first) >= bytes.length) return Boolean(response.writeHead(416).end());
    const body = bytes.subarray(Number(first), Number(last) + 1);
    return Boolean(response.writeHead(206, { "Content-Length": body.length }).end(body));
  };
  assert.deepEqual(methods(await readOne(array, 0)), ["GET", "GET"]);
  assert.deepEqual(methods(await readOne(array, 1)), ["GET", "HEAD", "GET", "GET"]);
  assert.deepEqual(methods(await readOne(array, 2)), ["HEAD", "GET", "GET"]);
});

test("shards that are replaced by smaller and larger ones are read correctly", async () => {
  const array = await openShards(madeShards(true));
  await readOne(array, 0);
  await readOne(array, 1);
  for (const [shard, files] of [
    [2, madeShards(true, () => 1)],
    [3, madeShards(true)],
  ]) {
    server.files = files;
    const asked = await readOne(array, shard);
    assert.ok(asked.length <= 3, asked.join("\n"));
  }
});

test("a server that ignores ranges sends the whole shard", async () => {
  const array = await openShards(madeShards(false));
  server.act = (request, response, bytes) =>
    request.method === "GET" && bytes && Boolean(response.writeHead(200).end(bytes));
  for (const shard of [0, 1]) await readOne(array, shard);
});

test("a shard without its first bytes is refused, without further requests", async () => {
  const whole = madeShards(false);
  for (const [useSuffixRequest, ignoresRanges, expected] of [
    [false, false, ["GET", "GET"]],
    [true, false, ["GET"]],
    [false, true, ["GET"]],
  ]) {
    for (const lost of [4, INNER]) {
      server.files = new Map(whole).set("/c/0/0", whole.get("/c/0/0").subarray(lost));
      server.act = (request, response, bytes) =>
        ignoresRanges && request.method === "GET" && bytes && Boolean(response.writeHead(200).end(bytes));
      const store = new zarr.FetchStore(server.url, { useSuffixRequest });
      const array = await zarr.open(store, { kind: "array" });
      server.requests.length = 0;
      // In the first rows all chunks exist, but are shifted.
      await assert.rejects(array.get([zarr.slice(3, 4), zarr.slice(5, 6)]), (error) => {
        assert.equal(error.code, "Format");
        assert.match(error.message, /shard index/);
        assert.equal(error.key, "c/0/0");
        return true;
      });
      assert.deepEqual(methods(server.of("/c/0/0")), expected);
    }
  }
});
