/**
 * The words of the API as types: data types and the typed arrays that hold them, chunks, metadata
 * objects, and the store interface. Names and meanings are zarrita's, so that code written for it
 * type-checks; what is wider is marked.
 */
import type { BoolArray, ByteStringArray, UnicodeStringArray } from "./wrapper_arrays.ts";

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

/** Integers of fewer than eight bits; not among zarrita's, as all that follow. */
export type NarrowInt = "int2" | "int4";
export type NarrowUint = "uint2" | "uint4";
/** Floats that arrive as float32. */
export type NarrowFloat = "bfloat16" | `float${4 | 6 | 8}_${string}`;
/** Two floats: the real part first. */
export type Complex = "complex64" | "complex128" | `complex_${string}`;
export type Datetime = "numpy.datetime64";
export type Timedelta = "numpy.timedelta64";
/** Any bytes, as many bits as the number says. */
export type Raw = `r${number}`;
/** Any number of bytes. */
export type Bytes = "bytes";
/** What v3 calls zarrita's `v2:U` and `v2:S`. */
export type FixedLengthUtf32 = "fixed_length_utf32";
export type NullTerminatedBytes = "null_terminated_bytes";
/** Named fields. */
export type Struct = "struct";
/** A value or none. */
export type Optional = "zarrs.optional";

export type NumberDataType =
  | Int8
  | Int16
  | Int32
  | Uint8
  | Uint16
  | Uint32
  | Float16
  | Float32
  | Float64
  | NarrowInt
  | NarrowUint
  | NarrowFloat;
export type BigintDataType = Int64 | Uint64;
export type StringDataType = UnicodeStr | ByteStr | String | FixedLengthUtf32 | NullTerminatedBytes;
export type DataType =
  | NumberDataType
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

/** What `Array.is` can be asked. */
export type DataTypeQuery = DataType | "boolean" | "number" | "bigint" | "object" | "string";

/** The data types that remain after `Array.is(query)` said yes. */
export type NarrowDataType<D extends DataType, Q extends DataTypeQuery> = Q extends "number"
  ? Extract<D, NumberDataType>
  : Q extends "bigint"
    ? Extract<D, BigintDataType>
    : Q extends "boolean"
      ? Extract<D, Bool>
      : Q extends "string"
        ? Extract<D, StringDataType>
        : Q extends "object"
          ? Extract<D, ObjectType>
          : Extract<Q, D>;

/** One element; a complex one is `[re, im]`, a struct an object. */
export type Scalar<D extends DataType> = D extends Bool
  ? boolean
  : D extends BigintDataType | Datetime | Timedelta
    ? bigint
    : D extends StringDataType
      ? string
      : D extends NumberDataType
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

/** `Float16Array` where the engine has it; values arrive in a `Float32Array` where it has not. */
export type HalfArray = typeof globalThis extends { Float16Array: new (...args: never[]) => infer T }
  ? T | Float32Array
  : Float32Array;

/** One field of all structs: a result of its own, the dimensions of the field's own array last. */
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
 * What holds many elements in `Array.get`: plain typed arrays (bool: a `Uint8Array` of 0 and 1;
 * complex: real and imaginary parts in turn), and plain arrays of text and bytes.
 */
export type PlainArray<D extends DataType> = D extends Bool
  ? Uint8Array<ArrayBuffer>
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

/** What holds many elements in zarrita's calls (`get`, `getChunk`). */
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

/** Elements with their layout: `stride` counts elements, in any order. */
export type Chunk<D extends DataType> = { data: TypedArray<D>; shape: number[]; stride: number[] };

/** Values that an array of some type takes: one, many in a list, or a chunk with its layout. */
export type Settable<D extends DataType> =
  | Scalar<D>
  | Chunk<D>
  | PlainArray<D>
  | { data: unknown; shape: readonly number[]; stride?: readonly number[] }
  | readonly unknown[]
  | ArrayBufferView;

/** What has to be known of data beside its layout. */
export type Marks<D extends DataType> = D extends Complex
  ? { complex: true }
  : D extends Datetime
    ? { unit: string; scale: number; toDate(place: number): Date }
    : D extends Timedelta
      ? { unit: string; scale: number }
      : unknown;

/**
 * What `Array.get` resolves to: C order, plain arrays. `stride` counts elements, a complex one as
 * one.
 */
export type Selected<D extends DataType> = {
  data: PlainArray<D>;
  shape: number[];
  stride: number[];
} & Marks<D>;

/** What `Array.get` resolves to with `as: "bytes"`. */
export type SelectedBytes = { data: Uint8Array; shape: number[]; stride: number[] };

/**
 * What `Array.get` resolves to with a type of numbers in `as`; with `decode` alone the attributes
 * decide which.
 */
export type SelectedNumbers<As extends keyof ArraysOfNumbers | undefined> = {
  data: As extends keyof ArraysOfNumbers
    ? ArraysOfNumbers[As]
    : Exclude<ArraysOfNumbers[keyof ArraysOfNumbers], BigInt64Array | BigUint64Array>;
  shape: number[];
  stride: number[];
};

/** What `Array.get` resolves to with `as: "rgba"`: four bytes a pixel, the last dimension. */
export type SelectedColors = { data: Uint8ClampedArray<ArrayBuffer>; shape: number[]; stride: number[] };

export type Attributes = Record<string, unknown>;

export type CodecMetadata = { name: string; configuration: Record<string, unknown> };

/** A v3 array metadata object, as `new Array(…)` takes it. */
export type ArrayMetadata<D extends DataType = DataType> = {
  zarr_format: 3;
  node_type: "array";
  shape: number[];
  dimension_names?: string[];
  data_type: D;
  chunk_grid: { name: "regular"; configuration: { chunk_shape: number[] } };
  chunk_key_encoding: { name: "v2" | "default"; configuration?: { separator?: "." | "/" } };
  codecs: CodecMetadata[];
  fill_value: Scalar<D> | null;
  attributes: Attributes;
};

/** A v3 group metadata object, as `new Group(…)` takes it. */
export type GroupMetadata = { zarr_format: 3; node_type: "group"; attributes: Attributes };

/** Indices along one dimension; made by `slice`. */
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

/** What a store's `get` is called with beside the key. */
export interface StoreGetOptions {
  signal?: AbortSignal;
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
 * What stands directly below a prefix: keys with one more name than it, and prefixes below which
 * there are keys. All absolute.
 */
export interface Directory {
  keys: Iterable<string> | AsyncIterable<string>;
  prefixes: Iterable<string> | AsyncIterable<string>;
}

/**
 * All that a store may have beside `get`; each method is used where it is there, and its absence
 * costs only what needs it. Keys and prefixes begin with `/`; a prefix ends in `/` too, the root's
 * is `/`. A `Map` is such a store: its `keys()` list.
 */
export interface AsyncStore extends AsyncReadable, Partial<AsyncWritable> {
  /** Removes a key; of an absent one too without an error. */
  delete?(key: AbsolutePath): unknown;
  /** Removes all keys below a prefix; without it each is listed and removed. */
  deletePrefix?(prefix: AbsolutePath): unknown;
  /** All keys below a prefix. Other keys among them are passed over. */
  list?(
    prefix: AbsolutePath,
  ): Iterable<string> | AsyncIterable<string> | Promise<Iterable<string> | AsyncIterable<string>>;
  /** What stands directly below a prefix, where that costs less than to list all. */
  listDir?(prefix: AbsolutePath): Directory | Promise<Directory>;
  /** Bytes of a value; undefined where there is none. */
  size?(key: AbsolutePath, opts?: StoreGetOptions): number | undefined | Promise<number | undefined>;
  /**
   * What this place is called, the same in every tab and worker that writes to it: writes to one
   * chunk then wait for each other (Web Locks). Without it only writes through one store object do.
   */
  readonly lockName?: string;
}
