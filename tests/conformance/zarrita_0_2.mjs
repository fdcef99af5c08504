/**
 * Compares the built package with zarrita 0.2.3, which implements the draft of October 2020. Each
 * reads what the other has written. Prints one line per array.
 *
 *     node zarrita_0_2.mjs <folder with node_modules>
 *
 * zarrita 0.2.3 expects a byte order in each data type, so it lacks the types of one byte (`i1`,
 * `u1`, `bool`).
 */
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";
import * as ours from "zarr-wasm";

const modules = join(resolve(process.argv[2] ?? "."), "node_modules");
// Imported by file names, because the packages are installed in another folder.
const load = (file) => import(pathToFileURL(join(modules, file)).href);
const files = ["zarrita/dist/v3.mjs", "zarrita/dist/ops.mjs", "numcodecs/gzip.js"];
const [theirs, ops, gzip] = await Promise.all(files.map(load));
const GZip = gzip.default;

const TYPES = [
  "<i2",
  ">i2",
  "<u2",
  ">u2",
  "<i4",
  ">i4",
  "<u4",
  ">u4",
  "<i8",
  ">u8",
  "<f4",
  ">f4",
  "<f8",
  ">f8",
];
const SHAPES = [
  { shape: [17], chunks: [5] },
  { shape: [9, 11], chunks: [4, 4] },
  { shape: [3, 5], chunks: [8, 16] },
  { shape: [5, 6, 7], chunks: [2, 4, 4] },
];
const ORDERS = ["C", "F"];
const SEPARATORS = ["/", "."];
const COMPRESSORS = [undefined, 1];

/** Values that each type holds exactly. Some chunks contain only the fill value. */
function valuesOf(dtype, count) {
  const is64 = /[iu]8$/.test(dtype);
  const constructors = {
    i2: Int16Array,
    u2: Uint16Array,
    i4: Int32Array,
    u4: Uint32Array,
    f4: Float32Array,
    f8: Float64Array,
  };
  const numbers = Array.from({ length: count }, (_, at) => (at < count / 3 ? 0 : (at * 37) % 201));
  if (is64) return (dtype.includes("i8") ? BigInt64Array : BigUint64Array).from(numbers.map(BigInt));
  return constructors[dtype.slice(1)].from(numbers);
}

const strideOf = (shape) =>
  shape.map((_, axis) => shape.slice(axis + 1).reduce((product, extent) => product * extent, 1));
/** Converts its results from the array's memory order (see the strides) to C order. */
const inOrder = ({ data, shape, stride }) =>
  shape
    .reduce(
      (places, extent, axis) =>
        places.flatMap((at) => Array.from({ length: extent }, (_, i) => at + i * stride[axis])),
      [0],
    )
    .map((at) => data[at]);

const counts = { ok: 0, "not ok": 0 };

async function compare(what, read, expected) {
  let outcome = "ok";
  let found = "";
  try {
    const elements = [...(await read())];
    if (!isDeepStrictEqual(elements, [...expected]))
      [outcome, found] = ["not ok", ` found [${elements.slice(0, 8)}…]`];
  } catch (error) {
    [outcome, found] = ["not ok", ` ${error}`];
  }
  counts[outcome] += 1;
  console.log(`${outcome} ${what}${found}`);
}

async function theyWrite(store, path, { dtype, shape, chunks, order, separator, level }) {
  const hierarchy = await theirs.get_hierarchy(store).catch(() => theirs.create_hierarchy(store));
  const array = await theirs.create_array(hierarchy, `/${path}`, {
    shape,
    dtype,
    chunk_shape: chunks,
    chunk_separator: separator,
    compressor: level && new GZip(level),
    order,
    fill_value: 0,
    attrs: { by: "zarrita 0.2" },
  });
  return array;
}

for (const dtype of TYPES) {
  for (const { shape, chunks } of SHAPES) {
    for (const order of ORDERS) {
      for (const separator of SEPARATORS) {
        for (const level of COMPRESSORS) {
          const layout = { dtype, shape, chunks, order, separator, level };
          const what = `${dtype} [${shape}] ${order} ${separator} ${level ? "gzip" : "raw"}`;
          const values = valuesOf(
            dtype,
            shape.reduce((product, extent) => product * extent, 1),
          );
          const data = { data: values, shape, stride: strideOf(shape) };
          // Its 64-bit fill values are numbers in metadata and BigInts in arrays, so it writes all.
          const store = new Map();
          await compare(
            `zarrita 0.2 writes, we read: ${what}`,
            async () => {
              const array = await theyWrite(store, "g/a", layout);
              await ops.set(array, null, data);
              const read = await ours.open(store, { path: "g/a", kind: "array" });
              if (read.attrs.by !== "zarrita 0.2") throw new Error("other attributes");
              return (await read.get()).data;
            },
            values,
          );
          const other = new Map();
          await compare(
            `we write, zarrita 0.2 reads: ${what}`,
            async () => {
              const array = await ours.create(other, {
                path: "g/a",
                zarrFormat: "v3-draft-2020-10",
                shape,
                chunkShape: chunks,
                dtype,
                order,
                dimensionSeparator: separator,
                codecs: level ? [{ id: "gzip", level }] : [],
                attributes: { by: "us" },
              });
              await array.set(null, values);
              const read = await theirs.get_array(await theirs.get_hierarchy(other), "/g/a");
              if ((await read.attrs()).by !== "us") throw new Error("other attributes");
              return inOrder(await ops.get(read, null));
            },
            values,
          );
        }
      }
    }
  }
}
console.log(`# zarrita 0.2: ${counts.ok} ok, ${counts["not ok"]} not ok`);
if (counts["not ok"] > 0) process.exitCode = 1;
