/** Writing arrays with users' codecs. The stored bytes are compared with bytes made here. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import * as zarr from "zarr-wasm";
import { flip, flippedCodec, registered } from "./flipped_codec.mjs";

const upTo = (end) => Array.from({ length: end }, (_, at) => at);
const textOf = (bytes) => JSON.parse(new TextDecoder().decode(bytes));

/** Packs numbers as big-endian int16. */
function bigEndian(values) {
  const view = new DataView(new ArrayBuffer(2 * values.length));
  for (const [at, value] of values.entries()) view.setInt16(2 * at, value);
  return new Uint8Array(view.buffer);
}

const BYTES = { name: "bytes", configuration: { endian: "big" } };
const GZIP = { name: "gzip", configuration: { level: 1 } };
const FLIPPED = { name: "test.flipped", configuration: { strength: 3 } };

/** A bytes-to-bytes codec in a module. With `main: false` it fails on the main thread. */
const MODULE = `data:text/javascript,${encodeURIComponent(`
  import * as threads from "node:worker_threads";
  const flip = (bytes) => Uint8Array.from(bytes, (byte) => byte ^ 0xff);
  export default {
    kind: "bytes_to_bytes",
    fromConfig: ({ main }) => {
      const code = (bytes) => {
        if (main !== undefined && threads.isMainThread !== main) throw new RangeError("another thread");
        return flip(bytes);
      };
      return { encode: async (bytes) => code(bytes), decode: code };
    },
  };`)}`;

/** A codec that halves numbers: int16 becomes int8. */
const halved = {
  kind: "array_to_array",
  fromConfig: () => ({
    getEncodedMeta: (meta) => ({ ...meta, dataType: "int8" }),
    encode({ data, shape, stride }) {
      assert.ok(data instanceof Int16Array);
      return { data: Int8Array.from(data, (value) => value / 2), shape, stride };
    },
    decode: ({ data, shape, stride }) => ({
      data: Int16Array.from(data, (value) => 2 * value),
      shape,
      stride,
    }),
  }),
};

/** A codec that writes int16 as decimal digits, each followed by a comma. */
const digits = {
  kind: "array_to_bytes",
  fromConfig: (_, { shape }) => ({
    encode: ({ data }) => new TextEncoder().encode([...data].map((value) => `${value},`).join("")),
    decode: (bytes) => ({
      data: Int16Array.from(new TextDecoder().decode(bytes).split(",").slice(0, -1), Number),
      shape,
      stride: [1],
    }),
  }),
};

const OPTIONS = { shape: [32], chunkShape: [8], dtype: "int16" };

/** Creates an array, writes its numbers, and reads them again after opening it anew. */
async function written(options, { values = upTo(32) } = {}) {
  const store = new Map();
  const array = await zarr.create(store, { ...OPTIONS, ...options });
  await array.set(null, Int16Array.from(values));
  const again = await zarr.open(store, { kind: "array" });
  assert.deepEqual([...(await again.get()).data], values);
  return { store, array };
}

/** The expected chunks of a v3 array. Chunk 0 has an element other than the fill value too. */
function assertChunks(store, encode, key = (chunk) => `/c/${chunk}`) {
  for (const chunk of upTo(4)) {
    const values = upTo(8).map((at) => 8 * chunk + at);
    assert.deepEqual([...store.get(key(chunk))], [...encode(values)], `chunk ${chunk}`);
  }
}

test("a function encodes bytes, and its configuration is unchanged in the metadata", async () => {
  const calls = {};
  await registered({ "test.flipped": () => flippedCodec(calls) }, async () => {
    const { store } = await written({ codecs: [BYTES, FLIPPED] });
    assertChunks(store, (values) => flip(bigEndian(values)));
    assert.deepEqual(textOf(store.get("/zarr.json")).codecs, [BYTES, FLIPPED]);
    assert.deepEqual(calls.configuration, { strength: 3 });
    assert.deepEqual([calls.meta.dataType, calls.meta.shape, calls.meta.fillValue], ["int16", [8], 0]);
  });
});

test("names only, empty configurations, and an omitted array-to-bytes codec", async () => {
  const little = (values) => flip(new Uint8Array(Int16Array.from(values).buffer));
  await registered({ "test.flipped": async () => flippedCodec() }, async () => {
    for (const codec of [
      "test.flipped",
      { name: "test.flipped" },
      { name: "test.flipped", configuration: {} },
    ]) {
      const { store } = await written({ codecs: [codec] });
      assertChunks(store, little);
    }
  });
});

test("codecs between built-in ones, and two in one chain", async () => {
  const rotate = (bytes, by) => Uint8Array.from(bytes, (byte) => byte + by);
  const rotated = {
    kind: "bytes_to_bytes",
    fromConfig: ({ by }) => ({
      encode: (bytes) => new Promise((resolve) => setTimeout(resolve, 3, rotate(bytes, by))),
      decode: (bytes) => rotate(bytes, -by),
    }),
  };
  const chain = [BYTES, FLIPPED, GZIP, { name: "test.rotated", configuration: { by: 7 } }];
  await registered({ "test.flipped": () => flippedCodec(), "test.rotated": () => rotated }, async () => {
    const { store } = await written({ codecs: chain });
    for (const chunk of upTo(4)) {
      const gzipped = rotate(store.get(`/c/${chunk}`), -7);
      const expected = flip(bigEndian(upTo(8).map((at) => 8 * chunk + at)));
      assert.deepEqual([...gunzipSync(gzipped)], [...expected]);
    }
  });
});

test("array codecs: another data type, and their own bytes", async () => {
  const even = upTo(32).map((at) => 2 * at);
  await registered({ "test.halved": () => halved, "test.digits": () => digits }, async () => {
    const { store } = await written({ codecs: [{ name: "test.halved" }] }, { values: even });
    assertChunks(store, (values) => values);
    const { store: text } = await written({ codecs: ["test.digits"] });
    assertChunks(text, (values) => new TextEncoder().encode(`${values.join(",")},`));
  });
});

test("an array codec gets and returns strings", async () => {
  const shouted = {
    kind: "array_to_array",
    fromConfig: () => ({
      encode: ({ data, shape, stride }) => ({ data: data.map((text) => `${text}!`), shape, stride }),
      decode: ({ data, shape, stride }) => ({ data: data.map((text) => text.slice(0, -1)), shape, stride }),
    }),
  };
  await registered({ "test.shouted": () => shouted }, async () => {
    const store = new Map();
    const options = { shape: [3], chunkShape: [3], dtype: "string", codecs: [{ name: "test.shouted" }] };
    const array = await zarr.create(store, options);
    await array.set(null, ["a", "ÿö", ""]);
    assert.deepEqual((await array.get()).data, ["a", "ÿö", ""]);
    const words = (...numbers) => [...new Uint8Array(Uint32Array.from(numbers).buffer)];
    const element = (text) => [
      ...words(new TextEncoder().encode(text).length),
      ...new TextEncoder().encode(text),
    ];
    const expected = [...words(3), ...element("a!"), ...element("ÿö!"), ...element("!")];
    assert.deepEqual([...store.get("/c/0")], expected);
  });
});

test("a part of a chunk is decoded, changed and encoded", async () => {
  await registered({ "test.flipped": () => flippedCodec() }, async () => {
    const { store, array } = await written({ codecs: [BYTES, FLIPPED] });
    await array.set([zarr.slice(3, 11)], -1);
    const first = [0, 1, 2, -1, -1, -1, -1, -1];
    assert.deepEqual([...store.get("/c/0")], [...flip(bigEndian(first))]);
    await array.set([zarr.slice(0, 8)], 0);
    assert.equal(store.has("/c/0"), false, "chunks of fill value are not stored");
    await array.append(Int16Array.of(100, 101), 0);
    await array.resize([33]);
    assert.deepEqual([...store.get("/c/4")], [...flip(bigEndian([100, 0, 0, 0, 0, 0, 0, 0]))]);
    const all = [...upTo(8).map(() => 0), -1, -1, -1, ...upTo(32).slice(11), 100];
    assert.deepEqual([...(await (await zarr.open(store, { kind: "array" })).get()).data], all);
  });
});

test("codecs of inner chunks, of whole shards, and of both, with and without shardShape", async () => {
  const index = (lengths) => {
    const view = new DataView(new ArrayBuffer(16 * lengths.length));
    let offset = 0;
    for (const [at, length] of lengths.entries()) {
      view.setBigUint64(16 * at, BigInt(offset), true);
      view.setBigUint64(16 * at + 8, BigInt(length), true);
      offset += length;
    }
    return new Uint8Array(view.buffer);
  };
  const inner = upTo(4).map((chunk) => flip(bigEndian(upTo(8).map((at) => 8 * chunk + at))));
  const shard = Buffer.concat([...inner, index(inner.map(({ length }) => length))]);
  const sharding = (codecs) => ({
    name: "sharding_indexed",
    configuration: {
      chunk_shape: [8],
      codecs,
      index_codecs: [{ name: "bytes", configuration: { endian: "little" } }],
    },
  });
  await registered({ "test.flipped": () => flippedCodec() }, async () => {
    const options = { chunkShape: [32] };
    const { store, array } = await written({ ...options, codecs: [sharding([BYTES, FLIPPED])] });
    assert.deepEqual([...store.get("/c/0")], [...shard]);
    assert.deepEqual([array.chunks, array.shards], [[8], [32]]);
    await array.set([9], -9);
    const changed = bigEndian([8, -9, 10, 11, 12, 13, 14, 15]);
    assert.deepEqual([...store.get("/c/0").slice(16, 32)], [...flip(changed)]);
    const both = await written({ ...options, codecs: [sharding([BYTES, FLIPPED]), FLIPPED] });
    assert.deepEqual([...both.store.get("/c/0")], [...flip(shard)]);
    const chosen = await written({ chunkShape: [8], shardShape: [32], codecs: [BYTES, FLIPPED] });
    assert.deepEqual([...chosen.store.get("/c/0").slice(0, 64)], [...shard.subarray(0, 64)]);
    assert.deepEqual(textOf(chosen.store.get("/zarr.json")).codecs[0].configuration.codecs, [BYTES, FLIPPED]);
    await array.updateAttributes({ a: 1 });
    assert.deepEqual([array.chunks, array.shards], [[8], [32]], "after a change of the metadata too");
  });
});

test("codecs in conditional, which keeps the smaller of two", async () => {
  const zipped = {
    kind: "bytes_to_bytes",
    fromConfig: () => ({ encode: (bytes) => gzipSync(bytes), decode: (bytes) => gunzipSync(bytes) }),
  };
  await registered({ "test.zipped": () => zipped, "test.flipped": () => flippedCodec() }, async () => {
    const codecs = [
      { name: "bytes", configuration: { endian: "big" } },
      { name: "conditional", configuration: { codecs: [FLIPPED, { name: "test.zipped" }], header_bits: 8 } },
    ];
    const store = new Map();
    const array = await zarr.create(store, { shape: [2000], chunkShape: [1000], dtype: "int16", codecs });
    const noise = Int16Array.from({ length: 1000 }, (_, at) => (at * at * 7919) % 32749);
    await array.set([zarr.slice(0, 1000)], 5);
    await array.set([zarr.slice(1000, 2000)], noise);
    const [same, other] = [store.get("/c/0"), store.get("/c/1")];
    assert.equal(same[0], 3, "both were applied");
    assert.deepEqual([...flip(gunzipSync(same.slice(1)))], [...bigEndian(new Array(1000).fill(5))]);
    assert.equal(other[0], 0, "neither was");
    assert.deepEqual([...other.slice(1)], [...bigEndian(noise)]);
    const { data } = await (await zarr.open(store, { kind: "array" })).get();
    assert.deepEqual([...data], [...new Array(1000).fill(5), ...noise]);
  });
});

test("a module encodes in workers", async () => {
  const count = 48000;
  const values = Float64Array.from({ length: count }, (_, at) => at);
  for (const [codec, main] of [
    [{ url: MODULE }, false],
    [() => import(MODULE).then((module) => module.default), true],
  ]) {
    await registered({ "test.module": codec }, async () => {
      const store = new Map();
      const codecs = [{ name: "test.module", configuration: { main } }];
      const array = await zarr.create(store, {
        shape: [count],
        chunkShape: [24000],
        dtype: "float64",
        codecs,
      });
      await array.set(null, values);
      const expected = flip(new Uint8Array(values.slice(24000).buffer));
      assert.ok(Buffer.from(store.get("/c/1")).equals(expected));
      await array.set([0], -1);
      assert.equal((await array.get([0])).data[0] ?? (await array.get([0])).data, -1);
    });
  }
});

test("v2: compressors, filters, and names of v3", async () => {
  const key = (chunk) => `/${chunk}`;
  const encode = (values) => flip(bigEndian(values));
  for (const name of ["numcodecs.flipped", "flipped"]) {
    await registered({ [name]: () => flippedCodec() }, async () => {
      const v2 = { zarrFormat: 2, dtype: ">i2" };
      const { store } = await written({ ...v2, compressor: { id: "flipped", strength: 1 } });
      assertChunks(store, encode, key);
      const { compressor, filters } = textOf(store.get("/.zarray"));
      assert.deepEqual([compressor, filters], [{ id: "flipped", strength: 1 }, null]);
      const other = await written({ ...v2, codecs: [{ name, configuration: { strength: 2 } }] });
      assert.deepEqual(textOf(other.store.get("/.zarray")).compressor, { id: "flipped", strength: 2 });
      const filtered = await written({
        ...v2,
        filters: [{ id: "flipped" }],
        compressor: { id: "zlib", level: 1 },
      });
      assert.deepEqual(textOf(filtered.store.get("/.zarray")).filters, [{ id: "flipped" }]);
    });
  }
  await registered({ halved: () => halved }, async () => {
    const even = upTo(32).map((at) => 2 * at);
    const options = { zarrFormat: 2, dtype: "<i2", filters: [{ id: "halved" }], compressor: null };
    const { store } = await written(options, { values: even });
    assertChunks(store, (values) => values, key);
  });
});

test("an entry with a built-in name encodes, under that name", async () => {
  await registered({ gzip: () => flippedCodec(), imagecodecs_jpeg: () => digits }, async () => {
    const { store } = await written({ codecs: [BYTES, GZIP] });
    assertChunks(store, (values) => flip(bigEndian(values)));
    const { store: text } = await written({
      codecs: [{ name: "imagecodecs_jpeg", configuration: { level: 90 } }],
    });
    const expected = [{ name: "imagecodecs_jpeg", configuration: { level: 90 } }];
    assert.deepEqual(textOf(text.get("/zarr.json")).codecs, expected);
    assertChunks(text, (values) => new TextEncoder().encode(`${values.join(",")},`));
  });
});

test("a copy keeps the codecs", async () => {
  await registered({ "test.flipped": () => flippedCodec() }, async () => {
    const { array } = await written({ codecs: [BYTES, FLIPPED] });
    const store = new Map();
    await zarr.copy(array, store);
    assertChunks(store, (values) => flip(bigEndian(values)));
  });
});

test("the error for a codec that cannot encode names it, and nothing is stored", async () => {
  const reader = (kind) => ({ kind, fromConfig: () => ({ decode: (bytes) => bytes }) });
  const url = `data:text/javascript,export default { kind: "bytes_to_bytes", fromConfig: () => ({ decode: (bytes) => bytes }) }`;
  for (const codec of [() => reader("bytes_to_bytes"), { url }, () => reader("array_to_array")]) {
    await registered({ "test.reader": codec }, async () => {
      const store = new Map();
      const array = await zarr.create(store, { ...OPTIONS, codecs: ["test.reader"] });
      await assert.rejects(array.set(null, 1), (error) => {
        assert.ok(zarr.isZarritaError(error, "UnsupportedError"), error.stack);
        assert.deepEqual([error.code, error.codec], ["Unsupported", "test.reader"]);
        assert.match(error.message, /"test.reader" cannot write/);
        return true;
      });
      assert.deepEqual([...store.keys()], ["/zarr.json"]);
    });
  }
});

test("errors and invalid results of a codec are reported when it encodes", async () => {
  const thrown = new RangeError("no");
  const throwing = { kind: "bytes_to_bytes", fromConfig: () => ({ encode: () => Promise.reject(thrown) }) };
  const create = () => zarr.create(new Map(), { ...OPTIONS, codecs: [FLIPPED] });
  await registered({ "test.flipped": () => throwing }, async () => {
    await assert.rejects((await create()).set(null, 1), (error) => {
      assert.ok(zarr.isZarritaError(error, "CodecPipelineError"), error.stack);
      const { codec, direction, cause } = error;
      assert.deepEqual([codec, direction, cause], ["test.flipped", "encode", thrown]);
      assert.match(error.key, /^c\/\d$/);
      return true;
    });
  });
  const wrong = {
    kind: "array_to_array",
    fromConfig: () => ({ encode: () => ({ data: new Int16Array(7), shape: [7] }) }),
  };
  await registered({ "test.flipped": () => wrong }, async () => {
    await assert.rejects((await create()).set(null, 1), {
      codec: "test.flipped",
      expected: "[8]",
      actual: "[7]",
    });
  });
});

test("create refuses unknown codecs and those that cannot be loaded, and stores nothing", async () => {
  const store = new Map();
  await assert.rejects(zarr.create(store, { ...OPTIONS, codecs: ["test.nobody"] }), (error) => {
    assert.ok(zarr.isZarritaError(error, "UnknownCodecError"), error.stack);
    assert.equal(error.codec, "test.nobody");
    return true;
  });
  const failing = () => Promise.reject(new Error("offline"));
  await registered({ "test.nobody": failing }, () =>
    assert.rejects(zarr.create(store, { ...OPTIONS, codecs: ["test.nobody"] }), /offline/),
  );
  assert.equal(store.size, 0);
});

test("an abort ends a write whose codec never answers", async () => {
  const never = { kind: "bytes_to_bytes", fromConfig: () => ({ encode: () => new Promise(() => {}) }) };
  await registered({ "test.never": () => never }, async () => {
    const array = await zarr.create(new Map(), { ...OPTIONS, codecs: ["test.never"] });
    const controller = new AbortController();
    const writing = array.set(null, 1, { signal: controller.signal });
    setTimeout(() => controller.abort(), 20);
    await assert.rejects(writing, { name: "AbortError" });
  });
  await registered({ "test.flipped": () => flippedCodec() }, () => written({ codecs: [FLIPPED] }));
});
