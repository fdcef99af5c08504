/** The chunk caches and what concurrent reads share. Tests count requests and abort reads. */
import assert from "node:assert/strict";
import { buffer } from "node:stream/consumers";
import { after, before, beforeEach, test } from "node:test";
import * as zarr from "zarr-wasm";
import { parseRange, serve } from "../../scripts/serve.mjs";
import { until } from "../support/waiting.mjs";
import { madeStore, shardedStore } from "./made_stores.mjs";

const MANY = Number(process.env.RANDOM_READS ?? 1500);

/** The stores, by the first name of the path. */
const stores = new Map();
let server;
let asked = [];
/** Delay of responses in ms. */
let delay = () => 0;
let headers = {};
/** The number of responses in progress. */
let open = 0;

function answer(request, response) {
  const [, name, ...path] = new URL(request.url, "http://host").pathname.split("/");
  const store = stores.get(name);
  if (!store) return false;
  if (request.method === "PUT") {
    buffer(request).then((bytes) => {
      store.set(`/${path.join("/")}`, new Uint8Array(bytes));
      response.writeHead(201).end();
    });
    return true;
  }
  const bytes = store.get(`/${path.join("/")}`);
  if (path[0] === "c") asked.push(`${path.join("/")} ${request.headers.range ?? ""}`.trim());
  open += 1;
  response.on("close", () => {
    open -= 1;
  });
  const send = () => {
    if (!bytes) return response.writeHead(404).end();
    const range = parseRange(request.headers.range, bytes.length);
    const { first, last } = range ?? { first: 0, last: bytes.length - 1 };
    const sent = { "Content-Length": last - first + 1, ...headers };
    if (range) sent["Content-Range"] = `bytes ${first}-${last}/${bytes.length}`;
    response.writeHead(range ? 206 : 200, sent).end(bytes.subarray(first, last + 1));
  };
  const ms = delay();
  if (ms > 0) setTimeout(send, ms);
  else send();
  return true;
}

before(async () => {
  server = await serve({}, { intercept: answer });
});
after(() => server.close());
beforeEach(async () => {
  [asked, delay, headers] = [[], () => 0, {}];
  await zarr.init({ caches: { encodedBytes: 64 << 20, decodedBytes: 128 << 20 } });
});

let served = 0;

/** Opens a store over HTTP. */
async function openServed(store, options) {
  const name = `store-${served++}`;
  stores.set(name, store);
  const array = await zarr.open(new zarr.FetchStore(`${server.url}/${name}`, options), { kind: "array" });
  asked = [];
  return array;
}

const valueAt = ([z, y, x]) => (z * 131 + y * 17 + x * 3) % 65536;
const VOLUME = { shape: [20, 70, 50], chunks: [8, 32, 16], dtype: "uint16", gzip: true };

/** The expected elements of a box of steps. */
function expectedOf(axes) {
  const values = [];
  for (const z of axes[0]) for (const y of axes[1]) for (const x of axes[2]) values.push(valueAt([z, y, x]));
  return values;
}

const range = (start, stop, step = 1) => {
  const list = [];
  for (let at = start; step > 0 ? at < stop : at > stop; at += step) list.push(at);
  return list;
};

const everywhere = [range(0, 20), range(0, 70), range(0, 50)];

test("reads of planes fetch and decode each chunk once", async () => {
  const array = await openServed(madeStore(VOLUME, valueAt));
  const { caches } = zarr.info();
  for (const z of range(0, 8)) {
    const { data } = await array.get([z, null, null]);
    assert.deepEqual([...data], expectedOf([[z], everywhere[1], everywhere[2]]));
  }
  assert.equal(asked.length, 3 * 4, "one request a chunk");
  assert.equal(zarr.info().caches.decoded.hits - caches.decoded.hits, 7 * 12);
});

test("reads of planes of shards fetch no byte twice", async () => {
  const array = await openServed(shardedStore({ ...VOLUME, shards: [16, 64, 32] }, valueAt));
  const planes = [];
  for (const z of range(0, 8)) planes.push((await array.get([z, null, null])).data);
  const first = asked.length;
  assert.equal(new Set(asked).size, first, asked.join("\n"));
  for (const z of range(0, 8)) {
    assert.deepEqual([...planes[z]], expectedOf([[z], everywhere[1], everywhere[2]]));
    await array.get([z, zarr.slice(10, 60), [3, 40]]);
  }
  assert.equal(asked.length, first);
});

const WIDE = { ...VOLUME, shards: [16, 64, 64] };

test("a view in a shard: cacheable chunks and others are requested together", async () => {
  const array = await openServed(shardedStore(WIDE, valueAt));
  // Some planes of the first layer of chunks, which are cached, and all planes of the second.
  const { data } = await array.get([zarr.slice(4, 16), zarr.slice(0, 32), zarr.slice(0, 16)]);
  assert.deepEqual([...data], expectedOf([range(4, 16), range(0, 32), range(0, 16)]));
  const ranges = asked.filter((request) => request.includes("bytes="));
  assert.equal(ranges.length, 2, `an index and both chunks: ${asked.join("\n")}`);
});

test("half of a shard is one request; with a known index ranges are requested", async () => {
  const array = await openServed(shardedStore(WIDE, valueAt, { has: ([z]) => z < 2 }));
  const { data } = await array.get([zarr.slice(0, 8), zarr.slice(0, 64), null]);
  assert.deepEqual([...data], expectedOf([range(0, 8), range(0, 64), range(0, 50)]));
  assert.deepEqual(asked, ["c/0/0/0"]);
  await array.get([zarr.slice(8, 16), zarr.slice(0, 64), null]);
  assert.ok(asked.length > 1);
  assert.ok(
    asked.slice(1).every((request) => /^c\/0\/0\/0 bytes=\d+-\d+$/.test(request)),
    asked.join("\n"),
  );
  // All of the array: the shard that is not known, and nothing of the absent ones twice.
  asked = [];
  const all = await array.get(null);
  assert.deepEqual(
    [...all.data],
    expectedOf(everywhere).map((value, at) => (at < 16 * 70 * 50 ? value : 0)),
  );
  assert.deepEqual(asked.filter((request) => !request.includes("bytes=")).toSorted(), [
    "c/0/1/0",
    "c/1/0/0",
    "c/1/1/0",
  ]);
});

test("a cached chunk that keeps a whole shard in memory counts as the shard, once", async () => {
  const store = shardedStore({ ...WIDE, gzip: false }, valueAt);
  const length = store.get("/c/0/0/0").length;
  assert.ok(length > 100_000);
  const array = await openServed(store);
  const kept = () => zarr.info().caches.encoded.bytes;
  const before = kept();
  const upper = [zarr.slice(0, 8), zarr.slice(0, 64), null];
  await array.get(upper);
  assert.deepEqual(asked, ["c/0/0/0"]);
  const most = 8 * 500;
  assert.ok(kept() - before >= length && kept() - before <= length + most, `${kept() - before}`);
  await array.get(upper, { cache: "reload" });
  assert.ok(kept() - before <= length + most, `${kept() - before}`);
});

test("broken and truncated shards are reported for every kind of request", async () => {
  for (const [length, message] of [
    [20, /shorter than its index/],
    [300, /index|beyond|outside|damaged|Checksum|checksum/],
  ]) {
    const store = shardedStore(WIDE, valueAt);
    store.set("/c/0/0/0", store.get("/c/0/0/0").slice(0, length));
    const array = await openServed(store);
    await assert.rejects(array.get(null), (error) => {
      assert.match(error.message, message);
      assert.equal(error.key, "c/0/0/0");
      return error.code === "Format";
    });
  }
});

test("a repeated view needs no request", async () => {
  for (const gzip of [true, false]) {
    const array = await openServed(madeStore({ ...VOLUME, gzip }, valueAt));
    const view = [zarr.slice(1, 17), zarr.slice(0, 64), zarr.slice(5, 50)];
    const expected = expectedOf([range(1, 17), range(0, 64), range(5, 50)]);
    for (let time = 0; time < 2; time += 1) {
      const { data } = await array.get(view);
      assert.deepEqual([...data], expected);
      data.fill(7);
    }
    assert.equal(asked.length, 3 * 2 * 4, "a caller's changes are the caller's");
  }
});

test("concurrent reads of one chunk decode it once", async () => {
  delay = () => 5;
  const array = await openServed(madeStore(VOLUME, valueAt));
  const before = zarr.info().parts;
  const reads = await Promise.all(
    range(0, 8).map((z) => array.get([z, zarr.slice(0, 32), zarr.slice(0, 16)])),
  );
  reads.forEach(({ data }, z) => {
    assert.deepEqual([...data], expectedOf([[z], range(0, 32), range(0, 16)]));
  });
  const { parts } = zarr.info();
  assert.equal(asked.length, 1);
  assert.equal(parts.caller + parts.workers - before.caller - before.workers, 1);
});

test("an abort of the read that requested a chunk does not affect others", async () => {
  delay = () => 60;
  const array = await openServed(madeStore(VOLUME, valueAt));
  const controller = new AbortController();
  const first = array.get([0, zarr.slice(0, 32), zarr.slice(0, 16)], { signal: controller.signal });
  const second = array.get([1, zarr.slice(0, 32), zarr.slice(0, 16)]);
  await until(() => asked.length === 1);
  controller.abort();
  await assert.rejects(first, { name: "AbortError" });
  assert.deepEqual([...(await second).data], expectedOf([[1], range(0, 32), range(0, 16)]));
  assert.equal(asked.length, 1);
});

/** The number of parts decoded since an earlier call. */
function decodedSince(before) {
  const { parts } = zarr.info();
  return parts.caller + parts.workers - before.caller - before.workers;
}

/** The second size is large enough for workers. */
const SHAPES = [VOLUME, { ...VOLUME, shape: [32, 128, 64], chunks: [8, 32, 32] }];

test("concurrent equal reads fetch and decode each chunk once, also from cached bytes", async () => {
  for (const description of SHAPES) {
    delay = () => 5;
    const array = await openServed(madeStore(description, valueAt));
    const expected = expectedOf(description.shape.map((extent) => range(0, extent)));
    const chunks = description.shape.map((extent, axis) => Math.ceil(extent / description.chunks[axis]));
    for (let time = 0; time < 2; time += 1) {
      const before = zarr.info().parts;
      const reads = await Promise.all(range(0, 6).map(() => array.get(null)));
      for (const { data } of reads) {
        assert.deepEqual([...data], expected);
        // A chunk that only this read needs.
        data.fill(7);
      }
      assert.equal(decodedSince(before), 1);
      assert.equal(
        asked.length,
        chunks.reduce((product, count) => product * count),
      );
    }
  }
});

test("concurrent reads with different conversions share no decoded chunks", async () => {
  delay = () => 5;
  const array = await openServed(madeStore(VOLUME, valueAt));
  const before = zarr.info().parts;
  const [numbers, floats, again, turned] = await Promise.all([
    array.get(null),
    array.get(null, { as: "float32" }),
    array.get(null, { as: "float32" }),
    zarr.get(array, null),
  ]);
  const expected = expectedOf(everywhere);
  assert.deepEqual([...numbers.data], expected);
  assert.deepEqual([...floats.data], expected);
  assert.deepEqual([...again.data], expected);
  assert.deepEqual([...turned.data], expected);
  assert.equal(decodedSince(before), 2);
});

test("a chunk that is complete in several views is decoded at most twice", async () => {
  delay = () => 5;
  const array = await openServed(madeStore(VOLUME, valueAt));
  const before = zarr.info().parts;
  const view = async (x) => {
    const { data } = await array.get([zarr.slice(0, 8), zarr.slice(0, 32), zarr.slice(0, x)]);
    assert.deepEqual([...data], expectedOf([range(0, 8), range(0, 32), range(0, x)]));
  };
  await Promise.all([16, 32, 48, 48].map(view));
  // Each of the three chunks is decoded once alone, and the first two once for the other views.
  assert.equal(decodedSince(before), 5);
  assert.equal(asked.length, 3);
});

test("equal reads can be aborted one by one; the last abort ends the work", async () => {
  for (const stays of [[0], [3], [1, 2], []]) {
    delay = () => 0;
    const array = await openServed(madeStore(VOLUME, valueAt));
    delay = () => (stays.length > 0 ? 80 : 5000);
    const controllers = range(0, 4).map(() => new AbortController());
    const reads = controllers.map(({ signal }) => array.get(null, { signal }));
    const settled = Promise.allSettled(reads);
    const all = 3 * 3 * 4;
    await until(() => asked.length >= all);
    for (const [at, controller] of controllers.entries()) if (!stays.includes(at)) controller.abort();
    for (const [at, { status, value }] of (await settled).entries()) {
      assert.equal(status, stays.includes(at) ? "fulfilled" : "rejected");
      if (value) assert.deepEqual([...value.data], expectedOf(everywhere));
    }
    await until(() => open === 0);
    assert.equal(asked.length, all);
  }
});

test("a broken chunk fails only the reads that need it", async () => {
  const store = madeStore({ ...VOLUME, shape: [8, 32, 32], chunks: [8, 32, 16] }, valueAt);
  store.set(
    "/c/0/0/1",
    store.get("/c/0/0/1").map((byte, at) => (at > 40 ? byte ^ 0x5a : byte)),
  );
  const array = await openServed(store);
  delay = () => 5;
  const both = array.get([0, null, null]);
  const sound = array.get([1, null, zarr.slice(0, 16)]);
  await assert.rejects(both, (error) => error.code === "Format" && /c\/0\/0\/1$/.test(error.key ?? ""));
  assert.deepEqual([...(await sound).data], expectedOf([[1], range(0, 32), range(0, 16)]));
});

test("absent chunks are requested once and have the fill value", async () => {
  const store = madeStore({ ...VOLUME, fill: 9 }, valueAt, { has: ([z]) => z !== 1 });
  const array = await openServed(store);
  for (let time = 0; time < 2; time += 1) {
    const { data } = await array.get([zarr.slice(7, 9), zarr.slice(0, 2), zarr.slice(0, 2)]);
    assert.deepEqual([...data], [...expectedOf([[7], [0, 1], [0, 1]]), 9, 9, 9, 9]);
  }
  assert.equal(asked.length, 2);
});

test("values of a user's store are not cached, because they may change", async () => {
  const map = madeStore(VOLUME, valueAt);
  let gets = 0;
  const store = {
    get(key) {
      if (key.startsWith("/c/")) gets += 1;
      return map.get(key);
    },
  };
  const array = await zarr.open(store, { kind: "array" });
  await array.get([0, zarr.slice(0, 32), zarr.slice(0, 16)]);
  map.set("/c/0/0/0", madeStore(VOLUME, () => 5).get("/c/0/0/0"));
  assert.deepEqual([...(await array.get([0, zarr.slice(0, 1), zarr.slice(0, 2)])).data], [5, 5]);
  assert.equal(gets, 2);
});

test("a write invalidates the cache", async () => {
  const array = await openServed(madeStore(VOLUME, valueAt));
  const box = [zarr.slice(0, 1), zarr.slice(0, 2), zarr.slice(0, 2)];
  for (const value of [1, 2]) {
    await array.get(box);
    await array.get([zarr.slice(0, 8), zarr.slice(0, 32), zarr.slice(0, 16)]);
    await array.set(box, value);
    assert.deepEqual([...(await array.get(box)).data], [value, value, value, value]);
    const { data } = await array.get([zarr.slice(0, 8), zarr.slice(0, 32), zarr.slice(0, 16)]);
    assert.deepEqual([...data.slice(0, 3)], [value, value, 6]);
  }
});

test("responses of which the server demands to be asked again are not cached", async () => {
  for (const control of ["private, no-cache", "max-age=5"]) {
    headers = { "Cache-Control": control };
    const array = await openServed(madeStore(VOLUME, valueAt));
    for (const z of range(0, 3)) await array.get([z, zarr.slice(0, 32), zarr.slice(0, 16)]);
    assert.equal(asked.length, 3, control);
  }
});

test("what no cache of the network may keep is held for the reads of the page, until it reloads", async () => {
  for (const control of ["no-store", "no-cache, no-store, must-revalidate"]) {
    headers = { "Cache-Control": control };
    const array = await openServed(madeStore(VOLUME, valueAt));
    for (const z of range(0, 3)) await array.get([z, zarr.slice(0, 32), zarr.slice(0, 16)]);
    assert.equal(asked.length, 1, control);
    const { data } = await array.get([1, zarr.slice(0, 32), zarr.slice(0, 16)], { cache: "reload" });
    assert.deepEqual([...data], expectedOf([[1], range(0, 32), range(0, 16)]));
    assert.equal(asked.length, 2, control);
  }
});

test("the configured cache sizes are limits", async () => {
  await zarr.init({ caches: { encodedBytes: 0, decodedBytes: 20_000 } });
  const array = await openServed(madeStore(VOLUME, valueAt));
  for (const x of [0, 16, 32, 0]) await array.get([0, zarr.slice(0, 32), zarr.slice(x, x + 5)]);
  const { encoded, decoded } = zarr.info().caches;
  assert.equal(encoded.bytes, 0);
  assert.ok(decoded.bytes > 8192 && decoded.bytes <= 20_000, `${decoded.bytes}`);
  assert.equal(asked.length, 4, "the first one had to go");
});

/** Pseudo-random numbers, the same in every run. */
function randomOf(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** An entry of a selection, and its indices. */
function entryOf(extent, random) {
  const start = random(extent);
  const stop = start + 1 + random(extent - start);
  const kind = random(5);
  if (kind === 0) return [start, [start]];
  if (kind === 1) return [zarr.slice(start, stop, 2), range(start, stop, 2)];
  if (kind === 2 && start > 0) return [zarr.slice(stop - 1, start - 1, -1), range(stop - 1, start - 1, -1)];
  if (kind === 3) return [null, range(0, extent)];
  return [zarr.slice(start, stop), range(start, stop)];
}

async function randomRead(array, random) {
  // Every second selection is one of a few, so that equal reads are concurrent.
  const own = random(2) === 0 ? random : randomOf(random(4));
  const entries = array.shape.map((extent) => entryOf(extent, own));
  const controller = new AbortController();
  const reading = array.get(
    entries.map(([entry]) => entry),
    { signal: controller.signal },
  );
  if (random(3) === 0) setTimeout(() => controller.abort(), random(6));
  try {
    const { data } = await reading;
    const expected = expectedOf(entries.map(([, indices]) => indices));
    assert.equal(data.length, expected.length);
    const wrong = expected.findIndex((value, at) => data[at] !== value);
    assert.equal(wrong, -1, JSON.stringify(entries.map(([entry]) => entry)));
  } catch (error) {
    if (!controller.signal.aborted || error.name !== "AbortError") throw error;
  }
}

test(`${MANY} random overlapping reads and aborts`, async () => {
  const random = randomOf(20261121);
  delay = () => random(4);
  await zarr.init({ caches: { encodedBytes: 200_000, decodedBytes: 150_000 } });
  const arrays = await Promise.all([
    openServed(madeStore(VOLUME, valueAt)),
    openServed(madeStore({ ...VOLUME, gzip: false }, valueAt)),
    openServed(shardedStore({ ...VOLUME, shards: [16, 64, 32] }, valueAt)),
    zarr.open(madeStore(VOLUME, valueAt), { kind: "array" }),
  ]);
  let left = MANY;
  const reader = async () => {
    while (left-- > 0) await randomRead(arrays[random(arrays.length)], random);
  };
  await Promise.all(range(0, 12).map(reader));
  const { encoded, decoded } = zarr.info().caches;
  assert.ok(encoded.bytes <= 200_000 && decoded.bytes <= 150_000);
  assert.ok(encoded.hits > 0 && decoded.hits > 0);
});
