/**
 * zarrita's `get` and `set`. Elements that `get` returns have the array's native memory order, with
 * strides, in zarrita's classes. The result is a scalar if every dimension is indexed by a number.
 */

import { lazy } from "#lazy";
import {
  type ArrayGetBytesOptions,
  type ArrayGetColorsOptions,
  FACTS,
  Array as ZarrArray,
} from "../../api/array.ts";
import { needArray } from "../../api/node_facts.ts";
import type { CfOptions, ConversionOptions } from "../../api/read/conversion.ts";
import { readSelection } from "../../api/read/read.ts";
import { type ReadOptions, readOf } from "../../api/read/request.ts";
import { GET_RULES } from "../../api/read/rules.ts";
import { type AnySelection, memoryOrderOf, requestOf } from "../../api/selection.ts";
import { othersOf } from "../../api/store/native_store.ts";
import type { WriteOptions } from "../../api/write/write.ts";
import { needReadable, optionsOf, SIGNAL } from "../../engine/ts/model/argument.ts";
import type { NumberType } from "../../engine/ts/model/data_type.ts";
import { UnsupportedError } from "../../engine/ts/model/errors.ts";
import type {
  Chunk,
  DataType,
  Readable,
  Scalar,
  SelectedBytes,
  SelectedColors,
  SelectedNumbers,
  Settable,
  Slice,
} from "../../engine/ts/model/types.ts";
import type { ChunkQueue } from "./by_chunk.ts";

/** What the options of zarrita's calls must be. `opts` is for the store, too. */
const QUEUE_RULES = { createQueue: "a function", opts: "an object" } as const;

export type { ChunkQueue };

/** Options of zarrita's `get`. */
export interface GetOptions extends ReadOptions {
  /**
   * Whether to put the result into shared memory, which workers write directly. Requires a
   * cross-origin isolated page. Default: false.
   */
  useSharedArrayBuffer?: boolean | undefined;
  /**
   * Reads the array chunk by chunk in a queue that this function makes. Default: the engine's own
   * queues.
   */
  createQueue?: (() => ChunkQueue) | undefined;
  /**
   * Memory order of the result: dimensions by name or index, slowest first, as in `Array.get`.
   * Default: the array's native order.
   */
  memoryOrder?: readonly (string | number)[] | undefined;
  /** Memory for the elements, as in `Array.get`. Default: new memory. */
  out?: ArrayBufferView | undefined;
  /** @deprecated zarrita's former option for `signal`. */
  opts?:
    | {
        /** Aborts the call. */
        signal?: AbortSignal | undefined;
      }
    | undefined;
}

/** Options for a read that converts elements, as in `Array.get`. */
export interface GetConvertedOptions<As extends NumberType | undefined = NumberType | undefined>
  extends Omit<GetOptions, "createQueue">,
    Omit<ConversionOptions, "as" | "colors"> {
  /**
   * A number type converts the elements to it, as in `Array.get`. Default: the array's own type.
   */
  as?: As | undefined;
}

/** Options of `Array.get` whose results are not zarrita's: bytes and colours, in C order. */
export type GetOtherFormOptions = Omit<GetOptions, "createQueue" | "memoryOrder"> &
  (ArrayGetBytesOptions | ArrayGetColorsOptions);

/** All options of `get`, in any combination. */
type AnyOptions = GetOptions &
  Omit<ConversionOptions, "as"> & {
    as?: ConversionOptions["as"] | "bytes";
    createQueue?: GetOptions["createQueue"];
  };

/** Returns the signal of the options, from where either version of zarrita has it. */
export function signalOf({ signal, opts }: Pick<GetOptions, "signal" | "opts">): AbortSignal | undefined {
  return signal && opts?.signal ? AbortSignal.any([signal, opts.signal]) : (signal ?? opts?.signal);
}

type Entries = (null | Slice | number)[];

/** The type of a result: a scalar if every entry is a number, else a chunk. */
type Got<D extends DataType, S> = S extends (infer Entry)[]
  ? [Entry] extends [number]
    ? Scalar<D>
    : Chunk<D>
  : Chunk<D>;

type GotNumbers<As extends NumberType | undefined, S> = S extends (infer Entry)[]
  ? [Entry] extends [number]
    ? As extends "int64" | "uint64"
      ? bigint
      : number
    : SelectedNumbers<As>
  : SelectedNumbers<As>;

/** Returns the only element of a chunk. */
function scalarOf(chunk: Chunk<DataType>): unknown {
  const values = chunk.data as { get?(index: number): unknown } & ArrayLike<unknown>;
  if ("complex" in chunk && chunk.complex) return [values[0], values[1]];
  return typeof values.get === "function" ? values.get(0) : values[0];
}

/**
 * Reads a selection as zarrita does: elements are in zarrita's classes, in the array's native
 * memory order, and a single element is a scalar. `Array.get` has plain typed arrays in C order.
 *
 *     const { data, shape, stride } = await get(array, [0, null, slice(10)]);
 *
 * @param array The array.
 * @param selection An index, a slice or null for each dimension. Default: the whole array.
 * @returns a chunk; a scalar if every dimension has an index; with `as: "bytes"` and `as: "rgba"`
 *   the results of `Array.get`.
 * @throws an `InvalidSelectionError` if the selection does not fit the array.
 * @throws an `UnsupportedError` for a conversion together with `createQueue` or a replaced
 *   `getChunk`.
 * @throws the errors of `Array.get`.
 */
export function get<
  D extends DataType,
  Store extends Readable,
  S extends Entries | null = null,
  As extends NumberType | undefined = undefined,
>(
  array: ZarrArray<D, Store>,
  selection: S | undefined,
  options: GetConvertedOptions<As> & ({ as: NumberType } | { decode: "cf" | CfOptions }),
): Promise<GotNumbers<As, S>>;
export function get<D extends DataType, Store extends Readable>(
  array: ZarrArray<D, Store>,
  selection: Entries | null | undefined,
  options: GetOtherFormOptions & { as: "bytes" },
): Promise<SelectedBytes>;
export function get<D extends DataType, Store extends Readable>(
  array: ZarrArray<D, Store>,
  selection: Entries | null | undefined,
  options: GetOtherFormOptions & { as: "rgba" },
): Promise<SelectedColors>;
export function get<D extends DataType, Store extends Readable, S extends Entries | null = null>(
  array: ZarrArray<D, Store>,
  selection?: S,
  options?: GetOptions & { as?: undefined; decode?: undefined },
): Promise<Got<D, S>>;
export async function get<D extends DataType, Store extends Readable, S extends Entries | null = null>(
  array: ZarrArray<D, Store>,
  selection?: S,
  options: AnyOptions = {},
): Promise<Got<D, S> | SelectedBytes | SelectedColors> {
  needArray(array);
  const rules = { ...GET_RULES, ...QUEUE_RULES };
  const { opts, createQueue, ...given } = optionsOf(options, rules, "options", othersOf(array.store));
  optionsOf(opts ?? {}, SIGNAL, "opts", "anyone's");
  needReadable(selection, "selection");
  const signal = signalOf(options);
  // A replaced `getChunk` must be called. Through a proxy of zarrita it is another function, too.
  const byChunk = createQueue !== undefined || array.getChunk !== ZarrArray.prototype.getChunk;
  const { as, decode, window, gamma, colors, mask, memoryOrder, useSharedArrayBuffer } = given;
  const isOther = as === "bytes" || as === "rgba" || mask === true || colors !== undefined;
  const isConverted = isOther || [as, decode, window, gamma].some((option) => option !== undefined);
  if (byChunk && isConverted) {
    throw new UnsupportedError("conversion of elements with a replaced getChunk or with createQueue");
  }
  if (isOther) {
    return array.get(selection, { ...given, signal } as never) as Promise<SelectedBytes>;
  }
  await array[FACTS].refreshStale?.(signal);
  const facts = array[FACTS];
  const order = memoryOrder ? memoryOrderOf(memoryOrder, facts) : facts.order;
  const request = { ...requestOf(selection as AnySelection | null, facts), order };
  const entries = selection ?? [];
  const isScalar =
    entries.length === facts.shape.length && entries.every((entry) => typeof entry === "number");
  if (byChunk) {
    const { getByChunk } = await lazy();
    const { shape, grid } = facts;
    const wanted = { array, selection: request.selection, shape, grid, order };
    const chunk = await getByChunk({ ...wanted, signal, useSharedArrayBuffer, createQueue });
    if (chunk) return (isScalar ? scalarOf(chunk) : chunk) as Got<D, S>;
  }
  const read = await readOf(array, request, { ...given, signal }, isScalar ? "scalar" : "wrapped");
  const result = await readSelection(read, { ...given, signal });
  return (isScalar ? result.data : result) as Got<D, S>;
}

/** Options of zarrita's `set`. */
export interface SetOptions extends WriteOptions {
  /** Accepted because zarrita accepts it. It has no effect: the engine has its own queues. */
  createQueue?: (() => ChunkQueue) | undefined;
  /**
   * Accepted because zarrita accepts it. It has no effect: chunks that a write reads are not
   * visible to the caller. Default: false.
   */
  useSharedArrayBuffer?: boolean | undefined;
  /** @deprecated zarrita's former option for `signal`. */
  opts?:
    | {
        /** Aborts the call. */
        signal?: AbortSignal | undefined;
      }
    | undefined;
}

/**
 * Writes values to a selection. It is `Array.set` with zarrita's order of arguments.
 *
 *     await set(array, [0, null], 1);
 *
 * @param array The array.
 * @param selection Where to write: null for the whole array.
 * @param value A scalar, a typed array, a list, or `{ data, shape, stride }`.
 * @throws the errors of `Array.set`.
 */
export async function set<D extends DataType>(
  array: ZarrArray<D, Readable>,
  selection: (null | Slice | number)[] | AnySelection | null,
  value: Settable<D>,
  options: SetOptions = {},
): Promise<void> {
  needArray(array);
  const { checkWrite } = await lazy();
  checkWrite(options, { ...QUEUE_RULES, useSharedArrayBuffer: "a boolean" });
  const { createQueue, opts, useSharedArrayBuffer, ...rest } = options;
  optionsOf(opts ?? {}, SIGNAL, "opts", "anyone's");
  return array.set(selection as AnySelection | null, value, { ...rest, signal: signalOf(options) });
}
