/**
 * What the readers in JavaScript share: a driver takes the path of a list of arrays, reads each of
 * them, and prints one line of JSON an array: `{id, shape, values}` (the elements as
 * `expected.json` has them: little-endian, in C order, as base64), `{id, shape, json}` for elements
 * of variable length, or `{id, error}`. It compares nothing: see `compare.mjs`.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/** A package of `npm/package.json`, which is installed below `target/` and not into ours. */
export const required = (name) => createRequire(join(process.env.READERS_MODULES, "none.js"))(name);

const LIMIT_MS = 30_000;

const overdue = () =>
  new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`no answer in ${LIMIT_MS / 1000} s`)), LIMIT_MS).unref();
  });

/** `read(array)` resolves to the line's fields without the id. */
export async function drive(read) {
  // A reader may leave promises behind that fail after the array is refused.
  process.on("unhandledRejection", () => {});
  for (const array of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
    let line;
    try {
      line = await Promise.race([read(array), overdue()]);
    } catch (error) {
      line = {
        error: [error, error?.cause]
          .filter(Boolean)
          .map((each) => each.message ?? each)
          .join(": "),
      };
    }
    console.log(JSON.stringify({ id: array.id, ...line }));
  }
  process.exit();
}

/** All indices of a shape in C order. */
export function* indices(shape) {
  const index = shape.map(() => 0);
  for (let left = shape.reduce((product, extent) => product * extent, 1); left > 0; left -= 1) {
    yield index;
    for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
      index[axis] += 1;
      if (index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
}

/** The places of elements in C order, in data with other strides. */
export const places = (shape, stride) =>
  Array.from(indices(shape), (index) =>
    index.reduce((place, value, axis) => place + value * stride[axis], 0),
  );

export const base64 = (bytes) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");

/** The typed array's bits at places, as base64: of floats too, whose NaN may have a payload. */
export function bitsAt(data, at) {
  const size = data.BYTES_PER_ELEMENT;
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const packed = new Uint8Array(at.length * size);
  for (const [index, place] of at.entries())
    packed.set(bytes.subarray(place * size, (place + 1) * size), index * size);
  return base64(packed);
}

/** Text or bytes of fixed length, padded with zeros as the data type stores them. */
export function paddedText(type, texts) {
  const length = type.configuration.length_bytes;
  const packed = Buffer.alloc(texts.length * length);
  for (const [index, text] of texts.entries()) {
    const characters = type.name === "fixed_length_utf32" ? [...text] : [];
    for (const [at, character] of characters.entries())
      packed.writeUInt32LE(character.codePointAt(0), index * length + 4 * at);
    if (characters.length === 0)
      packed.set(typeof text === "string" ? Buffer.from(text, "latin1") : text, index * length);
  }
  return packed.toString("base64");
}
