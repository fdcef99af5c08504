/** The first tile with `./slim`: wasm and worker are separate files. */
import { init, open, slice } from "zarr-wasm/slim";
import { showFirstTile } from "./first_tile.mjs";

const beside = (name) => new URL(name, import.meta.url).href;
const started = init({ wasm: beside("zarr_wasm.wasm"), workerUrl: beside("worker.js") });

await showFirstTile(async (url, path) => {
  const [array] = await Promise.all([open(url, { path, kind: "array" }), started]);
  return array.get([slice(0, 256), slice(0, 256)]);
});
