/** The first tile with zarrita and its wrappers. */
import { FetchStore, get, open, root, slice, withByteCaching, withRangeCoalescing } from "zarrita";
import { showFirstTile } from "./first_tile.mjs";

await showFirstTile(async (url, path) => {
  const store = withByteCaching(withRangeCoalescing(new FetchStore(url)));
  const array = await open(root(store).resolve(path), { kind: "array" });
  return get(array, [slice(0, 256), slice(0, 256)]);
});
