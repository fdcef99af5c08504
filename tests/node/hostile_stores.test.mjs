/**
 * Stores, errors, signals and listeners of the user that misbehave: bytes in memory that is used
 * again, buffers that were transferred, proxies, getters that throw, errors that are their own
 * cause. Every call settles, with a typed error or with what was thrown, and no call of another
 * store is disturbed. With the engine on the caller's thread and in a worker.
 */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import * as zarr from "zarr-wasm";

const SHAPE = [8, 8];
const places = Array.from({ length: 64 }, (_, at) => at);

/** An array of 16 chunks whose elements are their places, in a map. */
async function written(options = {}) {
  const map = new Map();
  const array = await zarr.create(map, { shape: SHAPE, chunkShape: [2, 2], dtype: "uint8", ...options });
  await array.set(null, { data: Uint8Array.from(places), shape: SHAPE, stride: [8, 1] });
  return map;
}

/** Ends a wait that would have no end. */
async function within(promise, what) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not settle`)), 20_000);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** A store that gives what `answer` makes of the bytes of each chunk. */
const answering = (map, answer) => ({
  get(key) {
    const bytes = map.get(key);
    return bytes && !key.endsWith("zarr.json") ? answer(bytes, key) : bytes;
  },
});

const throws = () => {
  throw new Error("this getter throws");
};

/** What a store may answer instead of bytes. */
const ODD_ANSWERS = {
  "a view whose buffer was transferred"(bytes) {
    const copy = Uint8Array.from(bytes);
    structuredClone(copy.buffer, { transfer: [copy.buffer] });
    return copy;
  },
  "a buffer that was transferred"(bytes) {
    const { buffer } = Uint8Array.from(bytes);
    structuredClone(buffer, { transfer: [buffer] });
    return buffer;
  },
  "a proxy of bytes": (bytes) => new Proxy(Uint8Array.from(bytes), {}),
  "a proxy of a buffer": (bytes) => new Proxy(Uint8Array.from(bytes).buffer, {}),
  "a revoked proxy"() {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
  "an object whose getters throw": () =>
    new Proxy({}, { get: throws, getPrototypeOf: throws, has: throws, ownKeys: throws }),
  "bytes whose own getters throw": (bytes) =>
    Object.defineProperties(Uint8Array.from(bytes), { buffer: { get: throws }, byteLength: { get: throws } }),
  "a function": () => () => new Uint8Array(4),
  "a symbol": () => Symbol("bytes"),
};

/** An error with ten thousand causes, each that of the one before. */
let DEEP = new Error("the first");
for (let depth = 0; depth < 10_000; depth += 1) DEEP = new zarr.ZarrError("Store", "later", { cause: DEEP });

/** What a store may throw. */
const ODD_ERRORS = {
  "an error that is its own cause"() {
    const error = new Error("in circles");
    error.cause = error;
    return error;
  },
  "errors that are each other's cause"() {
    const [one, other] = [new TypeError("one"), new TypeError("other")];
    one.cause = other;
    other.cause = one;
    return one;
  },
  "a typed error that is its own cause"() {
    const error = new zarr.ZarrError("Store", "in circles");
    error.cause = error;
    return error;
  },
  "a chain of ten thousand causes": () => DEEP,
  "an error whose getters throw": () =>
    Object.defineProperties(new Error("x"), {
      message: { get: throws },
      name: { get: throws },
      cause: { get: throws },
    }),
  "a proxy whose traps throw": () =>
    new Proxy(new TypeError("x"), { get: throws, getPrototypeOf: throws, has: throws, ownKeys: throws }),
  "an object without a prototype": () => Object.create(null),
  "an error with a name that is no text": () =>
    Object.assign(new Error("x"), { name: throws, message: throws }),
  "a symbol": () => Symbol("thrown"),
  nothing: () => undefined,
};

for (const engine of ["caller", "worker"]) {
  describe(`the engine with ${engine === "caller" ? "the caller" : "a worker"}`, () => {
    test("it starts", async () => {
      zarr.dispose();
      await zarr.init({ engine });
    });

    test("a store may use one buffer for all answers", async () => {
      const map = await written({ codecs: [{ name: "bytes" }] });
      for (const memory of [new Uint8Array(64), new Uint8Array(new SharedArrayBuffer(64))]) {
        const shared = answering(map, (bytes) => {
          memory.fill(0xee).set(bytes);
          return memory.subarray(0, bytes.length);
        });
        // One call after the other has the memory.
        let before = Promise.resolve();
        const late = {
          get(key) {
            before = before.then(() => new Promise(setImmediate)).then(() => shared.get(key));
            return before;
          },
        };
        for (const store of [shared, late]) {
          const array = await zarr.open(store, { kind: "array" });
          assert.deepEqual(Array.from((await array.get()).data), places);
          memory.fill(0xdd);
          assert.deepEqual(Array.from((await array.get([1, null])).data), places.slice(8, 16));
        }
      }
    });

    test("a store may use one buffer for all ranges, and for a whole archive", async () => {
      const map = await written({ shardShape: [4, 4] });
      const memory = new Uint8Array(1 << 16);
      const reused = (bytes) => {
        memory.fill(0xee).set(bytes);
        return memory.subarray(0, bytes.length);
      };
      const ranges = {
        get: (key) => (map.has(key) ? reused(map.get(key)) : undefined),
        getRange(key, range) {
          const bytes = map.get(key);
          if (!bytes) return undefined;
          const start = range.offset ?? bytes.length - range.suffixLength;
          return reused(bytes.subarray(start, start + (range.length ?? range.suffixLength)));
        },
      };
      const array = await zarr.open(ranges, { kind: "array" });
      assert.deepEqual(Array.from((await array.get()).data), places);
      const archive = new zarr.ZipWriter();
      for (const [key, bytes] of map) await archive.set(key, bytes);
      const file = new Uint8Array(await (await archive.toBlob()).arrayBuffer());
      const inArchive = {
        getLength: () => file.length,
        read: (offset, length) => reused(file.subarray(offset, offset + length)),
      };
      const store = new zarr.ZipFileStore(inArchive);
      assert.deepEqual(Array.from((await (await zarr.open(store, { kind: "array" })).get()).data), places);
    });

    test("a `fetch` may answer with the same buffer again, which stays whole", async () => {
      const map = await written({ codecs: [{ name: "bytes" }] });
      const kept = new Map([...map].map(([key, bytes]) => [key, Uint8Array.from(bytes).buffer]));
      const fetch = async ({ url }) => {
        const body = kept.get(new URL(url).pathname);
        return {
          status: body ? 200 : 404,
          headers: new Headers(),
          arrayBuffer: async () => body ?? new ArrayBuffer(0),
        };
      };
      const store = new zarr.FetchStore("https://data.test", { fetch });
      for (let round = 0; round < 2; round += 1) {
        const array = await zarr.open(store, { kind: "array" });
        assert.deepEqual(Array.from((await array.get()).data), places);
        assert.ok([...kept.values()].every((buffer) => buffer.byteLength > 0));
      }
    });

    test("a codec may decode into one buffer", async () => {
      const memory = new ArrayBuffer(4);
      zarr.registry.set("test.one_buffer", async () => ({
        fromConfig: () => ({
          kind: "bytes_to_bytes",
          encode: (bytes) => bytes,
          decode(bytes) {
            new Uint8Array(memory).set(bytes);
            return memory;
          },
        }),
      }));
      const map = await written({ codecs: [{ name: "bytes" }, { name: "test.one_buffer" }] });
      const array = await zarr.open(map, { kind: "array" });
      assert.deepEqual(Array.from((await array.get()).data), places);
      assert.deepEqual(Array.from((await array.get()).data), places);
      assert.equal(memory.byteLength, 4);
    });

    for (const [what, answer] of Object.entries(ODD_ANSWERS)) {
      test(`${what} in place of bytes is an error, and a write elsewhere goes on`, async () => {
        const store = answering(await written({ codecs: [{ name: "bytes" }] }), answer);
        const array = await zarr.open(store, { kind: "array" });
        const other = new Map();
        const target = await zarr.create(other, { shape: [4096], chunkShape: [64], dtype: "int32" });
        const data = Int32Array.from({ length: 4096 }, (_, at) => at);
        const writing = target.set(null, { data, shape: [4096], stride: [1] });
        const reads = [array.get(), array.get([0, 0]), array.getChunk([0, 0])];
        for (const { status, reason } of await within(Promise.allSettled(reads), what)) {
          assert.equal(status, "rejected");
          assert.ok(reason instanceof zarr.ZarrError, String(reason));
          assert.equal(reason.code, "Store");
          assert.match(
            reason.message,
            /^the store returned a value that is not bytes, or whose buffer is gone/,
          );
        }
        await within(writing, "the write");
        assert.deepEqual((await target.get()).data, data);
      });
    }

    for (const [what, make] of Object.entries(ODD_ERRORS)) {
      test(`a store that throws ${what} rejects the call, and no other`, async () => {
        const map = await written();
        const sound = await zarr.open(map, { kind: "array" });
        for (const fails of [() => throwing(make), () => Promise.reject(make())]) {
          const array = await zarr.open(answering(map, fails), { kind: "array" });
          const settled = await within(
            Promise.allSettled([array.get(), sound.get(), array.getChunk([0, 0])]),
            what,
          );
          assert.deepEqual(
            settled.map(({ status }) => status),
            ["rejected", "fulfilled", "rejected"],
          );
          const opened = zarr.open({ get: fails }, { kind: "array" });
          assert.deepEqual((await within(Promise.allSettled([opened]), what))[0].status, "rejected");
          const writable = { get: (key) => map.get(key), set: fails };
          const target = await zarr.open(writable, { kind: "array" });
          const written = await within(Promise.allSettled([target.set(null, 1)]), what);
          assert.equal(written[0].status, "rejected");
        }
      });

      test(`a codec that throws ${what} rejects the call`, async () => {
        const name = `test.throws ${what}`;
        const codec = { kind: "bytes_to_bytes", encode: (bytes) => bytes, decode: () => throwing(make) };
        zarr.registry.set(name, async () => ({ fromConfig: () => codec }));
        const map = await written({ codecs: [{ name: "bytes" }, { name }] });
        const array = await zarr.open(map, { kind: "array" });
        await assert.rejects(within(array.get(), what), (error) => error instanceof zarr.ZarrError);
      });

      test(`a \`fetch\` that throws ${what} rejects the call`, async () => {
        const fetch = () => Promise.reject(make());
        const opened = zarr.open(new zarr.FetchStore("https://data.test", { fetch }), { kind: "array" });
        assert.equal((await within(Promise.allSettled([opened]), what))[0].status, "rejected");
      });
    }

    test("listings of any form that throw reject the call", async () => {
      const group = JSON.stringify({ zarr_format: 3, node_type: "group" });
      const get = (key) => (key === "/zarr.json" ? new TextEncoder().encode(group) : undefined);
      const hostile = new Proxy([], { get: throws });
      const lists = [
        { list: () => hostile },
        { list: () => [hostile, Symbol("key"), throws] },
        { list: () => ({ [Symbol.iterator]: throws }) },
        { list: () => ({ [Symbol.asyncIterator]: () => ({ next: throws }) }) },
        { list: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Proxy({}, { get: throws }) }) }) },
        { listDir: () => new Proxy({}, { get: throws }) },
        { listDir: () => ({ keys: hostile, prefixes: hostile }) },
        { keys: () => hostile },
      ];
      for (const list of lists) {
        const node = await zarr.open({ get, ...list }, { kind: "group" });
        const all = (async () => {
          for await (const _child of node.children());
        })();
        const [{ status, reason }] = await within(Promise.allSettled([all]), Object.keys(list)[0]);
        assert.equal(status, "rejected");
        assert.ok(reason instanceof Error);
      }
    });

    test("signals and listeners that throw reject their own call", async () => {
      const map = await written();
      const array = await zarr.open(map, { kind: "array" });
      const odd = [
        {
          throwIfAborted() {},
          get aborted() {
            return throws();
          },
          addEventListener() {},
          removeEventListener() {},
        },
        { throwIfAborted() {}, aborted: false, addEventListener: throws, removeEventListener: throws },
        { throwIfAborted() {}, aborted: false, addEventListener() {}, removeEventListener: throws },
        new Proxy(new AbortController().signal, {}),
      ];
      for (const signal of odd) {
        await within(Promise.allSettled([array.get(null, { signal })]), "a call with an odd signal");
        await within(Promise.allSettled([array.set(null, 1, { signal })]), "a write with an odd signal");
      }
      await assert.rejects(
        within(array.get(null, { onProgress: throws }), "onProgress"),
        /this getter throws/,
      );
      assert.equal((await array.get()).data.length, 64);
    });

    test("what the methods of a writing store return is not passed on", async () => {
      const seen = [];
      const map = new Map();
      const store = {
        get: (key) => map.get(key),
        set(key, value) {
          map.set(key, value);
          return new Proxy({}, { get: (_target, name) => seen.push(name) && undefined });
        },
      };
      const array = await zarr.create(store, { shape: [4], dtype: "uint8" });
      await array.set(null, 7);
      assert.deepEqual(Array.from((await array.get()).data), [7, 7, 7, 7]);
      // A promise is recognised by `then`; nothing else is read, or cloned.
      assert.deepEqual([...new Set(seen)], ["then"]);
    });
  });
}

function throwing(make) {
  throw make();
}

after(() => zarr.dispose());
