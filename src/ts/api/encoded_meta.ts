/**
 * Describes the effect of a codec without running it, for other libraries: the chunk after an
 * array-to-array codec, and the encoded size of codecs of fixed size. zarrita asks for both
 * synchronously, so the engine cannot be asked. The engine computes both itself where it runs a
 * codec.
 */
import { product } from "../elements/typed_arrays.ts";

/** zarrita's description of a chunk. */
export interface ChunkMeta {
  dataType?: string;
  /** In elements. */
  shape?: number[];
  fillValue?: unknown;
  codecs?: unknown;
}

type Configuration = Record<string, unknown>;

/** Returns the name of a data type in v3, for one of NumPy. */
function typeOfNumpy(dtype: string): string {
  const [, code = "", size = ""] = /^[<>|=]?([a-zA-Z])(\d*)$/.exec(dtype) ?? [];
  const kinds: Record<string, string> = { i: "int", u: "uint", f: "float", c: "complex" };
  const kind = kinds[code];
  if (code === "b" || code === "?") return "bool";
  return kind === undefined || size === "" ? dtype : `${kind}${8 * Number(size)}`;
}

function typeAfter(name: string, configuration: Configuration): string | undefined {
  const { data_type: dataType, encode_dtype: encodeType, astype, dtype } = configuration;
  const after = /cast_value$/.test(name) ? dataType : (encodeType ?? astype ?? dtype);
  return typeof after === "string" ? typeOfNumpy(after) : undefined;
}

/** Returns the shape after a transposition. */
function transposed(shape: number[], order: unknown): number[] {
  if (order === "F") return [...shape].reverse();
  return Array.isArray(order) ? order.map((axis) => shape[axis as number] ?? 0) : shape;
}

/**
 * Returns the shape after `reshape`: sizes, products of dimensions, and -1 for the remaining
 * elements.
 */
function reshaped(shape: number[], lengths: unknown): number[] {
  if (!Array.isArray(lengths)) return shape;
  const known = lengths.map((length: number | number[]) =>
    Array.isArray(length) ? product(length.map((axis) => shape[axis] ?? 0)) : length,
  );
  const others = product(known.filter((length) => length >= 0));
  return known.map((length) => (length < 0 ? product(shape) / others : length));
}

/**
 * Returns the number that `categorize` stores for a string: the last of equal labels counts, as in
 * numcodecs.
 */
const categoryOf = (labels: unknown, text: unknown): number =>
  Array.isArray(labels) ? labels.lastIndexOf(text) + 1 : 0;

/**
 * Returns the fill value as an element of another data type. Undefined if it is not exact there.
 */
function fillAs(dataType: string, fill: unknown): unknown {
  if (typeof fill !== "number" && typeof fill !== "bigint") return undefined;
  if (/^u?int64$/.test(dataType)) {
    return typeof fill === "bigint" || Number.isSafeInteger(fill) ? BigInt(fill) : undefined;
  }
  const number = Number(fill);
  return dataType === "float64" || Number.isSafeInteger(number) ? number : undefined;
}

/** Returns the description of the chunk after a codec has encoded it. */
export function encodedMetaOf(name: string, configuration: Configuration, meta: ChunkMeta): ChunkMeta {
  const { shape = [], fillValue } = meta;
  switch (name.replace(/^numcodecs\./, "")) {
    case "transpose":
      return { ...meta, shape: transposed(shape, configuration.order) };
    case "zarrs.squeeze":
      return { ...meta, shape: shape.filter((length) => length !== 1) };
    case "packbits":
      return { ...meta, dataType: "uint8", shape: [1 + Math.ceil(product(shape) / 8)], fillValue: 0 };
    case "reshape":
      return { ...meta, shape: reshaped(shape, configuration.shape) };
    case "categorize": {
      const dataType = typeOfNumpy(String(configuration.astype ?? "|u1"));
      return { ...meta, dataType, fillValue: fillAs(dataType, categoryOf(configuration.labels, fillValue)) };
    }
    default: {
      const dataType = typeAfter(name, configuration);
      if (dataType === undefined || dataType === meta.dataType) return meta;
      return { ...meta, dataType, fillValue: fillAs(dataType, fillValue) ?? null };
    }
  }
}

/** Codecs that append a checksum of four bytes. */
const CHECKSUMS = /^(numcodecs\.)?(crc32c?|adler32|fletcher32|jenkins_lookup3)$/;
/** Codecs that change no size. */
const SAME_SIZE = /^(bytes|endian|(numcodecs\.)?shuffle)$/;

/** Returns the function from decoded to encoded sizes in bytes. Undefined if the size varies. */
export function encodedSizeOf(name: string): ((decodedSize: number) => number) | undefined {
  if (CHECKSUMS.test(name)) return (size) => size + 4;
  return SAME_SIZE.test(name) ? (size) => size : undefined;
}
