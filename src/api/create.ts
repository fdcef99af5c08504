/**
 * `create`: creates an array or a group, and its missing ancestors. Options are translated to the
 * engine's names. The engine chooses what is not given.
 */
import { lazy } from "#lazy";
import {
  need,
  needText,
  object,
  optionsOf,
  type Rules,
  type RuleTable,
  SIGNAL,
} from "../engine/ts/model/argument.ts";
import { isNumeric } from "../engine/ts/model/data_type.ts";
import { shown, UnsupportedError, ZarrError } from "../engine/ts/model/errors.ts";
import { exactJson } from "../engine/ts/model/json.ts";
import type { Attributes, CodecMetadata, DataType, Readable, Scalar } from "../engine/ts/model/types.ts";
import type { ObjectIds } from "../engine/ts/port/definitions.ts";
import { call, write } from "../engine/ts/port/engine.ts";
import type { Array as ZarrArray } from "./array.ts";
import { arrayId, describeWithCodecs } from "./array_definitions.ts";
import { type Group, nodeOf } from "./group.ts";
import { type Location, locationOf } from "./location.ts";
import type { ArrayNode, Dialect, StorageTransformerMetadata } from "./node_facts.ts";
import { storageTransformers, userLoaders } from "./registry.ts";
import { packScalar } from "./write/elements.ts";
import { type FloatPacker, withPackedFloats } from "./write/numbers.ts";

/**
 * A codec: its name, such as `"zstd"`; an object with its name and its configuration, as in v3's
 * metadata; or numcodecs' object, as in v2's metadata: `{ id: "blosc", cname: "lz4", clevel: 5 }`.
 */
export type CodecOption =
  | string
  | {
      /** The name of the codec. */
      name: string;
      /** Its configuration. */
      configuration?: Record<string, unknown> | undefined;
    }
  | ({ id: string } & Record<string, unknown>);

/** An extension of a draft of v3, as its specification defines it. */
export interface ExtensionOption {
  /** URI of its specification. */
  extension: string;
  /** Whether a reader that does not know it must refuse the data. */
  must_understand: boolean;
  /** Its configuration. */
  configuration?: unknown;
}

interface CreateOptions {
  /** Path below the given location, taken literally. Default: the location itself. */
  path?: string | undefined;
  /**
   * The Zarr format: 2, 3, or one of the drafts of v3, `"v3-draft-2020-10"` and
   * `"v3-draft-2022-05"`. A draft's nodes are created below the root of a store. Default: 3.
   */
  zarrFormat?: 2 | 3 | Exclude<Dialect, "v2" | "v3"> | undefined;
  /** Suffix of a draft's metadata keys, if this is the hierarchy's first node. Default: `.json`. */
  metadataKeySuffix?: string | undefined;
  /** Extensions of a draft's hierarchy, if this is its first node. Default: none. */
  hierarchyExtensions?: readonly ExtensionOption[] | undefined;
  /** The attributes, which must be JSON. Default: none. */
  attributes?: Attributes | undefined;
  /**
   * Whether to erase an existing node and its descendants. Without it, only a group may exist
   * already; it then gets the new attributes. Default: false.
   *
   * @throws an `Argument` error if a node exists and this is false.
   */
  overwrite?: boolean | undefined;
  /** Aborts the call, which rejects at once with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** Options of `create` for a group. */
export interface CreateGroupOptions extends CreateOptions {
  /** What is created, an `"array"` or a `"group"`. Default: an array if there is a `shape`. */
  kind?: "group" | undefined;
}

type Extents = readonly (number | bigint)[];

/**
 * Options of `create` for an array. They may also have the names of zarr-python or zarrita:
 * `chunks`, `shards`, `dataType`, `chunkSeparator` (which is `dimensionSeparator`) and
 * `chunkMemoryLayout` (which is `order`); and those of the metadata, such as `chunk_shape` and
 * `fill_value`.
 */
export interface CreateArrayOptions<D extends DataType = DataType> extends CreateOptions {
  /** What is created, an `"array"` or a `"group"`. Default: an array if there is a `shape`. */
  kind?: "array" | undefined;
  /**
   * The number of elements along each dimension of an array. A group has none, and no `dtype`.
   *
   * @unit elements
   */
  shape: Extents;
  /**
   * Shape of a chunk, the unit of reading. One list per dimension gives the lengths of a
   * rectilinear grid, which only v3 without shards has. Default: chunks of about 1 MiB, decoded.
   *
   * @unit elements
   */
  chunkShape?: Extents | readonly Extents[] | undefined;
  /**
   * Shape of a shard, which is stored under one key and is a multiple of the chunk; `null` for no
   * shards. v2 has none. Default: shards if neither chunks nor codecs are given, and there would be
   * more than 10 000 chunks.
   *
   * @unit elements
   */
  shardShape?: Extents | null | undefined;
  /**
   * The data type: a name of v3 such as `"float32"`, an object with a name and a configuration, or
   * NumPy's type string (`"<f4"`) or list of fields.
   *
   * @throws an `UnsupportedError` for a data type that is not known.
   */
  dtype: D | (string & {}) | Record<string, unknown> | readonly unknown[];
  /**
   * Codecs in encoding order. The codec from array to bytes may be omitted. Default: `"zstd"`, with
   * its default level.
   *
   * @throws an `UnknownCodecError` for a name that neither this package nor `registry` has.
   */
  codecs?: readonly CodecOption[] | undefined;
  /** v2's filters, in place of `codecs`; null for none. Default: none. */
  filters?: readonly CodecOption[] | null | undefined;
  /** The compressor, in place of `codecs`; null for none. Default: `"zstd"`. */
  compressor?: CodecOption | null | undefined;
  /**
   * The order of the elements in a chunk. With `"C"` the index of the last dimension changes
   * fastest, with `"F"` that of the first. Default: `"C"`.
   */
  order?: "C" | "F" | undefined;
  /**
   * The value of elements that are not stored: an element as `set` takes it, or the spelling of v3
   * metadata, such as `"NaN"`. Default: zero; in v2 null, which means "undefined" and is read as
   * zero, or as NaT for times.
   */
  fillValue?: Scalar<D> | unknown | undefined;
  /**
   * The names of the dimensions; null for one without a name, which only v3 has. v2 and the drafts
   * store them as xarray's attribute `_ARRAY_DIMENSIONS`. Default: no names.
   */
  dimensionNames?: readonly (string | null)[] | undefined;
  /**
   * How v3 makes the keys of chunks: `"default"` makes `c/0/1`, `"v2"` makes `0.1`. An object has
   * the name of an encoding, and its configuration. Default: `"default"`.
   */
  chunkKeyEncoding?:
    | "default"
    | "v2"
    | {
        /** The name of the encoding. */
        name: string;
        /** The configuration of the encoding, such as its `separator`. */
        configuration?: Record<string, unknown> | undefined;
      }
    | undefined;
  /**
   * What is between the indices in the key of a chunk, `"."` or `"/"`. Default: `"/"`; in v2 `"."`.
   */
  dimensionSeparator?: "." | "/" | undefined;
  /** Position of the index in a shard, `"start"` or `"end"`. Default: `"end"`. */
  indexLocation?: "start" | "end" | undefined;
  /**
   * Storage transformers of the draft of 2022, from the array towards the store. `shardShape` adds
   * the one for shards. Default: none.
   */
  storageTransformers?: readonly StorageTransformerMetadata[] | undefined;
  /** Extensions of a draft's array. Default: none. */
  extensions?: readonly ExtensionOption[] | undefined;
}

/** The options of arrays, of which none is required. */
export type ArrayChoices = { [Name in keyof CreateArrayOptions]?: CreateArrayOptions[Name] | undefined };

/**
 * Alternative option names, from zarrita, zarr-python and the metadata itself. Every option may
 * also be written as metadata are: `chunk_shape`.
 */
const ALIASES: Record<string, string> = {
  chunks: "chunkShape",
  shards: "shardShape",
  dataType: "dtype",
  chunkSeparator: "dimensionSeparator",
  chunkMemoryLayout: "order",
};

/** The options of arrays, which the engine takes (`ArrayOptions::like`). */
const ARRAY_NAMES = [
  ...["zarrFormat", "shape", "dtype", "chunkShape", "shardShape", "codecs", "filters", "compressor"],
  ...["order", "dimensionNames", "chunkKeyEncoding", "dimensionSeparator", "indexLocation"],
  ...["attributes", "storageTransformers", "extensions"],
];

/** The engine's name of an option: that of the metadata. */
function engineName(name: string): string {
  if (name === "dtype") return "data_type";
  if (name === "dimensionSeparator") return "separator";
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const RULES: Rules<CreateArrayOptions | CreateGroupOptions> = {
  ...SIGNAL,
  path: "a text",
  kind: ["array", "group"],
  overwrite: "a boolean",
  zarrFormat: "a number or a text",
  metadataKeySuffix: "a text",
  hierarchyExtensions: "a list",
  attributes: "an object",
  shape: "a list",
  chunkShape: "a list",
  shardShape: "a list or null",
  dtype: "a text or an object",
  codecs: "a list",
  filters: "a list or null",
  compressor: "a text, an object or null",
  order: ["C", "F"],
  fillValue: "anything",
  dimensionNames: "a list",
  chunkKeyEncoding: "a text or an object",
  dimensionSeparator: [".", "/"],
  indexLocation: ["start", "end"],
  storageTransformers: "a list",
  extensions: "a list",
};

type Given = Record<string, unknown>;

/** The name of an option among `RULES`, from one of its names. */
function ownName(name: string): string {
  const plain = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.hasOwn(ALIASES, plain) ? (ALIASES[plain] as string) : plain;
}

/** The options by the names of `RULES`, and the names that the caller has written. */
interface Normalised {
  options: Given;
  written: Map<string, string>;
}

/** What the given options must be, by all their names and those that the caller has written. */
export function arrayRules(given: object): RuleTable {
  const names = [...Object.keys(ALIASES), ...Object.keys(given)];
  const known = names.filter((name) => Object.hasOwn(RULES, ownName(name)));
  const others = known.map((name) => [name, RULES[ownName(name) as keyof typeof RULES]]);
  return { ...RULES, ...Object.fromEntries(others) };
}

function normalised(given: Given): Normalised {
  const options: Given = {};
  const written = new Map<string, string>();
  for (const [name, value] of Object.entries(optionsOf(given, arrayRules(object(given, "options"))))) {
    const own = ownName(name);
    written.set(own, name);
    if (value !== undefined) options[own] = value;
  }
  return { options, written };
}

/**
 * Returns an error of the engine, which names members of metadata, with the names of options that
 * the caller has written.
 */
function asWritten(error: unknown, written: ReadonlyMap<string, string>): unknown {
  if (!(error instanceof ZarrError) || error.field === undefined) return error;
  const [member = ""] = /^\w*/.exec(error.field) ?? [];
  const own = ARRAY_NAMES.find((name) => engineName(name) === member) ?? ownName(member);
  const name = written.get(own) ?? own;
  const field = error.field.replace(member, name);
  const message = error.message.replace(`field "${member}`, `field "${name}`);
  return Object.assign(error, { field, message });
}

/**
 * The options as a JSON object for the engine. It includes the fill value if its spelling is kept.
 */
function engineOptions(options: Given, fill: unknown): string {
  const members = fill === undefined ? [] : [["fill_value", exactJson(fill, "fillValue")]];
  for (const name of ARRAY_NAMES) {
    if (name in options) members.push([engineName(name), exactJson(options[name], name)]);
  }
  return `{${members.map(([name, text]) => `"${name}":${text}`)}}`;
}

/** A number or null is kept as it is spelled. Any other fill value is packed like an element. */
async function fillOf(options: Given, like: LikeId): Promise<{ json?: unknown; packed?: Uint8Array }> {
  const { fillValue, dtype } = options;
  if (fillValue === undefined) return {};
  if (fillValue === null) return { json: null };
  const text = dtype === undefined ? "" : exactJson(dtype, "dtype");
  const type = await call("describeTypeName", (objects) => ({ text, like: like(objects) }));
  // An integer has no −0.
  const isMinusZero = Object.is(fillValue, -0) && !["float", "complex"].includes(type.kind);
  if (isNumeric(type) && !(fillValue instanceof Date)) return { json: isMinusZero ? 0 : fillValue };
  const pack = (floats: FloatPacker) => packScalar(type, fillValue, { floats }).bytes;
  return { packed: await withPackedFloats(pack, options.signal as AbortSignal | undefined) };
}

/** Returns the engine's id of the array `like`. */
type LikeId = (objects: ObjectIds) => number | undefined;

/**
 * Creates a draft's hierarchy, if there are options for it. Otherwise the first node creates it.
 */
async function createHierarchy(store: unknown, options: Given): Promise<void> {
  const { metadataKeySuffix: suffix, hierarchyExtensions: extensions, zarrFormat } = options;
  if (suffix === undefined && extensions === undefined) return;
  const signal = options.signal as AbortSignal | undefined;
  const list = extensions === undefined ? undefined : exactJson(extensions, "hierarchyExtensions");
  await write(
    "createHierarchy",
    (objects) => ({
      store: objects.store(store),
      format: shown(zarrFormat ?? ""),
      suffix: suffix as string | undefined,
      extensions: list,
    }),
    { signal },
  );
}

/** Rejects unknown storage transformers, because such an array could not be written. */
async function checkTransformers(transformers: unknown): Promise<void> {
  if (!Array.isArray(transformers)) return;
  for (const [idx, transformer] of (transformers as StorageTransformerMetadata[]).entries()) {
    const field = `storage_transformers[${idx}].extension`;
    const { extension } = Object(transformer) as StorageTransformerMetadata;
    needText(extension, field);
    if (storageTransformers.has(extension)) continue;
    if (await call("isStorageTransformer", () => ({ extension }))) continue;
    throw new UnsupportedError(`unknown storage transformer ${JSON.stringify(extension)}`, { field });
  }
}

/** Creates a node at a location. `like` is an array that provides the missing options. */
export async function createNode(
  target: unknown,
  given: Given,
  like?: ArrayNode,
): Promise<ZarrArray<DataType> | Group<Readable>> {
  const { options, written } = normalised(given);
  const { store, path } = locationOf(target);
  const at = options.path === undefined ? path : `${path}/${options.path}`;
  const signal = options.signal as AbortSignal | undefined;
  const overwrite = options.overwrite === true;
  const isArray = options.kind === "array" || (options.kind === undefined && ("shape" in options || !!like));
  signal?.throwIfAborted();
  if (isArray && !like)
    need(options.dtype !== undefined, "dtype", 'a data type, such as "float32"', options.dtype);
  const likeId: LikeId = (objects) => like && arrayId(objects, like);
  await checkTransformers(options.storageTransformers);
  const fill = isArray ? await fillOf(options, likeId) : {};
  const text = isArray
    ? engineOptions(options, fill.json)
    : exactJson(options.attributes ?? {}, "attributes");
  const codecs =
    isArray && userLoaders().size > 0 ? await (await lazy()).codecsToCreate(text, likeId, signal) : undefined;
  await createHierarchy(store, options);
  const created = (objects: ObjectIds) => ({ store: objects.store(store), path: at, text, overwrite });
  const format = shown(options.zarrFormat ?? "");
  const creating = isArray
    ? write(
        "createArray",
        (objects) => ({
          ...created(objects),
          fill: fill.packed,
          like: likeId(objects),
          codecs: codecs?.text ?? "",
        }),
        { signal },
      )
    : write("createGroup", (objects) => ({ ...created(objects), format }), { signal });
  const summary = await creating.catch((error) => {
    throw asWritten(error, written);
  });
  await describeWithCodecs(summary, signal);
  return nodeOf(store as Readable, summary);
}

/** zarrita's options for `create`, which are accepted too. */
interface ZarritaArrayOptions<D extends DataType> {
  shape: number[];
  chunkShape: number[];
  dtype: D;
  codecs?: CodecMetadata[] | undefined;
  fillValue?: Scalar<D> | undefined;
  /** zarrita's name of `dimensionSeparator`. Default: `"/"`; in v2 `"."`. */
  chunkSeparator?: "." | "/" | undefined;
  dimensionNames?: string[] | undefined;
  attributes?: Attributes | undefined;
}

type LocationOrStore<S> = Location<S> | S;

/**
 * Creates an array (if there is a `shape`) or a group at a URL, at the root of a store, or at a
 * location, with the groups above it that are missing.
 *
 *     const array = await create(store, { path: "a", shape: [100, 100], dtype: "float32" });
 *
 * @param place The store, or a location in one.
 * @param url The address of a server that takes `PUT`.
 * @param options What to create: an array, if there is a `shape`.
 * @returns the new `Array` or `Group`.
 * @throws an `Argument` error for unknown or invalid options.
 * @throws an `Argument` error if a node exists there and `overwrite` is false. A group may exist if
 *   a group is created.
 * @throws an `UnsupportedError` for data types and codecs that are not known, and for a store that
 *   cannot write.
 * @throws a `Store` error if the store or its server fails.
 */
export function create<S extends Readable, D extends DataType>(
  place: LocationOrStore<S>,
  options: CreateArrayOptions<D> | ZarritaArrayOptions<D>,
): Promise<ZarrArray<D, S>>;
export function create<S extends Readable>(
  place: LocationOrStore<S>,
  options?: CreateGroupOptions,
): Promise<Group<S>>;
export function create<D extends DataType>(
  url: string | URL,
  options: CreateArrayOptions<D>,
): Promise<ZarrArray<D>>;
export function create(url: string | URL, options?: CreateGroupOptions): Promise<Group<Readable>>;
// The most general one is the last: the compiler explains a wrong option by it.
export function create<D extends DataType>(
  place: string | URL | LocationOrStore<Readable>,
  options?: CreateArrayOptions<D> | CreateGroupOptions,
): Promise<ZarrArray<D> | Group<Readable>>;
export async function create(place: unknown, options: object = {}): Promise<unknown> {
  return createNode(place, options as Given);
}
