/**
 * An array: what its metadata says, and the calls that read it. The object holds a store, a path
 * and the metadata text; the engine learns of it at the first call that needs bytes, and again when
 * its instance was replaced.
 */

import { chunkAt, chunkCount, chunkExtent } from "../model/chunk_grid.ts";
import type { NumberType } from "../model/data_type.ts";
import { InvalidSelectionError } from "../model/errors.ts";
import type { Dialect, NodeSummary } from "../model/node_summary.ts";
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
} from "../model/types.ts";
import { chunkFailed } from "../port/chunk_failed.ts";
import { warningsOfStore } from "../port/warnings.ts";
import { describeWithCodecs } from "./arrays.ts";
import { placesOf } from "./by_value.ts";
import { Location } from "./location.ts";
import {
  type ArrayFacts,
  type AttributesOptions,
  type DataTypeFallback,
  FACTS,
  factsOfMetadata,
  factsOfNode,
  OpenedNode,
  type StorageTransformerMetadata,
  textsOf,
} from "./node_facts.ts";
import type { NodeOptions } from "./nodes.ts";
import { BECOME, becomeAll } from "./open_nodes.ts";
import type { ConversionOptions } from "./read/conversion.ts";
import type { CfOptions } from "./read/packing.ts";
import type { PartPlace } from "./read/part_queue.ts";
import { planRead, type ReadPlan } from "./read/plan.ts";
import { prefetchSelection } from "./read/prefetch.ts";
import { placedRequest, prepareRead, type WantedElements } from "./read/prepared.ts";
import type { Progress } from "./read/progress.ts";
import { forgetChunks, type ReadOptions, readChunk, readSelection } from "./read/read.ts";
import { type StreamOptions, streamSelection } from "./read/stream.ts";
import { type AnySelection, dimensionNamesOf, requestOf } from "./selection.ts";
import { readSummaryAnew } from "./summary.ts";
import { type UpdateAttributesOptions, updateAttributes } from "./update_attributes.ts";
import type { WriteOptions } from "./write/write.ts";

export { FACTS };

/** What `Array.get` takes beside the selection. */
export interface ArrayGetOptions<D extends DataType> extends ReadOptions {
  /**
   * Receives the elements: as long as the result, of the type that `data` would have. In shared
   * memory (on a page that is cross-origin isolated) workers write them there themselves. When the
   * call has rejected, nothing is written any more.
   */
  out?: PlainArray<D>;
  /**
   * `"bytes"`: the packed elements, little-endian; of any data type whose elements have one size.
   */
  as?: undefined;
  decode?: undefined;
}

/**
 * `Array.get` with a type of numbers in `as`, or with `decode`. Elements are changed where they are
 * decoded, in the workers.
 */
export interface ArrayGetNumbersOptions<As extends NumberType | undefined = NumberType | undefined>
  extends ReadOptions,
    Omit<ConversionOptions, "as" | "colors"> {
  as?: As;
  out?: ArrayBufferView;
}

/** `Array.get` with `as: "rgba"`. */
export interface ArrayGetColorsOptions extends ReadOptions, Omit<ConversionOptions, "as"> {
  as: "rgba";
  out?: Uint8ClampedArray | Uint8Array;
}

/** `Array.get` with `as: "bytes"`. */
export interface ArrayGetBytesOptions extends ReadOptions {
  out?: Uint8Array;
  as: "bytes";
}

/** A part of a stream, whatever its elements became. */
type AnyPart<D extends DataType> = PartPlace &
  (Selected<D> | SelectedBytes | SelectedColors | SelectedNumbers<NumberType | undefined>);

function checkChunkIndex(path: string, facts: ArrayFacts, index: readonly number[]): void {
  const grid = gridShapeOf(facts);
  const inside =
    index.length === grid.length &&
    index.every((at, axis) => Number.isInteger(at) && at >= 0 && at < (grid[axis] ?? 0));
  if (inside) return;
  throw new InvalidSelectionError(`chunk [${index}] is outside the grid of chunks`, {
    expected: `each index from 0 to below [${grid}]`,
    actual: `[${index}]`,
    path,
  });
}

const gridShapeOf = ({ shape, grid }: ArrayFacts) =>
  shape.map((extent, axis) => chunkCount(grid[axis] ?? 1, extent));

const KINDS: Record<string, RegExp> = {
  number: /^u?int(2|4|8|16|32)$|^b?float\d/,
  bigint: /^u?int64$/,
  boolean: /^bool$/,
  string: /^string$|^v2:[SU]|^fixed_length_utf32$|^null_terminated_bytes$/,
  object: /^v2:object$/,
};

const isDataType = (dtype: DataType, query: DataTypeQuery): boolean =>
  KINDS[query]?.test(dtype) ?? dtype === query;

/** The code that packs and writes values: a chunk of its own, which readers do not download. */
const writing = () => import("./write/write.ts").catch(chunkFailed);

/** Takes over what the metadata says now, with all that are open beside it. */
async function becomeAnew(array: Array<DataType>, summary: NodeSummary): Promise<void> {
  await describeWithCodecs(summary, undefined);
  becomeAll(array, summary);
}

// biome-ignore lint/suspicious/noShadowRestrictedNames: the name that callers know from zarrita
export class Array<D extends DataType, Store extends Readable = Readable> extends Location<Store> {
  readonly kind = "array";
  /** An `UnreadableNode` has one. */
  declare readonly error?: undefined;
  /** @internal */
  [FACTS]: ArrayFacts;

  constructor(store: Store, path: AbsolutePath, metadata: ArrayMetadata<D> | OpenedNode) {
    super(store, path);
    this[FACTS] =
      metadata instanceof OpenedNode
        ? factsOfNode(metadata)
        : factsOfMetadata(metadata as unknown as ArrayMetadata, path);
  }

  get attrs(): Attributes {
    return this[FACTS].attributes;
  }

  /** The attributes, read anew: with `bigint: true` every 64-bit integer in them is exact. */
  attributes(options: AttributesOptions = {}): Attributes {
    return this[FACTS].attributesWith(options);
  }

  /**
   * The names of the dimensions; of formats that have no place for them those that xarray writes
   * into the attributes (as zarrita has it).
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

  /** The shape in bigints, exact beyond 2^53. */
  get shape64(): bigint[] {
    return this[FACTS].shape64;
  }

  /**
   * Shape of a chunk; of an inner chunk when sharded. Of the first one, where the grid is
   * rectilinear: see `chunkShapeAt`.
   */
  get chunks(): number[] {
    return this[FACTS].chunks;
  }

  /** Shape of a shard, when sharded. */
  get shards(): number[] | undefined {
    return this[FACTS].shards;
  }

  get dtype(): D {
    return this[FACTS].dtype as D;
  }

  /**
   * The codecs in encoding order, as the metadata names them; of v2 with those that its order and
   * byte order mean.
   */
  get codecs(): readonly CodecMetadata[] {
    return this[FACTS].codecs;
  }

  /**
   * Of a draft, from the array towards the store, as the metadata has them: `shards` tells of the
   * first what it means.
   */
  get storageTransformers(): readonly StorageTransformerMetadata[] {
    return this[FACTS].storageTransformers;
  }

  /** The format of the metadata that counts; the drafts of v3 are 3. */
  get zarrFormat(): 2 | 3 {
    return this[FACTS].format;
  }

  /** Which text the metadata follows: of the drafts of v3 too. */
  get dialect(): Dialect {
    return this[FACTS].dialect;
  }

  /**
   * What is read instead of a data type that is not known here, where a draft's metadata offers it.
   */
  get fallback(): DataTypeFallback | undefined {
    return this[FACTS].fallback;
  }

  /** The metadata documents as they are stored, by key suffix. */
  get rawMetadata(): Record<string, string> {
    return textsOf(this[FACTS].document);
  }

  /** What was read although it bends the rules, and what was odd about the server's answers. */
  get warnings(): readonly string[] {
    return [...this[FACTS].warnings, ...warningsOfStore(this.store)];
  }

  /** Chunks along each dimension. */
  get gridShape(): number[] {
    return gridShapeOf(this[FACTS]);
  }

  /** Shape of the chunk at an index: all are alike but those of a rectilinear grid. */
  chunkShapeAt(index: readonly number[]): number[] {
    checkChunkIndex(this.path, this[FACTS], index);
    const { grid } = this[FACTS];
    return index.map((at, axis) => chunkExtent(grid[axis] ?? 1, at).length);
  }

  /** Index of the chunk that holds an element. */
  chunkOf(element: readonly number[]): number[] {
    const { shape, grid } = this[FACTS];
    const inside =
      element.length === shape.length &&
      element.every((at, axis) => Number.isInteger(at) && at >= 0 && at < (shape[axis] ?? 0));
    if (!inside) {
      throw new InvalidSelectionError(`element [${element}] is outside the array`, {
        expected: `each index from 0 to below [${shape}]`,
        actual: `[${element}]`,
        path: this.path,
      });
    }
    return element.map((at, axis) => chunkAt(grid[axis] ?? 1, at));
  }

  /** Whether the data type is this one, or of this kind; narrows the array's type. */
  is<Q extends DataTypeQuery>(query: Q): this is Array<NarrowDataType<D, Q>, Store> {
    return isDataType(this.dtype, query);
  }

  /**
   * The selected elements in C order, in plain arrays: as they are, as numbers of another type,
   * unpacked by CF's attributes, or as pictures (`as: "rgba"`: the last dimension is red, green,
   * blue and alpha, as `ImageData` takes it). With `as: "bytes"` as they are packed.
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
    const { as, decode, window, gamma, colors, ...rest } = options as ArrayGetColorsOptions;
    const wanted = { as, decode, window, gamma, colors };
    const { request, form, shaped } = await prepareRead(this, selection, wanted, options.signal);
    return shaped(await readSelection(this, request, { ...rest, form })) as unknown as Selected<D>;
  }

  /**
   * What reading a selection will cost: chunks, keys, requests, bytes and memory, as far as they
   * can be known before anything is fetched.
   */
  async plan(selection?: AnySelection | null, options: NodeOptions = {}): Promise<ReadPlan> {
    return planRead(this, await placedRequest(this, selection, options.signal), options.signal);
  }

  /**
   * The selected elements part by part, as they arrive, those nearest to a place first: an async
   * iterator. Parts are boxes of whole chunks. A few are held while nobody takes them, and no more
   * is fetched; so the selection may be of any size. Leaving the loop ends the requests. Elements
   * become what `get` makes of them.
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
      Omit<ConversionOptions, "as" | "colors"> & { as?: As } & (
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
    return streamSelection(this, selection, options) as unknown as AsyncIterableIterator<AnyPart<D>>;
  }

  /**
   * Fetches what reading a selection needs, without decoding it, behind everything that somebody
   * waits for (`priority` -1 unless given). A read that comes meanwhile takes over what is under
   * way. Resolves to what was fetched.
   */
  async prefetch(selection?: AnySelection | null, options: ReadOptions = {}): Promise<Progress> {
    return prefetchSelection(this, await placedRequest(this, selection, options.signal), options);
  }

  /**
   * Writes values to a selection, everything where it is null: one value for all places, or as many
   * as are selected, as NumPy spreads them: a typed array, a list (nested ones too), or `{ data,
   * shape, stride }`.
   */
  async set(
    selection: AnySelection | null | undefined,
    value: Settable<D>,
    options: WriteOptions = {},
  ): Promise<void> {
    const { signal } = options;
    signal?.throwIfAborted();
    const { writeSelection } = await writing();
    const places = await placesOf(this, selection, signal);
    await writeSelection(this, requestOf(places, this[FACTS]), value, options);
  }

  /** Changes the shape: shrinking erases what falls outside, and what is new is fill value. */
  async resize(
    shape: readonly (number | bigint)[],
    options: Pick<WriteOptions, "signal" | "priority"> = {},
  ): Promise<void> {
    const { resizeArray } = await writing();
    await becomeAnew(this, await resizeArray(this, shape, options));
  }

  /**
   * Makes the array longer along an axis, by the values; readers see the new shape when all of them
   * are stored.
   */
  async append(value: Settable<D>, axis = 0, options: WriteOptions = {}): Promise<void> {
    const { appendValues } = await writing();
    await becomeAnew(this, await appendValues(this, value, axis, options));
  }

  /** Merges attributes into those there are; with `replace` they alone remain. */
  async updateAttributes(attributes: Attributes, options: UpdateAttributesOptions = {}): Promise<void> {
    await becomeAnew(this, await updateAttributes(this, attributes, options));
  }

  /**
   * Reads the metadata again, past all caches, and forgets what was kept of chunks and shards: what
   * others have written since is read from now on. Rejects, and stays as it is, when there is no
   * such array any more.
   */
  async refresh({ signal }: NodeOptions = {}): Promise<void> {
    const { format } = this[FACTS];
    becomeAll(this, await readSummaryAnew(this, { kind: "array", format, signal }));
    await forgetChunks(this);
  }

  /** @internal */
  [BECOME](summary: NodeSummary): void {
    this[FACTS] = factsOfNode(new OpenedNode(summary, this[FACTS].options));
  }

  /**
   * One whole chunk in its native memory order; at the array's edge filled up with the fill value.
   */
  async getChunk(
    chunkCoords: number[],
    options: ReadOptions = {},
    { useSharedArrayBuffer }: { useSharedArrayBuffer?: boolean } = {},
  ): Promise<Chunk<D>> {
    checkChunkIndex(this.path, this[FACTS], chunkCoords);
    const result = await readChunk(this, chunkCoords, { useSharedArrayBuffer, ...options, form: "wrapped" });
    return result as unknown as Chunk<D>;
  }
}
