/**
 * What the engine says of a node that it opened or made (`src/js/describe.rs`), as it crosses the
 * port.
 */
import type { ErrorReport } from "./errors.ts";
import type { DataType } from "./types.ts";

/** Which text the metadata follows. */
export type Dialect = "v2" | "v3" | "v3-draft-2020-10" | "v3-draft-2022-05";

/** Which build of the engine decodes an array's chunks. */
export type DecodeBuild = "engine" | "full" | "images";

/**
 * JSON text for `JSON.parse`. Where the document has `NaN`, infinities or integers that a number
 * would round, the second text tells where their marks are (`marked_json.ts`).
 */
export type JsonText = string | [text: string, places: string];

/**
 * The numbers that bit patterns mean, by the name of a float that JavaScript has no typed array
 * for.
 */
export type NumberTables = Record<string, Float32Array>;

export interface NodeSummary {
  kind: "array" | "group";
  /** Absolute path, with a leading "/". */
  path: string;
  format: 2 | 3;
  dialect: Dialect;
  /** The raw documents, as the engine takes them back. */
  document: string;
  /** Instead, of a large group of v3: its `zarr.json` as UTF-8. */
  large?: Uint8Array;
  /** The attributes object. */
  attributes: JsonText;
  warnings: string[];
  array?: ArraySummary;
}

export interface ArraySummary {
  shape: bigint[];
  /** Chunk, or inner chunk when sharded. */
  chunks: bigint[];
  /** Shard, when sharded. */
  shards?: bigint[];
  /** Of a grid whose chunks differ: each dimension's runs of chunks. */
  grid?: [length: bigint, count: number][][];
  dtype: DataType;
  /** JSON text of a `TypeDescription`. */
  dataType: string;
  /** One packed element; absent for the null of v2. */
  fillValue?: Uint8Array;
  /**
   * A fill value of JSON that `JSON.parse` cannot read: its text for it, and the places of marks.
   */
  markedFill?: Record<string, [text: string, places: string]> | undefined;
  dimensionNames?: (string | null)[];
  /** Array dimensions as chunks have them in memory, slowest first. */
  order: number[];
  /** The chain in encoding order. */
  codecs: { name: string; configuration?: JsonText }[];
  storageTransformers: { extension: string; type: JsonText; configuration?: JsonText }[];
  home: DecodeBuild;
  fallback?: { extension: string; dataType: JsonText; used: string };
  /** Of the narrow floats in its data type. */
  tables?: NumberTables | undefined;
}

/** What is known of a node that cannot be opened; `src/js/children.rs` writes it. */
export interface UnreadableSummary {
  path: string;
  kind?: "array" | "group";
  shape?: bigint[];
  dtype?: string;
  attributes?: JsonText;
  /** As the engine reports errors. */
  error: ErrorReport;
}
