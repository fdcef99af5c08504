/**
 * Right arguments of every public call, by the call's name in the declarations (`calls.mjs`), and
 * which kinds of other values are right too. Tests replace them by wrong ones.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as main from "../../../dist/index.js";
import * as zip from "../../../dist/zip.js";

const zarr = { ...zip, ...main };

/** Objects for one case. Each case gets its own, because a call may change them. */
export async function fresh() {
  const store = new Map();
  const group = await zarr.create(store, { attributes: { a: 1 } });
  const grid = { shape: [4, 6], chunkShape: [2, 3], dtype: "float32", dimensionNames: ["y", "x"] };
  const array = await zarr.create(store, { path: "a", ...grid });
  const line = { shape: [6], dtype: "int32", dimensionNames: ["x"] };
  const attributes = { units: "days since 2000-01-01" };
  const time = await zarr.create(store, { path: "x", ...line, attributes });
  await time.set(null, new Int32Array([0, 1, 2, 3, 4, 5]));
  return { store, group, array };
}

/** The metadata document of a node. */
const documentOf = (node) => JSON.parse(node.rawMetadata["zarr.json"]);

/** A data set and a picture, which are made of arguments. */
const DATASET = {
  coords: { x: new Float64Array([1, 2]) },
  variables: { v: { dims: ["x"], data: new Float32Array(2) } },
};
const PICTURE = { data: new Uint8Array(64), shape: [8, 8] };
const FINDS = { crs: "EPSG:4326", extent: [0, 0, 1, 1], size: [2, 2] };

/** The kinds of argument, with the wrong values that are right for them. */
export const RIGHT = {
  options: ["undefined", "empty object", "group", "array"],
  object: ["empty object", "group", "array"],
  place: ["group", "array"],
  /** A place that is only read. In Node a text is a path. */
  source: ["text", "group", "array"],
  /** Where the methods of a store are called later. */
  store: ["empty object", "group", "array"],
  /** A URL, or a store as above. */
  repository: ["text", "empty object", "group", "array"],
  array: ["array"],
  group: ["group"],
  node: ["group", "array"],
  selection: ["null", "undefined", "empty object"],
  text: ["text"],
  /** A text that may be absent. */
  name: ["text", "undefined"],
  number: ["number"],
  dimension: [],
  list: [],
  function: [],
  /** Options of which one is required. */
  question: [],
  any: ["null", "undefined", "number", "empty object", "text", "group", "array"],
};

/** What is called, by name: the kinds of its arguments, and right arguments. */
const made = (Class, types, make) => (objects) => ({
  types,
  args: make(objects),
  call: (...args) => new Class(...args),
});
const called = (name, types, make) => (objects) => ({
  types,
  args: make(objects),
  call: Reflect.get(zarr, name),
});
/** A method of the object that `of` makes. */
const method = (of, name, types, make) => async (objects) => {
  const object = await of(objects);
  return { types, args: make(objects), call: (...args) => object[name](...args) };
};
const array = ({ array }) => array;
const group = ({ group }) => group;

/** Methods of arrays. */
const ARRAY = {
  attributes: [{ options: "options" }, () => [{}]],
  chunkShapeAt: [{ index: "list" }, () => [[0, 0]]],
  chunkOf: [{ element: "list" }, () => [[0, 0]]],
  is: [{ query: "any" }, () => ["number"]],
  get: [{ selection: "selection", options: "options" }, () => [null, {}]],
  plan: [{ selection: "selection", options: "options" }, () => [null, {}]],
  storedSizes: [{ selection: "selection", options: "options" }, () => [null, {}]],
  stream: [{ selection: "selection", options: "options" }, () => [null, {}]],
  prefetch: [{ selection: "selection", options: "options" }, () => [null, {}]],
  set: [{ selection: "selection", value: "value", options: "options" }, () => [null, 1, {}]],
  resize: [{ shape: "list", options: "options" }, () => [[4, 6], {}]],
  append: [
    { value: "values", axis: "axis", options: "options" },
    () => [{ data: new Float32Array(6), shape: [1, 6] }, 0, {}],
  ],
  updateAttributes: [{ attributes: "object", options: "options" }, () => [{ b: 1 }, {}]],
  refresh: [{ options: "options" }, () => [{}]],
  getChunk: [{ index: "list", options: "options", more: "options" }, () => [[0, 0], {}, {}]],
};
RIGHT.value = ["number"];
RIGHT.values = [];
RIGHT.axis = ["undefined"];
/** Parsed JSON. What is in it is not an error of the argument. */
RIGHT.document = ["empty object", "group", "array"];

const GROUP = {
  attributes: [{ options: "options" }, () => [{}]],
  children: [{ options: "options" }, () => [{}]],
  tree: [{ options: "options" }, () => [{}]],
  updateAttributes: [{ attributes: "object", options: "options" }, () => [{ b: 1 }, {}]],
  refresh: [{ options: "options" }, () => [{}]],
};

const units = () => zarr.timeUnits("days since 2000-01-01");
const TIME_UNITS = {
  moments: [{ counts: "list" }, () => [[1]]],
  dates: [{ counts: "list" }, () => [[1]]],
  moment: [{ count: "number" }, () => [1]],
  date: [{ count: "number" }, () => [1]],
  count: [{ date: "date" }, () => ["2000-01-02"]],
  counts: [{ dates: "list" }, () => [["2000-01-02"]]],
};
RIGHT.date = ["number"];

const coordinates = ({ array }) => zarr.coords(array, "x");
const COORDINATES = {
  value: [{ element: "number" }, () => [1]],
  moment: [{ element: "number" }, () => [1]],
  date: [{ element: "number" }, () => [1]],
  nearest: [{ value: "date", options: "options" }, () => ["2000-01-02", {}]],
  range: [{ from: "bound", to: "bound" }, () => [null, null]],
};
RIGHT.bound = ["null", "undefined", "number"];

const picture = () => zarr.createPyramid(new Map(), PICTURE, { axes: ["y", "x"], scale: { y: 1, x: 1 } });
const PYRAMID = {
  extent: [{ crs: "any" }, () => [undefined]],
  toWorld: [{ index: "list" }, () => [[0, 0]]],
  toIndex: [{ world: "list" }, () => [[0, 0]]],
  pick: [{ view: "object" }, () => [{ unitsPerPixel: 1 }]],
  tiles: [{ viewport: "object" }, () => [{ unitsPerPixel: 1 }]],
};

/** The members of a pyramid that tell its indices and channels. */
const IMAGE = {
  axes: [{ name: "c", role: "c" }],
  levels: [{ shape: [2] }],
  plane: { x: -1, y: -1 },
  channels: [{ color: "ff0000" }],
};

const writer = () => new zarr.ZipWriter();
const ZIP_WRITER = {
  set: [{ key: "text", value: "bytes" }, () => ["/a", new Uint8Array(1)]],
  pipeTo: [{ stream: "list" }, () => [new WritableStream()]],
};
RIGHT.bytes = [];

/** The methods of stores, with the arguments of one that has the key `/a`. */
const STORE = {
  get: [{ key: "text", options: "options" }, () => ["/a", {}]],
  getRange: [
    { key: "text", range: "object", options: "options" },
    () => ["/a", { offset: 0, length: 1 }, {}],
  ],
  has: [{ key: "text" }, () => ["/a"]],
  size: [{ key: "text", options: "options" }, () => ["/a", {}]],
  set: [{ key: "text", value: "bytes" }, () => ["/a", new Uint8Array(1)]],
  delete: [{ key: "text" }, () => ["/a"]],
  deletePrefix: [{ prefix: "text" }, () => ["/a/"]],
  list: [{ prefix: "name" }, () => ["/"]],
  listDir: [{ prefix: "name" }, () => ["/"]],
};
const { get, getRange, has, size, list, listDir } = STORE;
/** The methods of stores over folders, whose values several stores may reach. */
const FOLDER = { ...STORE, lockFor: [{ key: "text" }, () => ["/a"]] };
const READABLE = { get, getRange, has, size, list, listDir };
/** The further methods of a repository. */
const REPOSITORY = Object.fromEntries(
  ["branches", "tags", "snapshot", "history", "refresh"].map((name) => [name, [{}, () => []]]),
);
/** The methods of a store that take no options. */
const withoutOptions = ([{ options: _, ...types }, make]) => [
  types,
  () => make().slice(0, Object.keys(types).length),
];
const FILES = { get: withoutOptions(get), getRange: withoutOptions(getRange), has, size: has };

/** A folder with one file, as browsers give it. Its handle is of no class that Node has. */
const FILE = new File(["a"], "a");
const missing = async () => {
  throw new DOMException("no such entry", "NotFoundError");
};
const folder = () =>
  new zarr.DirectoryStore({
    kind: "directory",
    getFileHandle: async (name) => (name === "a" ? { kind: "file", getFile: async () => FILE } : missing()),
    getDirectoryHandle: missing,
    removeEntry: missing,
    async *entries() {},
  });
const chosen = () => new zarr.FileListStore([FILE]);
const dropped = () =>
  new zarr.EntryStore({
    isDirectory: true,
    createReader: () => ({ readEntries: (found) => found([]) }),
    getFile: (_path, _options, _found, failed) => failed(new DOMException("none", "NotFoundError")),
    getDirectory: (_path, _options, _found, failed) => failed(new DOMException("none", "NotFoundError")),
  });
const references = () => new zarr.ReferenceStore({ refs: { a: "a" } });
const repository = () => new zarr.IcechunkStore(new Map());
const overlay = ({ store }) => new zarr.OverlayStore(store, new Map([["/a", new Uint8Array(1)]]));
const requests = () => new zarr.FetchStore("https://a.example/");
const files = () => new zarr.FileSystemStore(mkdtempSync(join(tmpdir(), "arguments-")));
const opfs = () => new zarr.OpfsStore("a");
async function archive() {
  const writer = new zarr.ZipWriter();
  await writer.set("/a", new Uint8Array(1));
  return new zarr.ZipFileStore(await writer.toBlob());
}
const node = ({ array }) => new zarr.UnreadableNode(array.store, "/a", new Error("a"), {});

const RESOLVE = [{ path: "text" }, () => ["a"]];

const methods = (of, table, kind) =>
  Object.fromEntries(
    Object.entries(table).map(([name, [types, make]]) => [`${kind}.${name}`, method(of, name, types, make)]),
  );

export const CALLS = {
  "new Array": made(zarr.Array, { store: "any", path: "any", metadata: "metadata" }, ({ array }) => [
    array.store,
    "/a",
    documentOf(array),
  ]),
  "new Group": made(zarr.Group, { store: "any", path: "any", metadata: "object" }, ({ group }) => [
    group.store,
    "/",
    documentOf(group),
  ]),
  "new DirectoryStore": made(zarr.DirectoryStore, { root: "object" }, () => [async () => ({})]),
  "new EntryStore": made(zarr.EntryStore, { root: "object" }, () => [{}]),
  "new FetchStore": made(zarr.FetchStore, { url: "text", options: "options" }, () => [
    "https://a.example/",
    {},
  ]),
  "new FileListStore": made(zarr.FileListStore, { files: "object" }, () => [[]]),
  "new FileSystemStore": made(zarr.FileSystemStore, { root: "text" }, () => ["/tmp"]),
  "new IcechunkStore": made(zarr.IcechunkStore, { place: "repository", options: "options" }, ({ store }) => [
    store,
    {},
  ]),
  "new Location": made(zarr.Location, { store: "any", path: "any" }, ({ store }) => [store, "/"]),
  "Location.resolve": method(
    ({ store }) => zarr.root(store),
    "resolve",
    { path: "text" },
    () => ["a"],
  ),
  "new OpfsStore": made(zarr.OpfsStore, { path: "name" }, () => ["a"]),
  "new OverlayStore": made(zarr.OverlayStore, { first: "store", second: "store" }, ({ store }) => [
    store,
    store,
  ]),
  "new PersistentCache": made(zarr.PersistentCache, { options: "options" }, () => [{}]),
  "new ReferenceStore": made(zarr.ReferenceStore, { spec: "reference", options: "options" }, () => [
    { refs: {} },
    {},
  ]),
  "ReferenceStore.fromSpec": method(
    () => zarr.ReferenceStore,
    "fromSpec",
    { spec: "reference", options: "options" },
    () => [{ refs: {} }, {}],
  ),
  "ReferenceStore.fromStore": method(
    () => zarr.ReferenceStore,
    "fromStore",
    { store: "store", options: "options" },
    ({ store }) => [store, {}],
  ),
  "ReferenceStore.fromUrl": method(
    () => zarr.ReferenceStore,
    "fromUrl",
    { url: "text", options: "options" },
    () => ["https://a.example/", {}],
  ),
  "ReferenceStore.resolveUri": method(
    () => zarr.ReferenceStore,
    "resolveUri",
    { url: "text" },
    () => ["https://a.example/"],
  ),
  "new ZipFileStore": made(zarr.ZipFileStore, { reader: "object", options: "options" }, () => [
    new Blob([]),
    {},
  ]),
  "ZipFileStore.fromUrl": method(
    () => zarr.ZipFileStore,
    "fromUrl",
    { url: "text", options: "options" },
    () => ["https://a.example/", {}],
  ),
  "ZipFileStore.fromBlob": method(
    () => zarr.ZipFileStore,
    "fromBlob",
    { reader: "object", options: "options" },
    () => [new Blob([]), {}],
  ),
  "new ZipWriter": made(zarr.ZipWriter, { options: "options" }, () => [{}]),
  addConvention: called("addConvention", { node: "node", convention: "convention" }, ({ group }) => [
    group,
    { known: "license" },
  ]),
  addLight: called("addLight", { pictures: "list" }, () => [[]]),
  assetsOf: called("assetsOf", { document: "document", options: "options" }, () => [
    { stac_version: "1.1.0" },
    {},
  ]),
  at: called("at", { value: "any", options: "options" }, () => [1, {}]),
  between: called("between", { from: "any", to: "any" }, () => [1, 2]),
  consolidate: called("consolidate", { place: "place", options: "options" }, ({ group }) => [group, {}]),
  conventionAttributes: called(
    "conventionAttributes",
    { attributes: "object", convention: "convention" },
    () => [{}, { known: "license" }],
  ),
  conventions: called("conventions", { node: "node" }, ({ group }) => [group]),
  coords: called("coords", { array: "array", dimension: "dimension", options: "options" }, ({ array }) => [
    array,
    "x",
    {},
  ]),
  copy: called("copy", { source: "source", target: "place", options: "options" }, ({ array }) => [
    array,
    new Map(),
    {},
  ]),
  create: called("create", { place: "place", options: "options" }, () => [new Map(), {}]),
  createDataset: called("createDataset", { place: "place", dataset: "object", options: "options" }, () => [
    new Map(),
    DATASET,
    {},
  ]),
  createPyramid: called("createPyramid", { place: "place", source: "array", options: "options" }, () => [
    new Map(),
    PICTURE,
    { axes: ["y", "x"] },
  ]),
  defineArrayExtension: called("defineArrayExtension", { factory: "function" }, () => [() => ({})]),
  defineStoreExtension: called("defineStoreExtension", { factory: "function" }, () => [() => ({})]),
  erase: called("erase", { place: "place", options: "options" }, ({ array }) => [array, {}]),
  exists: called("exists", { place: "source", options: "options" }, ({ array }) => [array, {}]),
  extendArray: called("extendArray", { array: "any", extension: "function" }, ({ array }) => [
    array,
    (same) => same,
  ]),
  extendStore: called("extendStore", { store: "any", extension: "function" }, ({ store }) => [
    store,
    (same) => same,
  ]),
  get: called("get", { array: "array", selection: "selection", options: "options" }, ({ array }) => [
    array,
    null,
    {},
  ]),
  histogram: called("histogram", { source: "array", options: "options" }, ({ array }) => [array, {}]),
  init: called("init", { options: "options" }, () => [{}]),
  isZarritaError: called("isZarritaError", { error: "any" }, () => [1]),
  levelIndices: called("levelIndices", { pyramid: "object", level: "number", at: "options" }, () => [
    IMAGE,
    0,
    {},
  ]),
  channelLook: called("channelLook", { pyramid: "object", channel: "number" }, () => [IMAGE, 0]),
  shownChannels: called("shownChannels", { pyramid: "object" }, () => [IMAGE]),
  locate: called("locate", { array: "array", selection: "entries", options: "options" }, ({ array }) => [
    array,
    { x: zarr.at("2000-01-02") },
    {},
  ]),
  open: called("open", { place: "source", options: "options" }, ({ array }) => [array, {}]),
  "open.v2": method(
    () => zarr.open,
    "v2",
    { place: "source", options: "options" },
    ({ array }) => [array, {}],
  ),
  "open.v3": method(
    () => zarr.open,
    "v3",
    { place: "source", options: "options" },
    ({ array }) => [array, {}],
  ),
  placement: called("placement", { array: "array", options: "options" }, ({ array }) => [array, {}]),
  planReduction: called(
    "planReduction",
    { array: "array", selection: "selection", options: "question" },
    ({ array }) => [array, null, { op: "mean" }],
  ),
  points: called("points", { list: "list" }, () => [[0]]),
  preload: called("preload", { options: "options" }, () => [{ conventions: true }]),
  projOfGridMapping: called("projOfGridMapping", { attributes: "object" }, () => [{}]),
  pyramid: called("pyramid", { node: "node", options: "options" }, ({ array }) => [array, {}]),
  reduce: called("reduce", { array: "array", selection: "selection", options: "question" }, ({ array }) => [
    array,
    null,
    { op: "mean" },
  ]),
  // Its first step.
  reduceAlong: ({ array }) => ({
    types: { array: "array", selection: "selection", dimension: "dimension", options: "question" },
    args: [array, null, 0, { op: "mean", over: [] }],
    call: (...args) => zarr.reduceAlong(...args).next(),
  }),
  registerConvention: called("registerConvention", { convention: "convention" }, () => [{ uuid: "x" }]),
  root: called("root", { store: "any" }, () => [new Map()]),
  select: called("select", { array: "array", selection: "object" }, ({ array }) => [array, {}]),
  set: called(
    "set",
    { array: "array", selection: "selection", value: "value", options: "options" },
    ({ array }) => [array, null, 1, {}],
  ),
  slice: called("slice", { start: "bounds", stop: "bounds", step: "bounds" }, () => [0, 1, 1]),
  storesOfDrop: called("storesOfDrop", { transfer: "list" }, () => [{ items: [] }]),
  statistics: called(
    "statistics",
    { array: "array", selection: "selection", options: "options" },
    ({ array }) => [array, null, {}],
  ),
  timeUnits: called("timeUnits", { units: "units", calendar: "calendar" }, () => [
    "days since 2000-01-01",
    "standard",
  ]),
  validate: called("validate", { node: "node", options: "options" }, ({ group }) => [group, {}]),
  warp: called("warp", { array: "array", options: "object" }, ({ array }) => [array, FINDS]),
  // Without its first change, for which it would wait.
  watch: ({ array }) => ({
    types: { array: "array", options: "options" },
    args: [array, {}],
    call: (...args) => {
      zarr.watch(...args);
    },
  }),
  withByteCaching: called("withByteCaching", { store: "store", options: "options" }, ({ store }) => [
    store,
    {},
  ]),
  withConsolidatedMetadata: called(
    "withConsolidatedMetadata",
    { store: "place", options: "options" },
    ({ store }) => [store, {}],
  ),
  withMaybeConsolidatedMetadata: called(
    "withMaybeConsolidatedMetadata",
    { store: "place", options: "options" },
    ({ store }) => [store, {}],
  ),
  withRangeCoalescing: called("withRangeCoalescing", { store: "store", options: "options" }, ({ store }) => [
    store,
    {},
  ]),
  ...methods(array, ARRAY, "Array"),
  ...methods(group, GROUP, "Group"),
  ...methods(units, TIME_UNITS, "TimeUnits"),
  ...methods(coordinates, COORDINATES, "Coordinates"),
  ...methods(picture, PYRAMID, "Pyramid"),
  ...methods(writer, { ...FILES, list, ...ZIP_WRITER, delete: STORE.delete }, "ZipWriter"),
  ...methods(folder, FOLDER, "DirectoryStore"),
  ...methods(chosen, { get, getRange, has, size: STORE.size, list }, "FileListStore"),
  ...methods(dropped, { get, getRange, has, size: STORE.size, listDir }, "EntryStore"),
  ...methods(references, READABLE, "ReferenceStore"),
  ...methods(repository, { ...READABLE, ...REPOSITORY }, "IcechunkStore"),
  ...methods(overlay, READABLE, "OverlayStore"),
  ...methods(requests, { ...READABLE, set: STORE.set, delete: STORE.delete }, "FetchStore"),
  ...methods(files, FOLDER, "FileSystemStore"),
  ...methods(opfs, FOLDER, "OpfsStore"),
  ...methods(archive, READABLE, "ZipFileStore"),
  ...methods(array, { resolve: RESOLVE }, "Array"),
  ...methods(group, { resolve: RESOLVE }, "Group"),
  ...methods(node, { resolve: RESOLVE }, "UnreadableNode"),
  "registry.set": method(
    () => zarr.registry,
    "set",
    { name: "text", codec: "function" },
    () => ["a.codec", () => {}],
  ),
  "new BlobReader": made(zarr.BlobReader, { blob: "object" }, () => [new Blob(["ab"])]),
  "BlobReader.read": method(
    () => new zarr.BlobReader(new Blob(["ab"])),
    "read",
    { offset: "number", length: "number" },
    () => [0, 1],
  ),
  "new HTTPRangeReader": made(zarr.HTTPRangeReader, { url: "text", options: "options" }, () => [
    "https://a.example/",
    {},
  ]),
  "HTTPRangeReader.read": method(
    () => new zarr.HTTPRangeReader("https://a.example/"),
    "read",
    { offset: "number", length: "number" },
    () => [0, 1],
  ),
  "Histogram.of": method(
    () => zarr.Histogram,
    "of",
    { values: "list", options: "options" },
    () => [[[1, 2]], {}],
  ),
  "Histogram.quantile": method(
    () => zarr.Histogram.of([[1, 2]]),
    "quantile",
    { share: "number" },
    () => [0.5],
  ),
};
RIGHT.metadata = [];
RIGHT.reference = ["text", "empty object", "group", "array"];
RIGHT.convention = ["empty object", "group", "array"];
RIGHT.bounds = ["null", "undefined", "number"];
RIGHT.units = ["text"];
RIGHT.calendar = ["undefined", "text"];
RIGHT.entries = ["null", "undefined", "empty object", "group", "array"];

/** Exports and methods without a case, and why. */
export const NOT_CALLED = [
  /** Objects that the package makes. */
  /^new (AtValue|BetweenValues|Coordinates|Histogram|Pyramid|ReadPlan|TimeUnits|UnreadableNode|\w*Error)$/,
  /^_zarrita_internal_/,
  /** Elements in memory, which behave as typed arrays of the language. */
  /(Bool|ByteString|UnicodeString)Array/,
  /** For subclasses alone. */
  /^\w*Store\.(put|remove)$/,
  /** A class of which only the type is exported. */
  /^new Points$/,
  /** The same as the export of a name. */
  /^(new )?default\b/,
  /** Without arguments. */
  /^(dispose|info|PersistentCache\.(usage|clear)|ReadPlan\.objects|Coordinates\.(moments|dates)|ZipFileStore\.renamedEntries|ZipWriter\.toBlob|\w+\.(getLength|toString))$/,
];
