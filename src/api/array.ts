/**
 * `Array`: the members that its metadata determine, and the calls that read and write it. The
 * object has a store, a path and the metadata documents. The engine gets its definition at the
 * first call that needs it, and again after a restart.
 */

import { lazy } from "#lazy";
import type { NodeSummary } from "../contract/contract.ts";
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
  type Dialect,
  FACTS,
  factsOfMetadata,
  factsOfNode,
  OpenedNode,
  type StorageTransformerMetadata,
  textsOf,
} from "./node_facts.ts";
import { openNodes, readSummaryAnew, UPDATE, updateAll } from "./opened_nodes.ts";
import type { CfOptions, ConversionOptions } from "./read/conversion.ts";
import type {
  ArrayGetBytesOptions,
  ArrayGetColorsOptions,
  ArrayGetNumbersOptions,
  ArrayGetOptions,
} from "./read/get_options.ts";
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

export type { ArrayGetBytesOptions, ArrayGetColorsOptions, ArrayGetNumbersOptions, ArrayGetOptions };
export { FACTS };

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

/**
 * An array: its metadata, and the calls that read and write its elements. `open` and `create`
 * return it. Its members tell what the metadata said then; `refresh` reads them again.
 */
// biome-ignore lint/suspicious/noShadowRestrictedNames: the name that callers know from zarrita
export class Array<D extends DataType = DataType, Store extends Readable = Readable> extends Location<Store> {
  /** The name of the class, `"Array"`, also in minified code. */
  static override readonly name: string = "Array";
  /** Always `"array"`; a group has `"group"`. */
  readonly kind = "array";
  /** Always undefined; an `UnreadableNode` has an error here. */
  declare readonly error?: undefined;
  /** @internal */
  [FACTS]: ArrayFacts;

  /**
   * Makes an array from metadata that you have, as zarrita does. Nothing is read from the store for
   * it. Most programs call `open`.
   *
   * @param store The store with the chunks.
   * @param path The path of the array in the store.
   * @param metadata The metadata document of v3, as an object.
   * @throws an `Argument` error if the metadata lacks a member that an array needs.
   */
  constructor(store: Store, path: AbsolutePath, metadata: ArrayMetadata<D>);
  /** @internal */
  constructor(store: Store, path: AbsolutePath, metadata: ArrayMetadata<D> | OpenedNode);
  constructor(store: Store, path: AbsolutePath, metadata: ArrayMetadata<D> | OpenedNode) {
    super(store, path);
    needReadable(metadata, "metadata");
    this[FACTS] =
      metadata instanceof OpenedNode
        ? factsOfNode(metadata)
        : factsOfMetadata(metadata as ArrayMetadata, path);
  }

  /** The class, the path, the data type and the shape: `Array /air float32 [4, 6]`. */
  override toString(): string {
    return `${super.toString()} ${this.dtype} [${this.shape.join(", ")}]`;
  }

  /**
   * The attributes. Integers beyond 2^53 are rounded, unless `exactIntegers` was given to `open`.
   */
  get attrs(): Attributes {
    return this[FACTS].attributes;
  }

  /** Parses the attributes again, with exact integers if that is wanted. */
  attributes(options: AttributesOptions = {}): Attributes {
    return this[FACTS].attributesWith(optionsOf(options, ATTRIBUTES_RULES));
  }

  /**
   * The names of the dimensions; undefined if there are none. For formats without such names,
   * xarray's attribute `_ARRAY_DIMENSIONS` is used, as in zarrita.
   */
  get dimensionNames(): string[] | undefined {
    return dimensionNamesOf(this[FACTS]) as string[] | undefined;
  }

  /** The value of elements that are not stored; null if the metadata leaves it undefined. */
  get fillValue(): Scalar<D> | null {
    return this[FACTS].fillValue as Scalar<D> | null;
  }

  /** The number of elements along each dimension. */
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

  /** The name of the data type, such as `"float32"`. */
  get dtype(): D {
    return this[FACTS].dtype as D;
  }

  /**
   * The codecs in encoding order, as the metadata names them. For v2, including those that its
   * memory order and byte order imply.
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

  /** The Zarr format of the metadata. The drafts of v3 count as 3. */
  get zarrFormat(): 2 | 3 {
    return this[FACTS].format;
  }

  /** The version of the specification that the metadata follows, including drafts of v3. */
  get dialect(): Dialect {
    return this[FACTS].dialect;
  }

  /** The data type that is read in place of an unknown one, if a draft's metadata offers it. */
  get fallback(): DataTypeFallback | undefined {
    return this[FACTS].fallback;
  }

  /**
   * The stored texts of the metadata documents, by their keys below the node, such as `zarr.json`.
   */
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
   * grid.
   *
   * @param index The index of the chunk in each dimension.
   * @throws an `InvalidSelectionError` for an index outside of the grid.
   */
  chunkShapeAt(index: readonly number[]): number[] {
    checkChunkIndex(this.path, this[FACTS], index);
    const { grid } = this[FACTS];
    return index.map((at, axis) => chunkExtent(grid[axis] ?? 1, at).length);
  }

  /**
   * Index in the grid of the chunk that contains an element.
   *
   * @param element The index of the element in each dimension.
   * @throws an `InvalidSelectionError` for an element outside of the array.
   */
  chunkOf(element: readonly number[]): number[] {
    needList(element, "element");
    const { shape, grid } = this[FACTS];
    checkInside(element, shape, { what: "element", within: "array", path: this.path });
    return element.map((at, axis) => chunkAt(grid[axis] ?? 1, at));
  }

  /**
   * Whether the data type is this one, or one of this group. It narrows the array's type.
   *
   * @param query A data type, or a group of data types such as `"number"`.
   */
  is<Q extends DataTypeQuery>(query: Q): this is Array<NarrowDataType<D, Q>, Store> {
    return isDataType(this[FACTS], query);
  }

  /**
   * Reads a selection as plain arrays in C order. `as` and `decode` convert the elements: to
   * another number type, unpacked by CF's attributes, or to pictures.
   *
   *     const { data, shape } = await array.get([0, slice(10, 20), null]);
   *     const part = await array.get({ time: 0 }, { as: "float32", decode: "cf" });
   *
   * @param selection What to read: null or nothing for the whole array.
   * @returns the elements with their shape and strides. A dimension that an integer selects is not
   *   in the shape.
   * @throws an `InvalidSelectionError` if the selection does not fit the array.
   * @throws a `CodecPipelineError` for a chunk that cannot be decoded.
   * @throws an `Argument` error for options that do not go together.
   * @throws a `Limit` error for a result that is larger than a typed array can be.
   * @throws a `Store` error if the store or its server fails.
   * @throws the signal's reason after an abort.
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
   *
   * @param selection What would be read: null or nothing for the whole array.
   * @throws an `InvalidSelectionError` if the selection does not fit the array.
   */
  async plan(selection?: AnySelection | null, options: NodeOptions = {}): Promise<ReadPlan> {
    const { signal } = optionsOf(options, SIGNAL);
    return planRead(this, await locatedRequest(this, selection, signal), signal);
  }

  /**
   * What the store has of a selection: the size of each chunk or shard, in C order, and of the
   * chunks in shards, which their indexes tell. No chunk is read, and all reads go first.
   *
   *     for await (const { key, bytes } of array.storedSizes([0, null])) console.log(key, bytes);
   *
   * @param selection The elements whose chunks are meant: null or nothing for the whole array.
   * @throws an `InvalidSelectionError` if the selection does not fit the array.
   * @throws a `Store` error if the store fails, or if a server does not tell a size.
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
   *
   * @param selection What to read: null or nothing for the whole array.
   * @returns the parts, each with its elements, shape, strides and place.
   * @throws the errors of `get`.
   */
  stream(
    selection: AnySelection | null | undefined,
    options: StreamOptions & {
      /**
       * The form of the elements: a number type converts them, `"rgba"` makes pictures, `"bytes"`
       * returns packed elements. Default: the array's own data type.
       */
      as: "bytes";
    },
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
   * Fetches the bytes of a selection without decoding them, after all other requests: the default
   * `priority` is -1 here. A read that starts meanwhile joins the requests in flight.
   *
   * @param selection What to fetch: null or nothing for the whole array.
   * @returns counters of what was fetched.
   * @throws an `InvalidSelectionError` if the selection does not fit the array.
   * @throws a `Store` error if the store or its server fails.
   */
  async prefetch(selection?: AnySelection | null, options: ReadOptions = {}): Promise<Progress> {
    const { signal } = optionsOf(options, READ_RULES);
    return prefetchSelection(this, await locatedRequest(this, selection, signal), options);
  }

  /**
   * Writes values to a selection. Chunks of which only a part is selected are read first. Values
   * are broadcast to the shape of the selection by NumPy's rules.
   *
   *     await array.set([slice(0, 2), null], 0);
   *
   * @param selection Where to write: null for the whole array.
   * @param value A scalar, a typed array, a list (also nested), or `{ data, shape, stride }`.
   * @throws an `InvalidSelectionError` if the selection does not fit the array.
   * @throws an `Argument` error for values that do not fit the selection or the data type.
   * @throws an `UnsupportedError` if the store cannot write.
   * @throws a `Store` error if the store or its server fails.
   * @throws the signal's reason after an abort.
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
   * Changes the shape. Shrinking erases chunks and elements outside of the new shape. New elements
   * have the fill value. If it fails, `shape` is the stored one when it rejects; after an abort,
   * before the next call.
   *
   * @param shape The new number of elements along each dimension.
   * @throws an `Argument` error for another number of dimensions, or extents that are not whole.
   * @throws an `UnsupportedError` if the store cannot write.
   * @throws a `Store` error if the store or its server fails.
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
   * Appends values along a dimension. The new shape is stored after all values. If it fails,
   * `shape` is the stored one when it rejects; after an abort, before the next call.
   *
   * @param value The values, with a shape that fits the array in all other dimensions.
   * @param axis The index of the dimension that grows. Default: 0.
   * @throws an `Argument` error for values or a dimension that do not fit the array.
   * @throws an `UnsupportedError` if the store cannot write.
   * @throws a `Store` error if the store or its server fails.
   */
  async append(value: Settable<D>, axis = 0, options: WriteOptions = {}): Promise<void> {
    const { appendValues, checkWrite } = await lazy();
    checkWrite(options);
    await change(this, () => appendValues(this, value, axis, options), options.signal);
  }

  /**
   * Merges attributes into the existing ones. With `replace`, only the new ones remain.
   *
   * @param attributes The attributes to write, which must be JSON.
   * @throws an `Argument` error for what is not an object of JSON.
   * @throws a `NotFoundError` if the array no longer exists.
   * @throws an `UnsupportedError` if the store cannot write.
   * @throws a `Store` error if the store or its server fails.
   */
  async updateAttributes(attributes: Attributes, options: UpdateAttributesOptions = {}): Promise<void> {
    const signal = signalOf(options);
    const { attributesChange } = await lazy();
    await change(this, () => attributesChange(this, attributes, options), signal);
  }

  /**
   * Reads the metadata again, bypassing all caches, and drops cached chunks and shard indexes.
   * Later reads see what others have written.
   *
   * @throws a `NotFoundError` if the array no longer exists. Nothing is changed then.
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
   *
   * @param chunkCoords The index of the chunk in each dimension of the grid.
   * @param more `useSharedArrayBuffer` puts the result into shared memory, which workers write
   *   directly. It requires a cross-origin isolated page. Default: false.
   * @throws an `InvalidSelectionError` for an index outside of the grid.
   * @throws a `CodecPipelineError` for a chunk that cannot be decoded.
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
