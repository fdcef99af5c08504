/**
 * The public names, the same in every entry. `tests/node/package.test.mjs` pins the list.
 */
export {
  Array,
  type ArrayGetBytesOptions,
  type ArrayGetColorsOptions,
  type ArrayGetNumbersOptions,
  type ArrayGetOptions,
} from "./array.ts";
export {
  AtValue,
  at,
  BetweenValues,
  between,
  type CoordinateValue,
  type NearestOptions,
} from "./by_value.ts";
export {
  type ConsolidatedFormat,
  type ConsolidatedMetadataOptions,
  type Listable,
  withConsolidatedMetadata,
  withMaybeConsolidatedMetadata,
} from "./consolidated.ts";
export type { CfOptions } from "./convention/cf.ts";
export {
  addConvention,
  type Convention,
  conventionAttributes,
  conventions,
  type KnownConvention,
  type NewConvention,
  type ValidateOptions,
  validate,
} from "./convention/conventions.ts";
export { Coordinates, type CoordsOptions, coords } from "./convention/coordinates.ts";
export type { NodeLike } from "./convention/facts.ts";
export type { Finding } from "./convention/findings.ts";
export type { Extent } from "./convention/geometry.ts";
export { locate } from "./convention/locate.ts";
export { type PlacedNode, type PyramidOptions, pyramid } from "./convention/pyramid.ts";
export {
  type At,
  type Crs,
  type Picked,
  Pyramid,
  type PyramidAxis,
  type PyramidChannel,
  type PyramidLevel,
  type View,
  type Viewport,
} from "./convention/pyramid_model.ts";
export { type JsonSchema, type RegisteredConvention, registerConvention } from "./convention/registered.ts";
export type { Tile } from "./convention/tiles.ts";
export { type DateLike, type Moment, TimeUnits, timeUnits } from "./convention/time.ts";
export { type CopyOptions, type CopyProgress, copy } from "./copy.ts";
export {
  type CodecOption,
  type CreateArrayOptions,
  type CreateGroupOptions,
  create,
  type ExtensionOption,
} from "./create.ts";
export type { NumberType } from "./data_type.ts";
export {
  CodecPipelineError,
  type ErrorCode,
  type ErrorDetails,
  InvalidMetadataError,
  InvalidSelectionError,
  isZarritaError,
  NotFoundError,
  UnknownCodecError,
  UnsupportedError,
  ZarrError,
} from "./errors.ts";
export {
  type ByteCache,
  type ByteCachingOptions,
  type CacheKeyFor,
  withByteCaching,
} from "./extension/byte_caching.ts";
export { type ArrayExtension, defineArrayExtension, defineStoreExtension } from "./extension/define.ts";
export { extendArray, extendStore, type MaybeAsync } from "./extension/extend.ts";
export {
  getStrides as _zarrita_internal_getStrides,
  getWith as _zarrita_internal_get,
  type Setter,
  setWith as _zarrita_internal_set,
  sliceIndices as _zarrita_internal_sliceIndices,
} from "./extension/internal.ts";
export {
  type FlushReport,
  type RangeCoalescingOptions,
  withRangeCoalescing,
} from "./extension/range_coalescing.ts";
export { type ChunkQueue, type GetConvertedOptions, type GetOptions, get } from "./get.ts";
export { Group } from "./group.ts";
export { dispose, type Info, type InitOptions, info, init, type RegisteredCodec } from "./init.ts";
export { Location, root } from "./location.ts";
export type { DataTypeFallback, Dialect } from "./node_facts.ts";
export {
  consolidate,
  type EraseOptions,
  type ExistingKind,
  erase,
  exists,
  type NodeOptions,
} from "./nodes.ts";
export { type OpenOptions, open } from "./open.ts";
export { addLight, type ColorName, type Colors } from "./read/colors.ts";
export type { ConversionOptions } from "./read/conversion.ts";
export { Histogram, type HistogramOptions, histogram } from "./read/histogram.ts";
export { type EncodedBasis, type PlannedObject, ReadPlan } from "./read/plan.ts";
export type { Progress, ReadOptions } from "./read/read.ts";
export type { PartPlace, StreamOptions } from "./read/stream.ts";
export {
  type CodecEntry,
  type CodecKind,
  type CodecLoader,
  type CodecModule,
  type CodecRegistry,
  registry,
  type UserCodec,
} from "./registry.ts";
export type { AnySelection, DimensionSelection } from "./selection.ts";
export { type SetOptions, type Settable, set } from "./set.ts";
export { type Points, points, select, slice } from "./slice.ts";
export {
  type StorageTransformer,
  type StorageTransformerInfo,
  type StorageTransformerMetadata,
  type StoreBelow,
  storageTransformers,
} from "./storage_transformers.ts";
export { EntryStore, FileListStore, storesOfDrop } from "./store/chosen_files.ts";
export { DirectoryStore, OpfsStore } from "./store/directory.ts";
export { OverlayStore } from "./store/overlay.ts";
export { PersistentCache, type PersistentCacheOptions } from "./store/persistent_cache.ts";
export { type ReferenceSpec, ReferenceStore, type ReferenceStoreOptions } from "./store/reference.ts";
export type { HeaderList, HeadersReason, HeadersSource } from "./store/request_headers.ts";
export { type ZipEntryInfo, ZipFileStore, type ZipFileStoreOptions, type ZipReader } from "./store/zip.ts";
export { ZipWriter, type ZipWriterOptions } from "./store/zip_writer.ts";
export { FetchStore, type FetchStoreOptions } from "./stores.ts";
export type * from "./types.ts";
export { UnreadableNode } from "./unreadable.ts";
export type { UpdateAttributesOptions } from "./update_attributes.ts";
export { BoolArray, ByteStringArray, UnicodeStringArray } from "./wrapper_arrays.ts";
export type { WriteOptions, WriteProgress } from "./write/write.ts";
