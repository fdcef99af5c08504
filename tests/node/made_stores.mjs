/**
 * Makes small v3 stores in a `Map`, for tests of calls. It does not use the package.
 */
import { gzipSync } from "node:zlib";
import { indices } from "./fixture_files.mjs";

const SIZES = { uint8: 1, uint16: 2, int32: 4, float32: 4, float64: 8, int64: 8, bool: 1, float16: 2 };
const SETTERS = {
  uint8: "setUint8",
  uint16: "setUint16",
  int32: "setInt32",
  float32: "setFloat32",
  float64: "setFloat64",
  int64: "setBigInt64",
  bool: "setUint8",
  float16: "setUint16",
};

/** Metadata of an array with gzip or without compression. */
export function metadata({ shape, chunks, dtype, gzip = false, fill = 0, names, attributes = {} }) {
  const codecs = [{ name: "bytes", configuration: { endian: "little" } }];
  if (gzip) codecs.push({ name: "gzip", configuration: { level: 1 } });
  return {
    zarr_format: 3,
    node_type: "array",
    shape,
    data_type: dtype,
    chunk_grid: { name: "regular", configuration: { chunk_shape: chunks } },
    chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
    codecs,
    fill_value: fill,
    attributes,
    ...(names ? { dimension_names: names } : {}),
  };
}

function encodeChunk(origin, { chunks, dtype, gzip, shape }, valueAt) {
  const size = SIZES[dtype];
  const count = chunks.reduce((product, extent) => product * extent, 1);
  const view = new DataView(new ArrayBuffer(count * size));
  let offset = 0;
  for (const within of indices(chunks)) {
    const element = within.map((value, axis) => origin[axis] + value);
    const isInside = element.every((value, axis) => value < shape[axis]);
    if (isInside) view[SETTERS[dtype]](offset, valueAt(element), true);
    offset += size;
  }
  const bytes = new Uint8Array(view.buffer);
  return gzip ? new Uint8Array(gzipSync(bytes, { level: 1 })) : bytes;
}

/**
 * Makes a `Map` with one array at `path`. `valueAt(index)` returns an element. `has(chunk)` says
 * which chunks are stored (default: all).
 */
export function madeStore(description, valueAt, { path = "", has = () => true, store = new Map() } = {}) {
  const { shape, chunks } = description;
  const root = path === "" ? "" : `/${path}`;
  const text = JSON.stringify(metadata(description));
  store.set(`${root}/zarr.json`, new TextEncoder().encode(text));
  const grid = shape.map((extent, axis) => Math.ceil(extent / chunks[axis]));
  for (const chunk of indices(grid)) {
    if (!has(chunk)) continue;
    const origin = chunk.map((at, axis) => at * chunks[axis]);
    store.set([`${root}/c`, ...chunk].join("/"), encodeChunk(origin, description, valueAt));
  }
  return store;
}

/** Joins encoded inner chunks to a shard. Its index at the end has 16 bytes per chunk. */
function shardOf(inner) {
  const index = new DataView(new ArrayBuffer(inner.length * 16));
  const present = [];
  let offset = 0;
  for (const [at, bytes] of inner.entries()) {
    index.setBigUint64(at * 16, bytes ? BigInt(offset) : 2n ** 64n - 1n, true);
    index.setBigUint64(at * 16 + 8, bytes ? BigInt(bytes.length) : 2n ** 64n - 1n, true);
    if (bytes) present.push(bytes);
    offset += bytes?.length ?? 0;
  }
  return new Uint8Array(Buffer.concat([...present, new Uint8Array(index.buffer)]));
}

/** As `madeStore`, with chunks in shards of `shards` elements. The indexes have no checksum. */
export function shardedStore({ shards, ...description }, valueAt, { has = () => true } = {}) {
  const { shape, chunks } = description;
  const inner = metadata(description);
  const endian = { name: "bytes", configuration: { endian: "little" } };
  const configuration = { chunk_shape: chunks, codecs: inner.codecs, index_codecs: [endian] };
  const document = {
    ...inner,
    chunk_grid: { name: "regular", configuration: { chunk_shape: shards } },
    codecs: [{ name: "sharding_indexed", configuration }],
  };
  const store = new Map([["/zarr.json", new TextEncoder().encode(JSON.stringify(document))]]);
  const within = shards.map((extent, axis) => extent / chunks[axis]);
  for (const shard of indices(shape.map((extent, axis) => Math.ceil(extent / shards[axis])))) {
    const encoded = Array.from(indices(within), (position) => {
      const chunk = shard.map((at, axis) => at * within[axis] + position[axis]);
      const origin = chunk.map((at, axis) => at * chunks[axis]);
      return has(chunk) ? encodeChunk(origin, description, valueAt) : undefined;
    });
    store.set(["/c", ...shard].join("/"), shardOf(encoded));
  }
  return store;
}

/** A group at the root of a store. */
export function addGroup(store, attributes = {}) {
  const text = JSON.stringify({ zarr_format: 3, node_type: "group", attributes });
  store.set("/zarr.json", new TextEncoder().encode(text));
  return store;
}
