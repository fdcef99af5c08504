/**
 * Reductions among faults: damaged chunks, aborts, decode workers that trap, other programs that
 * change the array meanwhile. Each ends in the right numbers or in a typed error. Workers that die
 * are in `dying_workers.test.mjs`.
 */
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import * as zarr from "zarr-wasm";

const threads = process.getBuiltinModule("node:worker_threads");
const { Worker } = threads;

const [ROWS, CHUNK] = [48, 4];
/**
 * A small array is one part, which is decoded on this thread. A large one has three, which workers
 * decode.
 */
const SMALL = { name: "one part on this thread", columns: 6, workers: 0, parts: 1 };
const LARGE = { name: "three parts in workers", columns: 1 << 18, workers: 2, parts: 3 };

/** Element [i, j] is 10 i + j % 6. */
const valuesOf = ({ columns }) =>
  Int32Array.from(
    { length: ROWS * columns },
    (_, at) => 10 * Math.floor(at / columns) + ((at % columns) % 6),
  );
const sumOfColumn = (column, rows = ROWS) => 5 * rows * (rows - 1) + rows * (column % 6);

const optionsOf = ({ columns }) => ({
  shape: [ROWS, columns],
  chunkShape: [CHUNK, columns],
  dtype: "int32",
  codecs: [{ name: "zstd", configuration: { level: 1 } }],
});

/** A store of one program over files that others change, too. `onChunk` comes before an answer. */
const storeOver = (files, onChunk = () => {}) => ({
  async get(key) {
    if (/^\/c\/|^\/\d/.test(key)) await onChunk(key);
    return files.get(key);
  },
  set: async (key, value) => void files.set(key, value),
  delete: async (key) => void files.delete(key),
});

const written = new Map();

/** The files of an array; each case has a list of its own. */
async function filesWith(size, options = {}) {
  const name = JSON.stringify([size.name, options]);
  if (!written.has(name)) {
    const files = new Map();
    const array = await zarr.create(storeOver(files), { ...optionsOf(size), ...options });
    await array.set(null, valuesOf(size));
    written.set(name, files);
  }
  return new Map(written.get(name));
}

const opened = (files, onChunk) => zarr.open(storeOver(files, onChunk), { kind: "array" });
const sums = async (array, options) =>
  (await zarr.reduce(array, null, { op: "sum", over: 0, ...options })).data;
const isRight = (data, rows) =>
  assert.ok(data.length > 0 && data.every((sum, column) => Number(sum) === sumOfColumn(column, rows)));

after(() => zarr.init({ workers: undefined }));

/** A test with each array. It sees that parts are decoded where they should be. */
function withEach(name, act) {
  describe(name, () => {
    for (const size of [SMALL, LARGE])
      test(size.name, async (t) => {
        await zarr.init({ workers: size.workers });
        const before = zarr.info().parts.workers;
        await act(size, t);
        assert.equal(zarr.info().parts.workers > before, size.workers > 0);
      });
  });
}

const half = (bytes) => bytes.slice(0, bytes.length >> 1);
const turned = (bytes) => bytes.map((byte) => byte ^ 0x55);
const none = () => new Uint8Array(0);
const CODECS = [["gzip"], ["zstd"], ["blosc"], ["crc32c"]];

withEach("a damaged chunk is a Format error that names it", async (size) => {
  for (const codecs of size === SMALL ? CODECS : [["zstd"]])
    for (const damage of [half, turned, none])
      for (const at of size === SMALL ? [0, 5, 11] : [5]) {
        const files = await filesWith(size, { codecs });
        files.set(`/c/${at}/0`, damage(files.get(`/c/${at}/0`)));
        const told = [];
        const reducing = sums(await opened(files), { onPartial: (_, share) => told.push(share) });
        await assert.rejects(reducing, { name: /Error$/, code: "Format", key: `c/${at}/0` });
        assert.ok(told.every((share) => share < 1));
      }
  isRight(await sums(await opened(await filesWith(size))));
});

test("a damaged shard is a Format error", async () => {
  const options = { shardShape: [2 * CHUNK, SMALL.columns], codecs: ["zstd"] };
  // The first inner chunk, and the index with its checksum.
  for (const at of [0, -1, -5, -20]) {
    const files = await filesWith(SMALL, options);
    const bytes = files.get("/c/2/0").slice();
    bytes[at < 0 ? bytes.length + at : at] ^= 0x55;
    files.set("/c/2/0", bytes);
    await assert.rejects(sums(await opened(files)), { code: "Format", key: "c/2/0" }, `byte ${at}`);
  }
});

withEach("an abort in the middle rejects with its reason, and nothing comes after it", async (size) => {
  for (const last of [0, 5, 11]) {
    const files = await filesWith(size);
    const controller = new AbortController();
    const reason = new Error("enough");
    const array = await opened(files, async (key) => {
      await setTimeout(1);
      if (key === `/c/${last}/0`) controller.abort(reason);
    });
    const onPartial = () => assert.ok(!controller.signal.aborted, "a partial answer after the abort");
    const reducing = sums(array, { signal: controller.signal, onPartial });
    await assert.rejects(reducing, (error) => error === reason);
    isRight(await sums(await opened(files)));
  }
});

/**
 * A module with the interface of the reductions, of which each call traps:
 *
 *     (module
 *       (memory (export "memory") 4096)
 *       (func (export "zarr_alloc") (param i32) (result i32) (i32.const 1024))
 *       (func (export "reduction_call") (param i32 i32 i32) (result i32) unreachable))
 */
const TRAPPING = new WebAssembly.Module(
  Uint8Array.of(
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...[1, 13, 2, 0x60, 1, 0x7f, 1, 0x7f, 0x60, 3, 0x7f, 0x7f, 0x7f, 1, 0x7f],
    ...[3, 3, 2, 0, 1],
    ...[5, 4, 1, 0, 0x80, 32],
    ...[7, 40, 3, 6, ...Buffer.from("memory"), 2, 0],
    ...[10, ...Buffer.from("zarr_alloc"), 0, 0, 14, ...Buffer.from("reduction_call"), 0, 1],
    ...[10, 11, 2, 5, 0, 0x41, 0x80, 8, 0x0b, 3, 0, 0, 0x0b],
  ),
);

test("a decode worker that traps while it reduces is a typed error, and the next reduction works", async (t) => {
  let left = 1;
  t.after(() => {
    threads.Worker = Worker;
    return zarr.dispose();
  });
  threads.Worker = class extends Worker {
    postMessage(message, ...others) {
      const { end } = Object(message);
      const traps = end?.reduction && left > 0;
      if (traps) left -= 1;
      const reduction = traps && { ...end.reduction, module: TRAPPING };
      const changed = traps && { ...message, end: { ...end, reduction } };
      super.postMessage(changed || message, ...others);
    }
  };
  await zarr.dispose();
  await zarr.init({ workers: 1 });
  const files = await filesWith(LARGE);
  await assert.rejects(sums(await opened(files)), { code: "Unsupported", message: /unreachable/ });
  assert.equal(left, 0);
  isRight(await sums(await opened(files)));
});

describe("another program changes the metadata in the middle", () => {
  /** The sums while another program acts, as soon as so many chunks were requested. */
  async function sumsWhile(files, act, options = {}, chunks = 3) {
    let seen = 0;
    const array = await opened(files, async () => {
      seen += 1;
      if (seen === chunks) await act(await opened(files), files);
    });
    return sums(array, options);
  }

  /** Another program writes a new array over the old one. */
  const rewritten =
    (options, size, View = Int32Array) =>
    async (_array, files) => {
      files.clear();
      const array = await zarr.create(storeOver(files), { ...optionsOf(size), ...options });
      await array.set(null, View.from(valuesOf(size)));
    };

  const bigEndian = [{ name: "bytes", configuration: { endian: "big" } }, "zstd"];
  const half = ROWS / 2;
  const changes = (size) => ({
    "fewer rows": (array) => array.resize([half, size.columns]),
    "no rows": (array) => array.resize([0, size.columns]),
    "another type": rewritten({ dtype: "float32" }, size, Float32Array),
    "unsigned in place of signed": rewritten({ dtype: "uint32" }, size, Uint32Array),
    "other chunks": rewritten({ chunkShape: [2 * CHUNK, size.columns] }, size),
    "other chunks of as many elements": rewritten({ chunkShape: [2 * CHUNK, size.columns / 2] }, size),
    "another codec": rewritten({ codecs: ["gzip"] }, size),
    "another fill value": rewritten({ fillValue: 7 }, size),
    "another order of bytes": rewritten({ codecs: bigEndian }, size),
    "more dimensions": rewritten(
      { shape: [ROWS, size.columns, 1], chunkShape: [CHUNK, size.columns, 1] },
      size,
    ),
    "v2 in place of v3": rewritten({ zarrFormat: 2 }, size),
    "the array is gone": async (_array, files) => files.clear(),
  });

  // The large one has many seconds of rewriting otherwise.
  for (const size of [SMALL, LARGE])
    for (const [name, act] of Object.entries(changes(size)))
      if (size === SMALL || name === "fewer rows" || name === "the array is gone")
        test(`${name}: ${size.name}`, async () => {
          await zarr.init({ workers: size.workers });
          await assert.rejects(sumsWhile(await filesWith(size), act), (error) => {
            assert.ok(error instanceof zarr.ZarrError, String(error));
            assert.ok(["Store", "Format", "NotFound"].includes(error.code), `${error.code}: ${error}`);
            return true;
          });
        });

  test("the error says what changed", async () => {
    for (const zarrFormat of [2, 3]) {
      const files = await filesWith(SMALL, { zarrFormat, codecs: undefined });
      await assert.rejects(
        sumsWhile(files, (array) => array.resize([half, SMALL.columns])),
        {
          code: "Store",
          message: /metadata changed/,
          path: "/",
          field: "shape",
          expected: "48,6",
          actual: "24,6",
        },
      );
    }
  });

  test("the last chunk has been requested already, or none", async () => {
    const resize = (array) => array.resize([half, SMALL.columns]);
    for (const chunks of [1, ROWS / CHUNK])
      await assert.rejects(sumsWhile(await filesWith(SMALL), resize, {}, chunks), { code: "Store" });
    const files = await filesWith(SMALL);
    const array = await opened(files);
    files.clear();
    await assert.rejects(sums(array), { code: "NotFound" });
  });

  test("another call of the same page", async () => {
    const files = await filesWith(SMALL);
    let seen = 0;
    const onChunk = () => {
      seen += 1;
      return seen === 3 && array.resize([half, SMALL.columns]);
    };
    const array = await zarr.open(storeOver(files, onChunk), { kind: "array" });
    await assert.rejects(sums(array), { code: "Store" });
    assert.deepEqual(array.shape, [half, SMALL.columns]);
    isRight(await sums(array), half);
  });

  test("another scale of packed numbers is an error only where it matters", async () => {
    const packed = () => filesWith(SMALL, { attributes: { scale_factor: 0.5, add_offset: 1 } });
    const scale = (array) => array.updateAttributes({ scale_factor: 0.25 });
    const history = (array) => array.updateAttributes({ history: "appended" });
    const changed = { code: "Store", field: "attributes" };
    await assert.rejects(sumsWhile(await packed(), scale, { decode: "cf" }), changed);
    isRight(await sumsWhile(await packed(), scale));
    const data = await sumsWhile(await packed(), history, { decode: "cf" });
    assert.deepEqual(
      [...data],
      Array.from(data, (_, column) => sumOfColumn(column) / 2 + ROWS),
    );
  });

  test("an array that grows keeps the selected elements", async () => {
    for (const zarrFormat of [2, 3]) {
      const files = await filesWith(SMALL, { zarrFormat, codecs: undefined });
      const append = (array) => array.append(new Int32Array(2 * SMALL.columns).fill(9));
      isRight(await sumsWhile(files, append));
      assert.deepEqual((await opened(files)).shape, [ROWS + 2, SMALL.columns]);
    }
  });

  test("metadata of the caller, which the store does not have", async () => {
    const files = await filesWith(SMALL);
    const metadata = JSON.parse(new TextDecoder().decode(files.get("/zarr.json")));
    files.delete("/zarr.json");
    isRight(await sums(new zarr.Array(storeOver(files), "/", metadata)));
  });

  test("what is cached needs no request", async () => {
    const files = await filesWith(SMALL);
    const requests = [];
    const fetch = async (request) => {
      const { pathname } = new URL(request.url ?? request);
      requests.push(pathname);
      return new Response(files.get(pathname), { status: files.has(pathname) ? 200 : 404 });
    };
    const array = await zarr.open(new zarr.FetchStore("https://host.test", { fetch }), { kind: "array" });
    isRight(await sums(array));
    // Once to open the array, and once behind its chunks.
    assert.deepEqual([requests[0], requests.at(-1)], ["/zarr.json", "/zarr.json"]);
    assert.equal(requests.length, 2 + ROWS / CHUNK);
    requests.length = 0;
    isRight(await sums(array));
    assert.deepEqual(requests, []);
  });
});

describe("partial answers", () => {
  test("say which share of the elements they are made of", async () => {
    await zarr.init({ workers: 2 });
    // The second part waits for the first one; the third one comes last.
    const late = { "/c/0/0": 300, "/c/8/0": 900 };
    const array = await opened(await filesWith(LARGE), (key) => setTimeout(late[key] ?? 0));
    const told = [];
    const onPartial = ({ data, count }, share) => {
      const rows = share * ROWS;
      isRight(data, rows);
      assert.ok(count.every((used) => used === rows));
      told.push(share);
    };
    isRight(await sums(array, { onPartial }));
    assert.ok(told.length > 0 && told.length < LARGE.parts, String(told));
    assert.ok(
      told.every((share, at) => share > (told[at - 1] ?? 0) && share < 1),
      String(told),
    );
  });

  test("a sum that does not fit yet is no error of the whole", async () => {
    const [rows, columns, most] = [20, 1 << 17, 2n ** 62n];
    const files = new Map();
    const options = {
      ...optionsOf({ columns }),
      shape: [rows, columns],
      chunkShape: [1, columns],
      dtype: "int64",
    };
    const array = await zarr.create(storeOver(files), options);
    for (let row = 0; row < rows; row += 1)
      await array.set([row], new BigInt64Array(columns).fill(row < rows / 2 ? most : -most));
    const { data } = await zarr.reduce(await opened(files, () => setTimeout(60)), null, {
      op: "sum",
      onPartial: () => assert.fail("the sum of the first part does not fit"),
    });
    assert.deepEqual(data, BigInt64Array.of(0n));
  });
});

withEach("reads and reductions of the same parts at the same time", async (size) => {
  const array = await opened(await filesWith(size), () => setTimeout(2));
  const controller = new AbortController();
  const aborted = sums(array, { signal: controller.signal });
  const others = [sums(array), array.get(), sums(array), zarr.reduce(array, null, { op: "max" })];
  await setTimeout(3);
  controller.abort();
  await assert.rejects(aborted, { name: "AbortError" });
  const [first, read, second, max] = await Promise.all(others);
  isRight(first);
  isRight(second);
  assert.deepEqual(read.data, valuesOf(size));
  assert.equal(max.data[0], 10 * (ROWS - 1) + 5);
});
