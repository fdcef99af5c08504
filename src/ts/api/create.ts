/**
 * `create`: a new array or group, with the groups above it that are not there yet. Options are
 * passed on in the engine's words; what is left out, the engine chooses.
 */
import { UnsupportedError, ZarrError } from "../model/errors.ts";
import { exactJson } from "../model/exact_json.ts";
import type { Attributes, CodecMetadata, DataType, Readable, Scalar } from "../model/types.ts";
import { call, write } from "../port/engine.ts";
import type { ObjectNumbers } from "../port/object_numbers.ts";
import type { Array as ZarrArray } from "./array.ts";
import { arrayNumber, describeWithCodecs, userCodecs } from "./arrays.ts";
import { type Group, nodeOf } from "./group.ts";
import { type Location, locationOf } from "./location.ts";
import type { ArrayNode, StorageTransformerMetadata } from "./node_facts.ts";
import { registry } from "./registry.ts";
import { storageTransformers } from "./storage_transformers.ts";
import { isNumeric, packScalar } from "./write/elements.ts";
import { type FloatPacker, withPackedFloats } from "./write/float_packing.ts";

/** A codec: its name, or with its configuration; in v2 also the object of numcodecs. */
export type CodecOption =
  | string
  | { name: string; configuration?: Record<string, unknown> }
  | ({ id: string } & Record<string, unknown>);

/** An extension of a draft, as its text has it. */
export interface ExtensionOption {
  extension: string;
  must_understand: boolean;
  configuration?: unknown;
}

interface CreateOptions {
  /** Below the place that is given, taken literally. */
  path?: string;
  /**
   * 3 unless given; or one of the historic drafts of it, whose nodes are created below the root of
   * a store.
   */
  zarrFormat?: 2 | 3 | "v3-draft-2020-10" | "v3-draft-2022-05";
  /**
   * What ends the names of the documents of a draft's hierarchy, when this node is its first;
   * `.json` unless given.
   */
  metadataKeySuffix?: string;
  /** Extensions of a draft's hierarchy, when this node is its first. */
  hierarchyExtensions?: readonly ExtensionOption[];
  attributes?: Attributes;
  /**
   * Erase what is there, with everything below it. Without it, only a group may be there already:
   * it takes the attributes too.
   */
  overwrite?: boolean;
  signal?: AbortSignal;
}

export interface CreateGroupOptions extends CreateOptions {
  kind?: "group";
}

type Extents = readonly (number | bigint)[];

export interface CreateArrayOptions<D extends DataType = DataType> extends CreateOptions {
  kind?: "array";
  shape: Extents;
  /**
   * What is read at a time: about 1 MiB unless given. With one list a dimension: its chunks'
   * lengths one by one (rectilinear).
   */
  chunkShape?: Extents | readonly Extents[];
  /**
   * What is stored under one key, a multiple of the chunk; `null`: chunks themselves. Chosen where
   * there would be over 10⁴.
   */
  shardShape?: Extents | null;
  /** A name of v3, an object with one, or a type string or list of fields of NumPy. */
  dtype: D | (string & {}) | Record<string, unknown> | readonly unknown[];
  /** In encoding order; the one that makes bytes may be left out. zstd unless given. */
  codecs?: readonly CodecOption[];
  /** v2's, in place of `codecs`. */
  filters?: readonly CodecOption[] | null;
  compressor?: CodecOption | null;
  /** Memory order within a chunk. */
  order?: "C" | "F";
  /**
   * Whatever `set` takes as one element, or as v3 metadata spells it. Unless given zero; in v2
   * null, which means "undefined" and reads as zero.
   */
  fillValue?: Scalar<D> | unknown;
  dimensionNames?: readonly (string | null)[];
  chunkKeyEncoding?: "default" | "v2" | { name: string; configuration?: Record<string, unknown> };
  dimensionSeparator?: "." | "/";
  /** Where the index of a shard stands; at its end unless given. */
  indexLocation?: "start" | "end";
  /**
   * Of the draft of 2022, from the array towards the store; `shardShape` adds that of its shards.
   */
  storageTransformers?: readonly StorageTransformerMetadata[];
  /** Of a draft's array. */
  extensions?: readonly ExtensionOption[];
}

/**
 * Other names that some know an option by: those of zarrita, zarr-python and the metadata itself.
 */
const ALIASES: Record<string, string> = {
  chunks: "chunkShape",
  chunk_shape: "chunkShape",
  shards: "shardShape",
  shard_shape: "shardShape",
  dataType: "dtype",
  data_type: "dtype",
  fill_value: "fillValue",
  dimension_names: "dimensionNames",
  chunk_key_encoding: "chunkKeyEncoding",
  chunkSeparator: "dimensionSeparator",
  chunk_separator: "dimensionSeparator",
  dimension_separator: "dimensionSeparator",
  index_location: "indexLocation",
  zarr_format: "zarrFormat",
  storage_transformers: "storageTransformers",
  chunkMemoryLayout: "order",
  chunk_memory_layout: "order",
  metadata_key_suffix: "metadataKeySuffix",
};

/** Options of an array, as the engine reads them (`ArrayOptions::like`). */
const ENGINE_NAMES: Record<string, string> = {
  zarrFormat: "zarr_format",
  shape: "shape",
  dtype: "data_type",
  chunkShape: "chunk_shape",
  shardShape: "shard_shape",
  codecs: "codecs",
  filters: "filters",
  compressor: "compressor",
  order: "order",
  dimensionNames: "dimension_names",
  chunkKeyEncoding: "chunk_key_encoding",
  dimensionSeparator: "separator",
  indexLocation: "index_location",
  attributes: "attributes",
  storageTransformers: "storage_transformers",
  extensions: "extensions",
};

/** Everything else that `create` looks at itself. */
const OWN_NAMES = new Set([
  "path",
  "kind",
  "overwrite",
  "signal",
  "fillValue",
  "metadataKeySuffix",
  "hierarchyExtensions",
]);

type Given = Record<string, unknown>;

function normalised(options: Given): Given {
  const named: Given = {};
  for (const [name, value] of Object.entries(options)) {
    const own = ALIASES[name] ?? name;
    if (!(own in ENGINE_NAMES) && !OWN_NAMES.has(own)) {
      throw new ZarrError("Argument", `create has no option ${JSON.stringify(name)}`, { field: name });
    }
    if (value !== undefined) named[own] = value;
  }
  return named;
}

/** The options as one JSON object; the fill value too where the metadata's own spelling is kept. */
function engineOptions(options: Given, fill: unknown): string {
  const json: Given = fill === undefined ? {} : { fill_value: fill };
  for (const [name, engineName] of Object.entries(ENGINE_NAMES)) {
    if (name in options) json[engineName] = options[name];
  }
  return exactJson(json);
}

/**
 * A fill value is kept as it is spelled where it is a number or null, else it is packed like any
 * element.
 */
async function fillOf(options: Given, like: LikeNumber): Promise<{ json?: unknown; packed?: Uint8Array }> {
  const { fillValue, dtype } = options;
  if (fillValue === undefined) return {};
  if (fillValue === null) return { json: null };
  const text = dtype === undefined ? "" : exactJson(dtype);
  const type = await call("describeTypeName", (objects) => ({ text, like: like(objects) }));
  if (isNumeric(type) && !(fillValue instanceof Date)) return { json: fillValue };
  const pack = (floats: FloatPacker) => packScalar(type, fillValue, { floats }).bytes;
  return { packed: await withPackedFloats(pack, options.signal as AbortSignal | undefined) };
}

/** The engine's number of the array that another is to be like. */
type LikeNumber = (objects: ObjectNumbers) => number | undefined;

/** Creates the hierarchy of a draft as the options say; without any, the first node creates it. */
async function createHierarchy(store: unknown, options: Given): Promise<void> {
  const { metadataKeySuffix: suffix, hierarchyExtensions: extensions, zarrFormat } = options;
  if (suffix === undefined && extensions === undefined) return;
  const signal = options.signal as AbortSignal | undefined;
  const list = extensions === undefined ? undefined : exactJson(extensions);
  await write(
    "createHierarchy",
    (objects) => ({
      store: objects.store(store),
      format: String(zarrFormat ?? ""),
      suffix: suffix as string | undefined,
      extensions: list,
    }),
    { signal },
  );
}

/** An array that nobody could write to is not created. */
async function checkTransformers(transformers: unknown): Promise<void> {
  if (!Array.isArray(transformers)) return;
  for (const [place, { extension }] of (transformers as StorageTransformerMetadata[]).entries()) {
    if (storageTransformers.has(extension)) continue;
    if (await call("isStorageTransformer", () => ({ extension }))) continue;
    const field = `storage_transformers[${place}].extension`;
    throw new UnsupportedError(`unknown storage transformer ${JSON.stringify(extension)}`, { field });
  }
}

/** Creates what the options say at a location; `like` an array for all that they do not say. */
export async function createNode(
  target: unknown,
  given: Given,
  like?: ArrayNode,
): Promise<ZarrArray<DataType> | Group<Readable>> {
  const options = normalised(given);
  const { store, path } = locationOf(target);
  const at = options.path === undefined ? path : `${path}/${options.path}`;
  const signal = options.signal as AbortSignal | undefined;
  const overwrite = options.overwrite === true;
  const isArray = options.kind === "array" || (options.kind === undefined && ("shape" in options || !!like));
  signal?.throwIfAborted();
  const likeNumber: LikeNumber = (objects) => like && arrayNumber(objects, like);
  await checkTransformers(options.storageTransformers);
  const fill = isArray ? await fillOf(options, likeNumber) : {};
  const text = isArray ? engineOptions(options, fill.json) : exactJson(options.attributes ?? {});
  const codecs =
    isArray && registry.size > 0
      ? await (await userCodecs()).codecsToCreate(text, likeNumber, signal)
      : undefined;
  await createHierarchy(store, options);
  const place = (objects: ObjectNumbers) => ({ store: objects.store(store), path: at, text, overwrite });
  const format = String(options.zarrFormat ?? "");
  const summary = isArray
    ? await write(
        "createArray",
        (objects) => ({
          ...place(objects),
          fill: fill.packed,
          like: likeNumber(objects),
          codecs: codecs?.text ?? "",
        }),
        { signal },
      )
    : await write("createGroup", (objects) => ({ ...place(objects), format }), { signal });
  await describeWithCodecs(summary, signal);
  return nodeOf(store as Readable, summary);
}

/** The options of zarrita's `create`, which are among ours. */
export interface ZarritaArrayOptions<D extends DataType> {
  shape: number[];
  chunkShape: number[];
  dtype: D;
  codecs?: CodecMetadata[];
  fillValue?: Scalar<D>;
  chunkSeparator?: "." | "/";
  dimensionNames?: string[];
  attributes?: Attributes;
}

type Place<S> = Location<S> | S;

export function create<S extends Readable, D extends DataType>(
  place: Place<S>,
  options: CreateArrayOptions<D> | ZarritaArrayOptions<D>,
): Promise<ZarrArray<D, S>>;
export function create<S extends Readable>(place: Place<S>, options?: CreateGroupOptions): Promise<Group<S>>;
export function create<D extends DataType>(
  url: string | URL,
  options: CreateArrayOptions<D>,
): Promise<ZarrArray<D>>;
export function create(url: string | URL, options?: CreateGroupOptions): Promise<Group<Readable>>;
/**
 * Creates an array (where there is a `shape`) or a group at a URL, at the root of a store, or at a
 * place in one.
 */
export function create(place: unknown, options: object = {}): Promise<unknown> {
  return createNode(place, options as Given);
}
