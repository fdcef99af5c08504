/**
 * Computes the byte ranges that a selection needs at least, from the stored files. Reads over HTTP
 * are compared with fetching these ranges. It supports only the arrays of make.py: v3, regular
 * grids, keys with slashes, and shards with the index and its checksum at the end.
 */

const INDEX_ENTRY = 16;
const CHECKSUM = 4;
/** Ranges of a file with a smaller gap are one request, as in zarrita's `withRangeCoalescing`. */
const GAP = 32 << 10;

const metadataOf = (store, path) => JSON.parse(new TextDecoder().decode(store.get(`${path}/zarr.json`)));

/** Indices of the chunks that a box touches, in C order. */
function* indicesIn(box, chunkShape) {
  const [[start, stop], ...rest] = box;
  const [extent, ...extents] = chunkShape;
  for (let idx = Math.floor(start / extent); idx * extent < stop; idx++) {
    if (rest.length === 0) yield [idx];
    else for (const inner of indicesIn(rest, extents)) yield [idx, ...inner];
  }
}

const boxOf = (selection, shape) =>
  shape.map((extent, axis) => {
    const entry = selection?.[axis] ?? null;
    if (entry === null) return [0, extent];
    return typeof entry === "number" ? [entry, entry + 1] : entry;
  });

/** The part of a box that is in a shard, relative to the shard's origin. */
const within = (box, index, extents) =>
  box.map(([start, stop], axis) => {
    const origin = index[axis] * extents[axis];
    return [Math.max(0, start - origin), Math.min(extents[axis], stop - origin)];
  });

const product = (values) => values.reduce((total, value) => total * value, 1);

/** Byte ranges of the inner chunks that a box of one shard touches. */
function innerPieces(bytes, box, shardShape, innerShape) {
  const grid = shardShape.map((extent, axis) => extent / innerShape[axis]);
  const indexAt = bytes.length - product(grid) * INDEX_ENTRY - CHECKSUM;
  const view = new DataView(bytes.buffer, bytes.byteOffset + indexAt);
  const pieces = [...indicesIn(box, innerShape)].map((index) => {
    const at = index.reduce((sum, idx, axis) => sum * grid[axis] + idx, 0) * INDEX_ENTRY;
    return [view.getBigUint64(at, true), view.getBigUint64(at + 8, true)].map(Number);
  });
  return { indexAt, pieces: pieces.filter(([offset]) => Number.isSafeInteger(offset)) };
}

function merged(pieces) {
  const ranges = [];
  for (const [offset, length] of pieces.toSorted(([a], [b]) => a - b)) {
    const last = ranges.at(-1);
    if (last && offset - last.end <= GAP) last.end = Math.max(last.end, offset + length);
    else ranges.push({ offset, end: offset + length });
  }
  return ranges;
}

/** The requests and encoded chunks of one chunk or shard. */
function addWhole({ trips, pieces }, key, bytes) {
  trips[0].set(key, { key });
  pieces.set(key, { key, offset: 0, length: bytes.length });
}

/**
 * The trips of a shard: its size, its index, its chunks. A page may not request a suffix from
 * another origin without a preflight, so it needs the size.
 */
function addFromShard({ trips, pieces }, key, { length }, inner) {
  trips[0].set(key, { key, method: "HEAD" });
  trips[1].set(key, { key, offset: inner.indexAt, end: length });
  for (const [offset, size] of inner.pieces) pieces.set(`${key} ${offset}`, { key, offset, length: size });
}

/** The requests for inner chunks; neighbours are merged. */
function rangesOf(pieces) {
  const shards = new Map();
  for (const piece of pieces) shards.set(piece.key, [...(shards.get(piece.key) ?? []), piece]);
  return [...shards].flatMap(([key, inner]) =>
    merged(inner.map(({ offset, length }) => [offset, length])).map((range) => ({ key, ...range })),
  );
}

/** The trips before the chunks and the encoded chunks that a box touches, by key. */
function touchedBy(store, path, selections) {
  const { shape, chunk_grid, codecs } = metadataOf(store, path);
  const outer = chunk_grid.configuration.chunk_shape;
  const sharding = codecs.find(({ name }) => name === "sharding_indexed")?.configuration;
  const codec = (sharding?.codecs ?? codecs).find(
    ({ name }) => !["bytes", "sharding_indexed"].includes(name),
  );
  const needs = { trips: [new Map(), new Map()], pieces: new Map() };
  for (const selection of selections) {
    const box = boxOf(selection, shape);
    for (const index of indicesIn(box, outer)) {
      const key = `${path}/c/${index.join("/")}`;
      const bytes = store.get(key);
      if (!bytes) continue;
      if (!sharding) addWhole(needs, key, bytes);
      else
        addFromShard(
          needs,
          key,
          bytes,
          innerPieces(bytes, within(box, index, outer), outer, sharding.chunk_shape),
        );
    }
  }
  return { ...needs, codec, isSharded: sharding !== undefined };
}

/** Joins trips: lists of requests, each sent after the list before was answered. */
function tripsOf({ trips, pieces, isSharded }) {
  const lists = trips.map((trip) => [...trip.values()]);
  return (isSharded ? [...lists, rangesOf([...pieces.values()])] : lists).filter((list) => list.length > 0);
}

/**
 * The needs of concurrent reads. `trips`: lists of requests, each sent after the list before was
 * answered. `pieces`: the encoded chunks in these bytes. `codec`: their codec (`{name,
 * configuration}`), absent if they are raw.
 */
export function needsOf(store, path, selections) {
  const touched = touchedBy(store, path, selections);
  return { trips: tripsOf(touched), pieces: [...touched.pieces.values()], codec: touched.codec };
}

/** The trips of consecutive reads. Nothing is requested twice. */
export function tripsInTurn(store, path, selections) {
  const known = [new Set(), new Set(), new Set()];
  const unknown = (map, idx) => {
    const fresh = [...map].filter(([key]) => !known[idx].has(key));
    for (const [key] of fresh) known[idx].add(key);
    return new Map(fresh);
  };
  return selections.flatMap((selection) => {
    const { trips, pieces, isSharded } = touchedBy(store, path, [selection]);
    return tripsOf({ trips: trips.map(unknown), pieces: unknown(pieces, 2), isSharded });
  });
}
