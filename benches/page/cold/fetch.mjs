/** The floor of a cold page: its data requests one after the other, without decoding. */
import { fetchTrips } from "../../line/runs.mjs";
import { showFirstTile } from "./first_tile.mjs";

/** The requests for the first tile of `pyramid`. */
const PYRAMID = [[{ key: "/0/zarr.json" }], [{ key: "/0/c/0/0" }]];

await showFirstTile(async (url, _path, trips) => {
  await fetchTrips(url, trips ?? PYRAMID);
  return { data: { length: 256 * 256 } };
});
