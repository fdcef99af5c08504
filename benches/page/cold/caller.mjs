/** The first tile with the engine on the page's thread. */
import { init, open, slice } from "zarr-wasm";
import { showFirstTile } from "./first_tile.mjs";

const started = init({ engine: "caller" });

await showFirstTile(async (url, path) => {
  const [array] = await Promise.all([open(url, { path, kind: "array" }), started]);
  return array.get([slice(0, 256), slice(0, 256)]);
});
