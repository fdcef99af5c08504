/** The rules for HTTP, on a server that misbehaves. Each rule has a test. */
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import * as zarr from "zarr-wasm";
import { pause, until } from "../support/waiting.mjs";
import { madeStore } from "./made_stores.mjs";
import { scriptedServer, sendFile } from "./scripted_server.mjs";

const chunks = madeStore(
  { shape: [20, 20], chunks: [10, 10], dtype: "int32", fill: -1 },
  ([i, j]) => 100 * i + j,
);

/** Size in bytes of an inner chunk, of which each shard has 16, and of a shard's index. */
const INNER = 64 * 64 * 4;
const INDEX = 16 * 16 + 4;

/**
 * A sharded array of 512 × 512 in shards of 256 × 256, with inner chunks of 64 × 64. Smaller shards
 * would be fetched completely.
 */
async function madeShards(first = 0, codecs = []) {
  const files = new Map();
  const array = await zarr.create(files, {
    shape: [512, 512],
    chunkShape: [64, 64],
    shardShape: [256, 256],
    dtype: "uint32",
    codecs,
  });
  await array.set(
    null,
    Uint32Array.from({ length: 512 * 512 }, (_, at) => at + first),
  );
  return files;
}

let server;
let warnings = [];
/** An array without shards that was opened before the server misbehaves. */
let array;

before(async () => {
  server = await scriptedServer(chunks);
  await zarr.init({ onWarning: (message, path) => warnings.push([message, path]) });
});
after(async () => {
  await zarr.init({ onWarning: () => {} });
  await server.close();
});
beforeEach(async () => {
  warnings = [];
  Object.assign(server, { files: chunks, act: undefined, headers: {}, latency: 0 });
  array = await zarr.open(server.url, { kind: "array" });
  server.requests.length = 0;
});
afterEach(() => {
  server.act = undefined;
});

const whole = Array.from({ length: 400 }, (_, at) => 100 * Math.floor(at / 20) + (at % 20));
const isWhole = ({ data }) => assert.deepEqual([...data], whole);
const CHUNK = "/c/0/0";
/** Options that ignore the caches. */
const ANEW = { cache: "reload" };

/** Waits, because aborted probes for metadata may still arrive at the server. */
const chunkRequests = () => server.requests.filter(({ key }) => key.startsWith("/c/"));

/** Changes the answers to the first `count` requests for a key. */
function actOn(key, count, act) {
  let left = count;
  server.act = (request, response, bytes, asked) => {
    if (asked !== key || left === 0) return false;
    left -= 1;
    act(request, response, bytes);
    return true;
  };
}

test("404 and 410: a chunk has the fill value, a node is not found", async () => {
  for (const status of [404, 410]) {
    actOn(CHUNK, 1, (_request, response) => response.writeHead(status).end("gone"));
    const { data } = await array.get([zarr.slice(0, 2), zarr.slice(9, 11)]);
    assert.deepEqual([...data], [-1, 10, -1, 110]);
    server.act = (_request, response) => Boolean(response.writeHead(status).end());
    await assert.rejects(zarr.open(server.url), { code: "NotFound" });
  }
});

test("400 and 401 are errors with advice, also for chunks", async () => {
  for (const [status, advice] of [
    [400, /signature/],
    [401, /credentials/],
  ]) {
    actOn(CHUNK, 9, (_request, response) => response.writeHead(status).end());
    await assert.rejects(array.get(), (error) => {
      assert.equal(error.code, "Store");
      assert.match(error.message, advice);
      assert.equal(error.key, "c/0/0");
      return true;
    });
  }
});

/** Runs an action with a console that records its messages. */
async function withConsole(act) {
  const { warn } = console;
  const told = [];
  console.warn = (message) => told.push(message);
  try {
    await act(told);
  } finally {
    console.warn = warn;
  }
}

/** The server answers two absent chunks with 403. */
function withoutTwoChunks() {
  server.act = (_request, response, bytes) => !bytes && Boolean(response.writeHead(403).end());
  const files = new Map(chunks);
  files.delete(CHUNK);
  files.delete("/c/0/1");
  server.files = files;
}

test("403: a chunk counts as absent if the store has answered before, with one warning", async () => {
  withoutTwoChunks();
  await withConsole(async (told) => {
    for (let times = 0; times < 2; times += 1) {
      const { data } = await array.get([0, null]);
      assert.ok(data.every((value) => value === -1));
    }
    assert.equal(warnings.length, 1);
    assert.match(warnings[0][0], /403/);
    assert.deepEqual(array.warnings, [warnings[0][0]]);
    assert.deepEqual(told, [`zarr-wasm: ${warnings[0][0]}`]);
  });
  assert.equal(zarr.info().warnings > 0, true);
});

test("403: absent chunks and shards are not cached", async () => {
  const shards = await madeShards();
  for (const [files, key, element] of [
    [chunks, CHUNK, 101],
    [shards, "/c/0/0", 513],
  ]) {
    server.files = files;
    // Later tests must not know that suffixes work here.
    const store = new zarr.FetchStore(server.url, { useSuffixRequest: false });
    const opened = await zarr.open(store, { kind: "array" });
    server.act = (_request, response, _bytes, asked) =>
      asked.startsWith("/c/") && Boolean(response.writeHead(403).end());
    const read = async () => (await opened.get([zarr.slice(1, 2), zarr.slice(1, 2)])).data[0];
    await withConsole(async () => assert.equal(await read(), files === chunks ? -1 : 0));
    server.act = undefined;
    server.requests.length = 0;
    assert.equal(await read(), element);
    assert.ok(server.of(key).length > 0);
  }
});

test("403: an error with any credentials, so that an expired login does not give blank data", async () => {
  const forms = [
    [server.url, { headers: { "X-Token": "1" } }],
    [server.url, { headers: () => ({ "X-Token": "1" }) }],
    [server.url, { overrides: { headers: [["X-Token", "1"]] } }],
    [server.url, { credentials: "include" }],
    [server.url, { overrides: { credentials: "include" } }],
    [server.url, { fetch: (request) => fetch(request) }],
    [`${server.url}?sig=secret`, {}],
  ];
  await withConsole(async (told) => {
    for (const [url, options] of forms) {
      server.act = undefined;
      const opened = await zarr.open(new zarr.FetchStore(url, options), { kind: "array" });
      withoutTwoChunks();
      await assert.rejects(opened.get(), { code: "Store", message: /403/ }, JSON.stringify(options));
      const lenient = new zarr.FetchStore(url, { ...options, missingOn403: true });
      const { data } = await (await zarr.open(lenient, { kind: "array" })).get([0, null]);
      assert.ok(data.every((value) => value === -1));
    }
    assert.deepEqual(told, []);
  });
});

test("403: an error on the page's own server, except without cookies (`omit`)", async () => {
  globalThis.location = new URL("/page", server.url);
  try {
    for (const [credentials, isAbsent] of [
      [undefined, false],
      ["same-origin", false],
      ["omit", true],
    ]) {
      server.act = undefined;
      const opened = await zarr.open(new zarr.FetchStore(server.url, { credentials }), { kind: "array" });
      withoutTwoChunks();
      const reading = opened.get([0, null]);
      if (isAbsent) await withConsole(async () => assert.equal((await reading).data[0], -1));
      else await assert.rejects(reading, { code: "Store", message: /403/ });
    }
  } finally {
    delete globalThis.location;
  }
});

test("403: a partial write does not overwrite a chunk that may exist", async () => {
  const opened = await zarr.open(server.url, { kind: "array" });
  server.act = (request, response, _bytes, asked) =>
    asked === CHUNK && Boolean(response.writeHead(request.method === "PUT" ? 201 : 403).end());
  await assert.rejects(opened.set([0, 0], 5), { code: "Store", message: /403/ });
  assert.ok(!server.requests.some(({ method }) => method === "PUT"));
});

test("403: an error if the store has not answered before, unless `missingOn403` is set", async () => {
  server.act = (_request, response) => Boolean(response.writeHead(403).end());
  await assert.rejects(zarr.open(server.url), { code: "Store", message: /403/ });
  const metadata = JSON.parse(new TextDecoder().decode(chunks.get("/zarr.json")));
  const unknown = new zarr.Array(new zarr.FetchStore(server.url), "/", metadata);
  await assert.rejects(unknown.get(), { code: "Store", message: /not allowed/ });
  const lenient = new zarr.Array(new zarr.FetchStore(server.url, { missingOn403: true }), "/", metadata);
  assert.ok((await lenient.get()).data.every((value) => value === -1));
  assert.deepEqual(warnings, []);
});

test("403 about an expired signature is always an error", async () => {
  const body = "<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>";
  for (const missingOn403 of [false, true]) {
    const store = new zarr.FetchStore(`${server.url}?sig=secret`, { missingOn403 });
    const signed = await zarr.open(store, { kind: "array" });
    actOn(CHUNK, 9, (_request, response) => response.writeHead(403).end(body));
    await assert.rejects(signed.get(), (error) => {
      assert.match(error.message, /signature/);
      assert.ok(!error.message.includes("secret"));
      return true;
    });
    server.act = undefined;
  }
});

test("429 and 5xx are retried after the time in Retry-After", async () => {
  for (const status of [408, 429, 500, 502, 503, 504]) {
    server.requests.length = 0;
    actOn(CHUNK, 2, (_request, response) => response.writeHead(status).end());
    isWhole(await array.get(null, ANEW));
    assert.equal(server.of(CHUNK).length, 3, `status ${status}`);
  }
  server.requests.length = 0;
  actOn(CHUNK, 1, (_request, response) => response.writeHead(429, { "Retry-After": "1" }).end());
  isWhole(await array.get(null, ANEW));
  const [first, second] = server.requests.filter(({ key }) => key === CHUNK);
  assert.ok(second.began - first.began >= 990, `${second.began - first.began} ms`);
});

test("a persistent failure is an error after some attempts, and at once for a long Retry-After", async () => {
  actOn(CHUNK, 99, (_request, response) => response.writeHead(503).end());
  await assert.rejects(array.get(null, ANEW), { code: "Store", message: /503 4 times/ });
  assert.equal(server.of(CHUNK).length, 4);
  actOn(CHUNK, 99, (_request, response) => response.writeHead(503, { "Retry-After": "7200" }).end());
  const before = performance.now();
  await assert.rejects(array.get(null, ANEW), { code: "Store", message: /7200/ });
  assert.ok(performance.now() - before < 60_000);
});

test("a lost connection and a truncated body are retried", async () => {
  actOn(CHUNK, 1, (request) => request.socket.destroy());
  isWhole(await array.get(null, ANEW));
  assert.equal(server.of(CHUNK).length, 2);
  server.requests.length = 0;
  actOn(CHUNK, 1, (request, response, bytes) => {
    response.writeHead(200, { "Content-Length": bytes.length });
    response.write(bytes.subarray(0, 100), () => request.socket.destroy());
  });
  isWhole(await array.get(null, ANEW));
  assert.equal(server.of(CHUNK).length, 2);
});

test("a short body is never used as a chunk", async () => {
  actOn(CHUNK, 9, (_request, response, bytes) => response.writeHead(200).end(bytes.subarray(0, 100)));
  await assert.rejects(array.get(), ({ code }) => code === "Format");
});

const PAGE = "<!doctype html><html><body>Welcome</body></html>";
const sendPage = (response, page = PAGE) =>
  Boolean(response.writeHead(200, { "Content-Type": "text/html" }).end(page));

test("an HTML page and a redirect to a folder are neither metadata nor a chunk", async () => {
  server.act = (_request, response) => sendPage(response);
  await assert.rejects(zarr.open(server.url), { code: "NotFound" });
  await assert.rejects(array.get(), { code: "Store", message: /web page.*login/ });
  server.act = (request, response) =>
    request.url.endsWith("/")
      ? sendPage(response)
      : Boolean(response.writeHead(301, { Location: `${request.url}/` }).end());
  await assert.rejects(zarr.open(server.url), { code: "NotFound" });
});

test("a page for absent files only means fill values, and a page that came once is not believed", async () => {
  server.files = new Map(chunks);
  server.files.delete(CHUNK);
  server.act = (_request, response, bytes) => !bytes && sendPage(response);
  const expected = whole.map((value, at) => (at % 20 < 10 && at < 200 ? -1 : value));
  assert.deepEqual([...(await array.get()).data], expected);
  let pages = 1;
  server.act = (request, response) =>
    request.url.startsWith("/c/1/1") && pages-- > 0 && sendPage(response, "<!doctype html>Sign in");
  server.files = chunks;
  await array.refresh();
  assert.deepEqual([...(await array.get()).data], whole);
  assert.ok(pages < 1);
});

test("one failed probe does not end an open; if all fail, the error explains it", async () => {
  server.act = (request, _response, bytes) => !bytes && Boolean(request.socket.destroy());
  assert.equal((await zarr.open(server.url)).kind, "array");
  server.act = (request) => Boolean(request.socket.destroy());
  await assert.rejects(zarr.open(server.url), { code: "Store", message: /^network: GET .* got no answer/ });
});

/** The first chunks of the upper shards, few enough for range requests. */
const UPPER = [zarr.slice(0, 64), null];
const expectUpper = (data) => {
  assert.equal(data.length, 64 * 512);
  assert.ok(data.every((value, at) => value === at));
};

/** Reads as a page of another origin: without suffixes, which would need a preflight. */
const openFromElsewhere = () =>
  zarr.open(new zarr.FetchStore(server.url, { useSuffixRequest: false }), { kind: "array" });

test("a shard: its index with its size, then merged ranges, without suffixes and multiranges", async () => {
  server.files = await madeShards();
  const shards = await openFromElsewhere();
  server.requests.length = 0;
  await shards.get([zarr.slice(0, 64), zarr.slice(0, 256)]);
  const index = `GET bytes=${16 * INNER}-${16 * INNER + INDEX}`;
  assert.deepEqual(server.of(CHUNK), [index, `GET bytes=0-${4 * INNER - 1}`]);
  server.requests.length = 0;
  await shards.get([zarr.slice(64, 128), zarr.slice(64, 128)]);
  for (const asked of server.of(CHUNK)) assert.match(asked, /^GET bytes=\d+-\d+$/);
  expectUpper((await shards.get(UPPER)).data);
  // Outside of browsers there are no preflights.
  const suffixes = await zarr.open(server.url, { kind: "array" });
  server.requests.length = 0;
  await suffixes.get([0, 0]);
  assert.deepEqual(server.of(CHUNK), [`GET bytes=-${INDEX}`, `GET bytes=0-${INNER - 1}`]);
});

/** Reads shards from a server that changes every range. Checks for right values or an error. */
async function readShards(act, codecs) {
  server.files = await madeShards(0, codecs);
  const shards = await openFromElsewhere();
  server.requests.length = 0;
  server.act = act;
  return (await shards.get(UPPER)).data;
}

test("a server that ignores ranges gives right values and a warning", async () => {
  expectUpper(
    await readShards((_request, response, bytes) => bytes && Boolean(response.writeHead(200).end(bytes))),
  );
  assert.equal(warnings.filter(([message]) => /ignores byte ranges/.test(message)).length, 1);
});

test("a server without HEAD, or whose HEAD has no length, or says 0", async () => {
  const answers = [
    (response) => response.writeHead(405).end(),
    (response) => response.writeHead(403).end(),
    (response) => response.writeHead(200, { "Transfer-Encoding": "chunked" }).end(),
    (response) => response.writeHead(200, { "Content-Length": 0 }).end(),
  ];
  for (const head of answers) {
    let heads = 0;
    const act = (request, response) => {
      if (request.method !== "HEAD") return false;
      heads += 1;
      head(response);
      return true;
    };
    // The sizes of compressed shards are not known.
    expectUpper(await readShards(act, [{ name: "gzip", configuration: { level: 1 } }]));
    assert.ok(heads > 0);
  }
});

test("servers that misread suffixes or refuse them", async () => {
  const suffixes = [
    // sirv and s3rver: the first nine bytes for `-8`.
    (response, bytes, length) =>
      response
        .writeHead(206, { "Content-Range": `bytes 0-${length}/${bytes.length}` })
        .end(bytes.subarray(0, length + 1)),
    (response, bytes) => response.writeHead(416, { "Content-Range": `bytes */${bytes.length}` }).end(),
    (response) => response.writeHead(416).end(),
    (response) => response.writeHead(400).end(),
    (response) => response.writeHead(501).end(),
    (response, bytes) => response.writeHead(200).end(bytes),
  ];
  for (const suffix of suffixes) {
    server.files = await madeShards();
    const store = new zarr.FetchStore(server.url, { useSuffixRequest: true });
    const shards = await zarr.open(store, { kind: "array" });
    server.act = (request, response, bytes) => {
      const [, length] = /^bytes=-(\d+)$/.exec(request.headers.range ?? "") ?? [];
      if (length === undefined || !bytes) return false;
      suffix(response, bytes, Number(length));
      return true;
    };
    expectUpper((await shards.get(UPPER)).data);
    server.act = undefined;
  }
});

test("a wrong Content-Range, other bytes, or too few bytes: retried, then an error", async () => {
  const lies = [
    (bytes, first, last) => [
      `bytes ${first + 1}-${last + 1}/${bytes.length}`,
      bytes.subarray(first + 1, last + 2),
    ],
    (bytes, first, last) => [`bytes ${first}-${last}/${bytes.length}`, bytes.subarray(first, last)],
    (bytes, first, last) => [`bytes ${first}-${last}/${bytes.length + 7}`, bytes.subarray(first, last + 1)],
  ];
  for (const lie of lies) {
    for (const times of [1, 99]) {
      let left = times;
      const act = (request, response, bytes) => {
        const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
        if (first === undefined || !bytes || left === 0) return false;
        left -= 1;
        const [contentRange, body] = lie(bytes, Number(first), Number(last));
        response.writeHead(206, { "Content-Range": contentRange }).end(body);
        return true;
      };
      if (times === 1) expectUpper(await readShards(act));
      else await assert.rejects(readShards(act), ({ code }) => code === "Store" || code === "Format");
      server.act = undefined;
    }
  }
});

test("a shard that changes between its index and its chunks is read again", async () => {
  for (const name of ["ETag", "Last-Modified"]) {
    const [old, young] = [await madeShards(), await madeShards(1000)];
    // The new shard has another order, so the old index would give other chunks.
    const [first, ...rest] = young.keys();
    young.set(first, young.get(first));
    for (const key of rest) {
      const bytes = young.get(key).slice();
      const index = new DataView(bytes.buffer, bytes.length - INDEX);
      for (let at = 0; at < 16; at += 2) {
        const [one, other] = [index.getBigUint64(at * 16, true), index.getBigUint64((at + 1) * 16, true)];
        const [from, to] = [Number(one), Number(other)];
        const kept = bytes.slice(from, from + INNER);
        bytes.copyWithin(from, to, to + INNER);
        bytes.set(kept, to);
        index.setBigUint64(at * 16, other, true);
        index.setBigUint64((at + 1) * 16, one, true);
      }
      index.setUint32(INDEX - 4, crc32c(bytes.subarray(bytes.length - INDEX, bytes.length - 4)), true);
      young.set(key, bytes);
    }
    const version = (state) => (name === "ETag" ? `"${state}"` : new Date(1e12 + 1e9 * state).toUTCString());
    server.files = old;
    server.headers = { [name]: version(0) };
    const shards = await zarr.open(server.url, { kind: "array" });
    const { data: before } = await shards.get([zarr.slice(0, 1), zarr.slice(0, 64)]);
    assert.ok(before.every((value, at) => value === at));
    server.files = young;
    server.headers = { [name]: version(1) };
    const { data } = await shards.get([zarr.slice(0, 256), zarr.slice(0, 256)]);
    const expected = Array.from({ length: 256 * 256 }, (_, at) => 512 * (at >> 8) + (at & 255) + 1000);
    assert.deepEqual([...data], expected, name);
  }
});

/** Computes CRC-32C bit by bit. */
function crc32c(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

test("a shard that never stops changing is an error", async () => {
  server.files = await madeShards();
  const shards = await zarr.open(server.url, { kind: "array" });
  let state = 0;
  server.act = (request, response, bytes) => {
    state += 1;
    return Boolean(sendFile(request, response, bytes, { ETag: `"${state}"` }));
  };
  await assert.rejects(shards.get([zarr.slice(0, 8), null]), { code: "Store", message: /every attempt/ });
});

test("equal reads share a request, which ends when the last one is aborted", async () => {
  server.latency = 150;
  const controllers = [0, 1, 2].map(() => new AbortController());
  const reads = controllers.map(({ signal }) => array.get([0, 0], { signal }));
  const outcomes = Promise.allSettled(reads);
  await until(() => server.of(CHUNK).length === 1);
  controllers[0].abort(new Error("first"));
  controllers[1].abort(new Error("second"));
  const settled = await outcomes;
  assert.deepEqual(
    settled.map(({ status, reason }) => reason?.message ?? status),
    ["first", "second", "fulfilled"],
  );
  const [only, ...others] = chunkRequests();
  assert.deepEqual([only.isGivenUp, others], [false, []]);
  const all = [0, 1].map(() => new AbortController());
  const both = Promise.allSettled(all.map(({ signal }) => array.get([19, 19], { signal })));
  await until(() => chunkRequests().length === 2);
  for (const controller of all) controller.abort();
  await both;
  await until(() => chunkRequests().at(-1).isGivenUp);
  assert.ok(zarr.info().wire.aborted > 0);
});

test("the highest priority is first, aborted reads are not sent, raised priorities overtake", async () => {
  const many = madeStore({ shape: [400, 4], chunks: [1, 4], dtype: "int32" }, ([i]) => i);
  server.files = many;
  server.latency = 60;
  const rows = await zarr.open(server.url, { kind: "array" });
  server.requests.length = 0;
  const read = (row, options) => rows.get([row, null], options);
  const ordinary = Array.from({ length: 40 }, (_, at) => read(at));
  const leaving = new AbortController();
  const left = read(300, { signal: leaving.signal });
  const urgent = read(301, { priority: 5 });
  const ahead = rows.prefetch([zarr.slice(200, 230), null]);
  await pause(20);
  leaving.abort(new Error("panned away"));
  await assert.rejects(left, { message: "panned away" });
  // One of the prefetched chunks gets a higher priority.
  const seen = await read(229);
  assert.equal(seen.data[0], 229);
  const keys = chunkRequests().map(({ key }) => key);
  const place = (row) => keys.indexOf(`/c/${row}/0`);
  await Promise.all([...ordinary, urgent, ahead]);
  const all = chunkRequests().map(({ key }) => key);
  assert.equal(all.includes("/c/300/0"), false);
  assert.equal(all.length, new Set(all).size);
  assert.equal(all.length, 40 + 1 + 30);
  assert.ok(place(301) >= 0 && place(301) <= 33, `the urgent one was number ${place(301)}`);
  assert.ok(all.indexOf("/c/229/0") < all.indexOf("/c/215/0"));
});

test("the number of concurrent requests to a server is limited", async () => {
  const many = madeStore({ shape: [200, 4], chunks: [1, 4], dtype: "int32" }, ([i]) => i);
  server.files = many;
  const rows = await zarr.open(server.url, { kind: "array" });
  server.latency = 20;
  server.requests.length = 0;
  await Promise.all(Array.from({ length: 200 }, (_, at) => rows.get([at, null])));
  const times = chunkRequests().flatMap(({ began, ended }) => [
    [began, 1],
    [ended, -1],
  ]);
  let underWay = 0;
  let most = 0;
  for (const [, step] of times.sort(([a, x], [b, y]) => a - b || x - y)) {
    underWay += step;
    most = Math.max(most, underWay);
  }
  assert.ok(most > 6 && most <= 32, `${most} at once`);
});

test("prefetched chunks and those in flight are not fetched again", async () => {
  server.files = await madeShards();
  for (const path of ["shards", "chunks"]) {
    if (path === "chunks") server.files = chunks;
    const ahead = await zarr.open(server.url, { kind: "array" });
    const [first, second] = [zarr.slice(0, 10), zarr.slice(10, 20)];
    const done = await ahead.prefetch([first, null]);
    assert.ok(done.bytes > 0);
    const before = chunkRequests().length;
    const { data } = await ahead.get([first, null]);
    assert.equal(data[1], 1);
    assert.equal(chunkRequests().length, before, path);
    server.latency = 60;
    const fetching = ahead.prefetch([second, null]);
    await pause(20);
    await Promise.all([ahead.get([second, null]), fetching]);
    server.latency = 0;
    const asked = chunkRequests().map(({ key, range, method }) => `${method} ${key} ${range}`);
    assert.deepEqual(asked.slice(before), [...new Set(asked.slice(before))], path);
  }
});

test("thousands of overlapping and aborted reads: right values, no open request", async () => {
  const extent = 40;
  const many = madeStore(
    { shape: [extent, extent], chunks: [4, 8], dtype: "int32", gzip: true },
    ([i, j]) => 1000 * i + j,
  );
  server.files = many;
  const target = await zarr.open(server.url, { kind: "array" });
  server.latency = 3;
  let seed = 7;
  const random = (below) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((seed / 2 ** 31) * below);
  };
  let read = 0;
  let ended = 0;
  const one = async (at) => {
    const [i, j] = [random(extent - 4), random(extent - 4)];
    const [rows, columns] = [1 + random(extent - i - 1), 1 + random(extent - j - 1)];
    const selection = [zarr.slice(i, i + rows), zarr.slice(j, j + columns)];
    const controller = new AbortController();
    if (random(3) > 0) setTimeout(() => controller.abort(new Error(`read ${at}`)), random(40));
    const { signal } = controller;
    try {
      if (random(5) === 0) {
        await target.prefetch(selection, { signal });
        return;
      }
      const { data } = await target.get(selection, {
        signal,
        priority: random(3) - 1,
        ...(random(4) === 0 ? { cache: "reload" } : {}),
      });
      for (let place = 0; place < data.length; place += 1) {
        const expected = 1000 * (i + Math.floor(place / columns)) + j + (place % columns);
        assert.equal(data[place], expected);
      }
      read += 1;
    } catch (error) {
      assert.equal(error.message, `read ${at}`);
      ended += 1;
    }
  };
  for (let round = 0; round < 20; round += 1) {
    await Promise.all(Array.from({ length: 100 }, (_, at) => one(round * 100 + at)));
  }
  assert.ok(read > 200 && ended > 200, `${read} read, ${ended} ended`);
  await until(() => server.requests.every(({ ended }) => ended !== undefined));
  server.latency = 0;
  assert.equal((await target.get([39, 39])).data[0], 39_039);
});
