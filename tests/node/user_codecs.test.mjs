/** Users' codecs: functions on this thread and modules in workers, in chains of v2 and v3. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { deflateSync, gzipSync } from "node:zlib";
import * as zarr from "zarr-wasm";
import { flip, flippedCodec, registered } from "./flipped_codec.mjs";

const json = (value) => new TextEncoder().encode(JSON.stringify(value));
const upTo = (end) => Array.from({ length: end }, (_, at) => at);

/** An array of 4 chunks of 8 big-endian int16. Element i is i. `encode` encodes each chunk. */
function store(codecs, encode, { metadata = {}, count = 4, type = "int16" } = {}) {
  const made = new Map();
  made.set(
    "/zarr.json",
    json({
      zarr_format: 3,
      node_type: "array",
      shape: [8 * count],
      data_type: type,
      chunk_grid: { name: "regular", configuration: { chunk_shape: [8] } },
      chunk_key_encoding: { name: "default" },
      codecs,
      fill_value: 0,
      ...metadata,
    }),
  );
  for (let chunk = 0; chunk < count; chunk += 1) made.set(`/c/${chunk}`, encode(elements(8, 8 * chunk)));
  return made;
}

/** Packs numbers as big-endian int16. */
function elements(count, first = 0) {
  const view = new DataView(new ArrayBuffer(2 * count));
  for (let at = 0; at < count; at += 1) view.setInt16(2 * at, first + at);
  return new Uint8Array(view.buffer);
}

const BYTES = { name: "bytes", configuration: { endian: "big" } };
const GZIP = { name: "gzip", configuration: { level: 1 } };

const MODULE = `data:text/javascript,${encodeURIComponent(`
  import * as threads from "node:worker_threads";
  const flip = (bytes) => Uint8Array.from(bytes, (byte) => byte ^ 0xff);
  export default {
    kind: "bytes_to_bytes",
    fromConfig: ({ main }) => ({
      async decode(bytes) {
        if (main !== undefined && threads.isMainThread !== main) throw new RangeError("another thread");
        return flip(bytes);
      },
    }),
  };`)}`;

async function readAll(made, options = {}) {
  const array = await zarr.open(made, { kind: "array" });
  const { data } = await array.get(null, options);
  assert.deepEqual([...data], upTo(array.shape[0]));
  return array;
}

const FLIPPED = { name: "test.flipped", configuration: { strength: 3 } };

test("a function decodes bytes, synchronously or not", async () => {
  const made = store([BYTES, FLIPPED, GZIP], (bytes) => gzipSync(flip(bytes)));
  const calls = {};
  await registered({ "test.flipped": () => flippedCodec(calls) }, () => readAll(made));
  assert.deepEqual(calls.configuration, { strength: 3 });
  assert.deepEqual([calls.meta.dataType, calls.meta.shape, calls.meta.fillValue], ["int16", [8], 0]);
  const slow = {
    fromConfig: async () => ({
      kind: "bytes_to_bytes",
      decode: (bytes) => new Promise((resolve) => setTimeout(resolve, 5, flip(bytes))),
    }),
  };
  await registered({ "test.flipped": async () => slow }, () => readAll(made));
});

test("an array with an unknown codec can be read after its registration", async () => {
  const array = await zarr.open(store([BYTES, FLIPPED], flip), { kind: "array" });
  await assert.rejects(array.get(), (error) => {
    assert.ok(zarr.isZarritaError(error, "UnknownCodecError"));
    assert.equal(error.codec, "test.flipped");
    return true;
  });
  await registered({ "test.flipped": () => flippedCodec() }, async () => {
    assert.deepEqual([...(await array.get()).data], upTo(32));
  });
  assert.deepEqual([...(await array.get([zarr.slice(3)])).data], [0, 1, 2], "what it was read with stays");
});

test("two codecs in one chain, with a built-in one between them", async () => {
  const rotate = (bytes, by) => Uint8Array.from(bytes, (byte) => byte + by);
  const rotated = {
    kind: "bytes_to_bytes",
    fromConfig: ({ by }) => ({ encode: (bytes) => rotate(bytes, by), decode: (bytes) => rotate(bytes, -by) }),
  };
  const chain = [BYTES, FLIPPED, GZIP, { name: "test.rotated", configuration: { by: 7 } }];
  const made = store(chain, (bytes) => rotate(gzipSync(flip(bytes)), 7));
  await registered({ "test.flipped": () => flippedCodec(), "test.rotated": () => rotated }, () =>
    readAll(made),
  );
});

/** A codec that halves numbers: int16 becomes int8. */
const halved = {
  kind: "array_to_array",
  fromConfig: () => ({
    getEncodedMeta: (meta) => ({ ...meta, dataType: "int8" }),
    decode({ data, shape, stride }) {
      assert.ok(data instanceof Int8Array);
      return { data: Int16Array.from(data, (value) => 2 * value), shape, stride };
    },
  }),
};

test("array codecs get zarrita's chunks and may change the data type", async () => {
  const made = store([{ name: "test.halved" }, { name: "bytes" }], (bytes) => {
    const view = new DataView(bytes.buffer);
    return Uint8Array.from({ length: 8 }, (_, at) => view.getInt16(2 * at));
  });
  await registered({ "test.halved": () => halved }, async () => {
    const { data } = await (await zarr.open(made, { kind: "array" })).get();
    assert.deepEqual(
      [...data],
      upTo(32).map((value) => 2 * value),
    );
  });
});

test("a codec may return arrays with its own strides", async () => {
  const metadata = {
    shape: [2, 3],
    chunk_grid: { name: "regular", configuration: { chunk_shape: [2, 3] } },
    data_type: "float32",
  };
  const made = store(["test.columns"], () => new Uint8Array(), { metadata, count: 0 });
  made.set("/c/0/0", new Uint8Array(Float32Array.of(0, 3, 1, 4, 2, 5).buffer));
  const columns = {
    kind: "array_to_bytes",
    fromConfig: (_, { shape }) => ({
      decode: (bytes) => ({ data: new Float32Array(bytes.slice().buffer), shape, stride: [1, 2] }),
    }),
  };
  await registered({ "test.columns": () => columns }, async () => {
    const { data } = await (await zarr.open(made, { kind: "array" })).get();
    assert.deepEqual([...data], upTo(6));
  });
});

test("array codecs get and return strings, booleans and bytes of any length", async () => {
  const kinds = {
    string: { values: ["a", "ÿö", ""], codecs: [{ name: "vlen-utf8" }], type: Array },
    bool: { values: [true, false, true], codecs: ["bytes"], type: zarr.BoolArray },
  };
  for (const [data_type, { values, codecs, type }] of Object.entries(kinds)) {
    const seen = [];
    const same = {
      kind: "array_to_array",
      fromConfig: () => ({
        decode(chunk) {
          seen.push(chunk.data);
          return chunk;
        },
      }),
    };
    const metadata = {
      shape: [3],
      data_type,
      chunk_grid: { name: "regular", configuration: { chunk_shape: [3] } },
    };
    const fill_value = data_type === "string" ? "" : false;
    const made = store([{ name: "test.same" }, ...codecs], () => 0, {
      metadata: { ...metadata, fill_value },
      count: 0,
    });
    made.set("/c/0", data_type === "bool" ? Uint8Array.of(1, 0, 1) : vlen(values));
    await registered({ "test.same": () => same }, async () => {
      const { data } = await zarr.get(await zarr.open(made, { kind: "array" }));
      assert.deepEqual([...data], values);
      assert.ok(seen[0] instanceof type, data_type);
    });
  }
});

function vlen(texts) {
  const parts = texts.map((text) => new TextEncoder().encode(text));
  const words = (...numbers) => new Uint8Array(Uint32Array.from(numbers).buffer);
  return Buffer.concat([words(texts.length), ...parts.flatMap((part) => [words(part.length), part])]);
}

/** A shard of 4 inner chunks of 8, which `encode` encodes. The index has no checksum. */
function shard(encode, after = (bytes) => bytes) {
  const inner = upTo(4).map((chunk) => encode(elements(8, 8 * chunk)));
  const index = new DataView(new ArrayBuffer(64));
  let offset = 0;
  for (const [at, { length }] of inner.entries()) {
    index.setBigUint64(16 * at, BigInt(offset), true);
    index.setBigUint64(16 * at + 8, BigInt(length), true);
    offset += length;
  }
  return after(Buffer.concat([...inner, new Uint8Array(index.buffer)]));
}

function shardedStore(innerCodecs, encode, { outer = [], after } = {}) {
  const sharding = {
    name: "sharding_indexed",
    configuration: {
      chunk_shape: [8],
      codecs: innerCodecs,
      index_codecs: [{ name: "bytes", configuration: { endian: "little" } }],
    },
  };
  const metadata = { shape: [32], chunk_grid: { name: "regular", configuration: { chunk_shape: [32] } } };
  const made = store([sharding, ...outer], () => 0, { metadata, count: 0 });
  return made.set("/c/0", shard(encode, after));
}

test("codecs within a shard, within a compressed shard, and around a shard", async () => {
  const flipAndZip = (bytes) => flip(gzipSync(bytes));
  await registered({ "test.flipped": () => flippedCodec() }, async () => {
    const made = shardedStore([BYTES, GZIP, FLIPPED], flipAndZip);
    const array = await readAll(made);
    assert.deepEqual(array.chunks, [8]);
    assert.deepEqual(array.shards, [32]);
    assert.deepEqual([...(await array.get([zarr.slice(13, 18)])).data], [13, 14, 15, 16, 17]);
    const zip = (bytes) => gzipSync(bytes);
    await readAll(shardedStore([BYTES, GZIP, FLIPPED], flipAndZip, { outer: [GZIP], after: zip }));
    await readAll(shardedStore([BYTES, GZIP], zip, { outer: [FLIPPED], after: flip }));
    await readAll(shardedStore([BYTES, GZIP, FLIPPED], flipAndZip, { outer: [FLIPPED], after: flip }));
  });
});

test("a module runs in workers, with the same result", async () => {
  const count = 6000;
  const chain = [BYTES, { name: "test.module", configuration: {} }, GZIP];
  const zipped = (bytes) => gzipSync(flip(bytes), { level: 1 });
  const metadata = {
    shape: [8 * count],
    chunk_grid: { name: "regular", configuration: { chunk_shape: [8000] } },
  };
  const made = store(chain, () => 0, { metadata, count: 0 });
  for (let chunk = 0; chunk < 6; chunk += 1) made.set(`/c/${chunk}`, zipped(bigElements(8000, 8000 * chunk)));
  const expected = Float64Array.from({ length: 48000 }, (_, at) => at);
  made.set(
    "/zarr.json",
    json({ ...JSON.parse(new TextDecoder().decode(made.get("/zarr.json"))), data_type: "float64" }),
  );
  for (const [codec, main] of [
    [{ url: MODULE }, false],
    [new URL(MODULE), false],
    [() => import(MODULE).then((module) => module.default), true],
  ]) {
    const own = new Map(made);
    const document = JSON.parse(new TextDecoder().decode(made.get("/zarr.json")));
    document.codecs[1].configuration = { main };
    own.set("/zarr.json", json(document));
    await registered({ "test.module": codec }, async () => {
      const array = await zarr.open(own, { kind: "array" });
      assert.deepEqual((await array.get()).data, expected);
    });
  }
});

/** A module whose codec takes a few milliseconds, fewer for later chunks. */
const UNHURRIED = `data:text/javascript,${encodeURIComponent(`
  const flip = (bytes) => Uint8Array.from(bytes, (byte) => byte ^ 0xff);
  let pause = 20;
  export default {
    kind: "bytes_to_bytes",
    fromConfig: () => ({
      async decode(bytes) {
        await new Promise((resolve) => setTimeout(resolve, (pause -= 2)));
        return flip(bytes);
      },
    }),
  };`)}`;

test("no answer is lost if chunks arrive while a module decodes others", async () => {
  const codecs = [BYTES, { name: "test.unhurried" }];
  const stored = store(codecs, flip, { count: 8 });
  for (const step of [0, 1, 4]) {
    const slow = {
      async get(key) {
        const chunk = Number(key.match(/\/c\/(\d+)$/)?.[1] ?? 0);
        await new Promise((resolve) => setTimeout(resolve, step * chunk));
        return stored.get(key);
      },
    };
    await registered({ "test.unhurried": { url: `${UNHURRIED}//${step}` } }, () => readAll(slow));
  }
});

function bigElements(count, first) {
  const view = new DataView(new ArrayBuffer(8 * count));
  for (let at = 0; at < count; at += 1) view.setFloat64(8 * at, first + at);
  return new Uint8Array(view.buffer);
}

test("an entry with a built-in name has precedence, and info() shows it", async () => {
  const made = store([BYTES, GZIP], flip);
  await registered({ gzip: () => flippedCodec(), "test.module": { url: MODULE } }, async () => {
    await readAll(made);
    const { codecs } = zarr.info();
    assert.deepEqual(
      codecs.find(({ name }) => name === "gzip"),
      { name: "gzip", runs: "caller", replaces: true },
    );
    const { url, ...module } = codecs.find(({ name }) => name === "test.module");
    assert.deepEqual([url, module], [MODULE, { name: "test.module", runs: "workers", replaces: false }]);
  });
  assert.deepEqual(zarr.info().codecs, []);
  await readAll(store([BYTES, GZIP], (bytes) => gzipSync(bytes)));
});

/** A v2 array of int16 in chunks of 8. */
function v2Store(filters, compressor, encode) {
  const made = new Map();
  const zarray = {
    zarr_format: 2,
    shape: [16],
    chunks: [8],
    dtype: ">i2",
    compressor,
    fill_value: 0,
    order: "C",
    filters,
  };
  made.set("/.zarray", json(zarray));
  for (const chunk of [0, 1]) made.set(`/${chunk}`, encode(elements(8, 8 * chunk)));
  return made;
}

test("v2: compressors and filters, by numcodecs.<id> and by id", async () => {
  const compressor = { id: "flipped", strength: 1 };
  for (const name of ["numcodecs.flipped", "flipped"]) {
    const calls = {};
    await registered({ [name]: () => flippedCodec(calls) }, async () => {
      await readAll(v2Store(null, compressor, flip));
      assert.deepEqual(calls.configuration, { strength: 1 });
      // A filter of bytes comes after the byte order.
      await readAll(v2Store([compressor], { id: "zlib", level: 1 }, (bytes) => deflateSync(flip(bytes))));
    });
  }
});

test("v3: numcodecs.* names", async () => {
  const chain = [BYTES, { name: "numcodecs.flipped", configuration: {} }];
  await registered({ "numcodecs.flipped": () => flippedCodec() }, () => readAll(store(chain, flip)));
});

test("a codec's error is the cause of a CodecPipelineError", async () => {
  const thrown = new RangeError("no");
  const throwing = { kind: "bytes_to_bytes", fromConfig: () => ({ decode: () => Promise.reject(thrown) }) };
  const made = store([BYTES, FLIPPED], flip);
  await registered({ "test.flipped": () => throwing }, async () => {
    const array = await zarr.open(made, { kind: "array" });
    await assert.rejects(array.get(), (error) => {
      assert.ok(zarr.isZarritaError(error, "CodecPipelineError"), error.stack);
      const { codec, direction, cause, code } = error;
      assert.deepEqual([codec, direction, cause, code], ["test.flipped", "decode", thrown, "Format"]);
      assert.match(error.key, /^c\/\d$/);
      assert.equal(error.chunkPath, error.key);
      return true;
    });
  });
  const bad = `data:text/javascript,export default { kind: "bytes_to_bytes", fromConfig: () => ({ decode() { throw new RangeError("no") } }) }`;
  await registered({ "test.flipped": { url: bad } }, async () => {
    const array = await zarr.open(made, { kind: "array" });
    await assert.rejects(
      array.get(),
      ({ codec, cause }) => codec === "test.flipped" && cause.message === "no",
    );
  });
});

test("the error for an invalid result of a codec has the expected and the actual value", async () => {
  const wrong = {
    "a string": ["bytes_to_bytes", () => "text", "a Uint8Array"],
    nothing: ["bytes_to_bytes", () => undefined, "a Uint8Array"],
    "too few bytes": ["bytes_to_bytes", (bytes) => bytes.slice(1), "16 bytes"],
    "another shape": ["array_to_array", (chunk) => ({ ...chunk, shape: [7] }), "[8]"],
    "another type": ["array_to_array", (chunk) => ({ ...chunk, data: new Float64Array(8) }), "Int16Array"],
    "too few elements": ["array_to_array", (chunk) => ({ ...chunk, data: new Int16Array(7) }), "16 bytes"],
    "no chunk": ["array_to_array", () => 5, "{ data, shape, stride }"],
  };
  for (const [what, [kind, decode, expected]] of Object.entries(wrong)) {
    const chain = kind === "bytes_to_bytes" ? [BYTES, FLIPPED] : [FLIPPED, BYTES];
    await registered({ "test.flipped": () => ({ kind, fromConfig: () => ({ decode }) }) }, async () => {
      const array = await zarr.open(
        store(chain, (bytes) => bytes),
        { kind: "array" },
      );
      await assert.rejects(array.get(), (error) => {
        assert.ok(zarr.isZarritaError(error, "CodecPipelineError"), `${what}: ${error.stack}`);
        assert.equal(error.expected, expected, what);
        return true;
      });
    });
  }
  const unknown = { fromConfig: () => ({ kind: "bits", decode: flip }) };
  for (const [loader, message] of [
    [() => unknown, /kind/],
    [() => undefined, /loader/],
  ]) {
    await registered({ "test.flipped": loader }, async () => {
      const array = await zarr.open(store([BYTES, FLIPPED], flip), { kind: "array" });
      await assert.rejects(array.get(), (error) => {
        assert.ok(zarr.isZarritaError(error, "CodecPipelineError"));
        assert.match(error.message, message);
        return true;
      });
    });
  }
});

test("a codec without a kind is from bytes to bytes", async () => {
  const kindless = { fromConfig: () => ({ decode: flip }) };
  await registered({ "test.flipped": () => kindless }, () => readAll(store([BYTES, FLIPPED], flip)));
});

test("what a loader or fromConfig throws comes out as it is", async () => {
  const thrown = Object.assign(new Error("offline"), { status: 503 });
  const failing = {
    fromConfig() {
      throw thrown;
    },
  };
  for (const loader of [() => Promise.reject(thrown), () => failing]) {
    await registered({ "test.flipped": loader }, async () => {
      const array = await zarr.open(store([BYTES, FLIPPED], flip), { kind: "array" });
      await assert.rejects(array.get(), (error) => error === thrown);
    });
  }
});

test("a read with a codec that never answers can be aborted, and others continue", async () => {
  const never = (kind) => ({ kind, fromConfig: () => ({ decode: () => new Promise(() => {}) }) });
  const stuck = `data:text/javascript,export default { kind: "bytes_to_bytes", fromConfig: () => ({ decode: () => new Promise(() => {}) }) }`;
  for (const codec of [() => never("bytes_to_bytes"), { url: stuck }]) {
    await registered({ "test.never": codec }, async () => {
      const array = await zarr.open(store([BYTES, { name: "test.never" }], flip), { kind: "array" });
      const reads = upTo(6).map(() => {
        const controller = new AbortController();
        return { controller, reading: array.get(null, { signal: controller.signal }) };
      });
      await readAll(store([BYTES, GZIP], (bytes) => gzipSync(bytes)));
      for (const { controller, reading } of reads) {
        controller.abort();
        await assert.rejects(reading, { name: "AbortError" });
      }
      await readAll(store([BYTES, GZIP], (bytes) => gzipSync(bytes)));
    });
  }
  await registered({ "test.never": () => new Promise(() => {}) }, async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    const { signal } = controller;
    await assert.rejects(zarr.open(store([BYTES, { name: "test.never" }], flip), { signal }), {
      name: "AbortError",
    });
  });
});

test("the registry is a Map, and loaders can be called", async () => {
  assert.ok(zarr.registry instanceof Map);
  await registered({ "test.flipped": { url: MODULE } }, async () => {
    const entry = await zarr.registry.get("test.flipped")();
    assert.equal(entry.kind, "bytes_to_bytes");
  });
  assert.throws(() => zarr.registry.set("x", { url: "not absolute" }), { code: "Argument" });
});

/** A module whose codec ends its worker, and removes one letter of the file at `path` each time. */
const deadly = (path) =>
  `data:text/javascript,${encodeURIComponent(`
  import { readFileSync, writeFileSync } from "node:fs";
  import { isMainThread } from "node:worker_threads";
  const path = ${JSON.stringify(path)};
  const flip = (bytes) => Uint8Array.from(bytes, (byte) => byte ^ 0xff);
  export default {
    kind: "bytes_to_bytes",
    fromConfig: () => ({
      async decode(bytes) {
        const left = readFileSync(path, "utf8");
        if (isMainThread) throw new Error("not in a worker");
        if (left === "") return flip(bytes);
        writeFileSync(path, left.slice(1));
        process.exit(7);
      },
    }),
  };`)}`;

test("a crashed worker is replaced, and its parts are read again once", async () => {
  const folder = mkdtempSync(join(tmpdir(), "zarr-wasm-"));
  const path = join(folder, "deaths");
  try {
    for (const [deaths, isRead] of [
      ["", true],
      ["x", true],
      ["xx", false],
    ]) {
      writeFileSync(path, deaths);
      // Large enough for a worker.
      const metadata = {
        shape: [48000],
        chunk_grid: { name: "regular", configuration: { chunk_shape: [48000] } },
      };
      const codecs = [BYTES, { name: "test.deadly" }];
      const made = store(codecs, flip, { metadata, count: 0, type: "float64" });
      made.set("/c/0", flip(bigElements(48000, 0)));
      await registered({ "test.deadly": { url: `${deadly(path)}//${deaths}` } }, async () => {
        if (isRead) return void (await readAll(made));
        await assert.rejects(readAll(made), (error) => {
          assert.match(error.message, /a worker failed: the worker ended with code 7/);
          return error instanceof zarr.ZarrError && error.code === "Unsupported";
        });
      });
      assert.equal(readFileSync(path, "utf8"), "");
    }
    await readAll(store([BYTES], (bytes) => bytes));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
