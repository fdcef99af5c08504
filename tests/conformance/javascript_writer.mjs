/**
 * Writes stores with the built package for other libraries to read, as `writer/` does in Rust. Each
 * case is a folder with a `store/` and an `expected.json`. The expected values are plain lists that
 * this script packs itself.
 *
 *     node javascript_writer.mjs <folder>
 */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import * as zarr from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/fs";
import { elementsOf, FAMILIES, listOf, packedBytes } from "../node/elements_by_hand.mjs";

/** A folder that can list its files, which consolidation needs. */
class ListedFolder extends FileSystemStore {
  *list(prefix) {
    for (const entry of readdirSync(this.root, { recursive: true, withFileTypes: true })) {
      const key = `/${relative(this.root, join(entry.parentPath, entry.name))}`;
      if (entry.isFile() && key.startsWith(prefix)) yield key;
    }
  }
}

const SHAPE = [7, 5];

/** Labels and options of `create`. `type` is the member of a family that names its data type. */
const LAYOUTS = [
  { label: "whole", type: "v3", options: { zarrFormat: 3, chunkShape: [3, 2] } },
  { label: "shards", type: "v3", options: { zarrFormat: 3, chunkShape: [3, 2], shardShape: [6, 4] } },
  {
    label: "shards-start",
    type: "v3",
    options: { zarrFormat: 3, chunkShape: [2, 2], shardShape: [4, 6], indexLocation: "start", order: "F" },
  },
  { label: "chosen", type: "v3", options: { zarrFormat: 3 } },
  {
    label: "gzip",
    type: "v3",
    options: { zarrFormat: 3, chunkShape: [4, 3], codecs: ["gzip", "crc32c"], dimensionSeparator: "." },
  },
  { label: "whole", type: "v2", options: { zarrFormat: 2, chunkShape: [3, 2] } },
  {
    label: "blosc",
    type: "v2",
    options: { zarrFormat: 2, chunkShape: [4, 5], order: "F", compressor: { id: "blosc", cname: "lz4" } },
  },
  {
    label: "bare",
    type: "v2",
    options: { zarrFormat: 2, chunkShape: [7, 1], compressor: null, dimensionSeparator: "/" },
  },
];

const ATTRIBUTES = { größe: [1, null, 2.5], nested: { a: "b" } };

/** Writes an array in several steps. Returns the expected elements. */
async function put(root, path, family, { type, options }) {
  const fillValue = family.values.at(-1);
  const array = await zarr.create(root.resolve(path), {
    shape: [SHAPE[0] - 1, SHAPE[1]],
    dtype: family[type],
    fillValue,
    attributes: ATTRIBUTES,
    ...options,
  });
  const rows = elementsOf(family, 10);
  await array.set([zarr.slice(2, 4)], listOf(family, rows));
  const elements = new Array(30).fill(fillValue);
  elements.splice(10, 10, ...rows);
  const part = elementsOf(family, 4, 1);
  await array.set([zarr.slice(5, 0, -4), [4, 1]], listOf(family, part));
  for (const [at, place] of [29, 26, 9, 6].entries()) elements[place] = part[at];
  const last = elementsOf(family, 5, 2);
  await array.append({ data: listOf(family, last), shape: [1, 5] });
  elements.push(...last);
  return { array, elements, fillValue };
}

function expected(path, family, format, { array, elements, fillValue }) {
  const node = {
    path,
    kind: "array",
    zarr_format: format,
    shape: SHAPE,
    data_type: family.v3,
    chunk_shape: array.chunks,
    dimension_names: null,
    attributes: ATTRIBUTES,
  };
  if (family.json) return { ...node, fill_value_json: fillValue, values_json: elements.map(family.json) };
  const base64 = (list) => packedBytes(family, list).toString("base64");
  return { ...node, fill_value_bytes: base64([fillValue]), values: base64(elements) };
}

async function writeCase(folder, name, format) {
  const root = await zarr.create(new ListedFolder(join(folder, "store")), { zarrFormat: format });
  const nodes = [];
  for (const layout of LAYOUTS.filter(({ options }) => options.zarrFormat === format)) {
    for (const family of FAMILIES) {
      const path = `${family.name}/${layout.label}`;
      nodes.push(expected(path, family, format, await put(root, path, family, layout)));
    }
  }
  await copies(root, nodes, format);
  await zarr.consolidate(root);
  writeFileSync(
    join(folder, "expected.json"),
    `[\n${nodes.map((node) => JSON.stringify(node)).join(",\n")}\n]\n`,
  );
  console.log(`# ${name}: ${nodes.length} arrays`);
}

/** Copies each array of the first layout to the other format and back. */
async function copies(root, nodes, format) {
  const other = await zarr.create(new Map(), { zarrFormat: 5 - format });
  for (const node of nodes.filter(({ path }) => path.endsWith("/whole"))) {
    const there = await zarr.copy(root.resolve(node.path), other.resolve(node.path), {
      zarrFormat: 5 - format,
    });
    const path = node.path.replace("whole", "copied");
    await zarr.copy(there, root.resolve(path), { zarrFormat: format });
    nodes.push({ ...node, path });
  }
}

const folder = process.argv[2] ?? "javascript";
for (const [name, format] of [
  ["javascript-v3", 3],
  ["javascript-v2", 2],
]) {
  mkdirSync(join(folder, name, "store"), { recursive: true });
  await writeCase(join(folder, name), name, format);
}
