/**
 * The description of a node as it crosses the port: what the wasm says of it (`contract.ts`), with
 * JSON that `JSON.parse` can read.
 */
import type * as contract from "../contract.ts";
import type { DataType } from "./types.ts";

export type { Dialect, LargeDocument } from "../contract.ts";

/** The builds of the engine that decode chunks. */
export type DecodeBuild = Extract<contract.Build, "engine" | "full" | "images" | "grib">;

/**
 * JSON text for `JSON.parse`. If the document has `NaN`, infinities or integers that a number would
 * round, the second text gives the places of their marks (`json.ts`).
 */
export type JsonText = string | [text: string, places: string];

/** For each float type without a typed array in JavaScript, the number of each bit pattern. */
export type NumberTables = Record<string, Float32Array>;

export interface NodeSummary extends Omit<contract.NodeSummary, "attributes" | "array"> {
  /** The attributes as a JSON object, unless they are in `large`. */
  attributes: JsonText;
  array?: ArraySummary | undefined;
}

export interface ArraySummary
  extends Omit<contract.ArraySummary, "dtype" | "codecs" | "storageTransformers" | "fallback" | "build"> {
  dtype: DataType;
  /**
   * A JSON fill value that `JSON.parse` cannot read, by its text: the strict text, and the places
   * of its marks.
   */
  losslessFill?: Record<string, [text: string, places: string]> | undefined;
  /** The codecs in encoding order. */
  codecs: { name: string; configuration?: JsonText | undefined }[];
  storageTransformers: { extension: string; type: JsonText; configuration?: JsonText | undefined }[];
  build: DecodeBuild;
  fallback?: { extension: string; dataType: JsonText; used: string } | undefined;
  /** Tables for the narrow floats in its data type. */
  tables?: NumberTables | undefined;
}

/** The description of a node that cannot be opened. */
export interface UnreadableSummary extends Omit<contract.UnreadableSummary, "attributes"> {
  attributes?: JsonText | undefined;
}
