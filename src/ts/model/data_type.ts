/**
 * A data type as the engine describes it: `Description` of `src/format/data_type/description.rs`,
 * member by member. Deliberately without names of types beyond that: what is made of elements
 * depends on their kind alone.
 */

export type Kind =
  | "bool"
  | "integer"
  | "float"
  | "complex"
  | "raw"
  | "null-terminated-bytes"
  | "utf32"
  | "datetime"
  | "timedelta"
  | "struct"
  | "optional"
  | "string"
  | "bytes"
  | "variable-array"
  | "json";

export type ViewName =
  | "Int8Array"
  | "Int16Array"
  | "Int32Array"
  | "BigInt64Array"
  | "Uint8Array"
  | "Uint16Array"
  | "Uint32Array"
  | "BigUint64Array"
  | "Float16Array"
  | "Float32Array"
  | "Float64Array";

export interface TypeDescription {
  name: string;
  kind: Kind;
  /** Bytes of one element; absent where elements have lengths of their own. */
  size?: number;
  /** Numbers in one element: 2 of a complex one, the code points of UTF-32 text. */
  components?: number;
  /** The typed array whose elements are these numbers as they are in memory. */
  view?: ViewName;
  /** Whether `view` shows floats as bits that can be had as float32. */
  widens: boolean;
  unit?: TimeUnit;
  scaleFactor?: number;
  fields?: FieldDescription[];
  /**
   * Of the elements of a variable array, or of the value of an optional one, which begins at byte
   * 1.
   */
  inner?: TypeDescription;
}

export interface FieldDescription {
  name: string;
  offset: number;
  /** Of the field's array; empty for one value. */
  shape: number[];
  type: TypeDescription;
}

/** What a datetime or timedelta counts, as NumPy spells it. */
export type TimeUnit =
  | "Y"
  | "M"
  | "W"
  | "D"
  | "h"
  | "m"
  | "s"
  | "ms"
  | "us"
  | "ns"
  | "ps"
  | "fs"
  | "as"
  | "generic";

export const parseDescription = (text: string): TypeDescription => JSON.parse(text);

/** The types that numbers can be had in. */
export type NumberType =
  | "int8"
  | "int16"
  | "int32"
  | "int64"
  | "uint8"
  | "uint16"
  | "uint32"
  | "uint64"
  | "float16"
  | "float32"
  | "float64";
