/**
 * The operations of the engine, as they cross the port: those of the wasm (`contract.ts`), and
 * those that the engine's TypeScript performs (`engine/operations/`). Stores and arrays are given
 * by id (`definitions.ts`). Shapes are in elements, lengths in bytes.
 */

import type {
  AppendArguments,
  ArrayId,
  CodecKind,
  CodecText,
  Consolidated,
  ConsolidatedSource,
  ConventionsCalls,
  DecodeBuild,
  DownsampleRequest,
  FloatTable,
  JsonText,
  NodeSummary,
  OpenArguments,
  PlanArguments,
  ReadArguments,
  ReadCost,
  ReadLayout,
  ReadProgress,
  ReductionAnswer,
  ReductionQuestion,
  ReductionRequest,
  ReductionSettings,
  RepositoryQuestion,
  RepositorySubject,
  ResizeArguments,
  TypeName,
  WasmOperations,
  WriteArguments,
  WriteProgress,
} from "../../../contract/contract.ts";
import type { TypeDescription } from "../model/data_type.ts";
import type { OwnBytes } from "../model/own_memory.ts";
import type { Growth } from "../model/read_request.ts";
import type { CacheDefinition } from "./definitions.ts";

export interface OpenCall extends OpenArguments {
  /**
   * URLs that the page has requested already. The engine gets the responses through the callback.
   */
  early?: { urls: string[]; callback: number };
}

/** A read of elements. */
export interface ReadCall extends Omit<ReadArguments, "job"> {
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
export type ResultLayout = Pick<ReadLayout, "shape" | "kept" | "order">;

/** A result's elements. */
export interface ResultAnswer extends ResultLayout {
  /**
   * Packed elements. For a data type of variable length: n + 1 offsets (32-bit), then the bytes.
   */
  bytes: Uint8Array;
  /** What stands for JSON elements that `JSON.parse` cannot read, by their text. */
  lossless?: Record<string, JsonText>;
}

type ReadAnswer = ResultAnswer & { progress: ReadProgress };

/** The events of a read. */
export type ReadEvent =
  | { type: "progress"; progress: ReadProgress }
  | ({ type: "layout" } & ResultLayout)
  | ({ type: "part" } & PartEvent);

/** A part of a stream. `start` is its first element, in all dimensions of the array. */
export interface PartEvent extends ResultAnswer {
  start: number[];
}

export type WriteEvent = { type: "written" } & WriteProgress;

/**
 * The data type of an array, the tables to convert its numbers, and the wasm build that has them.
 */
interface TypeAnswer {
  type: TypeDescription;
  floatTables: FloatTable[];
  build: DecodeBuild;
}

/** What all writes share. The engine makes their job. */
export interface WriteCall {
  array: number;
  priority: number;
  wantsProgress: boolean;
}

type Writing<Arguments> = Omit<Arguments, "job"> & WriteCall;

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

/** Consolidated metadata that the engine has loaded. */
export interface Consolidation extends Omit<Consolidated, "store" | "ends"> {
  /** The id under which the engine keeps it. */
  loaded: number;
  /** The end of each path in `paths`. */
  ends: Uint32Array;
}

/** A codec on its own, bound to a chunk. */
export interface CodecDescription {
  kind: CodecKind;
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
  /** Its name. */
  name: string;
  /** The id of its snapshot. */
  snapshot: string;
}

/** A snapshot in the history of a repository. */
export interface IcechunkSnapshot {
  /** Its id. */
  id: string;
  /** The id of the snapshot before it; null for the first one. */
  parent: string | null;
  /** The message of the commit. */
  message: string;
  /** The time of the commit. */
  time: Date;
  /** What its author has noted beside the message. */
  metadata: Record<string, unknown>;
}

/** What can be asked of an Icechunk repository (`src/engine/rust/js/reading/repository.rs`). */
export interface RepositoryAnswers extends Record<RepositorySubject, unknown> {
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

export interface ReduceArguments extends ReadCall {
  reduction: ReductionRequest;
  counts: ChunkCounts;
  growth: Pick<Growth, "order" | "apart">;
  questions: ReductionQuestion[];
  settings: ReductionSettings;
  /** Whether to send events with the answers so far. */
  wantsPartial: boolean;
  /**
   * What another reduction with the same cells remembered, from which this one goes on, and the
   * indices of its groups among those of this one.
   */
  before: { words: Uint8Array; groups: number[] } | undefined;
  /** Whether the answer has what was remembered. */
  keepsWords: boolean;
}

/** The answers of a reduction so far, and the share of elements that they are made of. */
export interface PartialEvent {
  type: "partial";
  answers: ReductionAnswer[];
  share: number;
}

/** Operations that the engine's TypeScript performs. Some have the name of one of the wasm. */
interface OwnOperations {
  // Nodes.
  open(args: OpenCall): NodeSummary;
  loadConsolidated(args: Omit<ConsolidatedSource, "loaded">): Consolidation;
  describeType(args: ArrayId): TypeAnswer;
  describeTypeName(args: TypeName): TypeDescription;

  // Reading.
  /**
   * Starts the wasm and one decode worker, and the conventions' module if they are wanted. Resolves
   * when the wasm runs.
   */
  prepare(args: { conventions: boolean }): undefined;
  read(args: ReadCall & ReadTarget): ReadAnswer;
  stream(args: ReadCall): ReadProgress;
  /** Counts elements by value, over all parts (`src/kernel/summary.rs`). */
  summarise(args: ReadCall): { numbers: Float64Array; progress: ReadProgress };
  /** Reduces the selected elements. */
  reduce(args: ReduceArguments): {
    answers: ReductionAnswer[];
    words: OwnBytes | undefined;
    /** Whether all chunks were cached: the store was not asked. */
    isCached: boolean;
  };
  /**
   * What a reduction takes, in bytes: the accumulators of all cells and of parts in flight, and the
   * elements of those parts.
   */
  planReduction(args: { reduction: ReductionRequest; counts: ChunkCounts }): {
    accumulatorBytes: number;
    partsBytes: number;
    elementBytes: number;
  };
  /** The elements of a smaller box. */
  downsample(args: { request: DownsampleRequest; elements: Uint8Array }): OwnBytes;
  prefetch(args: ReadCall): ReadProgress;
  planRead(args: PlanArguments): { cost: ReadCost; elementSize: number };
  /**
   * Drops the cached chunks of an array. If it has only grown since it had the metadata documents
   * `before`, caches in front of the store keep all chunks but those at the old edge.
   */
  forgetChunks(args: { array: number; before: string | undefined }): undefined;

  // Writing.
  write(args: Writing<WriteArguments>): undefined;
  append(args: Writing<AppendArguments>): NodeSummary;
  resize(args: Writing<ResizeArguments>): NodeSummary;
  packFloats(args: { floats: FloatsToPack[] }): PackedFloats[];

  // Codecs on their own. The texts are JSON (`src/core/format/codec/standalone.rs`).
  describeCodec(args: CodecText): CodecDescription;
  runCodec(args: {
    text: string;
    build: DecodeBuild;
    encodes: boolean;
    /** Bytes, or packed elements. */
    input: Uint8Array;
  }): OwnBytes;

  // Stores and archives.
  askRepository(args: RepositoryQuestion): RepositoryAnswers[keyof RepositoryAnswers];
  persistentUsage(args: { cache: CacheDefinition }): { entries: number; bytes: number };
  persistentClear(args: { cache: CacheDefinition }): undefined;
  crc32(args: { value: Uint8Array }): number;

  /** A call of the conventions' module: JSON text or numbers, both ways, as bytes. */
  convention(args: { call: keyof ConventionsCalls; request: Uint8Array }): OwnBytes;
}

export type Operations = OwnOperations & Omit<WasmOperations, keyof OwnOperations | "consolidatedStore">;

export type OperationName = keyof Operations;
export type ArgumentsOf<Name extends OperationName> = Parameters<Operations[Name]>[0];
export type AnswerOf<Name extends OperationName> = ReturnType<Operations[Name]>;
