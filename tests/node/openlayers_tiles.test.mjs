/**
 * The arithmetic of the OpenLayers adapter: the elements of a map's tile, its bands, and the mixing
 * of channels. The expected values are computed by hand.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";

const from = (name) =>
  import(join(import.meta.dirname, "../../dist/modules/package/adapter/openlayers", name));
const { columnRuns, elementAt, isShort, tileLevel, tileRange, tileSide, tileSpans } =
  await from("tile_levels.js");
const { bandsOf, packTile, tileMixer } = await from("textures.js");

const level = (changes) =>
  tileLevel({
    level: 0,
    x: { start: 0.5, step: 1 },
    y: { start: -0.5, step: -1 },
    width: 1000,
    height: 600,
    chunkWidth: 256,
    chunkHeight: 256,
    ...changes,
  });

test("tiles are whole chunks, or equal parts of a chunk", () => {
  assert.equal(tileSide(10_000, 512), 512);
  assert.equal(tileSide(10_000, 64), 256);
  assert.equal(tileSide(10_000, 100), 300);
  assert.equal(tileSide(10_000, 4096), 1024);
  assert.equal(tileSide(10_000, 3000), 1000);
  assert.equal(tileSide(360, 180), 360);
  assert.equal(tileSide(300, 1000), 300);
});

test("the first row is at the top if y falls along rows", () => {
  const own = level();
  assert.deepEqual(own.extent, [0, -600, 1000, 0]);
  assert.deepEqual([own.columns, own.rows, own.origin], [4, 3, [0, 0]]);
  assert.deepEqual(tileSpans(own, 3, 2), {
    x: { start: 768, stop: 1000, first: 768 },
    y: { start: 512, stop: 600, first: 512 },
  });
  assert.equal(tileSpans(own, 4, 0), null);
  assert.deepEqual(elementAt(own, 0.2, -599.5), { column: 0, row: 599 });
  assert.equal(elementAt(own, -0.1, -1), null);
});

test("latitudes from south to north: the last row is at the top, and tiles follow the chunks", () => {
  // 180 rows of one degree in chunks of 90; row 0 is at -89.5.
  const own = level({
    x: { start: -179.5, step: 1 },
    y: { start: -89.5, step: 1 },
    width: 360,
    height: 180,
    chunkWidth: 360,
    chunkHeight: 100,
  });
  assert.deepEqual(own.extent, [-180, -90, 180, 90]);
  assert.equal(own.tileHeight, 180);
  const tall = level({ y: { start: 0.5, step: 1 }, height: 600 });
  assert.deepEqual([tall.rows, tall.origin], [3, [0, 768]]);
  assert.deepEqual(tileSpans(tall, 0, 0).y, { start: 512, stop: 600, first: 767 });
  assert.deepEqual(tileSpans(tall, 0, 2).y, { start: 0, stop: 256, first: 255 });
  assert.deepEqual(elementAt(tall, 0.5, 599.5), { column: 0, row: 599 });
});

test("a level has its own scale and translation", () => {
  // A level of half the size: its first centre is half an element of the finest level further.
  const half = level({
    x: { start: 0.5 + 0.5, step: 2 },
    y: { start: -1, step: -2 },
    width: 500,
    height: 300,
  });
  assert.deepEqual(half.extent, [0, -600, 1000, 0]);
  assert.equal(isShort(half, level()), false);
  assert.equal(isShort(level({ width: 900 }), level()), true);
});

test("the tiles in a view", () => {
  assert.deepEqual(tileRange(level(), [250, -300, 520, -260]), { column: [0, 2], row: [1, 1] });
  assert.deepEqual(tileRange(level(), [250, -300, 520, -260], 1), { column: [0, 3], row: [0, 2] });
  assert.equal(tileRange(level(), [1000, -10, 1100, 0]), null);
});

test("a rolled world is read in two runs across the first column", () => {
  const world = level({ x: { start: -179.5, step: 1 }, width: 360, chunkWidth: 360, roll: 180 });
  assert.deepEqual(columnRuns(world, { start: 0, stop: 360 }), [
    [180, 360],
    [0, 180],
  ]);
  assert.deepEqual(columnRuns(world, { start: 0, stop: 90 }), [[180, 270]]);
  assert.deepEqual(columnRuns(world, { start: 200, stop: 300 }), [[20, 120]]);
  assert.deepEqual(elementAt(world, -179.5, -0.5), { column: 180, row: 0 });
  assert.deepEqual(elementAt(world, 0.5, -0.5), { column: 0, row: 0 });
});

const small = (changes) => level({ width: 3, height: 2, chunkWidth: 3, chunkHeight: 2, ...changes });
const elements = (data) => ({ data, offset: 0, strideX: 1, strideY: 3 });
const spans = (own) => tileSpans(own, 0, 0);
const VALUES = { origin: 0, unit: 1 };
const BYTES = { origin: 0, unit: 255 };
const plain = { asBytes: false, hasMask: false, isLog: false, ...VALUES };

test("bands are side by side, and a flipped axis is reversed", () => {
  const own = small({ y: { start: 0.5, step: 1 } });
  const [first, second] = [
    elements(Uint16Array.of(1, 2, 3, 4, 5, 6)),
    elements(Uint16Array.of(7, 8, 9, 10, 11, 12)),
  ];
  const packed = packTile(own, spans(own), [first, second], plain);
  assert.deepEqual([...packed], [4, 10, 5, 11, 6, 12, 1, 7, 2, 8, 3, 9]);
});

test("missing values are 0 with the mask 0, and never NaN", () => {
  const own = small();
  const data = Float32Array.of(1.5, Number.NaN, -2, Number.POSITIVE_INFINITY, 0, Number.NaN);
  const packed = packTile(own, spans(own), [elements(data)], { ...plain, hasMask: true });
  assert.deepEqual([...packed], [1.5, 1, 0, 0, -2, 1, Math.fround(3.4e38), 1, 0, 1, 0, 0]);
  const logs = packTile(own, spans(own), [elements(Float64Array.of(100, 0, -1, 1000, 1, 0.1))], {
    ...plain,
    hasMask: true,
    isLog: true,
  });
  assert.deepEqual([...logs], [2, 1, 0, 0, 0, 0, 3, 1, 0, 1, -1, 1]);
});

test("bytes stay bytes, and 64-bit integers are supported", () => {
  const own = small();
  const bytes = packTile(own, spans(own), [elements(Uint8Array.of(0, 1, 2, 253, 254, 255))], {
    ...plain,
    asBytes: true,
  });
  assert.ok(bytes instanceof Uint8Array);
  assert.deepEqual([...bytes], [0, 1, 2, 253, 254, 255]);
  const big = packTile(own, spans(own), [elements(BigInt64Array.of(1n, -2n, 3n, 4n, 5n, 6n))], plain);
  assert.deepEqual([...big], [1, -2, 3, 4, 5, 6]);
});

test("with a range, bands have shares of it, but logarithms stay", () => {
  const own = small();
  const data = Float32Array.of(101300, 101325, 101350, Number.NaN, 101275, Number.POSITIVE_INFINITY);
  const range = { origin: 101300, unit: 50 };
  const packed = packTile(own, spans(own), [elements(data)], { ...plain, ...range, hasMask: true });
  assert.deepEqual([...packed], [0, 1, 0.5, 1, 1, 1, 0, 0, -0.5, 1, Math.fround(3.4e38), 1]);
  const alone = packTile(own, spans(own), [elements(Int32Array.of(101300, 101325, 0, 0, 0, 0))], {
    ...plain,
    ...range,
  });
  assert.deepEqual([...alone.subarray(0, 3)], [0, 0.5, -2026]);
  const logs = packTile(own, spans(own), [elements(data)], { ...plain, ...range, isLog: true });
  assert.equal(logs[1], Math.fround(Math.log10(101325)));
});

test("a tile at the edge repeats its last element or is transparent there", () => {
  // Chunks of 1026 columns are cut into two tiles; the third tile has the last four columns.
  const own = level({ width: 1030, height: 2, chunkWidth: 1026, chunkHeight: 2 });
  assert.deepEqual([own.tileWidth, own.columns], [513, 3]);
  const last = tileSpans(own, 2, 0);
  const count = last.x.stop - last.x.start;
  assert.equal(count, 4);
  const part = {
    data: Uint16Array.from({ length: 8 }, (_, at) => at + 1),
    offset: 0,
    strideX: 1,
    strideY: 4,
  };
  const repeated = packTile(own, last, [part], plain);
  assert.deepEqual([...repeated.slice(0, 6)], [1, 2, 3, 4, 4, 4]);
  const masked = packTile(own, last, [part], { ...plain, hasMask: true });
  assert.deepEqual([...masked.slice(0, 12)], [1, 1, 2, 1, 3, 1, 4, 1, 0, 0, 0, 0]);
});

test("the colours of channels are added", () => {
  const own = small();
  const channel = (data, color, window, gamma = 1) => ({
    ...elements(Float32Array.from(data)),
    channel: 0,
    color,
    window,
    gamma,
  });
  const out = new Uint8Array(3 * 2 * 4);
  const red = channel([0, 50, 100, 200, 100, Number.NaN], [255, 0, 0], [0, 100]);
  const grey = channel([0, 0, 25, 25, 100, Number.NaN], [100, 100, 100], [0, 100], 0.5);
  tileMixer(own, spans(own), [red, grey], out)(0, 2);
  const pixel = (at) => [...out.slice(at * 4, at * 4 + 4)];
  assert.deepEqual(pixel(0), [0, 0, 0, 255]);
  assert.deepEqual(pixel(1), [128, 0, 0, 255]);
  assert.deepEqual(pixel(2), [255, 50, 50, 255]);
  assert.deepEqual(pixel(3), [255, 50, 50, 255]);
  assert.deepEqual(pixel(4), [255, 100, 100, 255]);
  assert.deepEqual(pixel(5), [0, 0, 0, 0]);
});

test("more than four bands become pictures", () => {
  const array = {
    dtype: "uint16",
    isPacked: false,
    mayMiss: false,
    areLabels: false,
  };
  const of = (changes, channels) => bandsOf({ ...array, ...changes }, channels);
  assert.deepEqual(of({}, 4), { count: 4, isByte: false, hasMask: false, isPicture: false, ...VALUES });
  assert.equal(of({}, 5).isPicture, true);
  assert.equal(of({ dtype: "float32" }, 4).isPicture, true);
  assert.deepEqual(of({ dtype: "uint8" }, 3), {
    count: 3,
    isByte: true,
    hasMask: false,
    isPicture: false,
    ...BYTES,
  });
  const ranged = of({ dtype: "int32", range: [100, 300] }, 1);
  assert.deepEqual([ranged.origin, ranged.unit], [100, 200]);
  // A range without width, as of missing values, has no shares.
  for (const range of [
    [3, 3],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  ])
    assert.equal(of({ range }, 1).unit, 1);
  const packed = { dtype: "uint8", isPacked: true };
  assert.deepEqual(of(packed, 1), { count: 2, isByte: false, hasMask: true, isPicture: false, ...VALUES });
  assert.equal(of({ areLabels: true }, 1).isPicture, true);
});
