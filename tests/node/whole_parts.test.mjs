/**
 * Servers that answer a range with status 206 and the whole file. Of a large shard that is much
 * more than the range; what is read of it is right, or the server's error.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as zarr from "zarr-wasm";
import { shardedStore } from "./made_stores.mjs";
import { scriptedServer, sendFile } from "./scripted_server.mjs";

const SHAPE = [512, 512];
const at = ([i, j]) => 512 * i + j;
/** Four shards of 256 KiB, each with 16 chunks of 16 KiB. */
const files = shardedStore({ shape: SHAPE, shards: [256, 256], chunks: [64, 64], dtype: "int32" }, at);
const SHARD = files.get("/c/0/0").length;

/** The headers of a 206 with the whole file, by what the server claims. */
const CLAIMS = {
  "Content-Range tells that it is the whole": (_range, length) => `bytes 0-${length - 1}/${length}`,
  "Content-Range claims the range": ([first, last], length) => `bytes ${first}-${last}/${length}`,
  "no Content-Range": () => undefined,
};

let server;
before(async () => {
  server = await scriptedServer(files);
});
after(() => server.close());

/** Answers every range of a chunk with 206 and all bytes. */
const everything =
  (claim, { isChunked }) =>
  (request, response, bytes, key) => {
    const range = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? "");
    if (!range || !bytes || !key.startsWith("/c/")) return false;
    const told = claim(range.slice(1), bytes.length);
    response.writeHead(206, {
      ...(told && { "Content-Range": told }),
      ...(!isChunked && { "Content-Length": bytes.length }),
    });
    response.end(bytes);
    return true;
  };

for (const [name, claim] of Object.entries(CLAIMS)) {
  for (const isChunked of [false, true]) {
    test(`206 with a whole shard, ${isChunked ? "without" : "with"} a length, ${name}`, async () => {
      assert.ok(SHARD > 4 * 65536);
      for (const useSuffixRequest of [false, true]) {
        server.act = everything(claim, { isChunked });
        server.requests.length = 0;
        const store = new zarr.FetchStore(server.url, { useSuffixRequest });
        const array = await zarr.open(store, { kind: "array" });
        const { data } = await array.get([zarr.slice(60, 70), 5]);
        assert.deepEqual(
          [...data],
          Array.from({ length: 10 }, (_, row) => at([60 + row, 5])),
        );
        const corner = await array.get([511, 511]);
        assert.equal(corner.data[0], at([511, 511]));
        assert.equal(store.warnings.filter((text) => text.includes("ignores byte ranges")).length, 1);
        assert.ok(server.requests.length < 40, `${server.requests.length} requests`);
        const bytes = await store.getRange("/c/0/1", { offset: 4096, length: 16 });
        assert.deepEqual(bytes, files.get("/c/0/1").slice(4096, 4112));
      }
    });
  }
}

test("what the server sends in place of the whole file is a Store error that names the file", async () => {
  const whole = everything(CLAIMS["no Content-Range"], { isChunked: false });
  for (const status of [206, 500]) {
    server.act = (request, response, bytes, key) => {
      if (whole(request, response, bytes, key)) return true;
      if (!key.startsWith("/c/")) return false;
      response.writeHead(status, { "Retry-After": "99" }).end(bytes.subarray(0, 100));
      return true;
    };
    const store = new zarr.FetchStore(server.url);
    const reading = store.getRange("/c/0/0", { offset: 9000, length: 16 });
    await assert.rejects(reading, { code: "Store", message: /c\/0\/0/ });
  }
});

test("a part that is longer than the range is still cut", async () => {
  server.act = (request, response, bytes, key) => {
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
    if (first === undefined || !key.startsWith("/c/")) return false;
    const [from, to] = [Math.max(0, first - 1000), Math.min(bytes.length - 1, Number(last) + 1000)];
    request.headers.range = `bytes=${from}-${to}`;
    sendFile(request, response, bytes);
    return true;
  };
  const store = new zarr.FetchStore(server.url);
  const array = await zarr.open(store, { kind: "array" });
  assert.equal((await array.get([300, 20])).data[0], at([300, 20]));
  assert.deepEqual([...store.warnings], []);
});
