/** docs/readers.md, of docs/readers.json alone. */
import { arraysOf, cellsOf } from "./cells.mjs";
import { NOTES } from "./notes.mjs";
import { READERS } from "./readers.mjs";
import { unpackResults } from "./results.mjs";
import { TABLES } from "./rows.mjs";

const nameOf = (reader) => READERS.find(({ id }) => id === reader).name;
const line = (cells) => `| ${cells.join(" | ")} |`;

/** A note of a reader on a row, if there is one. A full "yes" needs none. */
function noteOf(reader, row, text) {
  if (text === "yes" || text === "–") return undefined;
  return NOTES.find(
    ({ readers, rows }) =>
      readers.includes(reader) && (rows.includes(row.features[0]) || rows.includes(row.label)),
  );
}

/** A table, and the notes below it with the readers that they are about. */
function tableOf(table, { arrays, cell, used }) {
  const notes = [];
  const mark = (row, reader) => {
    const text = cell(row, reader);
    const found = noteOf(reader, row, text);
    if (!found) return text;
    used.add(found);
    if (!notes.includes(found)) notes.push(found);
    return `${text} <sup>${notes.indexOf(found) + 1}</sup>`;
  };
  const rows = table.rows.map((row) =>
    line([row.label, arraysOf(arrays, row).length, ...table.readers.map((reader) => mark(row, reader))]),
  );
  const head = [
    line(["feature", "arrays", ...table.readers.map(nameOf)]),
    `|${"---|".repeat(table.readers.length + 2)}`,
  ];
  const told = notes.map(({ readers, text }, at) => `${at + 1}. ${readers.map(nameOf).join(", ")}: ${text}`);
  return [`### ${table.title}`, "", ...head, ...rows, "", ...(told.length > 0 ? [...told, ""] : [])];
}

/** A note that explains no cell is out of date. */
function checkUsed(used) {
  const unused = NOTES.filter((note) => !used.has(note));
  if (unused.length > 0)
    throw new Error(`notes.mjs has notes that no cell needs:\n${unused.map(({ text }) => text).join("\n")}`);
}

const INTRODUCTION = `---
description: Which reader of Zarr reads which data types, codecs, grids, versions, containers and conventions, decided by runs.
---

# Which reader reads what

`;

const HOW = (
  counts,
  date,
) => `These tables come from runs. Each reader was asked for ${counts.fixtures} arrays of this project's
[test fixtures](../tests/fixtures/README.md): written by zarr-python, TensorStore, zarrs, GDAL and zarrita, made after the
texts of v3's drafts, or edited. ${counts.others} more are in archives and repositories, or need a convention. Every element was
compared to the bit; dates and coordinates as numbers. The runs are of ${date}. [readers.json](readers.json) has the
result of every array, and the commonest errors.

\`npm run readers\` installs the readers, runs them and writes this page again. It needs Python 3.13, cargo and a C++
compiler.

`;

const RULES = `## How a cell is decided

- **yes**: the reader gave every element of every array with this feature.
- **no**: it refused all of them, with an error.
- **3 of 5**: it read three arrays and refused the others.
- **wrong 1 of 5**: it gave other elements in one array, without an error.
- **–**: the reader has no such concept, or reads none of the arrays that have the feature.

An array counts in a row if it is otherwise plain: numbers of a common type, a common codec, a regular grid. So a rare
codec does not count against a data type. Where no such array exists, all with the feature count. An array does not
count for a reader that reads nothing with another of its features, since that feature has a row of its own. Where v2 and
v3 differ, the cell says so. Arrays that break the rules of their version count in their own row alone, and there
another value is not called wrong. The column *arrays* says how many count for a reader that reads everything.

The arrays were chosen to test zarr-wasm. Its column says that its tests pass, and not that it reads all Zarr data that
exist: [what it refuses](codecs.md#codecs) has a list. The other columns say what a user of these arrays meets.

`;

const OTHERS = `## What the others do better

- **zarr-python** is the reference: it takes every codec that Python can install, such as those of imagecodecs that
  have [no decoder here](codecs.md#codecs), and every file system of fsspec. With **xarray** it interpolates, resamples
  and groups by labels, and dask computes on data larger than memory.
- **TensorStore** reads and writes N5 and neuroglancer's precomputed format too, also in OCDBT, and reads TIFF, PNG and
  JPEG. It has transactions, and its drivers \`downsample\`, \`cast\` and \`stack\` are virtual arrays.
- **zarrs** is a native library for servers: it has no browser's limits of memory and threads, and an experimental option
  to write a part of a shard.
- **GDAL** warps, resamples and converts: its build in these tables has 134 drivers for rasters.
- **neuroglancer** draws what it reads: volumes of any size in planes and in 3D, meshes, skeletons and annotations, from
  Zarr, N5, its precomputed format, DVID, Deep Zoom and others.
- **icechunk** writes: commits, branches, tags, and a rebase that detects conflicts. zarr-wasm reads repositories.
- **zarrita** weighs less where few codecs are needed: 12 kB for arrays with gzip. Its stores and codecs are small
  JavaScript that runs wherever JavaScript runs.

`;

function readersOf({ versions, readers }) {
  const rows = readers.map((reader) => line([nameOf(reader), versions[reader]]));
  return [
    "## The readers",
    "",
    "| reader | version and what it was run with |",
    "|---|---|",
    ...rows,
    "",
    NOT_RUN,
  ].join("\n");
}

const NOT_RUN = `Not run: \`icechunk-js\` is not on npm. h5wasm reads HDF5 and no Zarr. The package \`gdal-wheel\` has GDAL 3.13.3 without
the Zarr driver, and pyogrio's wheel has 3.12.4 without Blosc and Zstandard, so the build of rasterio was run. icechunk for
JavaScript ran as WebAssembly, as it does in browsers.

`;

function benchmarkOf({ measured, plots, sizes }) {
  const pictures = plots.flatMap(({ file, title, alt }) => [
    `### ${title}`,
    "",
    `![${alt}](pictures/${file})`,
    "",
  ]);
  return [
    "## Speed",
    "",
    "These are the medians of [benches/RESULTS.md](../benches/RESULTS.md), which has all figures and the goals that are",
    "missed. Each row has its own scale: the longer bar is the slower side.",
    "",
    measured,
    "",
    "*zarrita tuned* has the byte caching and range coalescing of zarrita turned on. The other side of a chart is named in it.",
    "",
    ...pictures,
    "## Download",
    "",
    "What a page downloads that opens and reads an array (gzip). [Sizes](sizes.md) has the rest.",
    "",
    sizes,
    "",
  ];
}

/** The page's text. */
export function pageOf(json) {
  const { arrays } = unpackResults(json);
  const [cell, used] = [cellsOf(arrays), new Set()];
  const tables = TABLES.flatMap((table) => tableOf(table, { arrays, cell, used }));
  checkUsed(used);
  const fixtures = arrays.filter(({ features }) => features.some((each) => each.startsWith("type:"))).length;
  const counts = { fixtures, others: arrays.length - fixtures };
  return [
    `${INTRODUCTION}${HOW(counts, json.date)}${readersOf(json)}${RULES}## The tables
`,
    ...tables,
    OTHERS.trimEnd(),
    "",
    ...benchmarkOf(json),
  ].join("\n");
}
