/** The first tile through our own calls, everything inlined. */
import { open, slice } from "zarr-wasm";
import { showFirstTile } from "./first_tile.mjs";

await showFirstTile(async (url, path) => {
  const array = await open(url, { path, kind: "array" });
  return array.get([slice(0, 256), slice(0, 256)]);
});
