/**
 * Writes hierarchies of both drafts with the built package. Each case is a folder with a `store/`
 * and an `expected.json`, as in `javascript_writer.mjs`. The expected values are plain lists that
 * this script packs itself.
 *
 *     node drafts_writer.mjs <folder>
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as zarr from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/fs";
import { elementsOf, FAMILIES, listOf, packedBytes } from "../node/elements_by_hand.mjs";

const SHAPE = [7, 5];
const ATTRIBUTES = { größe: [1, null, 2.5], nested: { a: "b" } };
/** The year of each draft, for the readers. In the metadata both are format 3. */
const YEARS = { "v3-draft-2020-10": 2020, "v3-draft-2022-05": 2022 };
const SHARDING = "https://purl.org/zarr/spec/extensions/storage-transformers/sharding/1.0";
const sharding = (...chunks_per_shard) => ({
  extension: SHARDING,
  type: "indexed",
  configuration: { chunks_per_shard },
});

const LAYOUTS = {
  plain: { chunkShape: [3, 2], codecs: [] },
  gzip: { chunkShape: [3, 2], order: "F", dimensionSeparator: ".", codecs: [{ id: "gzip", level: 1 }] },
  blosc: { chunkShape: [4, 5], codecs: [{ id: "blosc", cname: "zstd", clevel: 3, shuffle: 1 }] },
  chosen: {},
};
/** Only the draft of 2022 has several codecs and shards. */
const LAYOUTS_2022 = {
  two: {
    chunkShape: [2, 5],
    codecs: [
      { id: "zlib", level: 1 },
      { id: "gzip", level: 1 },
    ],
  },
  shards: { chunkShape: [2, 2], shardShape: [4, 6] },
  "shards-F": { chunkShape: [2, 1], shardShape: [2, 3], order: "F", dimensionSeparator: "." },
  "shards-of-shards": { chunkShape: [1, 2], storageTransformers: [sharding(2, 1), sharding(2, 3)] },
};

/** The data types in big-endian order, if they have a byte order. */
const big = (type) => (typeof type === "string" ? type.replace("<", ">") : type);

async function put(root, path, family, options) {
  const array = await zarr.create(root.resolve(path), {
    shape: [SHAPE[0] - 1, SHAPE[1]],
    attributes: ATTRIBUTES,
    ...options,
  });
  // Two rows, a corner and another row: some chunks stay absent, others are written in part.
  const [fill] = family.values;
  const elements = new Array(30).fill(fill);
  const rows = elementsOf(family, 10);
  await array.set([zarr.slice(2, 4)], listOf(family, rows));
  elements.splice(10, 10, ...rows);
  const last = family.values.at(-1);
  await array.set([5, 4], last);
  elements[29] = last;
  const more = elementsOf(family, 5, 2);
  await array.append({ data: listOf(family, more), shape: [1, 5] });
  elements.push(...more);
  const values = packedBytes(family, elements).toString("base64");
  return {
    path,
    kind: "array",
    zarr_format: YEARS[options.zarrFormat],
    shape: SHAPE,
    attributes: ATTRIBUTES,
    values,
  };
}

async function writeCase(folder, zarrFormat, layouts) {
  const root = zarr.root(new FileSystemStore(join(folder, "store")));
  const nodes = [];
  for (const [label, layout] of Object.entries(layouts)) {
    for (const family of FAMILIES.filter(({ json }) => !json)) {
      const options = { ...layout, zarrFormat };
      const path = `${family.name}/${label}`;
      nodes.push(await put(root, path, family, { ...options, dtype: family.v2 }));
      if (big(family.v2) === family.v2) continue;
      nodes.push(await put(root, `${path}-big`, family, { ...options, dtype: big(family.v2) }));
    }
  }
  writeFileSync(
    join(folder, "expected.json"),
    `[\n${nodes.map((node) => JSON.stringify(node)).join(",\n")}\n]\n`,
  );
  console.log(`# ${zarrFormat}: ${nodes.length} arrays`);
}

const folder = process.argv[2] ?? "drafts";
for (const [name, layouts] of [
  ["v3-draft-2020-10", LAYOUTS],
  ["v3-draft-2022-05", { ...LAYOUTS, ...LAYOUTS_2022 }],
]) {
  mkdirSync(join(folder, name, "store"), { recursive: true });
  await writeCase(join(folder, name), name, layouts);
}
