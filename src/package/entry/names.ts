/**
 * The public names, the same in every entry point. `tests/node/package.test.mjs` checks the list.
 */
export {
  Array,
  type ArrayGetBytesOptions,
  type ArrayGetColorsOptions,
  type ArrayGetNumbersOptions,
  type ArrayGetOptions,
} from "../../api/array.ts";
export { UnreadableNode } from "../../api/children.ts";
export {
  type ConsolidatedFormat,
  type ConsolidatedMetadataOptions,
  type Listable,
  withConsolidatedMetadata,
  withMaybeConsolidatedMetadata,
} from "../../api/consolidated.ts";
export { type CopyOptions, type CopyProgress, copy } from "../../api/copy.ts";
export {
  type CodecOption,
  type CreateArrayOptions,
  type CreateGroupOptions,
  create,
  type ExtensionOption,
} from "../../api/create.ts";
export { Group } from "../../api/group.ts";
export {
  type CacheInfo,
  dispose,
  type Info,
  type InitOptions,
  info,
  init,
  type PreloadOptions,
  preload,
  type RegisteredCodec,
} from "../../api/init.ts";
export {
  consolidate,
  type EraseOptions,
  type ExistingKind,
  erase,
  exists,
  Location,
  type NodeOptions,
  root,
} from "../../api/location.ts";
export type { AttributesOptions, DataTypeFallback, Dialect } from "../../api/node_facts.ts";
export { type OpenOptions, open } from "../../api/open.ts";
export {
  addLight,
  type ColorName,
  type Colors,
  type LabelColor,
  type LabelColors,
  type OmeLabelColor,
} from "../../api/read/colors.ts";
export type { CfOptions, ConversionOptions } from "../../api/read/conversion.ts";
export { type EncodedBasis, type PlannedObject, ReadPlan } from "../../api/read/plan.ts";
export type { Progress, ReadOptions } from "../../api/read/request.ts";
export type { InnerChunkSize, StoredSize } from "../../api/read/stored_sizes.ts";
export type { PartPlace, StreamOptions } from "../../api/read/stream.ts";
export type {
  CodecEntry,
  CodecKind,
  CodecLoader,
  CodecModule,
  CodecRegistry,
  UserCodec,
} from "../../api/registry.ts";
export {
  registry,
  type StorageTransformer,
  type StorageTransformerInfo,
  type StorageTransformerMetadata,
  type StoreBelow,
  storageTransformers,
} from "../../api/registry.ts";
export type { AnySelection, DimensionSelection } from "../../api/selection.ts";
export {
  AtValue,
  BetweenValues,
  type CoordinateValue,
  type NearestOptions,
  type Points,
  points,
  select,
  slice,
} from "../../api/selection.ts";
export {
  DirectoryStore,
  EntryStore,
  FileListStore,
  OpfsStore,
  storesOfDrop,
} from "../../api/store/browser_folders.ts";
export { FetchStore } from "../../api/store/fetch_store.ts";
export { FileSystemStore } from "../../api/store/file_system.ts";
export type {
  FetchStoreOptions,
  HeaderList,
  HeadersReason,
  HeadersSource,
} from "../../api/store/http_options.ts";
export { PersistentCache, type PersistentCacheOptions } from "../../api/store/http_options.ts";
export {
  type IcechunkAccess,
  type IcechunkRef,
  type IcechunkSnapshot,
  IcechunkStore,
  type IcechunkStoreOptions,
  type IcechunkVersion,
} from "../../api/store/icechunk.ts";
export { OverlayStore } from "../../api/store/overlay.ts";
export { type ReferenceSpec, ReferenceStore, type ReferenceStoreOptions } from "../../api/store/reference.ts";
export {
  type ZipEntryInfo,
  ZipFileStore,
  type ZipFileStoreOptions,
  type ZipReader,
} from "../../api/store/zip.ts";
export { ZipWriter, type ZipWriterOptions } from "../../api/store/zip_writer.ts";
export type { Tree, TreeOptions } from "../../api/tree.ts";
export type { UpdateAttributesOptions } from "../../api/update_attributes.ts";
export { type ArrayChange, type WatchOptions, watch } from "../../api/watch.ts";
export type { ElementReader, ElementSource, ElementsInMemory } from "../../api/write/element_source.ts";
export type { WriteOptions } from "../../api/write/write.ts";
export type { Moment, WriteProgress } from "../../contract/contract.ts";
export { levelIndices } from "../../conventions/ts/axis_indices.ts";
export { type ChannelLook, channelLook, shownChannels } from "../../conventions/ts/channels.ts";
export {
  addConvention,
  type Convention,
  conventionAttributes,
  conventions,
  type KnownConvention,
  type NewConvention,
  type RegisteredConvention,
  registerConvention,
  type ValidateOptions,
  validate,
} from "../../conventions/ts/conventions.ts";
export {
  Coordinates,
  type CoordsOptions,
  coords,
  type Positioned,
} from "../../conventions/ts/coordinates.ts";
export type { Extent } from "../../conventions/ts/geometry.ts";
export { Histogram, type HistogramOptions, histogram } from "../../conventions/ts/histogram.ts";
export { at, between, locate } from "../../conventions/ts/locate.ts";
export {
  type Pixels,
  type Placement,
  type PlacementOptions,
  placement,
} from "../../conventions/ts/placement.ts";
export type { CrsLike, Proj4Like } from "../../conventions/ts/projection.ts";
export { projOfGridMapping } from "../../conventions/ts/projection.ts";
export { type PlacedNode, type PyramidOptions, pyramid } from "../../conventions/ts/pyramid.ts";
export type { Tile } from "../../conventions/ts/pyramid_level.ts";
export {
  type At,
  type AtIndices,
  type Crs,
  type Picked,
  Pyramid,
  type PyramidAxis,
  type PyramidChannel,
  type PyramidImage,
  type PyramidLevel,
  type View,
  type Viewport,
} from "../../conventions/ts/pyramid_model.ts";
export type { Finding, JsonSchema, SchemaError, SchemaValidator } from "../../conventions/ts/schema.ts";
export { TimeUnits, timeUnits } from "../../conventions/ts/time.ts";
export { type Warped, type WarpOptions, warp } from "../../conventions/ts/warp.ts";
export type {
  CreateDatasetOptions,
  Dataset,
  DatasetProgress,
  NewDataset,
  NewVariable,
  VariableData,
} from "../../conventions/ts/write/dataset.ts";
export { createDataset } from "../../conventions/ts/write/dataset_writer.ts";
export type {
  CreatePyramidOptions,
  DownsampleMethod,
  NewAxis,
  NewLabel,
  PyramidProgress,
  PyramidStatistic,
} from "../../conventions/ts/write/pyramid_options.ts";
export type { NumberType } from "../../engine/ts/model/data_type.ts";
export type { DateLike } from "../../engine/ts/model/date_like.ts";
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
} from "../../engine/ts/model/errors.ts";
export type { NodeLike } from "../../engine/ts/model/node_like.ts";
export type * from "../../engine/ts/model/types.ts";
export { BoolArray, ByteStringArray, UnicodeStringArray } from "../../engine/ts/model/wrapper_arrays.ts";
export { type ReduceAlongOptions, type ReductionStep, reduceAlong } from "../../reduction/ts/along.ts";
export type { NumbersOver, Over } from "../../reduction/ts/beside.ts";
export type { DatePart, GroupKey, Groups } from "../../reduction/ts/groups.ts";
export { planReduction, type ReductionPlan } from "../../reduction/ts/plan.ts";
export type { StatisticsOptions } from "../../reduction/ts/prepare.ts";
export { createPyramid } from "../../reduction/ts/pyramid/writer.ts";
export type { QuantileOptions, ReducedData, ReduceOp, ReduceResult } from "../../reduction/ts/questions.ts";
export {
  type ReduceAnswer,
  type ReduceOptions,
  reduce,
  type Statistics,
  statistics,
} from "../../reduction/ts/reduce.ts";
export type { Weights } from "../../reduction/ts/weights.ts";
export {
  type ArrayExtension,
  defineArrayExtension,
  defineStoreExtension,
  extendArray,
  extendStore,
  type MaybeAsync,
} from "../compat/extensions.ts";
export {
  type ChunkQueue,
  type GetConvertedOptions,
  type GetOptions,
  get,
  type SetOptions,
  set,
} from "../compat/get_and_set.ts";
export {
  getStrides as _zarrita_internal_getStrides,
  getWith as _zarrita_internal_get,
  type Setter,
  setWith as _zarrita_internal_set,
  sliceIndices as _zarrita_internal_sliceIndices,
} from "../compat/internal.ts";
export {
  type ByteCache,
  type ByteCachingOptions,
  type CacheKeyFor,
  type FlushReport,
  type RangeCoalescingOptions,
  withByteCaching,
  withRangeCoalescing,
} from "../compat/store_extensions.ts";
export { type Asset, type AssetFormat, type AssetsOptions, assetsOf } from "../stac/assets.ts";
