/**
 * The types of the API: data types and their typed arrays, chunks, metadata objects, and the
 * store interface. Names and meanings are zarrita's, so code written for zarrita type-checks.
 * Extensions are marked.
 */
import type { OwnBytes, OwnColors } from "./own_memory.ts";
import type { BoolArray, ByteStringArray, UnicodeStringArray } from "./wrapper_arrays.ts";

export type * from "./host.ts";

export type Int8 = "int8";
export type Int16 = "int16";
export type Int32 = "int32";
export type Int64 = "int64";
export type Uint8 = "uint8";
export type Uint16 = "uint16";
export type Uint32 = "uint32";
export type Uint64 = "uint64";
export type Float16 = "float16";
export type Float32 = "float32";
export type Float64 = "float64";
export type Bool = "bool";
/** A v2 fixed-length string of UTF-32 code points. */
export type UnicodeStr = `v2:U${number}`;
/** A v2 fixed-length string of bytes. */
export type ByteStr = `v2:S${number}`;
/** A string of any length. */
export type String = "string";
/** A v2 object array: any JSON value. */
export type ObjectType = "v2:object";

/** Integers of fewer than eight bits. This and the following data types are not zarrita's. */
export type NarrowInt = "int2" | "int4";
export type NarrowUint = "uint2" | "uint4";
/** Floats that are read as float32. */
export type NarrowFloat = "bfloat16" | `float${4 | 6 | 8}_${string}`;
/** Complex numbers: two floats, the real part first. */
export type Complex = "complex64" | "complex128" | `complex_${string}`;
export type Datetime = "numpy.datetime64";
export type Timedelta = "numpy.timedelta64";
/** Raw bytes; the number in the name is the size in bits. */
export type Raw = `r${number}`;
/** Bytes of variable length. */
export type Bytes = "bytes";
/** The v3 names of zarrita's `v2:U` and `v2:S`. */
export type FixedLengthUtf32 = "fixed_length_utf32";
export type NullTerminatedBytes = "null_terminated_bytes";
/** A struct with named fields. */
export type Struct = "struct";
/** An optional value. */
export type Optional = "zarrs.optional";

export type NumberDataType = Int8 | Int16 | Int32 | Uint8 | Uint16 | Uint32 | Float16 | Float32 | Float64;
/** Numbers that zarrita does not have. */
export type NarrowNumberDataType = NarrowInt | NarrowUint | NarrowFloat;
/** All data types whose elements are read as numbers. */
export type AnyNumberDataType = NumberDataType | NarrowNumberDataType;
export type BigintDataType = Int64 | Uint64;
export type StringDataType = UnicodeStr | ByteStr | String | FixedLengthUtf32 | NullTerminatedBytes;
export type DataType =
  | AnyNumberDataType
  | BigintDataType
  | StringDataType
  | ObjectType
  | Bool
  | Complex
  | Datetime
  | Timedelta
  | Raw
  | Bytes
  | Struct
  | Optional;

/**
 * The queries that `Array.is` takes. `"number"` means zarrita's types; `"anyNumber"` also means
 * those of `NarrowNumberDataType`.
 */
export type DataTypeQuery = DataType | "boolean" | "number" | "anyNumber" | "bigint" | "object" | "string";

/** The data types for which `Array.is(query)` is true. */
export type NarrowDataType<D extends DataType, Q extends DataTypeQuery> = Q extends "number"
  ? Extract<D, NumberDataType>
  : Q extends "anyNumber"
    ? Extract<D, AnyNumberDataType>
    : Q extends "bigint"
      ? Extract<D, BigintDataType>
      : Q extends "boolean"
        ? Extract<D, Bool>
        : Q extends "string"
          ? Extract<D, StringDataType>
          : Q extends "object"
            ? Extract<D, ObjectType>
            : Extract<Q, D>;

/** One element. A complex number is `[re, im]`, a struct is an object. */
export type Scalar<D extends DataType> = D extends Bool
  ? boolean
  : D extends BigintDataType | Datetime | Timedelta
    ? bigint
    : D extends StringDataType
      ? string
      : D extends AnyNumberDataType
        ? number
        : D extends Complex
          ? [re: number, im: number]
          : D extends Raw | Bytes
            ? Uint8Array
            : D extends Struct
              ? Record<string, unknown>
              : D extends ObjectType | Optional
                ? unknown
                : never;

/** `Float16Array` if the JavaScript engine has it, else `Float32Array`. */
export type HalfArray = typeof globalThis extends { Float16Array: new (...args: never[]) => infer T }
  ? T | Float32Array
  : Float32Array;

/** One field of all structs. The dimensions of a field's own array come last. */
export interface Column {
  data: unknown;
  shape: number[];
  stride: number[];
  complex?: true;
  unit?: string;
  scale?: number;
  toDate?: (place: number) => Date;
}

/**
 * The array types of `Array.get`: plain typed arrays (bool: a `Uint8Array` of 0 and 1;
 * complex: real and imaginary parts in turn), and plain arrays of text and bytes.
 */
export type PlainArray<D extends DataType> = D extends Bool
  ? OwnBytes
  : D extends UnicodeStr | FixedLengthUtf32
    ? string[]
    : D extends ByteStr | NullTerminatedBytes
      ? Uint8Array[]
      : TypedArray<D>;

interface ArraysOfNumbers {
  int2: Int8Array;
  int4: Int8Array;
  int8: Int8Array;
  int16: Int16Array;
  int32: Int32Array;
  int64: BigInt64Array;
  uint2: Uint8Array;
  uint4: Uint8Array;
  uint8: Uint8Array;
  uint16: Uint16Array;
  uint32: Uint32Array;
  uint64: BigUint64Array;
  float16: HalfArray;
  float32: Float32Array;
  float64: Float64Array;
  complex128: Float64Array;
  complex_float16: HalfArray;
  "numpy.datetime64": BigInt64Array;
  "numpy.timedelta64": BigInt64Array;
}

/** The array types of zarrita's calls (`get`, `getChunk`). */
export type TypedArray<D extends DataType> = D extends keyof ArraysOfNumbers
  ? ArraysOfNumbers[D]
  : D extends NarrowFloat | Complex
    ? Float32Array
    : D extends Bool
      ? BoolArray
      : D extends UnicodeStr | FixedLengthUtf32
        ? UnicodeStringArray
        : D extends ByteStr | NullTerminatedBytes
          ? ByteStringArray
          : D extends String
            ? string[]
            : D extends Raw | Bytes
              ? Uint8Array[]
              : D extends Struct
                ? Record<string, Column>
                : D extends ObjectType | Optional
                  ? unknown[]
                  : never;

export type TypedArrayConstructor<D extends DataType> = {
  new (length: number): TypedArray<D>;
  new (array: ArrayLike<Scalar<D>> | ArrayBufferLike, byteOffset?: number, length?: number): TypedArray<D>;
};

/** Elements and their layout. `shape` and `stride` are in elements; strides may be in any order. */
export type Chunk<D extends DataType> = { data: TypedArray<D>; shape: number[]; stride: number[] };

/** Values to write: a scalar, a list, a typed array, or a chunk with its layout. */
export type Settable<D extends DataType> =
  | Scalar<D>
  | Chunk<D>
  | PlainArray<D>
  | { data: unknown; shape: readonly number[]; stride?: readonly number[] | undefined }
  | readonly unknown[]
  | ArrayBufferView;

/** The additional members that some data types need. */
export type Marks<D extends DataType> = D extends Complex
  ? { complex: true }
  : D extends Datetime
    ? { unit: string; scale: number; toDate(place: number): Date }
    : D extends Timedelta
      ? { unit: string; scale: number }
      : unknown;

/**
 * The result of `Array.get`: plain arrays in C order. `stride` is in elements; a complex number
 * counts as one.
 */
export type Selected<D extends DataType> = {
  data: PlainArray<D>;
  shape: number[];
  stride: number[];
} & Marks<D>;

/** The result of `Array.get` with `as: "bytes"`: packed little-endian elements. */
export type SelectedBytes = { data: Uint8Array; shape: number[]; stride: number[] };

/**
 * The result of `Array.get` with a number type in `as`. With `decode` alone, the attributes
 * determine the type.
 */
export type SelectedNumbers<As extends keyof ArraysOfNumbers | undefined> = {
  data: As extends keyof ArraysOfNumbers
    ? ArraysOfNumbers[As]
    : Exclude<ArraysOfNumbers[keyof ArraysOfNumbers], BigInt64Array | BigUint64Array>;
  shape: number[];
  stride: number[];
};

/** The result of `Array.get` with `as: "rgba"`. The last dimension has four bytes per pixel. */
export type SelectedColors = { data: OwnColors; shape: number[]; stride: number[] };

export type Attributes = Record<string, unknown>;

export type CodecMetadata = { name: string; configuration: Record<string, unknown> };

/** A v3 array metadata object for `new Array(…)`. Zarr v3, "Array metadata". */
export type ArrayMetadata<D extends DataType = DataType> = {
  zarr_format: 3;
  node_type: "array";
  shape: number[];
  dimension_names?: string[] | undefined;
  data_type: D;
  chunk_grid: { name: "regular"; configuration: { chunk_shape: number[] } };
  chunk_key_encoding: {
    name: "v2" | "default";
    configuration?: { separator?: "." | "/" | undefined } | undefined;
  };
  codecs: CodecMetadata[];
  fill_value: Scalar<D> | null;
  attributes: Attributes;
};

/** A v3 group metadata object for `new Group(…)`. Zarr v3, "Group metadata". */
export type GroupMetadata = { zarr_format: 3; node_type: "group"; attributes: Attributes };

/** A codec in v2's metadata: its name in `id`, and its configuration beside it. */
type CodecMetadataV2 = { id: string } & Record<string, unknown>;

/** A v2 array's metadata, `.zarray`. Zarr v2, "Arrays". */
export type ArrayMetadataV2 = {
  zarr_format: 2;
  shape: number[];
  chunks: number[];
  dtype: string;
  compressor: null | CodecMetadataV2;
  fill_value: unknown;
  order: "C" | "F";
  filters: null | CodecMetadataV2[];
  dimension_separator?: "." | "/" | undefined;
};

/** A v2 group's metadata, `.zgroup`. Zarr v2, "Groups". */
export type GroupMetadataV2 = { zarr_format: 2 };

/** A slice along one dimension; made by `slice`. */
export interface Slice {
  start: number | null;
  stop: number | null;
  step: number | null;
}

export type Indices = [start: number, stop: number, step: number];

export type Projection =
  | { from: null; to: number }
  | { from: number; to: null }
  | { from: Indices; to: Indices };

export type AbsolutePath<Rest extends string = string> = `/${Rest}`;

export type RangeQuery = { offset: number; length: number } | { suffixLength: number };

/** Options of a store's `get`. */
export interface StoreGetOptions {
  signal?: AbortSignal | undefined;
}

export interface AsyncReadable {
  get(key: AbsolutePath, opts?: StoreGetOptions): Promise<Uint8Array | undefined>;
  getRange?(key: AbsolutePath, range: RangeQuery, opts?: StoreGetOptions): Promise<Uint8Array | undefined>;
}

export interface SyncReadable {
  get(key: AbsolutePath, opts?: StoreGetOptions): Uint8Array | undefined;
  getRange?(key: AbsolutePath, range: RangeQuery, opts?: StoreGetOptions): Uint8Array | undefined;
}

export type Readable = AsyncReadable | SyncReadable;

export interface AsyncWritable {
  set(key: AbsolutePath, value: Uint8Array): Promise<void>;
}

export interface SyncWritable {
  set(key: AbsolutePath, value: Uint8Array): void;
}

export type Writable = AsyncWritable | SyncWritable;
export type AsyncMutable = AsyncReadable & AsyncWritable;
export type SyncMutable = SyncReadable & SyncWritable;
export type Mutable = AsyncMutable | SyncMutable;

/**
 * The entries directly below a prefix: keys with one more name than the prefix, and prefixes that
 * have keys below them. All are absolute.
 */
export interface Directory {
  keys: Iterable<string> | AsyncIterable<string>;
  prefixes: Iterable<string> | AsyncIterable<string>;
}

/**
 * The optional methods of a store besides `get`. Each is used if it exists; a missing one only
 * disables what needs it. Keys and prefixes begin with `/`. A prefix also ends with `/`; the root's
 * is `/`. A `Map` is such a store: its `keys()` lists the keys. Zarr v3, "Abstract store
 * interface".
 */
export interface AsyncStore extends AsyncReadable, Partial<AsyncWritable> {
  /** Removes a key. An absent key is not an error. */
  delete?(key: AbsolutePath): unknown;
  /** Removes all keys below a prefix. Without it, the keys are listed and removed one by one. */
  deletePrefix?(prefix: AbsolutePath): unknown;
  /** Lists all keys below a prefix. Other keys in the list are ignored. */
  list?(
    prefix: AbsolutePath,
  ): Iterable<string> | AsyncIterable<string> | Promise<Iterable<string> | AsyncIterable<string>>;
  /** Lists the entries directly below a prefix. Implement it if that is cheaper than `list`. */
  listDir?(prefix: AbsolutePath): Directory | Promise<Directory>;
  /** Size of a value in bytes; undefined if there is none. */
  size?(key: AbsolutePath, opts?: StoreGetOptions): number | undefined | Promise<number | undefined>;
  /**
   * A name for the storage location, the same in every tab and worker that writes to it. Writes to
   * the same chunk then wait for each other (Web Locks). Without it, only writes through the same
   * store object wait. `a/b` stands for the keys `/b/…` in a store with the name `a`.
   */
  readonly lockName?: string;
  /**
   * The name of the lock of one key, for stores that reach one value under several names. Default:
   * `lockName` and the key.
   */
  lockFor?(key: AbsolutePath): string | undefined | Promise<string | undefined>;
}
