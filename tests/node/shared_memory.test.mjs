/** Results in shared memory, which workers write; nothing is written after an abort. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import * as zarr from "zarr-wasm";
import { madeStore } from "./made_stores.mjs";

const SHAPE = [900, 700];
const DESCRIPTION = { shape: SHAPE, chunks: [128, 96], dtype: "int32", gzip: true, fill: -5 };
const valueAt = ([i, j]) => i * 1000 + j;
/** Every seventh chunk is absent. */
const isStored = ([y, x]) => (y + 3 * x) % 7 !== 0;
const STORE = madeStore(DESCRIPTION, valueAt, { has: isStored });

const expectedAt = (i, j) =>
  isStored([Math.floor(i / 128), Math.floor(j / 96)]) ? valueAt([i, j]) : DESCRIPTION.fill;

before(() => zarr.init({ workers: 2 }));
after(() => zarr.init({ workers: undefined }));

const places = (start, stop, step = 1) =>
  Array.from({ length: Math.ceil((stop - start) / step) }, (_, at) => start + at * step);

function checkElements(data, rows, columns, stride = [columns.length, 1]) {
  assert.equal(data.length, rows.length * columns.length);
  for (const [y, i] of rows.entries()) {
    for (const [x, j] of columns.entries()) {
      const actual = data[y * stride[0] + x * stride[1]];
      if (actual !== expectedAt(i, j)) assert.fail(`element [${i}, ${j}] is ${actual}`);
    }
  }
}

/** The buffers to which the caller's thread copies elements during an action. */
async function writtenHere(action) {
  const prototype = Object.getPrototypeOf(Uint8Array.prototype);
  const { set } = prototype;
  const written = [];
  prototype.set = function (...args) {
    written.push(this.buffer);
    return set.apply(this, args);
  };
  try {
    await action();
  } finally {
    prototype.set = set;
  }
  return written.filter((buffer) => buffer instanceof SharedArrayBuffer && buffer.byteLength > 64);
}

test("workers write to shared memory", async () => {
  // All chunks are stored, so the caller has no fill value to write.
  const store = madeStore({ ...DESCRIPTION, shape: [1024, 960], chunks: [128, 96] }, valueAt);
  const array = await zarr.open(store, { kind: "array" });
  const out = new Int32Array(new SharedArrayBuffer(4 * 1024 * 960));
  const { parts } = zarr.info();
  const written = await writtenHere(() => array.get(null, { out }));
  assert.ok(zarr.info().parts.workers > parts.workers);
  assert.equal(written.length, 0);
  assert.ok(out.every((value, at) => value === Math.floor(at / 960) * 1000 + (at % 960)));
});

const { slice } = zarr;
const SELECTIONS = [
  ["all", null, places(0, 900), places(0, 700)],
  ["a box", [slice(100, 801), slice(33, 699)], places(100, 801), places(33, 699)],
  ["steps", [slice(3, 900, 2), slice(1, 700, 3)], places(3, 900, 2), places(1, 700, 3)],
  ["backwards", [slice(null, null, -1), null], places(0, 900).reverse(), places(0, 700)],
  ["the edge", [slice(500, 900), slice(200, 700)], places(500, 900), places(200, 700)],
];

for (const [name, selection, rows, columns] of SELECTIONS) {
  test(`${name}: into the middle of shared memory`, async () => {
    const array = await zarr.open(STORE, { kind: "array" });
    const memory = new Int32Array(new SharedArrayBuffer(4 * (rows.length * columns.length + 20))).fill(77);
    const out = memory.subarray(10, memory.length - 10);
    const { data } = await array.get(selection, { out });
    assert.equal(data, out);
    checkElements(out, rows, columns);
    assert.ok([...memory.subarray(0, 10), ...memory.subarray(-10)].every((value) => value === 77));
  });
}

test("allocated shared memory, in C order and in F order", async () => {
  const transposed = madeStore({ ...DESCRIPTION, shape: [700, 900], chunks: [96, 128] }, ([j, i]) =>
    valueAt([i, j]),
  );
  const metadata = JSON.parse(new TextDecoder().decode(transposed.get("/zarr.json")));
  // The bytes of a chunk of [96, 128] are those of a chunk of [128, 96] in order F.
  metadata.shape = SHAPE;
  metadata.chunk_grid.configuration.chunk_shape = [128, 96];
  metadata.codecs.unshift({ name: "transpose", configuration: { order: [1, 0] } });
  const inF = new Map([["/zarr.json", new TextEncoder().encode(JSON.stringify(metadata))]]);
  for (const [key, bytes] of transposed) {
    const [, y, x] = /^\/c\/(\d+)\/(\d+)$/.exec(key) ?? [];
    if (y !== undefined && isStored([Number(x), Number(y)])) inF.set(`/c/${x}/${y}`, bytes);
  }
  for (const store of [STORE, inF]) {
    const array = await zarr.open(store, { kind: "array" });
    const { data, stride } = await zarr.get(array, null, { useSharedArrayBuffer: true });
    assert.ok(data.buffer instanceof SharedArrayBuffer);
    assert.deepEqual(stride, store === inF ? [1, 900] : [700, 1]);
    checkElements(data, places(0, 900), places(0, 700), stride);
  }
});

test("packed bytes, and numbers that are widened", async () => {
  const array = await zarr.open(STORE, { kind: "array" });
  const bytes = new Uint8Array(new SharedArrayBuffer(4 * 900 * 700));
  await array.get(null, { out: bytes, as: "bytes" });
  checkElements(new Int32Array(bytes.buffer), places(0, 900), places(0, 700));
  const halves = madeStore({ shape: [512, 512], chunks: [128, 512], dtype: "float16", gzip: true }, ([i]) =>
    i % 2 ? 0x3c00 : 0xc000,
  );
  const array16 = await zarr.open(halves, { kind: "array" });
  const Elements = globalThis.Float16Array ?? Float32Array;
  const out = new Elements(new SharedArrayBuffer(512 * 512 * Elements.BYTES_PER_ELEMENT));
  await array16.get(null, { out });
  assert.ok(out.every((value, at) => value === (Math.floor(at / 512) % 2 ? 1 : -2)));
});

test("nothing is written to shared memory after an abort", async () => {
  const size = 2048;
  const store = madeStore(
    { shape: [size, size], chunks: [128, size], dtype: "uint16", gzip: true },
    ([i, j]) => ((i * 31 + j) % 65535) + 1,
  );
  const array = await zarr.open(store, { kind: "array" });
  await array.get();
  const out = new Uint16Array(new SharedArrayBuffer(2 * size * size));
  let isPartial = false;
  for (let round = 0; round < 24; round += 1) {
    out.fill(0);
    const controller = new AbortController();
    const reading = array.get(null, { out, signal: controller.signal });
    setTimeout(round).then(() => controller.abort());
    const isAborted = await reading.then(
      () => false,
      ({ name }) => name === "AbortError",
    );
    if (!isAborted) continue;
    isPartial ||= out.includes(0) && out.some((value) => value !== 0);
    out.fill(0);
    await setTimeout(30);
    assert.ok(!out.some((value) => value !== 0), `round ${round}`);
  }
  assert.ok(isPartial, "a read was given up while it was written");
});

test("nothing is written after a chunk could not be decoded", async () => {
  const store = new Map(STORE);
  store.set("/c/3/3", new Uint8Array(100));
  const array = await zarr.open(store, { kind: "array" });
  const out = new Int32Array(new SharedArrayBuffer(4 * 900 * 700));
  await assert.rejects(array.get(null, { out }), zarr.ZarrError);
  out.fill(1);
  await setTimeout(100);
  assert.ok(out.every((value) => value === 1));
});

/** A module whose codec ends its worker as often as the file at `path` has letters. */
const deadly = (path) =>
  `data:text/javascript,${encodeURIComponent(`
  import { readFileSync, writeFileSync } from "node:fs";
  const path = ${JSON.stringify(path)};
  export default {
    kind: "bytes_to_bytes",
    fromConfig: () => ({
      async decode(bytes) {
        const left = readFileSync(path, "utf8");
        if (left === "") return bytes;
        writeFileSync(path, left.slice(1));
        process.exit(7);
      },
    }),
  };`)}`;

test("the part of a crashed worker is written by another", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "zarr-wasm-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "deaths");
  writeFileSync(path, "x");
  zarr.registry.set("test.deadly", { url: deadly(path) });
  t.after(() => zarr.registry.delete("test.deadly"));
  const description = { shape: [2048, 512], chunks: [256, 512], dtype: "int32" };
  const store = madeStore(description, valueAt);
  const metadata = JSON.parse(new TextDecoder().decode(store.get("/zarr.json")));
  metadata.codecs.push({ name: "test.deadly" });
  store.set("/zarr.json", new TextEncoder().encode(JSON.stringify(metadata)));
  const array = await zarr.open(store, { kind: "array" });
  const out = new Int32Array(new SharedArrayBuffer(4 * 2048 * 512)).fill(-1);
  await array.get(null, { out });
  assert.equal(readFileSync(path, "utf8"), "");
  assert.ok(out.every((value, at) => value === Math.floor(at / 512) * 1000 + (at % 512)));
});
