/**
 * neuroglancer's own modules read arrays, over HTTP: its key-value stores, its parser of metadata,
 * and the `download` of its chunk source. Its pages and pictures are not driven. `run.mjs` bundles
 * this file, because neuroglancer is made for bundlers. In the place of its workers the same code
 * runs here, and its chunk manager is replaced by one that keeps everything.
 */
import "#neuroglancer/datasource/zarr/codec/blosc/resolve.js";
import "#neuroglancer/datasource/zarr/codec/bytes/resolve.js";
import "#neuroglancer/datasource/zarr/codec/crc32c/resolve.js";
import "#neuroglancer/datasource/zarr/codec/gzip/resolve.js";
import "#neuroglancer/datasource/zarr/codec/sharding_indexed/resolve.js";
import "#neuroglancer/datasource/zarr/codec/transpose/resolve.js";
import "#neuroglancer/datasource/zarr/codec/zstd/resolve.js";
import "#neuroglancer/kvstore/http/register_backend.js";
import "#neuroglancer/kvstore/icechunk/register_backend.js";
import "#neuroglancer/kvstore/zip/register_backend.js";
import { ZarrVolumeChunkSource } from "#neuroglancer/datasource/zarr/backend.js";
import { applySharding } from "#neuroglancer/datasource/zarr/codec/decode.js";
import { parseV2Metadata, parseV3Metadata } from "#neuroglancer/datasource/zarr/metadata/parse.js";
import { parseOmeMetadata } from "#neuroglancer/datasource/zarr/ome.js";
import { backendOnlyKvStoreProviderRegistry } from "#neuroglancer/kvstore/backend.js";
import { KvStoreContext } from "#neuroglancer/kvstore/context.js";
import { frontendBackendIsomorphicKvStoreProviderRegistry } from "#neuroglancer/kvstore/register.js";
import { DATA_TYPE_ARRAY_CONSTRUCTOR } from "#neuroglancer/util/data_type.js";
import { StringMemoize } from "#neuroglancer/util/memoize.js";
import { bitsAt, drive, indices } from "./driver.mjs";

/** A thread's `self`, and a worker that answers on this thread: what its handlers are written for. */
let answer;
globalThis.self = { postMessage: (data) => data && answer({ data }) };
globalThis.Worker = class {
  constructor() {
    answer = (message) => this.onmessage(message);
    import("#neuroglancer/async_computation/handler.js")
      .then(() =>
        Promise.all([
          import("#neuroglancer/datasource/zarr/async_computation.js"),
          import("#neuroglancer/kvstore/icechunk/async_computation.js"),
        ]),
      )
      .then(() => answer({ data: null }));
  }

  postMessage(data) {
    globalThis.self.onmessage({ data });
  }
};

const nothing = () => {};
/** A queue that schedules and evicts nothing. */
const queueManager = new Proxy({ sources: new Set() }, { get: (kept, name) => kept[name] ?? nothing });
const chunkManager = {
  queueManager,
  memoize: new StringMemoize(),
  addRef: () => chunkManager,
  dispose: nothing,
};
const context = {
  kvStoreContext: new KvStoreContext(),
  chunkManager,
  addRef: () => context,
  dispose: nothing,
};
for (const registry of [frontendBackendIsomorphicKvStoreProviderRegistry, backendOnlyKvStoreProviderRegistry])
  registry.applyToContext(context);

const { signal } = new AbortController();
const encoded = (path) => path.split("/").map(encodeURIComponent).join("/");

function addressOf({ kind, url, path, snapshot, inside = "" }) {
  const below = path === "" ? "" : `${encoded(path)}/`;
  if (kind === "folder" || kind === "http") return `${url}/${below}`;
  if (kind === "zip") return `${url}|zip:${inside}${below}`;
  if (kind === "icechunk") return `${url}/|icechunk:@${snapshot}/${below}`;
  throw new Error(`has no store for ${kind}`);
}

async function document(address) {
  const found = await context.kvStoreContext.read(address, { signal });
  return found && (await found.response.json());
}

async function metadataOf(address, format) {
  if (format !== "v2") return parseV3Metadata(await document(`${address}zarr.json`), "array");
  return parseV2Metadata(await document(`${address}.zarray`), (await document(`${address}.zattrs`)) ?? {});
}

/** Its axes run the other way round, the fastest first. Transposed chunks are left as they are stored. */
function layoutOf({ rank, shape, codecs }) {
  const { physicalToLogicalDimension, readChunkShape } = codecs.layoutInfo[0];
  const axes = Array.from({ length: rank }, (_, axis) => physicalToLogicalDimension[rank - 1 - axis]);
  const chunk = axes.map((axis) => readChunkShape[axis]);
  return { axes, chunk, grid: axes.map((axis, at) => Math.ceil(shape[axis] / chunk[at])) };
}

/** Puts a chunk's elements into the whole array, as the transforms of its frontend say. */
function place(data, position, { axes, chunk }, whole) {
  const strides = whole.shape.map((_, axis) =>
    whole.shape.slice(axis + 1).reduce((product, extent) => product * extent, 1),
  );
  let from = -1;
  for (const reversed of indices([...chunk].reverse())) {
    from += 1;
    const at = [...reversed].reverse().map((value, axis) => value + position[axis] * chunk[axis]);
    if (at.some((value, axis) => value >= whole.shape[axes[axis]])) continue;
    whole.sources.push([at.reduce((sum, value, axis) => sum + value * strides[axes[axis]], 0), data, from]);
  }
}

/** It gives chunks that are absent no data: its pages then show the fill value. */
function fillOf({ dataType, fillValue }) {
  const Elements = DATA_TYPE_ARRAY_CONSTRUCTOR[dataType];
  return Elements.of(Elements === BigUint64Array ? BigInt(fillValue) : fillValue);
}

async function chunkOf(source, position, dataSize) {
  const chunk = {
    chunkGridPosition: Uint32Array.from(position),
    source: { spec: {} },
    chunkDataSize: dataSize,
  };
  await source.download(chunk, signal);
  return chunk.data;
}

/** A chunk source as its constructor makes it, without the connection to a page. */
function sourceOf(address, metadata, chunk) {
  const store = context.kvStoreContext.getKvStore(address);
  return Object.assign(Object.create(ZarrVolumeChunkSource.prototype), {
    parameters: { url: address, metadata },
    spec: { rank: metadata.rank, chunkDataSize: Uint32Array.from(chunk) },
    chunkKvStore: applySharding(chunkManager, metadata.codecs, store),
  });
}

const METRES = { micrometer: 1e-6, nanometer: 1e-9, millimeter: 1e-3, meter: 1 };

/** Its parser of colours needs a page's document. */
const withoutColours = (found) =>
  JSON.parse(JSON.stringify(found, (key, value) => (key === "omero" ? undefined : value)));

/**
 * The coordinates of the centres of each level's first and last element, in the units of the
 * metadata. neuroglancer has them in metres and seconds, and the centre of an element is half an
 * element from its edge.
 */
async function levelsOf({ url, format, levels, units }) {
  const [name, version] = format === "v2" ? [".zattrs", 2] : ["zarr.json", 3];
  const found = withoutColours(await document(`${url}/${name}`));
  const parsed = parseOmeMetadata(`${url}/`, version === 2 ? found : found.attributes, version);
  const { coordinateSpace, scales } = parsed.multiscale;
  const { rank } = coordinateSpace;
  const coordinate = (transform, index, axis) => {
    const sum = index.reduce(
      (total, at, other) => total + transform[other * (rank + 1) + axis] * (at + 0.5),
      0,
    );
    const inMetres = (sum + transform[rank * (rank + 1) + axis]) * coordinateSpace.scales[axis];
    return inMetres / (METRES[units[axis]] ?? 1);
  };
  const ends = (shape) => [shape.map(() => 0), shape.map((extent) => extent - 1)];
  const numbers = levels.flatMap(({ shape }, level) =>
    ends(shape).flatMap((index) => shape.map((_, axis) => coordinate(scales[level].transform, index, axis))),
  );
  return { numbers };
}

await drive(async (array) => {
  if (array.decoded || array.dates || array.crs || array.consolidated)
    throw new Error("it has no such concept");
  if (array.levels) return levelsOf(array);
  const address = addressOf(array);
  const metadata = await metadataOf(address, array.format);
  const layout = layoutOf(metadata);
  const source = sourceOf(address, metadata, layout.chunk);
  const whole = { shape: metadata.shape, sources: [] };
  const fill = fillOf(metadata);
  for (const position of indices(layout.grid)) {
    const data = await chunkOf(source, position, source.spec.chunkDataSize);
    place(data, [...position], layout, whole);
  }
  const bytes = new Uint8Array(whole.sources.length * fill.BYTES_PER_ELEMENT);
  for (const [at, data, from] of whole.sources) {
    const [elements, index] = data ? [data, from] : [fill, 0];
    const { buffer, byteOffset, BYTES_PER_ELEMENT: size } = elements;
    bytes.set(new Uint8Array(buffer, byteOffset + index * size, size), at * size);
  }
  return { shape: metadata.shape, values: bitsAt(bytes, Array.from(bytes.keys())) };
});
