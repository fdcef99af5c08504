/**
 * Several copies of the package on one thread: two entries, or one entry that two libraries load.
 * They import one file with the engine's program. Each has its own engine: it reads its own values,
 * writes to its own stores, and sends its own token.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import * as zarr from "../../dist/index.js";
import * as inline from "../../dist/inline.js";
import * as again from "../../dist/inline.js?again";
import { madeStore } from "./made_stores.mjs";
import { scriptedServer } from "./scripted_server.mjs";

const PAIRS = {
  "two entries": [zarr, inline],
  "one entry, loaded twice": [inline, again],
};

after(() => {
  for (const copy of [zarr, inline, again]) copy.dispose();
});

const DESCRIPTION = { shape: [4], chunks: [2], dtype: "uint8" };

/** The files of an array of one value. */
const filesOf = (value) =>
  new Map([...madeStore(DESCRIPTION, () => value)].map(([key, bytes]) => [key, Buffer.from(bytes)]));

/** A server for each copy of a pair, with arrays of 1 and of 2. It keeps the tokens that it got. */
async function serversOf(t, pair) {
  const servers = await Promise.all(pair.map((_, at) => scriptedServer(filesOf(at + 1))));
  for (const server of servers) {
    server.tokens = [];
    server.act = ({ headers }) => void server.tokens.push(headers.authorization);
    t.after(() => server.close());
  }
  return servers;
}

const arrayOf = async (copy, store) => copy.open(store, { kind: "array" });

/** Opens in a random order of turns: each copy numbers its objects from 1. */
const opened = (pair, stores) => Promise.all(pair.map((copy, at) => arrayOf(copy, stores[at])));

for (const [what, pair] of Object.entries(PAIRS)) {
  test(`${what}: each reads its own values`, async (t) => {
    const servers = await serversOf(t, pair);
    const arrays = await opened(
      pair,
      servers.map(({ url }) => url),
    );
    for (let round = 0; round < 2; round += 1) {
      const read = await Promise.all(arrays.map((array) => array.get(null)));
      assert.deepEqual(
        read.map(({ data }) => [...data]),
        [
          [1, 1, 1, 1],
          [2, 2, 2, 2],
        ],
      );
    }
  });

  test(`${what}: each reads its own user's store`, async () => {
    const arrays = await opened(pair, [filesOf(1), filesOf(2)]);
    const read = await Promise.all(arrays.map((array) => array.get([[1, 3]])));
    assert.deepEqual(
      read.map(({ data }) => [...data]),
      [
        [1, 1],
        [2, 2],
      ],
    );
  });

  test(`${what}: a server gets its own token, and no request of the other copy`, async (t) => {
    const servers = await serversOf(t, pair);
    const stores = pair.map(
      (copy, at) =>
        new copy.FetchStore(servers[at].url, { headers: async () => ({ Authorization: `token ${at}` }) }),
    );
    const arrays = await opened(pair, stores);
    await Promise.all(arrays.map((array) => array.get(null)));
    for (const [at, { tokens }] of servers.entries()) {
      assert.ok(tokens.length >= 3, `server ${at} had ${tokens.length} requests`);
      assert.deepEqual([...new Set(tokens)], [`token ${at}`]);
    }
  });

  test(`${what}: each writes to its own store`, async () => {
    const stores = [filesOf(1), filesOf(2)];
    const arrays = await opened(pair, stores);
    await arrays[0].set(null, 9);
    await arrays[1].set([0], 7);
    const chunks = stores.map((store) => ["/c/0", "/c/1"].map((key) => [...store.get(key)]));
    assert.deepEqual(chunks, [
      [
        [9, 9],
        [9, 9],
      ],
      [
        [7, 2],
        [2, 2],
      ],
    ]);
  });

  test(`${what}: dispose() of one leaves a read of the other alone`, async (t) => {
    const servers = await serversOf(t, pair);
    const arrays = await opened(
      pair,
      servers.map(({ url }) => url),
    );
    const [, other] = pair;
    await arrays[1].get(null);
    let arrive;
    const arrived = new Promise((resolve) => {
      arrive = resolve;
    });
    let release;
    const released = new Promise((resolve) => {
      release = resolve;
    });
    servers[0].act = (_, response, bytes) => {
      arrive();
      released.then(() => response.end(bytes));
      return true;
    };
    const reading = arrays[0].get(null);
    await arrived;
    other.dispose();
    release();
    assert.deepEqual([...(await reading).data], [1, 1, 1, 1]);
    // The node of the copy that was disposed works with a new engine.
    assert.deepEqual([...(await arrays[1].get(null)).data], [2, 2, 2, 2]);
    assert.deepEqual([...(await arrays[0].get([0])).data], [1]);
  });

  test(`${what}: writers of one chunk of one folder wait for each other`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "zarr-wasm-copies-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const length = 64;
    const stores = pair.map((copy) => new copy.FileSystemStore(folder));
    const options = { path: "a", shape: [length], chunkShape: [length], dtype: "uint8" };
    await pair[0].create(stores[0], options);
    const arrays = await Promise.all(
      pair.map((copy, at) => copy.open(copy.root(stores[at]).resolve("a"), { kind: "array" })),
    );
    await Promise.all(Array.from({ length }, (_, place) => arrays[place % 2].set([place], place + 1)));
    const { data } = await arrays[0].get(null, { cache: "reload" });
    assert.deepEqual(
      [...data],
      Array.from({ length }, (_, place) => place + 1),
    );
  });

  test(`${what}: options of one are not those of the other`, async () => {
    const [one, other] = pair;
    await one.init({ workers: 0 });
    await other.init({ workers: 1 });
    const description = { shape: [1 << 20], chunks: [1 << 18], dtype: "uint8", gzip: true };
    const store = madeStore(description, ([at]) => at % 251);
    const arrays = await opened(pair, [store, store]);
    const before = pair.map((copy) => copy.info().parts);
    for (const array of arrays) assert.equal((await array.get([1_000_000])).data[0], 1_000_000 % 251);
    await Promise.all(arrays.map((array) => array.get(null)));
    const parts = pair.map((copy) => copy.info().parts);
    assert.equal(parts[0].workers, before[0].workers, "workers: 0");
    assert.ok(parts[1].workers > before[1].workers, "workers: 1");
  });
}
