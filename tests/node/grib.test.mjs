/**
 * GRIB messages as chunks: what eccodes wrote, and kerchunk's references to a GRIB file
 * (`tests/fixtures/grib/make.py`), in the package's own module.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import * as zarr from "zarr-wasm";

const FIXTURES = join(import.meta.dirname, "../fixtures");
const read = (path) => readFileSync(join(FIXTURES, path));
const json = (path) => JSON.parse(read(path).toString());
const bytes = (base64) => Uint8Array.from(Buffer.from(base64, "base64"));
const doubles = (base64) => [...new Float64Array(bytes(base64).buffer)];
const VECTORS = ["grib", "gribberish"].flatMap((codec) => json(`codec-vectors/${codec}/vectors.json`));
const named = (name) => VECTORS.find((vector) => vector.name === name);

/** The metadata of an array of one chunk. */
function metadataOf({ zarr_format: format, shape, data_type: type, codec }, before = []) {
  if (format === 2) {
    const dtype = type === "float64" ? "<f8" : "<f4";
    const rest = { compressor: null, fill_value: 0, order: "C" };
    return { zarr_format: 2, shape, chunks: shape, dtype, filters: [codec], ...rest };
  }
  return {
    zarr_format: 3,
    node_type: "array",
    shape,
    data_type: type,
    chunk_grid: { name: "regular", configuration: { chunk_shape: shape } },
    chunk_key_encoding: { name: "default" },
    codecs: [...before, codec],
    fill_value: "NaN",
  };
}

function storeOf(vector, { content = bytes(vector.encoded_base64), before } = {}) {
  const isOld = vector.zarr_format === 2;
  const places = vector.shape.map(() => 0);
  return new Map([
    [isOld ? "/.zarray" : "/zarr.json", Buffer.from(JSON.stringify(metadataOf(vector, before)))],
    [isOld ? `/${places.join(".")}` : `/c/${places.join("/")}`, content],
  ]);
}

async function elementsOf(store) {
  const array = await zarr.open(store, { kind: "array" });
  return (await array.get()).data;
}

function assertLike(data, expected, within, path) {
  assert.equal(data.length, expected.length, path);
  const isLike = (value, at) => Object.is(value, expected[at]) || Math.abs(value - expected[at]) <= within;
  const off = data.findIndex((value, at) => !isLike(value, at));
  assert.equal(off, -1, `${path}: element ${off} is ${data[off]}, not ${expected[off]}`);
}

test("every message of eccodes reads as eccodes and gribberish read it", async () => {
  assert.ok(VECTORS.length > 100, `${VECTORS.length}`);
  for (const vector of VECTORS) {
    const data = await elementsOf(storeOf(vector));
    const wanted = bytes(vector.input_base64);
    const expected = new data.constructor(wanted.buffer, 0, data.length);
    assertLike(data, [...expected], vector.tolerance ?? 0, `${vector.codec.id} ${vector.name}`);
  }
});

test("kerchunk's references to a GRIB file are read, coordinates too", async () => {
  const file = read("grib/messages.grib2");
  const fetch = async (request) => {
    const [, first, last] = /bytes=(\d+)-(\d+)/.exec(request.headers.get("range")) ?? [];
    if (first === undefined) return new Response(file);
    const headers = { "Content-Range": `bytes ${first}-${last}/${file.length}` };
    return new Response(file.subarray(Number(first), Number(last) + 1), { status: 206, headers });
  };
  for (const [name, document] of Object.entries(json("grib/references.json"))) {
    document.templates.u = "https://data.example/messages.grib2";
    const store = zarr.ReferenceStore.fromSpec(document, { fetch });
    for (const [path, { shape, values }] of Object.entries(json("grib/expected.json")[name])) {
      const array = await zarr.open(store, { path, kind: "array" });
      const result = await array.get();
      assert.deepEqual(result.shape, shape, path);
      assertLike([...result.data], doubles(values), path === "t" ? 0 : 1e-9, `${name} ${path}`);
    }
  }
});

test("a filter before the messages is undone", async () => {
  const before = [{ name: "scale_offset", configuration: { offset: -273.15, scale: 1 } }];
  const data = await elementsOf(storeOf(named("from-0"), { before }));
  const expected = doubles(named("from-0").input_base64).map((kelvin) => kelvin - 273.15);
  assertLike(data, expected, 1e-9, "celsius");
});

test("damaged messages and other editions are typed errors", async () => {
  const vector = named("ccsds-12");
  const whole = bytes(vector.encoded_base64);
  const damaged = (change) => elementsOf(storeOf(vector, { content: change(whole.slice()) }));
  const is = (code, words) => (error) => error.code === code && words.test(error.message);
  const edition = (content) => content.fill(1, 7, 8);
  await assert.rejects(
    damaged((content) => content.subarray(0, 90)),
    is("Format", /GRIB message is corrupt/),
  );
  await assert.rejects(
    damaged((content) => content.fill(0, 0, 4)),
    is("Format", /no GRIB message/),
  );
  await assert.rejects(damaged(edition), is("Unsupported", /edition 1/));
  const wider = { ...vector, shape: [...vector.shape, 2] };
  await assert.rejects(elementsOf(storeOf(wider)), is("Format", /another number of elements/));
  assert.equal((await elementsOf(storeOf(vector))).length, 247);
});

test("messages are not written", async () => {
  const codecs = [{ name: "gribberish", configuration: { var: "TMP" } }];
  const array = await zarr.create(new Map(), { shape: [2, 2], dtype: "float64", codecs });
  await assert.rejects(array.set(null, 1), (error) => error.code === "Unsupported");
});
