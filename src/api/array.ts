/**
 * `Array`: the members that its metadata determine, and the calls that read and write it. The
 * object has a store, a path and the metadata documents. The engine gets its definition at the
 * first call that needs it, and again after a restart.
 */

import { lazy } from "#lazy";
import type { Dialect, NodeSummary } from "../contract/contract.ts";
import { needList, needReadable, optionsOf, SIGNAL, signalOf } from "../engine/ts/model/argument.ts";
import { chunkAt, chunkCount, chunkExtent } from "../engine/ts/model/chunk_grid.ts";
import { isNumberType, NUMBER_VIEWS, type NumberType } from "../engine/ts/model/data_type.ts";
import { shown } from "../engine/ts/model/errors.ts";
import { worksBehindProxies } from "../engine/ts/model/proxies.ts";
import type {
  AbsolutePath,
  ArrayMetadata,
  Attributes,
  Chunk,
  CodecMetadata,
  DataType,
  DataTypeQuery,
  NarrowDataType,
  PlainArray,
  Readable,
  Scalar,
  Selected,
  SelectedBytes,
  SelectedColors,
  SelectedNumbers,
  Settable,
} from "../engine/ts/model/types.ts";
import { warningsOfStore } from "../engine/ts/port/warnings.ts";
import { Location, type NodeOptions } from "./location.ts";
import {
  type ArrayFacts,
  ATTRIBUTES_RULES,
  type AttributesOptions,
  type DataTypeFallback,
  FACTS,
  factsOfMetadata,
  factsOfNode,
  OpenedNode,
  type StorageTransformerMetadata,
  textsOf,
} from "./node_facts.ts";
import { openNodes, readSummaryAnew, UPDATE, updateAll } from "./opened_nodes.ts";
import type { CfOptions, ConversionOptions } from "./read/conversion.ts";
import { planRead, type ReadPlan } from "./read/plan.ts";
import { forgetChunks, prefetchSelection, readChunk, readSelection } from "./read/read.ts";
import {
  locatedRequest,
  type Progress,
  prepareRead,
  type ReadOptions,
  type WantedElements,
} from "./read/request.ts";
import { GET_RULES, READ_RULES, STREAM_RULES } from "./read/rules.ts";
import type { StoredSize } from "./read/stored_sizes.ts";
import type { PartPlace, StreamOptions } from "./read/stream.ts";
import { streamSelection } from "./read/stream_start.ts";
import { type AnySelection, byIndex, dimensionNamesOf, refuseSelection, requestOf } from "./selection.ts";
import { othersOf } from "./store/native_store.ts";
import type { NodeChange, UpdateAttributesOptions } from "./update_attributes.ts";
import type { WriteOptions } from "./write/write.ts";

export { FACTS };

/** Options for the memory order of a result. */
interface LaidOutOptions extends ReadOptions {
  /**
   * Memory order of the result: dimensions of the array by name or index, slowest first. Dimensions
   * that are not listed come before them. `["y", "x", "c"]` gives interleaved channels. `shape` and
   * `stride` keep the array's order. Default: C order.
   */
  memoryOrder?: readonly (string | number)[] | undefined;
}

/** Options of `Array.get`. */
export interface ArrayGetOptions<D extends DataType> extends LaidOutOptions {
  /**
   * Memory for the elements: a typed array of the class that `data` would have, with the result's
   * length. Workers write directly to shared memory (which requires a cross-origin isolated page).
   * After the call has rejected, nothing is written to it. Another length is an `Argument` error.
   */
  out?: PlainArray<D> | undefined;
  as?: undefined;
  decode?: undefined;
}

/**
 * Options of `Array.get` with a number type in `as`, or with `decode`. The decoders convert the
 * elements.
 */
export interface ArrayGetNumbersOptions<As extends NumberType | undefined = NumberType | undefined>
  extends LaidOutOptions,
    Omit<ConversionOptions, "as" | "colors"> {
  as?: As | undefined;
  out?: ArrayBufferView | undefined;
}

/** Options of `Array.get` with `as: "rgba"`. */
export interface ArrayGetColorsOptions extends LaidOutOptions, Omit<ConversionOptions, "as"> {
  as: "rgba";
  out?: Uint8ClampedArray | Uint8Array | undefined;
}

/**
 * Options of `Array.get` with `as: "bytes"`: packed little-endian elements in C order, for data
 * types of fixed size.
 */
export interface ArrayGetBytesOptions extends LaidOutOptions {
  out?: Uint8Array | undefined;
  as: "bytes";
}

/** An array of any data type in any store. */
export type AnyArray = Array<DataType, Readable>;

/** A part of a stream, in any form of elements. */
type AnyPart<D extends DataType> = PartPlace &
  (Selected<D> | SelectedBytes | SelectedColors | SelectedNumbers<NumberType | undefined>);

/** Throws an `InvalidSelectionError` unless each number of an index is below its extent. */
function checkInside(
  index: readonly number[],
  extents: readonly number[],
  { what, within, path }: { what: string; within: string; path: string },
): void {
  const isInside =
    index.length === extents.length &&
    index.every((at, axis) => Number.isInteger(at) && at >= 0 && at < (extents[axis] ?? 0));
  if (isInside) return;
  refuseSelection(
    `${what} [${shown(index)}] is outside the ${within}`,
    `each index from 0 to below [${extents}]`,
    index,
    { path },
  );
}

function checkChunkIndex(path: string, facts: ArrayFacts, index: readonly number[]): void {
  needList(index, "index");
  checkInside(index, gridShapeOf(facts), { what: "chunk", within: "chunk grid", path });
}

const gridShapeOf = ({ shape, grid }: ArrayFacts) =>
  shape.map((extent, axis) => chunkCount(grid[axis] ?? 1, extent));

/** The groups of data types that `is` knows, by kind. Numbers with a typed array have others. */
const GROUPS: Record<string, string | undefined> = {
  integer: "anyNumber",
  float: "anyNumber",
  bool: "boolean",
  string: "string",
  utf32: "string",
  "null-terminated-bytes": "string",
};

/**
 * The narrowest group with a data type. The engine has not told the kinds of callers' metadata: of
 * these, narrow numbers have no group.
 */
function groupOf({ dtype, type }: ArrayFacts): string | undefined {
  if (dtype === "v2:object") return "object";
  if (isNumberType(dtype)) return NUMBER_VIEWS[dtype].startsWith("Big") ? "bigint" : "number";
  return GROUPS[type?.kind ?? dtype];
}

function isDataType(facts: ArrayFacts, query: DataTypeQuery): boolean {
  const group = groupOf(facts) ?? facts.dtype;
  return [facts.dtype, group].includes(query) || (group === "number" && query === "anyNumber");
}

/** Changes the metadata of an array: see `write/write.ts`. */
async function change(
  array: Array<DataType>,
  prepare: () => NodeChange | Promise<NodeChange>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { changing } = await lazy();
  const open = {
    array,
    nodes: () => openNodes(array),
    update: (summary: NodeSummary) => updateAll(array, summary),
    readAnew: () => readSummaryAnew(array, { kind: "array", format: array[FACTS].format }),
  };
  await changing(open, prepare, signal);
}

// biome-ignore lint/suspicious/noShadowRestrictedNames: the name that callers know from zarrita
export class Array<D extends DataType = DataType, Store extends Readable = Readable> extends Location<Store> {
  /** As in `Location`. */
  static override readonly name: string = "Array";
  readonly kind = "array";
  /** Always undefined; an `UnreadableNode` has an error here. */
  declare readonly error?: undefined;
  /** @internal */
  [FACTS]: ArrayFacts;

  constructor(store: Store, path: AbsolutePath, metadata: ArrayMetadata<D> | OpenedNode) {
    super(store, path);
    needReadable(metadata, "metadata");
    this[FACTS] =
      metadata instanceof OpenedNode
        ? factsOfNode(metadata)
        : factsOfMetadata(metadata as ArrayMetadata, path);
  }

  override toString(): string {
    return `${super.toString()} ${this.dtype} [${this.shape.join(", ")}]`;
  }

  get attrs(): Attributes {
    return this[FACTS].attributes;
  }

  /**
   * Parses the attributes again. With `bigint: true`, integers beyond 2^53 of up to 4300 digits are
   * exact bigints.
   */
  attributes(options: AttributesOptions = {}): Attributes {
    return this[FACTS].attributesWith(optionsOf(options, ATTRIBUTES_RULES));
  }

  /**
   * The names of the dimensions. For formats without such names, xarray's attribute
   * `_ARRAY_DIMENSIONS` is used, as in zarrita. Zarr v3, "dimension_names".
   */
  get dimensionNames(): string[] | undefined {
    return dimensionNamesOf(this[FACTS]) as string[] | undefined;
  }

  get fillValue(): Scalar<D> | null {
    return this[FACTS].fillValue as Scalar<D> | null;
  }

  get shape(): number[] {
    return this[FACTS].shape;
  }

  /** The shape in elements as bigints, which are exact beyond 2^53. */
  get shape64(): bigint[] {
    return this[FACTS].shape64;
  }

  /**
   * Shape of a chunk in elements; of an inner chunk if the array is sharded. For a rectilinear
   * grid, the shape of the first chunk: see `chunkShapeAt`.
   */
  get chunks(): number[] {
    return this[FACTS].chunks;
  }

  /** Shape of a shard in elements; undefined if the array is not sharded. */
  get shards(): number[] | undefined {
    return this[FACTS].shards;
  }

  get dtype(): D {
    return this[FACTS].dtype as D;
  }

  /**
   * The codecs in encoding order, as the metadata names them. For v2, including those that its
   * memory order and byte order imply. Zarr v3, "codecs".
   */
  get codecs(): readonly CodecMetadata[] {
    return this[FACTS].codecs;
  }

  /**
   * The storage transformers of a draft's array, from the array towards the store. `shards`
   * describes the draft's sharding.
   */
  get storageTransformers(): readonly StorageTransformerMetadata[] {
    return this[FACTS].storageTransformers;
  }

  /** The Zarr format of the node's metadata. The drafts of v3 count as 3. */
  get zarrFormat(): 2 | 3 {
    return this[FACTS].format;
  }

  /** The version of the specification that the metadata follows, including drafts of v3. */
  get dialect(): Dialect {
    return this[FACTS].dialect;
  }

  /** The data type that is read instead of an unknown one, if a draft's metadata offers it. */
  get fallback(): DataTypeFallback | undefined {
    return this[FACTS].fallback;
  }

  /** The stored texts of the metadata documents, by key suffix. */
  get rawMetadata(): Record<string, string> {
    return textsOf(this[FACTS]);
  }

  /**
   * Warnings about metadata and chunks that break a rule but could be read, and about the server's
   * responses.
   */
  get warnings(): readonly string[] {
    return [...this[FACTS].warnings, ...warningsOfStore(this.store)];
  }

  /** Number of chunks along each dimension. */
  get gridShape(): number[] {
    return gridShapeOf(this[FACTS]);
  }

  /**
   * Shape in elements of the chunk at an index of the grid. Chunks differ only in a rectilinear
   * grid. An `InvalidSelectionError` outside of the grid.
   */
  chunkShapeAt(index: readonly number[]): number[] {
    checkChunkIndex(this.path, this[FACTS], index);
    const { grid } = this[FACTS];
    return index.map((at, axis) => chunkExtent(grid[axis] ?? 1, at).length);
  }

  /**
   * Index in the grid of the chunk that contains an element. An `InvalidSelectionError` outside of
   * the array.
   */
  chunkOf(element: readonly number[]): number[] {
    needList(element, "element");
    const { shape, grid } = this[FACTS];
    checkInside(element, shape, { what: "element", within: "array", path: this.path });
    return element.map((at, axis) => chunkAt(grid[axis] ?? 1, at));
  }

  /** Whether the data type is this one, or one of this group; narrows the array's type. */
  is<Q extends DataTypeQuery>(query: Q): this is Array<NarrowDataType<D, Q>, Store> {
    return isDataType(this[FACTS], query);
  }

  /**
   * Reads a selection as plain arrays in C order. `as` and `decode` convert the elements: to
   * another number type, unpacked by CF's attributes, or to pictures (`as: "rgba"`: the last
   * dimension is red, green, blue and alpha, as in `ImageData`). `as: "bytes"` returns packed
   * elements. Rejects with an `InvalidSelectionError` if the selection does not fit, with a
   * `CodecPipelineError` for a broken chunk, and with the signal's reason after an abort.
   *
   *     const { data, shape } = await array.get([0, slice(10, 20), null]);
   *     const part = await array.get({ time: 0 }, { as: "float32", decode: "cf" });
   */
  get(selection: AnySelection | null | undefined, options: ArrayGetBytesOptions): Promise<SelectedBytes>;
  get(selection: AnySelection | null | undefined, options: ArrayGetColorsOptions): Promise<SelectedColors>;
  get<As extends NumberType | undefined = undefined>(
    selection: AnySelection | null | undefined,
    options: ArrayGetNumbersOptions<As> & ({ as: NumberType } | { decode: "cf" | CfOptions }),
  ): Promise<SelectedNumbers<As>>;
  get(selection?: AnySelection | null, options?: ArrayGetOptions<D>): Promise<Selected<D>>;
  async get(
    selection?: AnySelection | null,
    options: ArrayGetOptions<D> | ArrayGetBytesOptions | ArrayGetNumbersOptions | ArrayGetColorsOptions = {},
  ): Promise<SelectedBytes | Selected<D> | SelectedNumbers<NumberType | undefined> | SelectedColors> {
    const given = optionsOf(options as ArrayGetColorsOptions, GET_RULES, "options", othersOf(this.store));
    const read = await prepareRead(this, selection, given);
    return (await readSelection(read, given)) as Selected<D>;
  }

  /**
   * The cost of reading a selection: chunks, keys, requests, bytes and memory, as far as they are
   * known before anything is fetched.
   */
  async plan(selection?: AnySelection | null, options: NodeOptions = {}): Promise<ReadPlan> {
    const { signal } = optionsOf(options, SIGNAL);
    return planRead(this, await locatedRequest(this, selection, signal), signal);
  }

  /**
   * What the store has of a selection: the size of each chunk or shard, in C order, and of the
   * chunks in shards, which their indexes tell. No chunk is read, and all reads go first. Rejects
   * with a `Store` error if the store fails, or if a server does not tell a size.
   *
   *     for await (const { key, bytes } of array.storedSizes([0, null])) console.log(key, bytes);
   */
  async *storedSizes(
    selection?: AnySelection | null,
    options: NodeOptions = {},
  ): AsyncGenerator<StoredSize, void, undefined> {
    const { storedSizes } = await lazy();
    yield* storedSizes(this, selection, options);
  }

  /**
   * Streams a selection as parts, in the order of arrival; the parts nearest to a centre are
   * requested first. A part is a box of whole chunks. Only a few parts are held ahead of the
   * caller, so the selection may be of any size. Leaving the loop cancels the requests. Elements
   * are converted as by `get`.
   *
   *     for await (const { data, shape, start } of array.stream(null)) draw(data, shape, start);
   */
  stream(
    selection: AnySelection | null | undefined,
    options: StreamOptions & { as: "bytes" },
  ): AsyncIterableIterator<SelectedBytes & PartPlace>;
  stream(
    selection: AnySelection | null | undefined,
    options: StreamOptions & Omit<ConversionOptions, "as"> & { as: "rgba" },
  ): AsyncIterableIterator<SelectedColors & PartPlace>;
  stream<As extends NumberType | undefined = undefined>(
    selection: AnySelection | null | undefined,
    options: StreamOptions &
      Omit<ConversionOptions, "as" | "colors"> & { as?: As | undefined } & (
        | { as: NumberType }
        | { decode: "cf" | CfOptions }
      ),
  ): AsyncIterableIterator<SelectedNumbers<As> & PartPlace>;
  stream(
    selection?: AnySelection | null,
    options?: StreamOptions & { as?: undefined; decode?: undefined },
  ): AsyncIterableIterator<Selected<D> & PartPlace>;
  stream(
    selection?: AnySelection | null,
    options: StreamOptions & WantedElements = {},
  ): AsyncIterableIterator<AnyPart<D>> {
    const given = optionsOf(options, STREAM_RULES, "options", othersOf(this.store));
    return streamSelection(this, selection, given) as AsyncIterableIterator<AnyPart<D>>;
  }

  /**
   * Fetches the bytes of a selection without decoding them, after all other requests (default
   * `priority`: -1). A read that starts meanwhile joins the requests in flight. Resolves to
   * counters of what was fetched.
   */
  async prefetch(selection?: AnySelection | null, options: ReadOptions = {}): Promise<Progress> {
    const { signal } = optionsOf(options, READ_RULES);
    return prefetchSelection(this, await locatedRequest(this, selection, signal), options);
  }

  /**
   * Writes values to a selection; to the whole array if it is null. A value is a scalar, a typed
   * array, a list (also nested), or `{ data, shape, stride }`, and is broadcast by NumPy's rules.
   * Rejects with an `Argument` error for values that do not fit the selection or the data type.
   *
   *     await array.set([slice(0, 2), null], 0);
   */
  async set(
    selection: AnySelection | null | undefined,
    value: Settable<D>,
    options: WriteOptions = {},
  ): Promise<void> {
    const signal = signalOf(options);
    signal?.throwIfAborted();
    const { checkWrite, writeSelection } = await lazy();
    checkWrite(options);
    await this[FACTS].refreshStale?.(signal);
    const located = await byIndex(this, selection, signal);
    await writeSelection(this, requestOf(located, this[FACTS]), value, options);
  }

  /**
   * Changes the shape, in elements. Shrinking erases chunks and elements outside of the new shape.
   * New elements have the fill value. If it fails, `shape` is the stored one when it rejects; after
   * an abort, before the next call.
   */
  async resize(
    shape: readonly (number | bigint)[],
    options: Pick<WriteOptions, "signal" | "priority"> = {},
  ): Promise<void> {
    const { checkResize, resizeArray } = await lazy();
    checkResize(options);
    await change(this, () => resizeArray(this, shape, options), options.signal);
  }

  /**
   * Appends values along an axis. The new shape is stored after all values. If it fails, `shape` is
   * the stored one when it rejects; after an abort, before the next call.
   */
  async append(value: Settable<D>, axis = 0, options: WriteOptions = {}): Promise<void> {
    const { appendValues, checkWrite } = await lazy();
    checkWrite(options);
    await change(this, () => appendValues(this, value, axis, options), options.signal);
  }

  /** Merges attributes into the existing ones. With `replace`, only the new ones remain. */
  async updateAttributes(attributes: Attributes, options: UpdateAttributesOptions = {}): Promise<void> {
    const signal = signalOf(options);
    const { attributesChange } = await lazy();
    await change(this, () => attributesChange(this, attributes, options), signal);
  }

  /**
   * Reads the metadata again, bypassing all caches, and drops cached chunks and shard indexes.
   * Later reads see what others have written. Rejects with a `NotFoundError`, and changes nothing,
   * if the array no longer exists.
   */
  async refresh(options: NodeOptions = {}): Promise<void> {
    const { signal } = optionsOf(options, SIGNAL);
    const { format } = this[FACTS];
    await renew(this, await readSummaryAnew(this, { kind: "array", format, signal }));
  }

  /** @internal */
  [UPDATE](summary: NodeSummary): void {
    this[FACTS] = factsOfNode(new OpenedNode(summary, this[FACTS].options));
  }

  /**
   * Reads one whole chunk in its native memory order. Beyond the array's edge it has what is
   * stored, and fill value if the chunk is not stored. Options of other names are passed to the
   * store.
   */
  async getChunk(
    chunkCoords: number[],
    options: ReadOptions = {},
    more: { useSharedArrayBuffer?: boolean | undefined } = {},
  ): Promise<Chunk<D>> {
    const { useSharedArrayBuffer } = optionsOf(more, { useSharedArrayBuffer: "a boolean" }, "more");
    const given = optionsOf(options, READ_RULES, "options", othersOf(this.store));
    await this[FACTS].refreshStale?.(given.signal);
    checkChunkIndex(this.path, this[FACTS], chunkCoords);
    const result = await readChunk(this, chunkCoords, { useSharedArrayBuffer, ...given });
    return result as Chunk<D>;
  }
}
worksBehindProxies(Array);

/**
 * Gives an array new metadata, and drops its cached chunks. With its metadata documents `before`,
 * of which another program has only made the shape longer, caches in front of the store keep all
 * but those at the old edge.
 */
export async function renew(array: AnyArray, summary: NodeSummary, before?: string): Promise<void> {
  // Arrays of other metadata have another cache.
  await forgetChunks(array, before);
  updateAll(array, summary);
  await forgetChunks(array, before);
}
