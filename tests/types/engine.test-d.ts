/** Tests the types of plans, streams, options of stores, and zarrita's extensions. */
import * as zarr from "zarr-wasm";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function check<T extends true>(): T;

export async function streaming(array: zarr.Array<"float32", zarr.FetchStore>, signal: AbortSignal) {
  for await (const part of array.stream(null, { centre: [1, 2], order: "nearest", signal, priority: 1 })) {
    check<Same<typeof part.data, Float32Array>>();
    check<Same<typeof part.start, number[]>>();
  }
  for await (const { data } of array.stream([0], { as: "int16" })) check<Same<typeof data, Int16Array>>();
  for await (const { data } of array.stream(null, { as: "bytes" })) check<Same<typeof data, Uint8Array>>();
  // @ts-expect-error there are two orders
  array.stream(null, { order: "f" });
  const plan = await array.plan({ time: 0 });
  check<Same<typeof plan, zarr.ReadPlan>>();
  const keys: string[] = [];
  for await (const { key } of plan.objects()) keys.push(key);
  const progress: zarr.Progress = await array.prefetch(null, {
    signal,
    onProgress: ({ totalChunks }) => totalChunks,
  });
  return { keys, progress, least: plan.requests.least };
}

export function stores() {
  const token = async ({ isRefresh }: zarr.HeadersReason) => ({ Authorization: String(isRefresh) });
  const cache = new zarr.PersistentCache({ maxBytes: 1e9 });
  return [
    new zarr.FetchStore("https://host", { headers: token, credentials: "include", persistentCache: true }),
    new zarr.FetchStore("https://host", { headers: [["a", "b"]], persistentCache: cache }),
    // @ts-expect-error headers are text
    new zarr.FetchStore("https://host", { headers: { a: 5 } }),
  ];
}

export async function extending(plain: zarr.FetchStore, array: zarr.Array<"int8", zarr.FetchStore>) {
  const withLog = zarr.defineStoreExtension((store, options: { log: string[] }) => ({
    async get(key, rest) {
      options.log.push(key);
      return store.get(key, rest);
    },
    count: () => options.log.length,
  }));
  const logged = withLog(plain, { log: [] });
  const count: number = logged.count();
  const piped = await zarr.extendStore(
    plain,
    (store) => zarr.withRangeCoalescing(store, { onFlush: ({ groupCount }) => groupCount }),
    (store) => zarr.withConsolidatedMetadata(store),
    (store) => zarr.withByteCaching(store, { cache: new Map() }),
  );
  const contents = piped.contents();
  const withTwice = zarr.defineArrayExtension((inner, factor: number) => ({
    getChunk: (coords, ...rest) => inner.getChunk(coords, ...rest),
    factor,
  }));
  const twice = zarr.extendArray(array, (inner) => withTwice(inner, 2));
  const factor: number = twice.factor;
  check<Same<typeof twice.dtype, "int8">>();
  return { count, contents, factor };
}
