/**
 * Writes the arrays of the page on chunks and shards: the heights of the Arctic, as chunks and as
 * shards with chunks of the same shape.
 */
import { join } from "node:path";

const LAYOUTS = {
  chunks: { chunkShape: [128, 128] },
  shards: { chunkShape: [128, 128], shardShape: [512, 512] },
};

/** Writes them below a folder that has the samples. */
export async function writeConceptSamples(folder) {
  // By its file: `site/` is a package of its own, which has no dependency on this one.
  const zarr = await import("../dist/index.js");
  const source = new zarr.FileSystemStore(join(folder, "arctic.zarr"));
  const heights = await zarr.open(zarr.root(source).resolve("0/elevation"), { kind: "array" });
  const { data, shape } = await heights.get();
  const layouts = zarr.root(new zarr.FileSystemStore(join(folder, "layouts.zarr")));
  await zarr.create(layouts, { overwrite: true });
  for (const [name, layout] of Object.entries(LAYOUTS)) {
    const options = { shape, dtype: heights.dtype, dimensionNames: ["y", "x"] };
    const array = await zarr.create(layouts.resolve(name), { ...options, ...layout });
    await array.set(null, data);
  }
  zarr.dispose();
}
