/** Image codecs, with vectors of imagecodecs. Each vector is the only chunk of an array. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import * as zarr from "zarr-wasm";

const VECTORS = join(import.meta.dirname, "../fixtures/codec-vectors");
const TYPES = { uint8: "|u1", uint16: "<u2", float32: "<f4" };
const isImage = ({ writer, zarr_format: format, data_type: type, encoded_base64: encoded }) =>
  writer?.startsWith("imagecodecs") && format === 2 && type in TYPES && encoded !== undefined;

const vectors = readdirSync(VECTORS)
  .filter((folder) => existsSync(join(VECTORS, folder, "vectors.json")))
  .flatMap((folder) => JSON.parse(readFileSync(join(VECTORS, folder, "vectors.json"), "utf8")))
  .filter(isImage);

const bytes = (base64) => Uint8Array.from(Buffer.from(base64, "base64"));

function storeOf({ shape, data_type: type, codec, encoded_base64: encoded }) {
  const metadata = {
    zarr_format: 2,
    shape,
    chunks: shape,
    dtype: TYPES[type],
    compressor: codec,
    filters: null,
    fill_value: 0,
    order: "C",
  };
  return new Map([
    ["/.zarray", new TextEncoder().encode(JSON.stringify(metadata))],
    [`/${shape.map(() => 0).join(".")}`, bytes(encoded)],
  ]);
}

test("there are vectors", () => assert.ok(vectors.length > 20, `${vectors.length}`));

for (const vector of vectors) {
  test(`${vector.codec.id} ${vector.name}`, async () => {
    const array = await zarr.open(storeOf(vector), { kind: "array" });
    const { data } = await array.get();
    const written = bytes(vector.input_base64);
    const wanted = new data.constructor(written.buffer, 0, data.length);
    const within = vector.tolerance ?? 0;
    const off = data.findIndex((value, place) => !(Math.abs(value - wanted[place]) <= within));
    assert.equal(off, -1, `element ${off}: ${data[off]} for ${wanted[off]}, within ${within}`);
  });
}
