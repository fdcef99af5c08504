/**
 * Calls as projects with every strict flag of the compiler write them: signals that may be
 * undefined, and nodes where any object with attributes is taken.
 */
import * as zarr from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/fs";
import { BlobReader, HTTPRangeReader, ZipFileStore } from "zarr-wasm/zip";

/** Does not compile unless both types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function check<T extends true>(): T;

/** What a component has before it has begun: a signal, or none. */
interface Ending {
  signal: AbortSignal | undefined;
}

export async function reading(ending: Ending, array: zarr.Array): Promise<void> {
  const { signal } = ending;
  await zarr.init({ workers: undefined, onWarning: undefined });
  await zarr.preload({ conventions: undefined });
  await zarr.open("https://host/a.zarr", ending);
  await zarr.open.v2("https://host/a.zarr", ending);
  await zarr.open(new FileSystemStore("folder"), { kind: "array", path: undefined, signal });
  await zarr.exists("https://host/a.zarr", ending);
  await array.get(null, ending);
  await array.get(null, { as: "float32", decode: undefined, signal });
  await array.get({ time: 0 }, { as: "rgba", window: undefined, colors: undefined, signal });
  await array.get([null], { as: "bytes", out: undefined, signal });
  await array.getChunk([0], ending, { useSharedArrayBuffer: undefined });
  for await (const { data } of array.stream(null, ending)) void data;
  await array.plan(null, ending);
  await array.prefetch(null, { onProgress: undefined, signal });
  await array.refresh(ending);
  for await (const { shape } of zarr.watch(array, { interval: undefined, signal })) void shape;
  await zarr.get(array, null, { signal, createQueue: undefined, opts: ending });
  const found = await zarr.locate(array, { time: zarr.at("2000-01-01", { method: undefined }) }, ending);
  check<Same<typeof found.time, number | number[] | zarr.Slice>>();
  await zarr.assetsOf("https://host/item.json", { base: undefined, signal });
}

export async function writing(
  ending: Ending,
  array: zarr.Array,
  group: zarr.Group<zarr.Readable>,
): Promise<void> {
  const { signal } = ending;
  const store = new Map<string, Uint8Array>();
  const made = await zarr.create(store, { shape: [2], dtype: "int8", codecs: undefined, signal });
  check<Same<typeof made, zarr.Array<"int8", Map<string, Uint8Array>>>>();
  await zarr.create(store, { path: "g", attributes: undefined, signal });
  await array.set(null, 1, { cast: undefined, signal });
  await array.resize([3], ending);
  await array.append([1], 0, ending);
  await array.updateAttributes({ a: 1 }, ending);
  await group.updateAttributes({ a: 1 }, { replace: undefined, signal });
  await group.tree({ maxDepth: undefined, signal });
  for await (const child of group.children(ending)) void child.kind;
  await zarr.set(array, null, 1, { opts: undefined, signal });
  await zarr.copy(array, store, { array: { codecs: undefined }, zarrFormat: undefined, signal });
  await zarr.erase(store, { reify: undefined, signal });
  await zarr.consolidate(store, ending);
  const source = { data: new Uint8Array(4), shape: [2, 2], stride: undefined };
  await zarr.createPyramid(store, source, { axes: ["y", "x"], array: { codecs: undefined }, signal });
  const data = { dims: ["x"], data: new Float32Array(2), attributes: undefined };
  await zarr.createDataset(store, { variables: { v: data }, attributes: undefined }, ending);
}

export async function understanding(
  ending: Ending,
  array: zarr.Array,
  group: zarr.Group<zarr.Readable>,
): Promise<void> {
  const { signal } = ending;
  for (const node of [array, group]) {
    await zarr.conventions(node);
    await zarr.validate(node, { validate: undefined, loadSchema: undefined, signal });
    await zarr.addConvention(node, { known: "license", properties: undefined });
  }
  const image = await zarr.pyramid(array, ending);
  await zarr.pyramid(group, { image: undefined, labels: undefined, signal });
  image.pick({ unitsPerPixel: 1, extent: undefined, at: undefined, current: undefined });
  image.tiles({ level: 0, center: undefined, unitsPerPixel: undefined });
  const time = await zarr.coords(array, "time", { pyramid: undefined, signal });
  await time.nearest("2000-01-01", { tolerance: undefined });
  await zarr.placement(array, { tolerance: undefined, signal });
  await zarr.warp(array, { crs: "EPSG:4326", extent: [0, 0, 1, 1], size: [1, 1], proj4: undefined, signal });
  await zarr.histogram(image, { bins: undefined, window: undefined, signal });
}

export async function reducing(ending: Ending, array: zarr.Array): Promise<void> {
  const { signal } = ending;
  const mean = await zarr.reduce(array, null, { op: "mean", over: undefined, where: undefined, signal });
  check<Same<typeof mean.data, Float64Array>>();
  const { sum, any, argmax } = await zarr.reduce(array, null, { op: ["sum", "any", "argmax"], ...ending });
  check<Same<typeof sum.data, Float64Array | BigInt64Array | BigUint64Array>>();
  check<Same<typeof any.data, Uint8Array>>();
  check<Same<typeof argmax.data, BigInt64Array>>();
  const { std } = await zarr.statistics(array, null, { over: ["x"], signal });
  check<Same<typeof std.data, Float64Array>>();
  for await (const { result } of zarr.reduceAlong(array, null, "time", { op: "max", signal }))
    check<Same<typeof result.data, zarr.ReducedData>>();
  await zarr.planReduction(array, null, { op: "median", weights: undefined, signal });
}

export async function stores({ signal }: Ending): Promise<readonly unknown[]> {
  const plain = new zarr.FetchStore("https://host", { headers: undefined, fetch: undefined });
  const cache = new zarr.PersistentCache({ partition: undefined });
  await plain.get("/a", { signal });
  return [
    new zarr.IcechunkStore(plain, { branch: undefined, verify: undefined }),
    new zarr.ReferenceStore({ refs: {} }, { target: undefined, persistentCache: cache }),
    new ZipFileStore(new BlobReader(new Blob()), { transformEntries: undefined }),
    new HTTPRangeReader("https://host", { overrides: undefined }),
    new zarr.ZipWriter({ omeVersion: undefined }),
    zarr.withByteCaching(plain, { cache: undefined, keyFor: undefined }),
    zarr.withRangeCoalescing(plain, { onFlush: undefined }),
    await zarr.withConsolidatedMetadata(plain, { format: undefined, metadataKey: undefined }),
  ];
}
