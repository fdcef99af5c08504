/**
 * The arrays of the campaign, made by hand, and their elements by a formula. They do not use the
 * package. Element [row, column] is 100 row + column + 1, so that no element is the fill value.
 */
import { gzipSync } from "node:zlib";
import { madeStore, metadata, shardedStore } from "../../node/made_stores.mjs";

export const SHAPE = [12, 10];
export const CHUNKS = [4, 5];
export const FILL = -1;
export const elementAt = (row, column) => 100 * row + column + 1;

const encode = (json) => new TextEncoder().encode(JSON.stringify(json));
const DESCRIPTION = { shape: SHAPE, chunks: CHUNKS, dtype: "int32", fill: FILL, gzip: true };

/** v2, with gzip. */
function v2() {
  const store = new Map([["/.zgroup", encode({ zarr_format: 2 })]]);
  const document = {
    zarr_format: 2,
    shape: SHAPE,
    chunks: CHUNKS,
    dtype: "<i4",
    order: "C",
    fill_value: FILL,
    filters: null,
    compressor: { id: "gzip", level: 1 },
  };
  store.set("/a/.zarray", encode(document));
  store.set("/a/.zattrs", encode({ units: "K" }));
  for (let y = 0; y < SHAPE[0] / CHUNKS[0]; y += 1) {
    for (let x = 0; x < SHAPE[1] / CHUNKS[1]; x += 1) {
      const elements = Int32Array.from({ length: CHUNKS[0] * CHUNKS[1] }, (_, at) =>
        elementAt(y * CHUNKS[0] + Math.floor(at / CHUNKS[1]), x * CHUNKS[1] + (at % CHUNKS[1])),
      );
      store.set(`/a/${y}.${x}`, gzipSync(new Uint8Array(elements.buffer)));
    }
  }
  return store;
}

const valueAt = ([row, column]) => elementAt(row, column);
const group = (more = {}) => encode({ zarr_format: 3, node_type: "group", attributes: {}, ...more });

const v3 = () => madeStore(DESCRIPTION, valueAt, { path: "a", store: new Map([["/zarr.json", group()]]) });

/** v3 without compression: a chunk of another length must be noticed without a codec. */
function raw() {
  const store = new Map([["/zarr.json", group()]]);
  return madeStore({ ...DESCRIPTION, gzip: false }, valueAt, { path: "a", store });
}

function consolidated() {
  const store = v3();
  const inner = { kind: "inline", must_understand: false, metadata: { a: metadata(DESCRIPTION) } };
  return store.set("/zarr.json", group({ consolidated_metadata: inner }));
}

function sharded() {
  const store = new Map([["/zarr.json", group()]]);
  const description = { ...DESCRIPTION, chunks: [2, 5], shards: [4, 10] };
  for (const [key, bytes] of shardedStore(description, valueAt)) store.set(`/a${key}`, bytes);
  return store;
}

export const ARRAYS = { v2, v3, raw, sharded, consolidated };

/** The files of all arrays, by the keys of the server. */
export function allFiles() {
  const files = new Map();
  for (const [name, make] of Object.entries(ARRAYS)) {
    for (const [key, bytes] of make()) files.set(`/${name}${key}`, Buffer.from(bytes));
  }
  return files;
}
