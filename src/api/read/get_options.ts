/** The options of `Array.get`, one type for each form of its elements. It has no code. */
import type { NumberType } from "../../engine/ts/model/data_type.ts";
import type { DataType, PlainArray } from "../../engine/ts/model/types.ts";
import type { ConversionOptions } from "./conversion.ts";
import type { ReadOptions } from "./request.ts";

/** Options of reads whose result is one piece. */
interface LaidOutOptions<Memory> extends ReadOptions {
  /**
   * Memory order of the result: dimensions of the array by name or index, slowest first. Dimensions
   * that are not listed come before them. `["y", "x", "c"]` gives interleaved channels. `shape` and
   * `stride` keep the array's order. Default: C order.
   */
  memoryOrder?: readonly (string | number)[] | undefined;
  /**
   * Memory for the elements: a typed array of the class that `data` would have, with the result's
   * length. Workers write directly to shared memory (which requires a cross-origin isolated page).
   * After the call has rejected, nothing is written to it. Default: new memory.
   *
   * @throws an `Argument` error for another class or another length.
   */
  out?: Memory | undefined;
}

/** Options of `Array.get` without a conversion. */
export interface ArrayGetOptions<D extends DataType> extends LaidOutOptions<PlainArray<D>> {
  /** Not set: the elements keep the array's data type. */
  as?: undefined;
  /** Not set: the elements are not unpacked. */
  decode?: undefined;
}

/**
 * Options of `Array.get` with a number type in `as`, or with `decode`. The decoders convert the
 * elements.
 */
export interface ArrayGetNumbersOptions<As extends NumberType | undefined = NumberType | undefined>
  extends LaidOutOptions<ArrayBufferView>,
    Omit<ConversionOptions, "as" | "colors"> {
  /**
   * A number type converts the elements to it: integers are rounded (ties to even) and clamped to
   * the range of the type, and NaN becomes 0. Default: the array's data type, or the one that
   * `decode` gives.
   */
  as?: As | undefined;
}

/** Options of `Array.get` with `as: "rgba"`. */
export interface ArrayGetColorsOptions
  extends LaidOutOptions<Uint8ClampedArray | Uint8Array>,
    Omit<ConversionOptions, "as"> {
  /**
   * `"rgba"` makes a picture: the last dimension has red, green, blue and alpha, as in `ImageData`.
   */
  as: "rgba";
}

/**
 * Options of `Array.get` with `as: "bytes"`: packed little-endian elements in C order, for data
 * types of fixed size.
 */
export interface ArrayGetBytesOptions extends LaidOutOptions<Uint8Array> {
  /** `"bytes"` returns the packed little-endian elements in C order. */
  as: "bytes";
}
