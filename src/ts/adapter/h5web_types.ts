/**
 * Translates data types, values and attributes of Zarr to HDF5's terms, as H5Web uses them. It
 * reads nothing.
 */
import {
  type Attribute,
  type BooleanType,
  type DType,
  DTypeClass,
  type FloatType,
  type IntegerType,
  type Shape,
  ShapeClass,
  type StringType,
} from "@h5web/app";

const integer = (signed: boolean, size: number): IntegerType => ({
  class: DTypeClass.Integer,
  signed,
  size,
  endianness: "little-endian",
});
const float = (size: number): FloatType => ({ class: DTypeClass.Float, size, endianness: "little-endian" });
const text = (): StringType => ({ class: DTypeClass.String, charSet: "UTF-8", strPad: "null-padded" });
const truth = (): BooleanType => ({ class: DTypeClass.Bool, base: integer(false, 8) });

/** Returns the type of numbers that were unpacked by CF's attributes. */
export const unpacked = (): FloatType => float(64);

/** Returns H5Web's type of a data type. Dates are text. */
export function typeOf(dtype: string): DType {
  const [, unsigned, bits] = /^(u?)int(\d+)$/.exec(dtype) ?? [];
  if (bits !== undefined) return integer(unsigned === "", Math.max(8, Number(bits)));
  if (dtype === "bool") return truth();
  if (/^complex/.test(dtype)) {
    const part = float(dtype === "complex128" ? 64 : 32);
    return { class: DTypeClass.Complex, realType: part, imagType: part };
  }
  // Floats without a typed array are read as singles.
  if (/float/.test(dtype)) return float(dtype === "float64" ? 64 : 32);
  if (/^string$|^v2:[SU]|^fixed_length_utf32$|^null_terminated_bytes$|datetime64$/.test(dtype)) return text();
  return { class: DTypeClass.Unknown };
}

/** A result of `Array.get`. */
interface Result {
  data: unknown;
  complex?: true;
  toDate?: (place: number) => Date;
}

const isoOf = (date: Date) => (Number.isNaN(date.getTime()) ? "NaT" : date.toISOString());

/**
 * Returns the elements as H5Web takes them: typed arrays, lists of text, pairs of complex numbers.
 */
export function valuesOf(dtype: string, { data, complex, toDate }: Result): unknown {
  const list = data as ArrayLike<unknown>;
  if (complex) return Array.from({ length: list.length / 2 }, (_, at) => [list[2 * at], list[2 * at + 1]]);
  if (toDate) return Array.from({ length: list.length }, (_, at) => isoOf(toDate(at)));
  if (/^v2:S|^null_terminated_bytes$/.test(dtype)) {
    const decoder = new TextDecoder();
    return Array.from(data as Uint8Array[], (bytes) => decoder.decode(bytes));
  }
  return data;
}

const SCALAR: Shape = { class: ShapeClass.Scalar, dims: [] };

function jsonType(value: unknown): DType | undefined {
  if (typeof value === "string") return text();
  if (typeof value === "boolean") return truth();
  if (typeof value === "number") return Number.isInteger(value) ? integer(true, 64) : float(64);
  return undefined;
}

/** Returns an attribute and its value. Objects and mixed lists are their JSON as text. */
export function attributeOf(name: string, value: unknown): { attribute: Attribute; value: unknown } {
  const type = jsonType(value);
  if (type) return { attribute: { name, shape: SCALAR, type }, value };
  if (Array.isArray(value) && value.length > 0) {
    const types = value.map(jsonType);
    const item = types.find((own) => own?.class !== DTypeClass.Integer) ?? types[0];
    const isEqual = types.every(
      (own) =>
        own &&
        (own.class === item?.class || (item?.class === DTypeClass.Float && own.class === DTypeClass.Integer)),
    );
    const shape: Shape = { class: ShapeClass.Array, dims: [value.length] };
    if (isEqual && item) return { attribute: { name, shape, type: item }, value };
  }
  return { attribute: { name, shape: SCALAR, type: text() }, value: JSON.stringify(value) };
}
