/**
 * A data type as the engine describes it. The members are those of `Description` in
 * `src/core/format/data_type/description.rs`. Other code must not depend on names of data types,
 * because the kind determines how elements are represented.
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

/** The typed array class of each number type. */
export const NUMBER_VIEWS = {
  int8: "Int8Array",
  int16: "Int16Array",
  int32: "Int32Array",
  int64: "BigInt64Array",
  uint8: "Uint8Array",
  uint16: "Uint16Array",
  uint32: "Uint32Array",
  uint64: "BigUint64Array",
  float16: "Float16Array",
  float32: "Float32Array",
  float64: "Float64Array",
} as const;

/**
 * The number types to which a read can convert: `int8`, `int16`, `int32`, `int64`, `uint8`,
 * `uint16`, `uint32`, `uint64`, `float16`, `float32` and `float64`.
 */
export type NumberType = keyof typeof NUMBER_VIEWS;

export type ViewName = (typeof NUMBER_VIEWS)[NumberType];

export const isNumberType = (name: string): name is NumberType => Object.hasOwn(NUMBER_VIEWS, name);

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

const NUMERIC = ["bool", "integer", "float", "complex", "datetime", "timedelta"];

/** Whether elements are numbers, or pairs of them. */
export const isNumeric = ({ kind }: TypeDescription): boolean => NUMERIC.includes(kind);
