/**
 * Concurrent reads share requests, on a real HTTP server. An abort of one read does not cancel
 * another.
 */
import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import * as zarr from "zarr-wasm";
import { pause, until } from "../support/waiting.mjs";
import { scriptedServer } from "./scripted_server.mjs";

const SIDE = 1024;
const INNER = 32;

/** One shard of 32 × 32 inner chunks of 4 kB, numbered element by element. */
async function madeShard() {
  const files = new Map();
  const array = await zarr.create(files, {
    shape: [SIDE, SIDE],
    chunkShape: [INNER, INNER],
    shardShape: [SIDE, SIDE],
    dtype: "uint32",
    codecs: [],
  });
  await array.set(
    null,
    Uint32Array.from({ length: SIDE * SIDE }, (_, at) => at),
  );
  return files;
}

let files;
let server;

before(async () => {
  files = await madeShard();
  server = await scriptedServer(files);
});
after(() => server.close());
beforeEach(() => {
  server.latency = 0;
});

/** Every fourth inner chunk along both dimensions: 64 windows, each at the start of its chunk. */
const STARTS = Array.from({ length: 8 }, (_, at) => 4 * INNER * at);
const WINDOWS = STARTS.flatMap((row) => STARTS.map((column) => [row, column]));
const SIZE = 8;

const chunkRequests = () => server.requests.filter(({ key }) => key.startsWith("/c/"));

/** Opens the array anew, reads it, and returns the requests of the read. */
async function requestsOf(read) {
  const array = await zarr.open(`${server.url}?run=${Math.random()}`, { kind: "array" });
  server.requests.length = 0;
  await read(array);
  return chunkRequests().length;
}

const windowOf = (array, [row, column], options) =>
  array.get([zarr.slice(row, row + SIZE), zarr.slice(column, column + SIZE)], options);

const listed = STARTS.flatMap((start) => Array.from({ length: SIZE }, (_, at) => start + at));

test("64 small reads of one shard cost no more requests than one read of all of them", async () => {
  const together = await requestsOf((array) => array.get([listed, listed]));
  const each = await requestsOf(async (array) => {
    const reads = await Promise.all(WINDOWS.map((window) => windowOf(array, window)));
    for (const [at, [row, column]] of WINDOWS.entries()) {
      assert.equal(reads[at].data[0], SIDE * row + column);
      assert.equal(reads[at].data.at(-1), SIDE * (row + SIZE - 1) + column + SIZE - 1);
    }
  });
  assert.ok(each <= together, `${each} requests, and ${together} for all at once`);
  assert.ok(each < WINDOWS.length / 4, `${each} requests`);
});

test("reads of several objects of one array share requests too", async () => {
  const handles = async (array) => {
    const other = await zarr.open(array.store, { kind: "array" });
    server.requests.length = 0;
    await Promise.all(WINDOWS.map((window, at) => windowOf(at % 2 ? array : other, window)));
  };
  const one = await requestsOf((array) => Promise.all(WINDOWS.map((window) => windowOf(array, window))));
  assert.equal(await requestsOf(handles), one);
});

test("an abort of one read does not end others; the last abort ends the request", async () => {
  const array = await zarr.open(`${server.url}?run=abort`, { kind: "array" });
  await windowOf(array, [SIDE - SIZE, SIDE - SIZE]); // the index is known
  server.latency = 200;
  for (const leaving of [[0], [0, 1], [0, 1, 2]]) {
    server.requests.length = 0;
    const callers = WINDOWS.slice(0, 3).map((window) => ({ window, giveUp: new AbortController() }));
    const reads = callers.map(({ window, giveUp }) =>
      windowOf(array, window, { signal: giveUp.signal, cache: leaving.length === 1 ? undefined : "reload" }),
    );
    const settled = Promise.allSettled(reads);
    await until(() => chunkRequests().length > 0);
    for (const at of leaving) callers[at].giveUp.abort();
    for (const [at, { status, value, reason }] of (await settled).entries()) {
      const [row, column] = WINDOWS[at];
      if (leaving.includes(at)) assert.equal(reason?.name, "AbortError");
      else assert.equal(value?.data[0], SIDE * row + column, `${status} ${reason}`);
    }
    await until(() => chunkRequests().every(({ ended }) => ended !== undefined));
    const asked = chunkRequests();
    const isGivenUp = asked.some((request) => request.isGivenUp);
    assert.equal(isGivenUp, leaving.length === 3, JSON.stringify(asked));
  }
});

test("each request to a user's store has the signal of one caller", async () => {
  const signals = new Set();
  let calls = 0;
  const store = {
    get: (key) => files.get(key),
    async getRange(key, range, { signal } = {}) {
      calls += 1;
      signals.add(signal);
      const bytes = files.get(key);
      const { offset = bytes.length - range.suffixLength, length = range.suffixLength } = range;
      await pause(5);
      return bytes.slice(offset, offset + length);
    },
  };
  const array = await zarr.open(store, { kind: "array" });
  await windowOf(array, [0, 0]); // the index is known
  signals.clear();
  calls = 0;
  const callers = [new AbortController(), new AbortController()];
  await Promise.all(
    callers.flatMap(({ signal }, caller) =>
      [0, 1].map((at) => windowOf(array, WINDOWS[2 + 2 * caller + at], { signal })),
    ),
  );
  assert.deepEqual(signals, new Set(callers.map(({ signal }) => signal)));
  assert.ok(calls >= 2 && calls <= 4, `${calls} calls`);
});
