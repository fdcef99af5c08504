/** The first tile through our own calls; the engine's wasm is a file that the bundler copies. */
import { init, open, slice } from "zarr-wasm";
import wasm from "zarr-wasm/engine.wasm";
import { showFirstTile } from "./first_tile.mjs";

const started = init({ wasm });

await showFirstTile(async (url, path) => {
  const [array] = await Promise.all([open(url, { path, kind: "array" }), started]);
  return array.get([slice(0, 256), slice(0, 256)]);
});
