/**
 * Copies the data sets of xarray_copies.py with the built package: each to the other format
 * (`-copy`), and the copy back (`-back`).
 *
 *     node xarray_copies.mjs <folder>
 */
import { join } from "node:path";
import * as zarr from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/fs";

const folder = process.argv[2];
const store = (name) => new FileSystemStore(join(folder, name));

for (const zarrFormat of [2, 3]) {
  const there = await zarr.copy(store(`v${zarrFormat}`), store(`v${zarrFormat}-copy`), {
    zarrFormat: 5 - zarrFormat,
  });
  await zarr.copy(there, store(`v${zarrFormat}-back`), { zarrFormat });
}
