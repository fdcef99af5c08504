/**
 * Archives, references and fill values that would become enormous: they stop at a bound, with a
 * Limit or a Format error. The documents are made here, by hand and by Node's zlib.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { crc32, deflateRawSync } from "node:zlib";
import * as zarr from "zarr-wasm";
import { madeStore, metadata } from "./made_stores.mjs";

const MIB = 2 ** 20;
const LIMITS = { timeout: 240_000 };
const encode = (text) => new TextEncoder().encode(text);

const u16 = (value) => [value & 255, (value >>> 8) & 255];
const u32 = (value) => [...u16(value), ...u16(value >>> 16)];

/** An archive of entries `{ name, bytes, isDeflated, size }`. `size` is the declared size. */
function archive(entries) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const { name, bytes, isDeflated = false, size = bytes.length, crc = crc32(bytes) } of entries) {
    const stored = isDeflated ? deflateRawSync(bytes) : bytes;
    const title = encode(name);
    const facts = [...u16(isDeflated ? 8 : 0), ...u32(0), ...u32(crc), ...u32(stored.length), ...u32(size)];
    const head = [...u32(0x04034b50), ...u16(20), ...u16(0), ...facts, ...u16(title.length), ...u16(0)];
    parts.push(Uint8Array.from(head), title, stored);
    const tail = [...u16(0), ...u16(0), ...u16(0), ...u32(0), ...u32(offset)];
    const entry = [...u32(0x02014b50), ...u16(20), ...u16(20), ...u16(0), ...facts, ...u16(title.length)];
    directory.push(Uint8Array.from([...entry, ...u16(0), ...tail]), title);
    offset += head.length + title.length + stored.length;
  }
  const length = directory.reduce((sum, part) => sum + part.length, 0);
  const counts = [...u16(0), ...u16(0), ...u16(entries.length), ...u16(entries.length)];
  const end = Uint8Array.from([...u32(0x06054b50), ...counts, ...u32(length), ...u32(offset), ...u16(0)]);
  return new Blob([...parts, ...directory, end]);
}

/** Runs an action, and resolves to by how much resident memory grew meanwhile. */
async function grown(act) {
  const start = process.memoryUsage().rss;
  let peak = start;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 2);
  try {
    await act();
  } finally {
    clearInterval(timer);
  }
  return Math.max(peak, process.memoryUsage().rss) - start;
}

const raw = madeStore({ shape: [64, 64], chunks: [32, 64], dtype: "uint8" }, ([i]) => i);
const document = { name: "zarr.json", bytes: raw.get("/zarr.json") };
const zeros = new Uint8Array(512 * MIB);

test("a deflated chunk that is larger than its array allows is not inflated", LIMITS, async () => {
  const chunk = { name: "c/0/0", bytes: zeros, isDeflated: true };
  const store = zarr.ZipFileStore.fromBlob(archive([document, chunk]));
  const array = await zarr.open(store, { kind: "array" });
  const memory = await grown(() => assert.rejects(array.get(), { code: "Limit", key: "c/0/0" }));
  assert.ok(memory < 128 * MIB, `${memory} bytes`);
});

test("deflated metadata that are larger than metadata may be are not inflated", LIMITS, async () => {
  const store = zarr.ZipFileStore.fromBlob(archive([{ name: "zarr.json", bytes: zeros, isDeflated: true }]));
  const memory = await grown(() => assert.rejects(zarr.open(store), { code: "Limit" }));
  assert.ok(memory < 128 * MIB, `${memory} bytes`);
});

test("an entry that inflates beyond its declared size stops there", LIMITS, async () => {
  const bytes = new Uint8Array(256 * MIB);
  const entry = { name: "c/0/0", bytes, isDeflated: true, size: 2048 };
  const store = zarr.ZipFileStore.fromBlob(archive([document, entry]));
  const array = await zarr.open(store, { kind: "array" });
  const memory = await grown(() => assert.rejects(array.get(), { code: "Format", key: "c/0/0" }));
  assert.ok(memory < 64 * MIB, `${memory} bytes`);
});

test("a declared size that is a lie takes no memory", LIMITS, async () => {
  // Noise, so that the declared size is possible by its ratio.
  const noise = randomBytes(220_000);
  const entry = { name: "zarr.json", bytes: noise, isDeflated: true, size: 200 * MIB };
  const stored = deflateRawSync(noise).length;
  assert.ok(200 * MIB < stored * 1032);
  const store = zarr.ZipFileStore.fromBlob(archive([entry]));
  const memory = await grown(() => assert.rejects(zarr.open(store), { code: "Format" }));
  assert.ok(memory < 64 * MIB, `${memory} bytes`);
});

const references = (document) => new zarr.ReferenceStore(document);

test("templates and generators of references have a budget", LIMITS, async () => {
  const templates = { t5: "{{''}}" };
  for (let at = 0; at < 5; at++) templates[`t${at}`] = `{{t${at + 1}}}`.repeat(1000);
  const empty = { version: 1, templates, refs: { "zarr.json": ["{{t0}}", 0, 1] } };
  const wide = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`d${at}`, { stop: 8_000_000 }]));
  const many = { version: 1, refs: {}, gen: [{ key: "a", url: "b", dimensions: { none: [], ...wide } }] };
  const long = { key: "{{i}}", url: `${"x".repeat(60_000)}{{i}}`, dimensions: { i: { stop: 1_000_000 } } };
  for (const [name, document, code] of [
    ["steps", empty, "Limit"],
    ["values of dimensions", many, "NotFound"],
    ["bytes", { version: 1, refs: {}, gen: [long] }, "Limit"],
  ]) {
    const memory = await grown(() => assert.rejects(zarr.open(references(document)), { code }, name));
    assert.ok(memory < 700 * MIB, `${name}: ${memory} bytes`);
  }
});

/** A v3 array with this data type and fill value, without chunks. */
const unstored = (data_type, fill_value, shape, chunks = shape) => {
  const base = metadata({ shape, chunks, dtype: "uint8" });
  const codecs =
    typeof data_type === "string" && /string|bytes/.test(data_type)
      ? [{ name: `vlen-${data_type === "string" ? "utf8" : "bytes"}` }]
      : [{ name: "bytes" }];
  return new Map([["/zarr.json", encode(JSON.stringify({ ...base, data_type, fill_value, codecs }))]]);
};

test("a long fill value times a shape is a Limit error before memory is taken", LIMITS, async () => {
  const long = "f".repeat(MIB);
  const v2 = (dtype, fill_value, filters = null) =>
    new Map([
      [
        "/.zarray",
        encode(
          JSON.stringify({
            zarr_format: 2,
            shape: [1_000_000],
            chunks: [1000],
            dtype,
            fill_value,
            order: "C",
            compressor: null,
            filters,
          }),
        ),
      ],
    ]);
  for (const [name, files] of [
    ["v3 string", unstored("string", long, [1_000_000], [1000])],
    ["v3 string, one chunk", unstored("string", long, [1_000_000])],
    ["v3 variable bytes", unstored("variable_length_bytes", btoa(long), [1_000_000], [1000])],
    ["v2 object", v2("|O", long, [{ id: "vlen-utf8" }])],
    ["v2 fixed bytes", v2(`|S${MIB}`, btoa(long))],
    ["v3 raw", unstored("r8000000", new Array(1_000_000).fill(1), [1_000_000], [10])],
    ["a huge shape", unstored("uint8", 1, [2 ** 40], [2 ** 20])],
    ["a huge chunk", unstored("uint8", 1, [2 ** 40])],
    ["variable elements without content", unstored("string", "", [200_000_000], [1_000_000])],
  ]) {
    const memory = await grown(async () => {
      const array = await zarr.open(files, { kind: "array" });
      await assert.rejects(array.get(), { code: "Limit" }, name);
    });
    assert.ok(memory < 300 * MIB, `${name}: ${memory} bytes`);
  }
});

test("a stream of elements of a long fill value is a Limit error too", LIMITS, async () => {
  const array = await zarr.open(unstored("string", "f".repeat(MIB), [1_000_000], [100_000]), {
    kind: "array",
  });
  const stream = async () => {
    for await (const _ of array.stream()) break;
  };
  const memory = await grown(() => assert.rejects(stream(), { code: "Limit" }));
  assert.ok(memory < 300 * MIB, `${memory} bytes`);
});

test("a write into a chunk of long fill values is a Limit error", LIMITS, async () => {
  const files = unstored("string", "f".repeat(MIB), [4000]);
  const array = await zarr.open(files, { kind: "array" });
  const memory = await grown(() => assert.rejects(array.set([0], "x"), { code: "Limit" }));
  assert.ok(memory < 300 * MIB, `${memory} bytes`);
});
