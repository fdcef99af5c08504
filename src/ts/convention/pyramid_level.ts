/** One level of a pyramid, as the model and its tiles know it. */
import type { Array as ZarrArray } from "../api/array.ts";
import type { DataType, Readable } from "../model/types.ts";
import type { Placed } from "./geometry.ts";

/** One level: an array, and where its elements are in the world. */
export interface PyramidLevel<Store extends Readable = Readable> extends Placed {
  /** As the metadata name it. */
  readonly asset: string;
  readonly path: string;
  readonly array: ZarrArray<DataType, Store>;
  readonly shape: readonly number[];
  readonly chunks: readonly number[];
  /** The larger of an element's two sides, in world units. */
  readonly unitsPerElement: number;
}
