/**
 * `zarr-wasm/numcodecs` beside numcodecs.js: each decodes what the other encoded, with the same
 * names, arguments and defaults.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync, gunzipSync, gzipSync, inflateSync } from "node:zlib";
import * as theirs from "numcodecs";
import * as zarr from "zarr-wasm";
import * as ours from "zarr-wasm/numcodecs";
import * as zarrita from "zarrita";
import { registered } from "./flipped_codec.mjs";

const [OURS, THEIRS] = [{ ...ours }, { ...theirs }];
const NAMES = ["Blosc", "GZip", "LZ4", "Zlib", "Zstd"];
const PLAIN = Uint8Array.from({ length: 100_000 }, (_, at) => (at * at) >> 7);

const own = (codec) => Object.fromEntries(Object.entries(codec));

test("the names, ids, constants and defaults are those of numcodecs.js", () => {
  assert.deepEqual(Object.keys(ours).sort(), NAMES);
  for (const name of NAMES) {
    const [mine, other] = [OURS[name], THEIRS[name]];
    assert.deepEqual(own(mine), own(other), name);
    assert.deepEqual(own(new mine()), own(new other()), name);
    assert.deepEqual(own(mine.fromConfig({})), own(other.fromConfig({})), name);
  }
  const configuration = { id: "blosc", clevel: 9, cname: "zlib", shuffle: 2, blocksize: 512 };
  assert.deepEqual(own(ours.Blosc.fromConfig(configuration)), own(theirs.Blosc.fromConfig(configuration)));
});

test("arguments that numcodecs.js refuses are refused", () => {
  for (const [name, ...args] of [
    ["Blosc", 10],
    ["Blosc", 5, "lzma"],
    ["Blosc", 5, "lz4", 3],
    ["GZip", -1],
    ["GZip", 10],
    ["Zlib", -2],
    ["LZ4", 1.5],
    ["Zstd", 0.5],
  ]) {
    assert.throws(() => new THEIRS[name](...args), `${name} ${args}`);
    assert.throws(() => new OURS[name](...args), { code: "Argument" }, `${name} ${args}`);
  }
});

const CODECS = [
  ...["blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"].map((cname) => ["Blosc", 5, cname, 1, 0]),
  ...[-1, 0, 2].map((shuffle) => ["Blosc", 3, "zstd", shuffle, 4096]),
  ...[0, 1, 9].flatMap((level) => [
    ["GZip", level],
    ["Zlib", level],
    ["Zstd", level],
  ]),
  ["LZ4"],
  ["LZ4", 50],
];

for (const [name, ...args] of CODECS) {
  test(`${name}(${args}) and numcodecs.js decode each other`, async () => {
    const [mine, other] = [new OURS[name](...args), new THEIRS[name](...args)];
    for (const plain of [PLAIN, PLAIN.subarray(5, 6), new Uint8Array(70_000)]) {
      const encoded = await mine.encode(plain);
      if (args[1] !== "snappy") assert.deepEqual(new Uint8Array(await other.decode(encoded)), plain.slice());
      assert.deepEqual(await mine.decode(encoded), plain.slice());
      // Their build has no Snappy, and it fails with the automatic shuffle.
      if (args[1] === "snappy" || args[2] === -1) continue;
      assert.deepEqual(await mine.decode(await other.encode(plain)), plain.slice());
    }
    assert.equal(PLAIN.length, 100_000, "the caller's bytes stay");
  });
}

test("levels of zstd are clamped", async () => {
  const at = async (level) => (await new ours.Zstd(level).encode(PLAIN)).length;
  assert.equal(await at(99), await at(22));
  assert.equal(await at(-7), await at(1));
  assert.equal(await at(0), await at(1));
});

test("several gzip members and several zstd frames are one stream", async () => {
  const [first, second] = [PLAIN.subarray(0, 1000), PLAIN.subarray(1000)];
  const members = Buffer.concat([gzipSync(first), gzipSync(second)]);
  assert.deepEqual(await new ours.GZip().decode(members), PLAIN);
  const zstd = new theirs.Zstd();
  const frames = Buffer.concat([await zstd.encode(first), await zstd.encode(second)]);
  assert.deepEqual(await new ours.Zstd().decode(frames), PLAIN);
});

test("Node's own zlib reads what is encoded", async () => {
  assert.deepEqual(new Uint8Array(gunzipSync(await new ours.GZip(4).encode(PLAIN))), PLAIN);
  assert.deepEqual(new Uint8Array(inflateSync(await new ours.Zlib(4).encode(PLAIN))), PLAIN);
  assert.deepEqual(await new ours.Zlib().decode(deflateSync(PLAIN)), PLAIN);
});

test("decode writes to the given memory", async () => {
  for (const name of NAMES) {
    const codec = new OURS[name]();
    const encoded = await codec.encode(PLAIN);
    const out = new Uint8Array(PLAIN.length + 3).fill(7);
    assert.equal(await codec.decode(encoded, out), out);
    assert.deepEqual(out.subarray(0, PLAIN.length), PLAIN);
    assert.deepEqual([...out.subarray(PLAIN.length)], [7, 7, 7]);
    await assert.rejects(codec.decode(encoded, new Uint8Array(10)), RangeError);
  }
});

test("corrupt bytes and headers that promise too much are refused", async () => {
  for (const name of NAMES) {
    const codec = new OURS[name]();
    const encoded = await codec.encode(PLAIN);
    await assert.rejects(codec.decode(encoded.subarray(0, encoded.length >> 1)), { code: "Format" }, name);
    await assert.rejects(codec.decode("text"), { code: "Argument" }, name);
  }
  const promises = {
    // 4 GiB in the header of LZ4, 2 GiB in that of blosc, 3 GiB in that of a zstd frame.
    LZ4: [0xff, 0xff, 0xff, 0xff, 0x00],
    Blosc: [2, 1, 0x21, 1, 0xff, 0xff, 0xff, 0x7f, 0, 0, 1, 0, 20, 0, 0, 0, 0, 0, 0, 0],
    Zstd: [0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0xc0, 0x01, 0, 0],
  };
  for (const [name, bytes] of Object.entries(promises)) {
    await assert.rejects(new OURS[name]().decode(Uint8Array.from(bytes)), ({ code }) =>
      ["Limit", "Format"].includes(code),
    );
  }
});

test("the classes serve as codecs of both registries", async () => {
  const store = new Map();
  const codecs = [
    { name: "bytes", configuration: { endian: "little" } },
    { name: "zstd", configuration: { level: 3 } },
  ];
  const options = { shape: [4], chunkShape: [4], dtype: "int16", codecs, fillValue: 0 };
  const before = zarrita.registry.get("zstd");
  zarrita.registry.set("zstd", async () => ours.Zstd);
  try {
    const array = await zarrita.create(zarrita.root(store).resolve("a"), options);
    await zarrita.set(array, null, 5);
    assert.deepEqual([...(await zarrita.get(array)).data], [5, 5, 5, 5]);
  } finally {
    zarrita.registry.set("zstd", before);
  }
  await registered({ zstd: () => ours.Zstd }, async () => {
    const array = await zarr.open(zarr.root(store).resolve("a"), { kind: "array" });
    assert.deepEqual([...(await array.get()).data], [5, 5, 5, 5]);
    assert.equal(zarr.info().codecs.find(({ name }) => name === "zstd").runs, "caller");
  });
});
