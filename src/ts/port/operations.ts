/**
 * The operations of the engine: their arguments and answers, as they cross the port. Stores and
 * arrays are given by number (`definitions.ts`). Shapes are in elements, lengths in bytes. The
 * engine implements them in `engine/operations/`.
 */
import type { ConventionsCalls } from "../contract.ts";
import type { TypeDescription } from "../model/data_type.ts";
import type { ErrorReport } from "../model/errors.ts";
import type {
  ArraySummary,
  DecodeBuild,
  NodeSummary,
  NumberTables,
  UnreadableSummary,
} from "../model/node_summary.ts";
import type { EngineRequest, EngineSelection, Growth } from "../model/request.ts";
import type { CacheDefinition } from "./definitions.ts";

export interface NodePlace {
  store: number;
  /** Absolute path of the node. */
  path: string;
}

export interface OpenArguments extends NodePlace {
  /** "array", "group", or "" for either. */
  kind: "array" | "group" | "";
  /** 2 or 3; 0 for either. */
  format: 0 | 2 | 3;
  dataTypeFallback: "warn" | "allow" | "refuse";
  /** Request `zarr.json` first, and v2's documents only if it does not exist. */
  v3First: boolean;
  /** Whether to read v2's attributes (`.zattrs`). */
  attrs: boolean;
  /** Bypass all caches. */
  /** 1: bypass all caches. 2: ask the server whether they are right. */
  reload: 0 | 1 | 2;
  /**
   * URLs that the page has requested already. The engine gets the responses through the callback.
   */
  early?: { urls: string[]; callback: number };
}

/** A read of elements. */
export interface ReadArguments {
  array: number;
  request: EngineRequest;
  /** The data type to convert to; undefined if elements are not converted. */
  type?: TypeDescription;
  wantsProgress: boolean;
}

/** Where the result of a read goes. */
export interface ReadTarget {
  /** The caller's memory to write to, if it is shared or the engine runs on the caller's thread. */
  out?: Uint8Array;
  useSharedArrayBuffer?: boolean;
}

/** The layout of a result in memory. */
export interface ResultLayout {
  /** Shape in elements, with all dimensions of the array. */
  shape: number[];
  /** For each dimension, whether the result keeps it. An integer in the selection drops one. */
  kept: boolean[];
  /** The dimensions in memory order, slowest first. */
  order: number[];
}

/** A result's elements. */
export interface ResultAnswer extends ResultLayout {
  /**
   * Packed elements. For a data type of variable length: n + 1 offsets (32-bit), then the bytes.
   */
  bytes: Uint8Array;
  /**
   * JSON elements that `JSON.parse` cannot read exactly, by their text: the strict text, and the
   * places of its marks (`model/json.ts`).
   */
  lossless?: Record<string, [text: string, places: string]>;
}

/**
 * Progress of a read, as five counters: chunks, bytes, parts, total parts, total chunks (0 if a
 * total is not known yet).
 */
export type ProgressNumbers = Float64Array;

type ReadAnswer = ResultAnswer & { progress: ProgressNumbers };

/** The events of a read. */
export type ReadEvent =
  | { type: "progress"; numbers: ProgressNumbers }
  | ({ type: "layout" } & ResultLayout)
  | ({ type: "part" } & PartEvent);

/** A part of a stream. `start` is its first element, in all dimensions of the array. */
export interface PartEvent extends ResultAnswer {
  start: number[];
}

export interface WriteEvent {
  type: "written";
  chunks: number;
  totalChunks: number;
  empty: number;
  bytes: number;
}

/**
 * The data type of an array, the tables to convert its numbers, and the wasm build that has them.
 */
interface TypeAnswer {
  type: TypeDescription;
  tables: NumberTables | undefined;
  build: DecodeBuild;
}

/** The packed elements of a write. */
export interface WriteSource {
  bytes: Uint8Array;
  offsets?: Uint32Array;
  /** The source is one element, which is written to every place. */
  isOne: boolean;
  keepEmptyChunks: boolean;
  chunkOrder: "C" | "F" | "morton" | undefined;
}

export interface WriteArguments {
  array: number;
  priority: number;
  wantsProgress: boolean;
}

/** Numbers to pack as floats for which JavaScript has no typed array. */
export interface FloatsToPack {
  name: string;
  numbers: Float64Array;
  /** Clamp numbers beyond the type's range. Otherwise packing stops at the first of them. */
  cast: boolean;
  /** Total size in bytes of the packed floats. */
  byteLength: number;
}

/** The packed bytes, or the index of the first number that the type cannot represent. */
export type PackedFloats = Uint8Array | number;

export interface EngineCost {
  shape: number[];
  chunks: number;
  objects: number;
  elements: number;
  decodedElements: number;
  encodedChunkBytes?: number;
  indexBytes?: number;
}

/** A stored chunk: a chunk or a shard. */
export interface PlannedObject {
  /** Its index in the grid of stored objects. */
  chunk: number[];
  /** Its key in the store. */
  key: string;
}

/**
 * Consolidated metadata that the engine has loaded. It crosses in a few large values, because 100
 * 000 small objects would block the page.
 */
export interface Consolidation {
  /** The number under which the engine keeps it. */
  loaded: number;
  /** All paths, concatenated. */
  paths: string;
  /** The end of each path in `paths`. */
  ends: Uint32Array;
  /** For each path, 1 for an array and 0 for a group. */
  arrays: Uint8Array;
  /** The errors of the nodes that cannot be opened. */
  errors: [path: string, report: ErrorReport][];
  warnings: string[];
}

export interface ArchiveLayout {
  order: number[];
  headers: Uint8Array<ArrayBuffer>[];
  end: Uint8Array<ArrayBuffer>;
}

export interface CreateArguments extends NodePlace {
  overwrite: boolean;
}

/** A codec on its own, bound to a chunk. */
export interface CodecDescription {
  kind: "array_to_array" | "array_to_bytes" | "bytes_to_bytes";
  /** The wasm builds that decode and encode with it. */
  decoder: DecodeBuild;
  encoder: DecodeBuild;
  /** The chunk before encoding, and as the next codec sees it. */
  decoded: CodecChunk;
  encoded: CodecChunk;
}

interface CodecChunk {
  /** In elements. */
  shape: number[];
  type: TypeDescription;
}

/** A branch or a tag. */
export interface IcechunkRef {
  name: string;
  /** The id of its snapshot. */
  snapshot: string;
}

/** A snapshot in the history of a repository. */
export interface IcechunkSnapshot {
  id: string;
  /** The id of the snapshot before it; null for the first one. */
  parent: string | null;
  /** The message of the commit. */
  message: string;
  time: Date;
  metadata: Record<string, unknown>;
}

/** What can be asked of an Icechunk repository (`src/engine/js/reading/repository.rs`). */
export interface RepositoryAnswers {
  snapshot: string;
  branches: IcechunkRef[];
  tags: IcechunkRef[];
  history: IcechunkSnapshot[];
}

/** The chunks of a reduction. The numbers are about right. */
export interface ChunkCounts {
  all: number;
  /** Those that a cell's elements lie in. */
  ofCell: number;
  /** Whether they are asked for in bulk, as those of shards are. */
  inBulk: boolean;
}

export interface ReduceArguments extends ReadArguments {
  reduction: Uint8Array;
  counts: ChunkCounts;
  growth: Pick<Growth, "order" | "apart">;
  /**
   * By their places in `Question::ALL` of `src/reduction/answer.rs`. `share` is that of a quantile.
   */
  questions: { question: number; share: number }[];
  /** `source` is the type of the elements, by its place in `NumberType::ALL`. */
  settings: { source: number; freedom: number; skipsMissing: boolean };
  /** Whether to send events with the answers so far. */
  wantsPartial: boolean;
  /**
   * What another reduction with the same cells remembered, from which this one goes on, and the
   * places of its groups among those of this one.
   */
  before: { words: Uint8Array; groups: number[] } | undefined;
  /** Whether the answer has what was remembered. */
  keepsWords: boolean;
}

/** The answers of a reduction so far, and the share of elements that they are made of. */
export interface PartialEvent {
  type: "partial";
  answers: Uint8Array<ArrayBuffer>[];
  share: number;
}

export interface Operations {
  // Nodes.
  open(args: OpenArguments): NodeSummary;
  children(args: NodePlace): (NodeSummary | UnreadableSummary)[];
  /** The description of a node that cannot be opened. */
  unreadable(args: NodePlace): UnreadableSummary | undefined;
  exists(args: NodePlace): "array" | "group" | "implicit-group" | undefined;
  erase(args: NodePlace & { reify: boolean }): boolean;
  consolidate(args: NodePlace): number;
  loadConsolidated(args: { store: number; format: 2 | 3; key: string }): Consolidation;
  updateAttributes(args: NodePlace & { text: string; replace: boolean }): NodeSummary;
  createHierarchy(args: {
    store: number;
    format: string;
    suffix: string | undefined;
    extensions: string | undefined;
  }): undefined;
  createGroup(args: CreateArguments & { format: string; text: string }): NodeSummary;
  createArray(
    args: CreateArguments & {
      text: string;
      fill: Uint8Array | undefined;
      like: number | undefined;
      codecs: string;
    },
  ): NodeSummary;

  // Descriptions of arrays and data types.
  describeArray(args: { document: string; codecs: string }): ArraySummary;
  describeType(args: { array: number }): TypeAnswer;
  describeTypeName(args: { text: string; like: number | undefined }): TypeDescription;
  isStorageTransformer(args: { extension: string }): boolean;
  /**
   * JSON text that describes the next user codec that the page must load; undefined if there is
   * none.
   */
  codecQuestion(args: { document: string; codecs: string }): string | undefined;
  newCodecQuestion(args: { options: string; like: number | undefined; codecs: string }): string | undefined;
  /** Returns the names that are codecs of this package. */
  ownCodecs(args: { names: string[] }): string[];

  // Reading.
  /**
   * Starts the wasm and one decode worker, and the conventions' module if they are wanted. Resolves
   * when the wasm runs.
   */
  prepare(args: { conventions: boolean }): undefined;
  read(args: ReadArguments & ReadTarget): ReadAnswer;
  stream(args: ReadArguments): ProgressNumbers;
  /** Counts elements by value, over all parts (`src/kernel/summary.rs`). */
  summarise(args: ReadArguments): { numbers: Float64Array; progress: ProgressNumbers };
  /**
   * Reduces the selected elements. `reduction` is the request of `src/reduction/wire.rs`. Each
   * answer is the place of its type in `NumberType::ALL`, as a byte, and the packed numbers.
   */
  reduce(args: ReduceArguments): {
    answers: Uint8Array<ArrayBuffer>[];
    words: Uint8Array<ArrayBuffer> | undefined;
    /** Whether all chunks were cached: the store was not asked. */
    isCached: boolean;
  };
  /**
   * What a reduction takes, in bytes: the accumulators of all cells and of parts in flight, and the
   * elements of those parts.
   */
  planReduction(args: { reduction: Uint8Array; counts: ChunkCounts }): {
    accumulatorBytes: number;
    partsBytes: number;
    elementBytes: number;
  };
  /** The elements of a smaller box: `src/reduction/downsample.rs` says what the request has. */
  downsample(args: { request: Uint8Array }): Uint8Array<ArrayBuffer>;
  prefetch(args: ReadArguments): ProgressNumbers;
  planRead(args: { array: number; request: EngineRequest }): { cost: EngineCost; elementSize: number };
  planObjects(args: { array: number; request: EngineRequest; start: number; count: number }): PlannedObject[];
  /**
   * Drops the cached chunks of an array. With `oldShape`, which another program has made longer,
   * caches in front of the store keep all chunks but those at the old edge.
   */
  forgetChunks(args: { array: number; oldShape: readonly number[] | undefined }): undefined;

  // Writing.
  selectionShape(args: { array: number; selection: EngineSelection }): {
    type: TypeDescription;
    shape: number[];
    kept: boolean[];
  };
  write(args: WriteArguments & { request: EngineRequest; source: WriteSource }): undefined;
  append(args: WriteArguments & { axis: number; length: number; source: WriteSource }): NodeSummary;
  resize(args: WriteArguments & { shape: BigUint64Array }): NodeSummary;
  /** Reads the metadata again, once no write changes them. */
  reread(args: { array: number }): NodeSummary;
  packFloats(args: { floats: FloatsToPack[] }): PackedFloats[];

  // Codecs on their own. The texts are JSON (`src/core/format/codec/standalone.rs`).
  describeCodec(args: { text: string }): CodecDescription;
  runCodec(args: {
    text: string;
    build: DecodeBuild;
    encodes: boolean;
    /** Bytes, or packed elements. */
    input: Uint8Array;
  }): Uint8Array<ArrayBuffer>;

  // Stores.
  readKey(args: {
    store: number;
    key: string;
    offset: number | undefined;
    length: number | undefined;
  }): Uint8Array | undefined;
  sizeOfKey(args: { store: number; key: string }): number | undefined;
  listKeys(args: { store: number; prefix: string }): string[];
  listDirectory(args: { store: number; prefix: string }): { keys: string[]; prefixes: string[] };
  setKey(args: { store: number; key: string; value: Uint8Array }): undefined;
  eraseKey(args: { store: number; key: string }): undefined;
  askRepository(args: {
    store: number;
    question: keyof RepositoryAnswers;
  }): RepositoryAnswers[keyof RepositoryAnswers];
  persistentUsage(args: { cache: CacheDefinition }): { entries: number; bytes: number };
  persistentClear(args: { cache: CacheDefinition }): undefined;

  // Archives.
  crc32(args: { value: Uint8Array }): number;
  layOutArchive(args: {
    entries: { key: string; size: number; crc: number }[];
    omeVersion: string | undefined;
  }): ArchiveLayout;

  /** A call of the conventions' module: JSON text or numbers, both ways, as bytes. */
  convention(args: { call: keyof ConventionsCalls; request: Uint8Array }): Uint8Array<ArrayBuffer>;
}

export type OperationName = keyof Operations;
export type ArgumentsOf<Name extends OperationName> = Parameters<Operations[Name]>[0];
export type AnswerOf<Name extends OperationName> = ReturnType<Operations[Name]>;
