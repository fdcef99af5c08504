/** The first tile through zarrita's calls; bundled twice, once with this package under zarrita's name. */
import { FetchStore, get, open, root, slice } from "zarrita";
import { showFirstTile } from "./first_tile.mjs";

await showFirstTile(async (url) => {
  const array = await open(root(new FetchStore(url)).resolve("0"), { kind: "array" });
  return get(array, [slice(0, 256), slice(0, 256)]);
});
