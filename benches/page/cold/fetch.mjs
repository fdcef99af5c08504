/** The floor of a cold page: its data requests one after the other, without decoding. */
import { showFirstTile } from "./first_tile.mjs";

await showFirstTile(async (url) => {
  for (const key of ["0/zarr.json", "0/c/0/0"]) await (await fetch(`${url}/${key}`)).arrayBuffer();
  return { data: { length: 256 * 256 } };
});
