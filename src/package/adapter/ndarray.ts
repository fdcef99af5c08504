/**
 * Results of reads as `ndarray`s (scijs), which share their memory. H5Web and the packages of scijs
 * take these.
 */
import ndarray from "ndarray";
import { UnsupportedError } from "../../engine/ts/model/errors.ts";

/** A result of `Array.get`, `zarr.get` or `getChunk`. */
export interface Elements<Data = unknown> {
  /** The elements: a typed array, or a list. */
  readonly data: Data;
  /** The number of elements along each dimension. */
  readonly shape: readonly number[];
  /** The step from one element to the next along each dimension, in elements. */
  readonly stride: readonly number[];
  /** Whether elements are pairs of a real and an imaginary part. */
  readonly complex?: true;
}

/**
 * Wraps a result as an `ndarray` over the same memory. A complex number becomes a last dimension of
 * two: the real part and the imaginary part.
 *
 *     const field = toNdarray(await array.get({ time: 0 }, { decode: "cf", as: "float32" }));
 *     field.get(3, 4);
 *
 * @throws an `UnsupportedError` for structs.
 */
export function toNdarray<Data extends ndarray.Data>({
  data,
  shape,
  stride,
  complex,
}: Elements<Data>): ndarray.NdArray<Data> {
  if (typeof (data as { length?: unknown }).length !== "number")
    throw new UnsupportedError("an ndarray of structs", { expected: "one field: data.name" });
  if (complex) return ndarray(data, [...shape, 2], [...stride.map((step) => 2 * step), 1]);
  return ndarray(data, [...shape], [...stride]);
}
