/**
 * The program that every consumer runs: it reads an array that zarr-python wrote over HTTP, writes
 * one, which loads a further wasm module, and reads the first again. In a page the light build
 * answers the first read, and the engine the last. It has the expected result, too.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { unpackFixtures } from "../support/fixture_archives.mjs";

/** The folder of an array of `uint16` with 512 × 512 elements in one chunk of Blosc. */
const CASE = join(unpackFixtures(), "zarr-python-3/blosc-large-v3");
export const STORE = join(CASE, "store");
const NAME = "lz4";
export const ARRAY = `/data/${NAME}`;

/**
 * Returns the module `read.mjs` of a project. `entry` is the entry of the package that it imports.
 */
export const readModule = (entry = "zarr-wasm") => `
import * as zarr from "${entry}";
${READ}
export { read };
`;

/** The function alone, for scripts that have the package as a global. */
export const READ = `
async function read(url) {
  const array = await zarr.open.v3(url, { kind: "array" });
  const { data, shape } = await array.get();
  const store = new Map();
  const made = await zarr.create(store, { shape: [3], dtype: "int8" });
  await made.set(null, [1, 2, 3]);
  const again = await (await zarr.open.v3(store, { kind: "array" })).get();
  const third = await (await zarr.open.v3(url, { kind: "array" })).get();
  const { engine, decoder } = zarr.info();
  const [sum, sumAgain] = [data, third.data].map((list) => list.reduce((total, value) => total + value, 0));
  const last = data.at(-1);
  return { shape: shape.join(), sum, sumAgain, last, again: again.data.join(), engine, decoder };
}
`;

function expected() {
  const nodes = JSON.parse(readFileSync(join(CASE, "expected.json"), "utf8"));
  const { shape, values } = nodes.find(({ path }) => path === NAME);
  const bytes = Buffer.from(values, "base64");
  const elements = Array.from({ length: bytes.length / 2 }, (_, at) => bytes.readUInt16LE(2 * at));
  const sum = elements.reduce((total, value) => total + value, 0);
  return { shape: shape.join(), sum, sumAgain: sum, last: elements.at(-1), again: "1,2,3" };
}

const EXPECTED = expected();

/** Throws unless a consumer read what zarr-python wrote. `places` are the threads it may use. */
export function expectRead(result, places = {}) {
  for (const [name, value] of Object.entries({ ...EXPECTED, ...places })) {
    if (result?.[name] !== value) {
      throw new Error(`${name}: expected ${value}, got ${JSON.stringify(result)?.slice(0, 1000)}`);
    }
  }
}

/** Checks a program's output, whose last line is the result as JSON. */
export function expectReadIn(output, places) {
  const line = output.trimEnd().split("\n").at(-1);
  expectRead(JSON.parse(line), places);
}
