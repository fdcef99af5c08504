/**
 * The groups of the public names, in the order of the index and of the side bar, each with the page
 * of the guide that explains it. The tests compare the groups with what the entries export. Types
 * are not listed: they are on the pages of what takes or returns them, or on pages of `TYPE_PAGES`.
 */

export const GROUPS = [
  {
    title: "Open and read",
    guide: "guide.md#open",
    names: ["open", "root", "Location", "Array", "Group", "UnreadableNode", "ReadPlan"],
  },
  {
    title: "Select",
    guide: "guide.md#select",
    names: ["slice", "points", "select", "at", "between", "AtValue", "BetweenValues", "locate"],
  },
  {
    title: "The engine",
    guide: "guide.md#where-it-runs",
    names: ["init", "preload", "info", "dispose"],
  },
  {
    title: "Write",
    guide: "writing.md",
    names: ["create", "createDataset", "createPyramid", "copy", "consolidate", "exists", "erase"],
  },
  {
    title: "Values and coordinates",
    guide: "values.md",
    names: ["coords", "Coordinates", "timeUnits", "TimeUnits", "histogram", "Histogram", "addLight"],
  },
  {
    title: "Reductions",
    guide: "reductions.md",
    names: ["reduce", "statistics", "planReduction", "reduceAlong", "watch"],
  },
  {
    title: "Pyramids and maps",
    guide: "maps.md",
    names: [
      ...["pyramid", "Pyramid", "levelIndices", "shownChannels", "channelLook"],
      ...["placement", "warp", "projOfGridMapping"],
    ],
  },
  {
    title: "Conventions",
    guide: "conventions.md",
    names: ["conventions", "validate", "addConvention", "registerConvention", "conventionAttributes"],
  },
  {
    title: "Stores",
    guide: "stores.md",
    names: [
      ...["FetchStore", "PersistentCache", "ZipFileStore", "ZipWriter", "ReferenceStore", "IcechunkStore"],
      ...["OverlayStore", "FileSystemStore", "OpfsStore", "DirectoryStore", "FileListStore", "EntryStore"],
      ...["storesOfDrop", "withConsolidatedMetadata", "withMaybeConsolidatedMetadata", "assetsOf"],
    ],
  },
  { title: "Codecs", guide: "codecs.md#codecs-of-your-own", names: ["registry", "storageTransformers"] },
  {
    title: "Errors",
    guide: "reliability.md#errors",
    names: [
      ...["ZarrError", "NotFoundError", "InvalidMetadataError", "UnknownCodecError", "CodecPipelineError"],
      ...["InvalidSelectionError", "UnsupportedError", "isZarritaError"],
    ],
  },
  {
    title: "zarrita's names",
    guide: "instead-of/zarrita.md",
    names: [
      ...["get", "set", "BoolArray", "UnicodeStringArray", "ByteStringArray"],
      ...["withByteCaching", "withRangeCoalescing", "defineStoreExtension", "defineArrayExtension"],
      ...["extendStore", "extendArray", "_zarrita_internal_get", "_zarrita_internal_set"],
      ...["_zarrita_internal_getStrides", "_zarrita_internal_sliceIndices"],
    ],
  },
];

/** The sections of the guide that explain names more closely than the page of their group. */
export const SECTIONS = {
  "guide.md#groups": ["UnreadableNode", "withConsolidatedMetadata", "withMaybeConsolidatedMetadata"],
  "guide.md#plan-stream-prefetch": ["ReadPlan"],
  "values.md#coordinates": [
    ...["at", "between", "AtValue", "BetweenValues", "locate", "coords", "Coordinates"],
    ...["timeUnits", "TimeUnits"],
  ],
  "values.md#histograms": ["histogram", "Histogram"],
  "values.md#pictures": ["addLight"],
  "writing.md#data-sets": ["createDataset"],
  "writing.md#pyramids": ["createPyramid"],
  "writing.md#whole-hierarchies": ["copy", "consolidate", "exists", "erase"],
  "reductions.md#data-that-grow": ["watch"],
  "reductions.md#memory": ["planReduction"],
  "reductions.md#on-the-way": ["reduceAlong"],
  "conventions.md#pyramids": ["pyramid", "Pyramid", "levelIndices", "shownChannels", "channelLook"],
  "conventions.md#declare-a-convention": ["addConvention", "conventionAttributes"],
  "conventions.md#validate-by-json-schemas": ["registerConvention"],
  "maps.md#where-pixels-lie": ["placement"],
  "maps.md#warp-an-array-into-a-map": ["warp"],
  "stores.md#http": ["FetchStore", "PersistentCache"],
  "stores.md#archives": ["ZipFileStore"],
  "writing.md#into-archives-and-folders": ["ZipWriter"],
  "stores.md#references": ["ReferenceStore"],
  "stores.md#icechunk": ["IcechunkStore"],
  "stores.md#stac": ["assetsOf"],
  "stores.md#folders-in-node": ["FileSystemStore"],
  "stores.md#folders-in-a-browser": [
    ...["OpfsStore", "DirectoryStore", "FileListStore", "EntryStore", "storesOfDrop"],
  ],
  "codecs.md#storage-transformers": ["storageTransformers"],
};

/** The page of the guide that explains a value, with its section; undefined for types. */
export function guideOf({ name, isValue, entries, isDefaultOf }) {
  const [section] = Object.entries(SECTIONS).find(([, names]) => names.includes(name)) ?? [];
  const group = GROUPS.find(({ names }) => names.includes(name));
  const entry = [...entries, ...isDefaultOf][0]?.replace(/^zarr-wasm\/?/, "");
  return section ?? group?.guide ?? (isValue ? ENTRY_GUIDES[entry] : undefined);
}

/** The page of the guide that explains the names of an entry. */
export const ENTRY_GUIDES = {
  arrow: "adapters.md#apache-arrow",
  deckgl: "adapters.md#deckgl",
  fetch: "instead-of/zarrita.md",
  fs: "instead-of/zarrita.md",
  h5web: "adapters.md#h5web",
  leaflet: "adapters.md#leaflet",
  maplibre: "adapters.md#maplibre",
  ndarray: "adapters.md#ndarray",
  numcodecs: "codecs.md#codecs-alone",
  openlayers: "maps.md#openlayers",
  ref: "instead-of/zarrita.md",
  view: "viewer.md#in-your-page",
  viv: "adapters.md#viv",
  zarrita: "adapters.md#zarrita",
  zip: "instead-of/zarrita.md",
};

/** Types that are explained together. Every other one is beside what names it, or has a page. */
export const TYPE_PAGES = [
  {
    page: "data-types",
    title: "Data types",
    description: "The names of data types, and the classes that their elements have in JavaScript.",
    names: [
      ...["DataType", "NumberType", "DataTypeQuery", "NarrowDataType", "Scalar", "PlainArray", "TypedArray"],
      ...["TypedArrayConstructor", "HalfArray", "Column", "NumberDataType", "NarrowNumberDataType"],
      ...[
        "AnyNumberDataType",
        "BigintDataType",
        "StringDataType",
        "Int8",
        "Int16",
        "Int32",
        "Int64",
        "Uint8",
      ],
      ...["Uint16", "Uint32", "Uint64", "Float16", "Float32", "Float64", "Bool", "NarrowInt", "NarrowUint"],
      ...["NarrowFloat", "Complex", "Datetime", "Timedelta", "String", "UnicodeStr", "ByteStr"],
      ...["FixedLengthUtf32", "NullTerminatedBytes", "Raw", "Bytes", "ObjectType", "Struct", "Optional"],
    ],
  },
  {
    page: "store-interface",
    title: "The interface of stores",
    description: "What an object must have to be a store: only `get` is required.",
    names: [
      ...["Readable", "AsyncReadable", "SyncReadable", "AsyncStore", "Writable", "AsyncWritable"],
      ...["SyncWritable", "Mutable", "AsyncMutable", "SyncMutable", "AbsolutePath", "RangeQuery"],
      ...["StoreGetOptions", "Directory"],
    ],
  },
  {
    page: "metadata",
    title: "Metadata objects",
    description: "The metadata of arrays and groups, as Zarr's documents have them.",
    names: [
      ...["Attributes", "ArrayMetadata", "GroupMetadata", "ArrayMetadataV2", "GroupMetadataV2"],
      ...["CodecMetadata"],
    ],
  },
  {
    page: "results",
    title: "Results and values",
    description: "What reads resolve to, and what writes take.",
    names: [
      ...["Selected", "SelectedNumbers", "SelectedColors", "SelectedBytes", "Marks", "Chunk", "Settable"],
    ],
  },
];
