/**
 * Every operation of the engine: its arguments and its answer, as they cross the port. Stores and
 * arrays are numbers (`definitions.ts`). Shapes are in elements, lengths in bytes. The engine's
 * half is `engine/operations/`.
 */
import type { TypeDescription } from "../model/data_type.ts";
import type { ErrorReport } from "../model/errors.ts";
import type {
  ArraySummary,
  Home,
  NodeSummary,
  NumberTables,
  UnreadableSummary,
} from "../model/node_summary.ts";
import type { EngineRequest, EngineSelection } from "../model/request.ts";
import type { CacheDefinition } from "./definitions.ts";

interface NodePlace {
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
  /** Ask for v3's document first, and for v2's only where there is none. */
  v3First: boolean;
  /** Whether v2's attributes are wanted. */
  attrs: boolean;
  /** Past all caches. */
  reload: boolean;
  /** URLs that the page has requested already: the engine asks the page for the answers. */
  early?: { urls: string[]; callback: number } | undefined;
}

/** A read of elements. */
export interface ReadArguments {
  array: number;
  request: EngineRequest;
  /** What the elements become, where they are converted. */
  type?: TypeDescription | undefined;
  hearsProgress: boolean;
}

/** Where a result goes. */
export interface ReadTarget {
  /** Memory of the caller's that the engine may write: shared, or on the same thread. */
  out?: Uint8Array | undefined;
  useSharedArrayBuffer?: boolean | undefined;
  /**
   * A larger box to put the selection into, at its origin: a whole chunk at the edge of an array.
   */
  frame?: readonly number[] | undefined;
}

/** How a result stands in memory. */
export interface ResultLayout {
  /** All of the array's dimensions, or of the frame. */
  shape: number[];
  /** Which of them the result keeps. */
  kept: boolean[];
  /** Dimensions in the order of memory, slowest first. */
  order: number[];
}

/** A result's elements. */
export interface ResultAnswer extends ResultLayout {
  /**
   * Packed elements; n + 1 offsets (32-bit) and the bytes behind them where elements have lengths
   * of their own.
   */
  bytes: Uint8Array;
  /**
   * JSON elements that `JSON.parse` cannot read, by their text: the text for it, and the places of
   * marks.
   */
  marked?: Record<string, [text: string, places: string]> | undefined;
}

/** What a read took: chunks, bytes, parts, all parts, all chunks (0 where unknown). */
export type ProgressNumbers = Float64Array;

export type ReadAnswer = ResultAnswer & { progress: ProgressNumbers };

/** What a read or a write sends while it goes on. */
export type ReadEvent =
  | { type: "progress"; numbers: ProgressNumbers }
  | ({ type: "layout" } & ResultLayout)
  | ({ type: "part" } & PartEvent);

/** A part of a stream. `start` counts in all dimensions of the array. */
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

/** What elements are, and whose tables they need. */
export interface TypeAnswer {
  type: TypeDescription;
  tables: NumberTables | undefined;
  home: Home;
}

/** The elements of a write, packed. */
export interface WriteSource {
  bytes: Uint8Array;
  offsets?: Uint32Array | undefined;
  /** One element, for all places. */
  isOne: boolean;
  keepEmptyChunks: boolean;
  chunkOrder: "C" | "F" | "morton" | undefined;
}

interface WriteArguments {
  array: number;
  priority: number;
  hearsProgress: boolean;
}

/** Numbers to be packed as floats that JavaScript has no typed array for. */
export interface FloatsToPack {
  name: string;
  numbers: Float64Array;
  /** Numbers beyond the type's range become its bounds; otherwise packing stops at the first. */
  cast: boolean;
  /** Bytes of all of them. */
  byteLength: number;
}

/** The packed bytes, or the place of the first number that the type cannot hold. */
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

/** What is stored under one key: a chunk, or a shard. */
export interface PlannedObject {
  /** Its place in the grid of what is stored. */
  chunk: number[];
  /** Its key in the store. */
  key: string;
}

/** Consolidated metadata that was loaded; of 10^5 nodes an object each would be a long task. */
export interface Consolidation {
  /** The number under which the engine keeps it. */
  loaded: number;
  /** All paths, one behind the other. */
  paths: string;
  /** Where each ends. */
  ends: Uint32Array;
  /** 1 for an array, 0 for a group. */
  arrays: Uint8Array;
  /** Of nodes that cannot be opened. */
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

export interface Operations {
  // Nodes.
  open(args: OpenArguments): NodeSummary;
  children(args: NodePlace): (NodeSummary | UnreadableSummary)[];
  /** What is known of a node that cannot be opened. */
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

  // What arrays and data types are.
  describeArray(args: { document: string; codecs: string }): ArraySummary;
  describeType(args: { array: number }): TypeAnswer;
  describeTypeName(args: { text: string; like: number | undefined }): TypeDescription;
  isStorageTransformer(args: { extension: string }): boolean;
  /** The next of the user's codecs that must be known, as JSON text. */
  codecQuestion(args: { document: string; codecs: string }): string | undefined;
  newCodecQuestion(args: { options: string; like: number | undefined; codecs: string }): string | undefined;
  /** Which of these names are codecs of ours. */
  ownCodecs(args: { names: string[] }): string[];

  // Reading.
  read(args: ReadArguments & ReadTarget): ReadAnswer;
  stream(args: ReadArguments): ProgressNumbers;
  /** Counts of elements by value, added up over all parts (`src/kernel/summary.rs`). */
  summarise(args: ReadArguments & { bins: number }): { numbers: Float64Array; progress: ProgressNumbers };
  prefetch(args: ReadArguments): ProgressNumbers;
  planRead(args: { array: number; request: EngineRequest }): { cost: EngineCost; elementSize: number };
  planObjects(args: { array: number; request: EngineRequest; start: number; count: number }): PlannedObject[];
  forgetChunks(args: { array: number }): undefined;

  // Writing.
  selectionShape(args: { array: number; selection: EngineSelection }): {
    type: TypeDescription;
    shape: number[];
    kept: boolean[];
  };
  write(args: WriteArguments & { request: EngineRequest; source: WriteSource }): undefined;
  append(args: WriteArguments & { axis: number; length: number; source: WriteSource }): NodeSummary;
  resize(args: WriteArguments & { shape: BigUint64Array }): NodeSummary;
  packFloats(args: { floats: FloatsToPack[] }): PackedFloats[];

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
  persistentUsage(args: { cache: CacheDefinition }): { entries: number; bytes: number };
  persistentClear(args: { cache: CacheDefinition }): undefined;

  // Archives.
  crc32(args: { value: Uint8Array }): number;
  layOutArchive(args: {
    entries: { key: string; size: number; crc: number }[];
    omeVersion: string | undefined;
  }): ArchiveLayout;

  // Conventions: JSON text in, JSON text out.
  convention(args: { request: string }): { status: number; answer: string };
}

export type OperationName = keyof Operations;
export type ArgumentsOf<Name extends OperationName> = Parameters<Operations[Name]>[0];
export type AnswerOf<Name extends OperationName> = ReturnType<Operations[Name]>;
