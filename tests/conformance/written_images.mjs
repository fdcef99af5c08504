/**
 * Writes pyramids and data sets with the built package, for check_written.py.
 *
 *     node written_images.mjs <folder>
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as zarr from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/fs";

const folder = process.argv[2];
const store = (name) => new FileSystemStore(join(folder, name));

/** The same numbers as in check_written.py. */
const numbers = (count) => Uint16Array.from({ length: count }, (_, at) => (at * 7919) % 65521);

const volume = { data: numbers(2 * 3 * 60 * 90), shape: [2, 3, 60, 90] };
const axes = [
  "c",
  { name: "z", unit: "micrometer" },
  { name: "y", unit: "micrometer" },
  { name: "x", unit: "micrometer" },
];
const image = {
  axes,
  name: "cells",
  scale: { z: 2, y: 0.5, x: 0.25 },
  levels: 3,
  channels: [{ label: "DAPI", color: "0000FF" }, { label: "GFP" }],
  array: { chunkShape: [1, 1, 32, 32] },
};
const labels = {
  data: Uint32Array.from({ length: 3 * 60 * 90 }, (_, at) => (at * 7919) % 5),
  shape: [3, 60, 90],
};

async function writeImage(target, version, array) {
  await zarr.createPyramid(target, volume, { ...image, version, array });
  await zarr.create(zarr.root(target).resolve("labels"), { zarrFormat: version === "0.4" ? 2 : 3 });
  await zarr.createPyramid(zarr.root(target).resolve("labels/cells"), labels, {
    axes: axes.slice(1),
    scale: image.scale,
    version,
    levels: 3,
    label: { colors: [{ "label-value": 1, rgba: [255, 0, 0, 255] }] },
  });
}

for (const version of ["0.4", "0.5"]) {
  await writeImage(store(`image-${version}.zarr`), version, image.array);
}
await writeImage(store("sharded.zarr"), "0.5", { chunkShape: [1, 1, 16, 16], shardShape: [1, 3, 32, 32] });

const writer = new zarr.ZipWriter({ omeVersion: "0.5" });
await writeImage(writer, "0.5", image.array);
writeFileSync(join(folder, "image.ozx"), new Uint8Array(await (await writer.toBlob()).arrayBuffer()));

const heights = {
  data: Float32Array.from({ length: 60 * 90 }, (_, at) => (at % 11 === 0 ? Number.NaN : (at % 97) / 8)),
  shape: [60, 90],
};
const placed = {
  convention: "multiscales",
  crs: "EPSG:32633",
  scale: { y: -10, x: 10 },
  translation: { y: 4999995, x: 500005 },
  levels: 3,
};
await zarr.createPyramid(store("multiscales.zarr"), heights, placed);
await zarr.createPyramid(store("groups.zarr"), heights, { ...placed, variable: "height" });

const dataset = {
  coords: {
    time: ["2026-01-01T00:00:00Z", "2026-01-01T06:00:00Z", "1969-12-31T18:00:00Z"].map(
      (text) => new Date(text),
    ),
    lat: {
      data: new Float64Array([50, 40]),
      attributes: { units: "degrees_north", standard_name: "latitude" },
    },
    lon: { data: new Float32Array([0, 10, 20, 30]), attributes: { units: "degrees_east" } },
    place: { dims: ["lat"], data: ["north", "süd"] },
    valid: {
      dims: ["time"],
      data: [new Date("2026-01-01T00:00:00.001Z"), new Date(Number.NaN), new Date("1969-12-31T18:00:00Z")],
    },
    run: {
      dims: ["time"],
      data: ["2000-02-30", { year: 2000, month: 1, day: 1, hour: 12 }, "2001-12-30"],
      attributes: { units: "hours since 2000-01-01", calendar: "360_day" },
    },
    level: { dims: [], data: [850] },
  },
  variables: {
    heat: {
      dims: ["time", "lat", "lon"],
      data: Float32Array.from({ length: 24 }, (_, at) => (at === 3 ? Number.NaN : 280 + at / 4)),
      attributes: { units: "K", long_name: "temperature" },
      chunkShape: [1, 2, 4],
    },
    packed: {
      dims: ["lat", "lon"],
      dtype: "int16",
      data: [1, 2, -999, 4, 5, 6, 7, 8],
      fillValue: -999,
      attributes: { scale_factor: 0.5, add_offset: 10 },
    },
    empty: { dims: ["lat"], dtype: "float64" },
    counts: { dims: ["lat"], data: [0n, 2n ** 62n] },
    flags: { dims: ["lon"], data: [true, false, true, true] },
  },
  attributes: { title: "written", Conventions: "CF-1.11" },
};
for (const zarrFormat of [2, 3]) {
  await zarr.createDataset(store(`dataset-v${zarrFormat}.zarr`), dataset, { zarrFormat });
}
const zipped = new zarr.ZipWriter();
await zarr.createDataset(zipped, dataset);
writeFileSync(join(folder, "dataset.zip"), new Uint8Array(await (await zipped.toBlob()).arrayBuffer()));
