/** The first tile with zarrita's calls. It is bundled for zarrita and for this package. */
import { FetchStore, get, open, root, slice } from "zarrita";
import { showFirstTile } from "./first_tile.mjs";

await showFirstTile(async (url, path) => {
  const array = await open(root(new FetchStore(url)).resolve(path), { kind: "array" });
  return get(array, [slice(0, 256), slice(0, 256)]);
});
