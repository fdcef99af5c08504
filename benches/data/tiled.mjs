/**
 * A long array of which all shards are the same bytes: those of an array with one shard. It takes
 * no more memory or disk than that shard. It is as wide as two shards.
 */

const WIDTH = 2;

/** The keys of shards and the metadata, as a map from store keys to bytes has them. */
export function tiled(values, steps) {
  const metadata = JSON.parse(new TextDecoder().decode(values.get("/zarr.json")));
  const [depth, ...sides] = metadata.chunk_grid.configuration.chunk_shape;
  metadata.shape = [steps, ...sides.map((side) => WIDTH * side)];
  const document = new TextEncoder().encode(JSON.stringify(metadata));
  const shard = values.get(`/c/${sides.map(() => 0).join("/")}/0`);
  const extents = [Math.ceil(steps / depth), ...sides.map(() => WIDTH)];
  const isShard = (key) => {
    const index = /^\/c\/(\d+(?:\/\d+)*)$/.exec(key)?.[1].split("/").map(Number);
    return index?.length === extents.length && index.every((at, axis) => at < extents[axis]);
  };
  const get = (key) => {
    if (key === "/zarr.json") return document;
    return isShard(key) ? shard : undefined;
  };
  return { get };
}
