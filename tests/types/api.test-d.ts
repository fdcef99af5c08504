/** Tests which types the compiler infers for calls of the package. */
import * as zarr from "zarr-wasm";
import { FileSystemStore } from "zarr-wasm/fs";

/** Does not compile unless both types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const check = <T extends true>(): T | undefined => undefined;

export async function opening() {
  const array = await zarr.open("https://host/a.zarr", { kind: "array" });
  check<Same<typeof array, zarr.Array<zarr.DataType, zarr.FetchStore>>>();
  const group = await zarr.open(new URL("https://host/a.zarr"), { kind: "group", path: "b" });
  check<Same<typeof group, zarr.Group<zarr.FetchStore>>>();

  const store = new Map<string, Uint8Array>();
  const node = await zarr.open(store);
  check<Same<typeof node, zarr.Array<zarr.DataType, typeof store> | zarr.Group<typeof store>>>();
  if (node.kind === "array") check<Same<typeof node, zarr.Array<zarr.DataType, typeof store>>>();

  const child = await zarr.open.v3(group.resolve("c"), { kind: "array" });
  check<Same<typeof child, zarr.Array<zarr.DataType, zarr.FetchStore>>>();
  const file = await zarr.open.v2(new FileSystemStore("folder"), { kind: "group" });
  check<Same<typeof file, zarr.Group<FileSystemStore>>>();

  // @ts-expect-error a store has `get`
  await zarr.open({ has: () => true });
  // @ts-expect-error there are two kinds
  await zarr.open(store, { kind: "table" });
}

export async function converted(array: zarr.Array<"int16", zarr.FetchStore>) {
  const singles = await array.get(null, { as: "float32" });
  check<Same<typeof singles.data, Float32Array>>();
  const longs = await array.get({ time: zarr.at("2000-01-01"), lat: zarr.between(0, null) }, { as: "int64" });
  check<Same<typeof longs.data, BigInt64Array>>();
  const pixels = await array.get(null, { as: "rgba", decode: "cf", window: [0, 1], colors: "magma" });
  check<Same<typeof pixels.data, Uint8ClampedArray<ArrayBuffer>>>();
  const labels = await array.get(null, { as: "rgba", colors: { labels: new Map([[1, "#ff0000"]]) } });
  check<Same<typeof labels.data, Uint8ClampedArray<ArrayBuffer>>>();
  const masked = await array.get(null, { as: "float32", mask: true, memoryOrder: ["y", "x", "c"] });
  check<Same<typeof masked.data, Float32Array>>();
  const map = await zarr.warp(array, {
    crs: "EPSG:4326",
    extent: [0, 0, 1, 1],
    size: [2, 2],
    at: { time: 0 },
  });
  check<Same<typeof map.mask, Uint8Array<ArrayBuffer>>>();
  // @ts-expect-error a map has an extent
  await zarr.warp(array, { crs: "EPSG:4326", size: [2, 2] });
  const scalar = await zarr.get(array, [0], { as: "uint64" });
  check<Same<typeof scalar, bigint>>();
  const plain = await zarr.get(array, [zarr.slice(2)], { useSharedArrayBuffer: true });
  check<Same<typeof plain, zarr.Chunk<"int16">>>();
  // @ts-expect-error no such type
  await array.get(null, { as: "float128" });
  // @ts-expect-error colors is only for pixels
  await array.get(null, { as: "float32", colors: "magma" });
  const time: zarr.Coordinates = await zarr.coords(array, "time");
  check<Same<ReturnType<typeof time.moment>, Promise<zarr.Moment | null>>>();
  check<Same<typeof time.values, Float64Array<ArrayBufferLike> | readonly string[]>>();
  const validate: zarr.SchemaValidator = (schema, document) =>
    schema === false
      ? [{ message: "no document is valid", path: "", keyword: "false" }]
      : [document as never];
  check<Same<Awaited<ReturnType<typeof zarr.validate>>, zarr.Finding[]>>();
  await zarr.validate(array, { validate: async (...both) => validate(...both), loadSchema: true });
  // @ts-expect-error a validator returns a list
  await zarr.validate(array, { validate: () => true });
  const { counts }: zarr.Histogram = await zarr.histogram(array, { decode: "cf" });
  check<Same<typeof counts, Float64Array<ArrayBufferLike>>>();
}

export async function narrowing(array: zarr.Array<zarr.DataType, zarr.FetchStore>) {
  if (array.is("uint16")) {
    check<Same<typeof array.dtype, "uint16">>();
    const { data } = await array.get();
    check<Same<typeof data, Uint16Array>>();
    const chunk = await array.getChunk([0]);
    check<Same<typeof chunk.data, Uint16Array>>();
    const scalar = await zarr.get(array, [0, 1]);
    check<Same<typeof scalar, number>>();
    const region = await zarr.get(array, [0, zarr.slice(2)]);
    check<Same<typeof region, zarr.Chunk<"uint16">>>();
    const all = await zarr.get(array);
    check<Same<typeof all.data, Uint16Array>>();
  }
  if (array.is("bigint")) {
    check<Same<typeof array.dtype, "int64" | "uint64">>();
    const { data } = await array.get();
    check<Same<typeof data, BigInt64Array | BigUint64Array>>();
    const scalar = await zarr.get(array, [0]);
    check<Same<typeof scalar, bigint>>();
  }
  if (array.is("bool")) {
    check<Same<Awaited<ReturnType<typeof array.get>>["data"], Uint8Array<ArrayBuffer>>>();
    const chunk = await zarr.get(array, null);
    check<Same<typeof chunk.data, zarr.BoolArray>>();
  }
  if (array.is("number")) {
    check<Same<typeof array.dtype, zarr.NumberDataType>>();
    // A list of zarrita 0.7, which code for zarrita has in its own types.
    const name:
      | "int8"
      | "int16"
      | "int32"
      | "uint8"
      | "uint16"
      | "uint32"
      | "float16"
      | "float32"
      | "float64" = array.dtype;
    name.length;
  }
  if (array.is("anyNumber")) {
    check<Same<typeof array.dtype, zarr.AnyNumberDataType>>();
    const scalar = await zarr.get(array, [0]);
    check<Same<typeof scalar, number>>();
  }
  if (array.is("complex64")) {
    const { data, complex } = await array.get();
    check<Same<typeof data, Float32Array>>();
    check<Same<typeof complex, true>>();
    const scalar = await zarr.get(array, [0]);
    check<Same<typeof scalar, [re: number, im: number]>>();
  }
  if (array.is("numpy.datetime64")) {
    const { data, unit, toDate } = await array.get();
    check<Same<typeof data, BigInt64Array>>();
    check<Same<typeof unit, string>>();
    check<Same<ReturnType<typeof toDate>, Date>>();
  }
  if (array.is("fixed_length_utf32")) {
    const { data } = await array.get();
    check<Same<typeof data, string[]>>();
    const chunk = await zarr.get(array);
    check<Same<typeof chunk.data, zarr.UnicodeStringArray>>();
    check<Same<(typeof chunk.data)[0], string>>();
  }
  if (array.is("v2:S3")) {
    const { data } = await array.get();
    check<Same<typeof data, Uint8Array[]>>();
  }
  if (array.is("struct")) {
    const { data } = await array.get();
    check<Same<typeof data, Record<string, zarr.Column>>>();
  }
  if (array.is("bfloat16")) {
    const { data } = await array.get();
    check<Same<typeof data, Float32Array>>();
  }
  const packed = await array.get(null, { as: "bytes", out: new Uint8Array(4) });
  check<Same<typeof packed.data, Uint8Array>>();
  // @ts-expect-error no such type for `as`
  await array.get(null, { as: "letters" });
  if (array.is("float32")) {
    await array.get(
      { time: 0, lat: [100, 200] },
      { out: new Float32Array(4), onProgress: ({ bytes }) => bytes },
    );
    // @ts-expect-error elements of another type
    await array.get(null, { out: new Float64Array(4) });
  }
  // @ts-expect-error no such data type
  array.is("int128");
}

export async function selecting(array: zarr.Array<"int32">) {
  await array.get([
    0,
    -1n,
    null,
    undefined,
    "...",
    [1, 2],
    Int32Array.of(1),
    zarr.slice(3),
    { start: 2n ** 60n },
  ]);
  await array.get(zarr.points([0, 1], [2, 3]));
  await array.get();
  // @ts-expect-error a string is not a selection
  await array.get(["all"]);
  const positional = zarr.select(array, { x: 1, y: zarr.slice(2), z: null });
  const chunk = await zarr.get(array, positional);
  check<Same<typeof chunk, zarr.Chunk<"int32">>>();
}

export function failing(error: unknown) {
  if (zarr.isZarritaError(error, "NotFoundError")) {
    check<Same<typeof error, zarr.NotFoundError>>();
    check<Same<typeof error.found, "array" | "group" | undefined>>();
  }
  if (zarr.isZarritaError(error, "UnknownCodecError")) check<Same<typeof error.codec, string>>();
  if (error instanceof zarr.ZarrError) {
    check<Same<typeof error.code, zarr.ErrorCode>>();
    check<Same<typeof error.range, { offset: number; length: number } | undefined>>();
  }
}

export async function consolidating(store: zarr.FetchStore) {
  const listable = await zarr.withConsolidatedMetadata(store);
  check<Same<ReturnType<typeof listable.contents>[number]["kind"], "array" | "group">>();
  const maybe = await zarr.withMaybeConsolidatedMetadata(store, { format: ["v3", "v2"] });
  if ("contents" in maybe) for (const { error } of maybe.contents()) error?.code;
  const group = await zarr.open(listable, { kind: "group" });
  for await (const child of group.children()) {
    check<Same<typeof child.kind, "array" | "group">>();
    if (child.error) check<Same<typeof child.error, zarr.ZarrError>>();
    else if (child.kind === "array") await child.get();
  }
}

/** Metadata objects have zarrita's types, those of v2 too. */
export const metadata: [zarr.ArrayMetadataV2, zarr.GroupMetadataV2] = [
  {
    zarr_format: 2,
    shape: [2],
    chunks: [2],
    dtype: "<i4",
    compressor: { id: "zlib", level: 1 },
    fill_value: null,
    order: "C",
    filters: null,
  },
  { zarr_format: 2 },
];

/** `@zarrita/storage` has this class in its root. */
export const folder: zarr.AsyncMutable = new zarr.FileSystemStore("folder");

/** Code with zarrita's types. */
export async function migrated(store: zarr.Readable, dtype: zarr.DataType, attributes: zarr.Attributes) {
  const location: zarr.Location<zarr.Readable> = zarr.root(store);
  const slice: zarr.Slice = zarr.slice(0, 10, null);
  const start: number | null = slice.start;
  zarr.registry.set("mine", async () => ({ fromConfig: () => ({ kind: "bytes_to_bytes" }) }));
  return { location, start, dtype, attributes };
}

export async function registering(array: zarr.Array<zarr.DataType, zarr.FetchStore>) {
  const entry: zarr.CodecEntry = {
    kind: "bytes_to_bytes",
    fromConfig: (_: { level: number }) => ({ decode: (bytes: Uint8Array) => bytes }),
  };
  zarr.registry.set("a", () => entry).set("b", async () => entry);
  zarr.registry.set("c", { url: "https://host/codec.js" }).set("d", new URL("https://host/codec.js"));
  check<Same<ReturnType<(typeof zarr.registry)["get"]>, zarr.CodecLoader | undefined>>();
  const map: Map<string, zarr.CodecLoader> = zarr.registry;
  // @ts-expect-error an entry must be a function or a URL
  map.set("e", entry);
  // @ts-expect-error there are three kinds
  const kind: zarr.CodecKind = "bytes_to_array";
  const { codecs } = zarr.info();
  check<Same<typeof codecs, zarr.RegisteredCodec[]>>();
  check<Same<ReturnType<typeof array.attributes>, zarr.Attributes>>();
  array.attributes({ bigint: true });
  return kind;
}
