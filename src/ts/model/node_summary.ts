/**
 * The description of a node that the engine opened or created (`src/engine/js/describe.rs`), as it
 * crosses the port.
 */
import type { ErrorReport } from "./errors.ts";
import type { DataType } from "./types.ts";

/** The version of the specification that the metadata follows. */
export type Dialect = "v2" | "v3" | "v3-draft-2020-10" | "v3-draft-2022-05";

/**
 * The build of the engine that decodes an array's chunks. The smallest build that can decode them
 * is chosen.
 */
export type DecodeBuild = "engine" | "full" | "images" | "grib";

/**
 * JSON text for `JSON.parse`. If the document has `NaN`, infinities or integers that a number would
 * round, the second text gives the places of their marks (`json.ts`).
 */
export type JsonText = string | [text: string, places: string];

/** For each float type without a typed array in JavaScript, the number of each bit pattern. */
export type NumberTables = Record<string, Float32Array>;

/** A document that is too large to cross as text. */
export interface LargeDocument {
  /** The suffix of its key. */
  suffix: string;
  /** The document as UTF-8. */
  bytes: Uint8Array;
  /**
   * The attributes in it: the byte offsets of their start, of the start and the end of each token
   * that `JSON.parse` loses, and of their end. Absent if the summary has them as text.
   */
  attributes?: Uint32Array;
  /** The places of these tokens (`json.ts`). */
  places?: string;
}

export interface NodeSummary {
  kind: "array" | "group";
  /** Absolute path; begins with "/". */
  path: string;
  format: 2 | 3;
  dialect: Dialect;
  /** The raw metadata documents, in the form that the engine takes. */
  document: string;
  /** The `zarr.json` or `.zattrs` of which `document` lacks the text or the attributes. */
  large?: LargeDocument;
  /** The attributes as a JSON object, unless they are in `large`. */
  attributes: JsonText;
  warnings: string[];
  array?: ArraySummary;
}

export interface ArraySummary {
  shape: bigint[];
  /** Shape of a chunk; of an inner chunk if the array is sharded. */
  chunks: bigint[];
  /** Shape of a shard; absent if the array is not sharded. */
  shards?: bigint[];
  /** For a rectilinear grid, the runs of equal chunks of each dimension. */
  grid?: [length: bigint, count: number][][];
  dtype: DataType;
  /** JSON text of a `TypeDescription`. */
  dataType: string;
  /** The packed fill value; absent for v2's null. */
  fillValue?: Uint8Array;
  /**
   * A JSON fill value that `JSON.parse` cannot read, by its text: the strict text, and the places
   * of its marks.
   */
  losslessFill?: Record<string, [text: string, places: string]>;
  dimensionNames?: (string | null)[];
  /** The array's dimensions in the memory order of chunks, slowest first. */
  order: number[];
  /** The codecs in encoding order. */
  codecs: { name: string; configuration?: JsonText }[];
  storageTransformers: { extension: string; type: JsonText; configuration?: JsonText }[];
  /** The build of the engine that decodes its chunks. */
  build: DecodeBuild;
  fallback?: { extension: string; dataType: JsonText; used: string };
  /** Tables for the narrow floats in its data type. */
  tables?: NumberTables;
}

/** The description of a node that cannot be opened (`src/engine/js/children.rs`). */
export interface UnreadableSummary {
  path: string;
  kind?: "array" | "group";
  shape?: bigint[];
  dtype?: string;
  attributes?: JsonText;
  /** The reason why it cannot be opened. */
  error: ErrorReport;
}
