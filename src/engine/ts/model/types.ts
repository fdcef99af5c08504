/**
 * The types of the API: data types and their typed arrays, chunks, metadata objects, and the
 * store interface. Names and meanings are zarrita's, so code written for zarrita type-checks.
 * Extensions are marked.
 */
import type { OwnBytes, OwnColors } from "./own_memory.ts";
import type { BoolArray, ByteStringArray, UnicodeStringArray } from "./wrapper_arrays.ts";

export type * from "./host.ts";

/** Integers of 8 bits with a sign. */
export type Int8 = "int8";
/** Integers of 16 bits with a sign. */
export type Int16 = "int16";
/** Integers of 32 bits with a sign. */
export type Int32 = "int32";
/** Integers of 64 bits with a sign, which are read as bigints. */
export type Int64 = "int64";
/** Integers of 8 bits without a sign. */
export type Uint8 = "uint8";
/** Integers of 16 bits without a sign. */
export type Uint16 = "uint16";
/** Integers of 32 bits without a sign. */
export type Uint32 = "uint32";
/** Integers of 64 bits without a sign, which are read as bigints. */
export type Uint64 = "uint64";
/** Floats of 16 bits. */
export type Float16 = "float16";
/** Floats of 32 bits. */
export type Float32 = "float32";
/** Floats of 64 bits. */
export type Float64 = "float64";
/** Truth values. */
export type Bool = "bool";
/** A v2 fixed-length string of UTF-32 code points. */
export type UnicodeStr = `v2:U${number}`;
/** A v2 fixed-length string of bytes. */
export type ByteStr = `v2:S${number}`;
/** A string of any length. */
export type String = "string";
/** A v2 object array: any JSON value. */
export type ObjectType = "v2:object";

/** Integers of two bits (`int2`) or four bits (`int4`) with a sign. zarrita does not have them. */
export type NarrowInt = "int2" | "int4";
/**
 * Integers of two bits (`uint2`) or four bits (`uint4`) without a sign. zarrita does not have them.
 */
export type NarrowUint = "uint2" | "uint4";
/** Floats without a typed array in JavaScript, which are read as float32. */
export type NarrowFloat = "bfloat16" | `float${4 | 6 | 8}_${string}`;
/** Complex numbers: two floats, the real part first. */
export type Complex = "complex64" | "complex128" | `complex_${string}`;
/** NumPy's dates: counts of a unit since 1970, which are read as bigints. */
export type Datetime = "numpy.datetime64";
/** NumPy's durations: counts of a unit, which are read as bigints. */
export type Timedelta = "numpy.timedelta64";
/** Raw bytes; the number in the name is the size in bits. */
export type Raw = `r${number}`;
/** Bytes of variable length. */
export type Bytes = "bytes";
/** v3's name of fixed-length strings of UTF-32 code points. */
export type FixedLengthUtf32 = "fixed_length_utf32";
/** v3's name of fixed-length strings of bytes. */
export type NullTerminatedBytes = "null_terminated_bytes";
/** A struct with named fields. */
export type Struct = "struct";
/** An optional value. */
export type Optional = "zarrs.optional";

/**
 * The data types whose elements are numbers in zarrita, too: `int8`, `int16`, `int32`, `uint8`,
 * `uint16`, `uint32`, `float16`, `float32` and `float64`.
 */
export type NumberDataType = Int8 | Int16 | Int32 | Uint8 | Uint16 | Uint32 | Float16 | Float32 | Float64;
/** Numbers that zarrita does not have. */
export type NarrowNumberDataType = NarrowInt | NarrowUint | NarrowFloat;
/** All data types whose elements are read as numbers. */
export type AnyNumberDataType = NumberDataType | NarrowNumberDataType;
/** The data types whose elements are read as bigints: `int64` and `uint64`. */
export type BigintDataType = Int64 | Uint64;
/** The data types whose elements are text. */
export type StringDataType = UnicodeStr | ByteStr | String | FixedLengthUtf32 | NullTerminatedBytes;
/** The names of all data types. */
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
 * What `Array.is` asks: a data type, or a group of data types. `"number"` means zarrita's types;
 * `"anyNumber"` also means those of `NarrowNumberDataType`.
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
  /** The elements of the field: a typed array, or a list. */
  data: unknown;
  /** The shape of the elements. */
  shape: number[];
  /** The strides in elements. */
  stride: number[];
  /** Of complex numbers: real and imaginary parts in turn. */
  complex?: true;
  /** Of dates and durations: the unit of a count, as NumPy spells it. */
  unit?: string;
  /** Of dates and durations: how many units a count is. */
  scale?: number;
  /** Of dates: the `Date` of the element at a place of `data`. */
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

/** The class of the elements of a data type in zarrita's calls. */
export type TypedArrayConstructor<D extends DataType> = {
  new (length: number): TypedArray<D>;
  new (array: ArrayLike<Scalar<D>> | ArrayBufferLike, byteOffset?: number, length?: number): TypedArray<D>;
};

/** Elements and their layout. `shape` and `stride` are in elements; strides may be in any order. */
export type Chunk<D extends DataType> = {
  /** The elements, in the class that zarrita has for the data type. */
  data: TypedArray<D>;
  /** The number of elements along each dimension. */
  shape: number[];
  /** The step from one element to the next along each dimension, in elements. */
  stride: number[];
};

/** Values to write: a scalar, a list, a typed array, or a chunk with its layout. */
export type Settable<D extends DataType> =
  | Scalar<D>
  | Chunk<D>
  | PlainArray<D>
  | {
      /** The elements: a typed array, or a list. */
      data: unknown;
      /** The number of elements along each dimension. */
      shape: readonly number[];
      /** The step from one element to the next along each dimension. Default: C order. */
      stride?: readonly number[] | undefined;
    }
  | readonly unknown[]
  | ArrayBufferView;

/**
 * The additional members that results of some data types have. `complex`: `data` has real and
 * imaginary parts in turn. `unit` and `scale`: a count of a date or a duration is so many of
 * NumPy's units. `toDate` returns the `Date` of the element at a place of `data`.
 */
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
  /** The elements in C order. */
  data: PlainArray<D>;
  /** The number of elements along each dimension. */
  shape: number[];
  /** The step from one element to the next along each dimension, in elements. */
  stride: number[];
} & Marks<D>;

/** The result of `Array.get` with `as: "bytes"`: packed little-endian elements. */
export type SelectedBytes = {
  /** The bytes of the elements. */
  data: Uint8Array;
  /** The number of elements along each dimension. */
  shape: number[];
  /** The step from one element to the next along each dimension, in elements. */
  stride: number[];
};

/**
 * The result of `Array.get` with a number type in `as`. With `decode` alone, the attributes
 * determine the type.
 */
export type SelectedNumbers<As extends keyof ArraysOfNumbers | undefined> = {
  /** The numbers in C order. */
  data: As extends keyof ArraysOfNumbers
    ? ArraysOfNumbers[As]
    : Exclude<ArraysOfNumbers[keyof ArraysOfNumbers], BigInt64Array | BigUint64Array>;
  /** The number of elements along each dimension. With `mask`, the last dimension has two. */
  shape: number[];
  /** The step from one element to the next along each dimension, in elements. */
  stride: number[];
};

/** The result of `Array.get` with `as: "rgba"`. The last dimension has four bytes per pixel. */
export type SelectedColors = {
  /** Red, green, blue and alpha of each element, as `ImageData` takes them. */
  data: OwnColors;
  /** The number of elements along each dimension, and then 4. */
  shape: number[];
  /** The step from one element to the next along each dimension, in bytes. */
  stride: number[];
};

/** The attributes of a node: values of JSON by name. */
export type Attributes = Record<string, unknown>;

/** A codec in metadata. */
export type CodecMetadata = {
  /** Its name. */
  name: string;
  /** Its configuration; an empty object if it has none. */
  configuration: Record<string, unknown>;
};

/** The metadata of an array of v3, as `new Array(…)` takes it. Zarr v3, "Array metadata". */
export type ArrayMetadata<D extends DataType = DataType> = {
  /** Always 3. */
  zarr_format: 3;
  /** Always `"array"`. */
  node_type: "array";
  /** The number of elements along each dimension. */
  shape: number[];
  /** The names of the dimensions. */
  dimension_names?: string[] | undefined;
  /** The data type. */
  data_type: D;
  /** How the array is divided into chunks. */
  chunk_grid: {
    /** Always `"regular"`: all chunks have one shape. */
    name: "regular";
    /** The configuration of the grid. */
    configuration: {
      /** The shape of a chunk, or of a shard, in elements. */
      chunk_shape: number[];
    };
  };
  /** How the keys of chunks are made. */
  chunk_key_encoding: {
    /** `"default"` makes `c/0/1`, `"v2"` makes `0.1`. */
    name: "v2" | "default";
    /** The configuration of the encoding. */
    configuration?:
      | {
          /** What is between the indices, `"."` or `"/"`. Default: `"/"`; of `"v2"` `"."`. */
          separator?: "." | "/" | undefined;
        }
      | undefined;
  };
  /** The codecs in encoding order. */
  codecs: CodecMetadata[];
  /** The value of elements that are not stored. */
  fill_value: Scalar<D> | null;
  /** The attributes. */
  attributes: Attributes;
};

/** The metadata of a group of v3, as `new Group(…)` takes it. Zarr v3, "Group metadata". */
export type GroupMetadata = {
  /** Always 3. */
  zarr_format: 3;
  /** Always `"group"`. */
  node_type: "group";
  /** The attributes. */
  attributes: Attributes;
};

/** A codec in v2's metadata: its name in `id`, and its configuration beside it. */
type CodecMetadataV2 = { id: string } & Record<string, unknown>;

/** A v2 array's metadata, `.zarray`. Zarr v2, "Arrays". */
export type ArrayMetadataV2 = {
  /** Always 2. */
  zarr_format: 2;
  /** The number of elements along each dimension. */
  shape: number[];
  /** The shape of a chunk, in elements. */
  chunks: number[];
  /** NumPy's type string, such as `<f4`. */
  dtype: string;
  /** The compressor; null for none. */
  compressor: null | CodecMetadataV2;
  /** The value of elements that are not stored; null if it is undefined. */
  fill_value: unknown;
  /**
   * The order of the elements in a chunk. With `"C"` the index of the last dimension changes
   * fastest, with `"F"` that of the first.
   */
  order: "C" | "F";
  /** The codecs before the compressor, in encoding order; null for none. */
  filters: null | CodecMetadataV2[];
  /** What is between the indices in the key of a chunk, `"."` or `"/"`. Default: `"."`. */
  dimension_separator?: "." | "/" | undefined;
};

/** A v2 group's metadata, `.zgroup`. Zarr v2, "Groups". */
export type GroupMetadataV2 = {
  /** Always 2. */
  zarr_format: 2;
};

/** A slice along one dimension; made by `slice`. */
export interface Slice {
  /** The first index; null for the first of the dimension, or the last if `step` is negative. */
  start: number | null;
  /** The index after the last one; null for the end. */
  stop: number | null;
  /** The distance of indices, which may be negative; null for 1. */
  step: number | null;
}

/** A slice whose numbers are all known, as Python's `slice.indices` resolves it. */
export type Indices = [start: number, stop: number, step: number];

/** The part of a chunk and the part of a result that are the same elements, along one dimension. */
export type Projection =
  | {
      /** In the chunk: an index, or a slice; null if the chunk lacks the dimension. */
      from: null;
      /** In the result: an index, or a slice; null if the result lacks the dimension. */
      to: number;
    }
  | { from: number; to: null }
  | { from: Indices; to: Indices };

/** A key or a path in a store, which begins with `/`. */
export type AbsolutePath<Rest extends string = string> = `/${Rest}`;

/** A range of a value: `length` bytes from `offset` on, or the last `suffixLength` bytes. */
export type RangeQuery =
  | {
      /**
       * Where the range begins.
       *
       * @unit bytes
       */
      offset: number;
      /**
       * How long the range is.
       *
       * @unit bytes
       */
      length: number;
    }
  | {
      /**
       * How much of the end of the value is wanted.
       *
       * @unit bytes
       */
      suffixLength: number;
    };

/** Options of a store's `get`, `getRange` and `size`. A store of yours may have more. */
export interface StoreGetOptions {
  /** Aborts the call. */
  signal?: AbortSignal | undefined;
}

/** A store that reads asynchronously. */
export interface AsyncReadable {
  /** Reads a value; undefined if there is no such key. */
  get(key: AbsolutePath, opts?: StoreGetOptions): Promise<Uint8Array | undefined>;
  /** Reads a range of a value. Without it, whole values are read. */
  getRange?(key: AbsolutePath, range: RangeQuery, opts?: StoreGetOptions): Promise<Uint8Array | undefined>;
}

/** A store that reads at once, such as a `Map`. */
export interface SyncReadable {
  /** Reads a value; undefined if there is no such key. */
  get(key: AbsolutePath, opts?: StoreGetOptions): Uint8Array | undefined;
  /** Reads a range of a value. Without it, whole values are read. */
  getRange?(key: AbsolutePath, range: RangeQuery, opts?: StoreGetOptions): Uint8Array | undefined;
}

/** A store that can be read: any object with `get`, such as a `Map` or a store of this package. */
export type Readable = AsyncReadable | SyncReadable;

/** A store that writes asynchronously. */
export interface AsyncWritable {
  /** Stores a value, and replaces an existing one. */
  set(key: AbsolutePath, value: Uint8Array): Promise<void>;
}

/** A store that writes at once, such as a `Map`. */
export interface SyncWritable {
  /** Stores a value, and replaces an existing one. */
  set(key: AbsolutePath, value: Uint8Array): void;
}

/** A store that can be written. */
export type Writable = AsyncWritable | SyncWritable;
/** A store that reads and writes asynchronously. */
export type AsyncMutable = AsyncReadable & AsyncWritable;
/** A store that reads and writes at once. */
export type SyncMutable = SyncReadable & SyncWritable;
/** A store that can be read and written. */
export type Mutable = AsyncMutable | SyncMutable;

/**
 * The entries directly below a prefix: keys with one more name than the prefix, and prefixes that
 * have keys below them. All are absolute.
 */
export interface Directory {
  /** The keys of values, which have one more name than the prefix. */
  keys: Iterable<string> | AsyncIterable<string>;
  /** The prefixes that have keys below them. They end with `/`. */
  prefixes: Iterable<string> | AsyncIterable<string>;
}

/**
 * The optional methods of a store besides `get`. Each is used if it exists; a missing one only
 * disables what needs it. Keys and prefixes begin with `/`. A prefix also ends with `/`; the root's
 * is `/`. A `Map` is such a store: its `keys()` lists the keys. Zarr v3, "Abstract store
 * interface".
 */
export interface AsyncStore extends AsyncReadable, Partial<AsyncWritable> {
  /** Stores a value, and replaces an existing one. */
  set?(key: AbsolutePath, value: Uint8Array): Promise<void>;
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
