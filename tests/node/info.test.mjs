/** `info`, `init`, `dispose`, and warnings. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as zarr from "zarr-wasm";
import { steady, until } from "../support/waiting.mjs";
import { madeStore } from "./made_stores.mjs";
import { scriptedServer } from "./scripted_server.mjs";

const description = { shape: [300, 300], chunks: [100, 100], dtype: "float64", gzip: true };
const files = madeStore(description, ([i, j]) => i * j);

test("info counts requests, bytes, decoding, failures and aborts", async () => {
  const server = await scriptedServer(files);
  try {
    // While the engine starts, the page asks for documents that the engine may not need.
    await zarr.open(files, { kind: "array" });
    const before = zarr.info();
    const array = await zarr.open(server.url, { kind: "array" });
    await array.get();
    const after = zarr.info();
    const stored = [...files].reduce((sum, [key, bytes]) => sum + (key === "/.x" ? 0 : bytes.length), 0);
    assert.equal(after.wire.requests - before.wire.requests, server.requests.length);
    assert.ok(server.requests.length >= 1 + 9, `${server.requests.length} requests`);
    assert.equal(after.wire.bytes - before.wire.bytes, stored);
    assert.ok(after.decodeMs > before.decodeMs);
    const byCodecs = ({ decodeMsBy }) => decodeMsBy["bytes, gzip"] ?? 0;
    assert.ok(byCodecs(after) > byCodecs(before), JSON.stringify(after.decodeMsBy));
    const sum = Object.values(after.decodeMsBy).reduce((total, ms) => total + ms, 0);
    assert.ok(Math.abs(sum - after.decodeMs) < 1e-6, "every time has its codecs");
    assert.ok(after.parts.workers + after.parts.caller > before.parts.workers + before.parts.caller);
    assert.equal(after.simd, true);
    assert.equal(after.isStarted, true);
    server.act = (request) => Boolean(request.socket.destroy());
    await assert.rejects(zarr.open(server.url), { code: "Store" });
    assert.ok(zarr.info().wire.failed > after.wire.failed);
    server.act = undefined;
    server.latency = 500;
    await assert.rejects(array.get(null, { signal: AbortSignal.timeout(50), cache: "reload" }), {
      name: "TimeoutError",
    });
    assert.ok(zarr.info().wire.aborted > after.wire.aborted);
  } finally {
    await server.close();
  }
});

test("dispose ends calls in progress; later calls work", async () => {
  const array = await zarr.open(files, { kind: "array" });
  const sum = async () => (await array.get()).data.reduce((total, value) => total + value, 0);
  const expected = await sum();
  assert.ok(zarr.info().workers > 0);
  const server = await scriptedServer(files);
  try {
    const remote = await zarr.open(server.url, { kind: "array" });
    await until(() => server.requests.every(({ ended }) => ended !== undefined));
    server.requests.length = 0;
    server.latency = 10_000;
    const waiting = [zarr.open(server.url), remote.get(), remote.stream().next()].map((promise) =>
      assert.rejects(promise, { code: "Aborted" }),
    );
    await steady(() => server.requests.length);
    zarr.dispose();
    await Promise.all(waiting);
    await until(() => server.requests.every(({ isGivenUp }) => isGivenUp));
    assert.equal(zarr.info().workers, 0);
    assert.equal(await sum(), expected);
    zarr.dispose();
    zarr.dispose();
    assert.equal(await sum(), expected);
    server.latency = 0;
    assert.equal((await remote.get([0, null])).data.length, 300);
  } finally {
    await server.close();
  }
});

test("each warning reaches the listener once, and an error of the listener is ignored", async () => {
  const heard = [];
  await zarr.init({
    onWarning(message, path) {
      heard.push([message, path]);
      throw new Error("not now");
    },
  });
  try {
    const server = await scriptedServer(files);
    server.act = (_request, response, bytes) => bytes && Boolean(response.writeHead(200).end(bytes));
    const store = new zarr.FetchStore(`${server.url}?sig=secret`);
    await store.getRange("/zarr.json", { offset: 0, length: 3 });
    await store.getRange("/zarr.json", { offset: 0, length: 4 });
    const ranges = heard.filter(([message]) => /ignores byte ranges/.test(message));
    assert.equal(ranges.length, 1);
    assert.equal(ranges[0][1], server.url);
    assert.deepEqual(store.warnings, [ranges[0][0]]);
    const array = await zarr.open(store, { kind: "array" });
    assert.ok(array.warnings.includes(ranges[0][0]));
    await server.close();
    // Node has no Cache Storage, so nothing is cached, and there is a warning.
    const kept = new zarr.PersistentCache();
    assert.deepEqual(await kept.usage(), { entries: 0, bytes: 0 });
    assert.equal(heard.filter(([message]) => /nothing is kept/.test(message)).length, 1);
    const odd = new Map([
      [
        "/.zarray",
        new TextEncoder().encode(
          '{"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "<f4", "compressor": null, "fill_value": null, "order": "C", "filters": null}',
        ),
      ],
    ]);
    const before = heard.length;
    const node = await zarr.open(odd);
    assert.deepEqual(
      heard.slice(before).map(([message]) => message),
      [...node.warnings],
    );
  } finally {
    await zarr.init({ onWarning: () => {} });
  }
});

/** Chunks of this size: Blosc frames without compression, followed by 16 bytes. */
function trailingBlosc(size, chunks) {
  const compressor = { id: "blosc", cname: "lz4", clevel: 0, shuffle: 0, blocksize: 0 };
  const rest = { zarr_format: 2, dtype: "|u1", compressor, fill_value: 0, order: "C", filters: null };
  const zarray = JSON.stringify({ shape: [size * chunks], chunks: [size], ...rest });
  const store = new Map([["/.zarray", new TextEncoder().encode(zarray)]]);
  for (let chunk = 0; chunk < chunks; chunk++) {
    const frame = new Uint8Array(16 + size + 16);
    frame.set([2, 1, 2, 1]);
    frame.set(new Uint8Array(Uint32Array.of(size, size, size + 16).buffer), 4);
    frame.fill(chunk + 1, 16, 16 + size);
    store.set(`/${chunk}`, frame);
  }
  return store;
}

test("a warning about chunks comes once, from workers and the caller, for reads and writes", async () => {
  const heard = [];
  await zarr.init({ onWarning: (message, path) => heard.push([message, path]) });
  try {
    for (const [size, where] of [
      [100, "caller"],
      [1 << 20, "workers"],
    ]) {
      heard.length = 0;
      const store = trailingBlosc(size, 4);
      const array = await zarr.open(store, { kind: "array" });
      const other = await zarr.open(store, { kind: "array" });
      assert.deepEqual(array.warnings, []);
      const before = zarr.info().parts[where];
      const { data } = await array.get();
      assert.ok(zarr.info().parts[where] > before, where);
      assert.deepEqual([data[0], data[size], data.at(-1)], [1, 2, 4]);
      await array.get([1]);
      assert.equal(array.warnings.length, 1);
      assert.match(array.warnings[0], /Blosc.*\[blosc-trailing\]$/);
      assert.deepEqual(heard, [[array.warnings[0], "/"]]);
      // The write decodes the chunk and stores it without the 16 bytes.
      await other.set([0], 7);
      assert.equal(heard.length, 2);
      assert.deepEqual([other.warnings, array.warnings.length], [[...array.warnings], 1]);
      assert.deepEqual([...(await other.get([zarr.slice(0, 2)])).data], [7, 1]);
    }
  } finally {
    await zarr.init({ onWarning: () => {} });
  }
});

test("memoryLimit limits the caches; the option caches sets each size", async () => {
  const server = await scriptedServer(files);
  try {
    const kept = async () => {
      const array = await zarr.open(server.url, { kind: "array" });
      await array.get();
      await array.get([zarr.slice(0, 150), zarr.slice(0, 150)]);
      const { encoded, decoded } = zarr.info().caches;
      return [encoded.bytes, decoded.bytes];
    };
    const [encoded] = await kept();
    assert.ok(encoded > 0);
    await zarr.init({ memoryLimit: 0 });
    assert.deepEqual(await kept(), [0, 0]);
    await zarr.init({ memoryLimit: 600_000 });
    const [some, others] = await kept();
    assert.ok(some <= 100_000 && others <= 200_000, `${some}, ${others}`);
    const { caches } = zarr.info();
    assert.deepEqual([caches.encoded.limit, caches.decoded.limit], [100_000, 200_000]);
    await zarr.init({ caches: { encodedBytes: 64 << 20, decodedBytes: 128 << 20 } });
    assert.ok((await kept())[0] > 0);
  } finally {
    await server.close();
  }
});

test("idle workers end, and new ones start for later work", async () => {
  const description = { shape: [1024, 1024], chunks: [256, 256], dtype: "uint16", gzip: true };
  const array = await zarr.open(
    madeStore(description, ([i, j]) => (i * 3 + j) % 65536),
    { kind: "array" },
  );
  await zarr.init({ workers: 2, workerIdleMs: 80 });
  try {
    for (let round = 0; round < 2; round++) {
      const { data } = await array.get(null);
      assert.equal(data[1024 * 1000 + 1000], 4000);
      assert.equal(zarr.info().workers > 0, true);
      await until(() => zarr.info().workers === 0);
    }
  } finally {
    await zarr.init({ workerIdleMs: 60_000 });
  }
});

test("preload starts the engine and one decode worker, and the first read uses them", async () => {
  zarr.dispose();
  assert.equal(zarr.info().isStarted, false);
  await zarr.preload();
  assert.equal(zarr.info().isStarted, true);
  await until(() => zarr.info().workers === 1);
  await zarr.preload();
  const array = await zarr.open(files, { kind: "array" });
  assert.equal((await array.get([7, 9])).data[0], 63);
  assert.equal(zarr.info().workers, 1);
});

test("preload takes what conventions need, and refuses what is no boolean", async () => {
  zarr.dispose();
  await zarr.preload({ conventions: true });
  const group = await zarr.create(new Map(), {});
  assert.deepEqual(await zarr.conventions(group), []);
  await assert.rejects(zarr.preload({ conventions: 1 }), { code: "Argument" });
});
