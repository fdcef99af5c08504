/**
 * A data type as the engine describes it. The members are those of `Description` in
 * `src/core/format/data_type/description.rs`. Other code must not depend on names of data types, because
 * the kind determines how elements are represented.
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
  /** Size of an element in bytes; absent for variable length. */
  size?: number;
  /** Numbers per element: 2 for complex ones, the code points for UTF-32 text. */
  components?: number;
  /** The typed array class that shows the numbers as they are in memory. */
  view?: ViewName;
  /** Whether `view` shows the bits of floats, which can be widened to float32. */
  widens: boolean;
  unit?: TimeUnit;
  scaleFactor?: number;
  fields?: FieldDescription[];
  /**
   * The element type of a variable array, or the type of an optional value, which begins at byte 1.
   */
  inner?: TypeDescription;
}

export interface FieldDescription {
  name: string;
  offset: number;
  /** Shape of the field's array; empty for a single value. */
  shape: number[];
  type: TypeDescription;
}

/** The unit of a datetime or timedelta, as NumPy spells it. */
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

/** The number types to which a read can convert. */
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
