/** The type of a pyramid's level. It has its own file because the model and the tiles use it. */
import type { Array as ZarrArray } from "../api/array.ts";
import type { DataType, Readable } from "../model/types.ts";
import type { Placed } from "./geometry.ts";

/** One level: an array and its transform to world coordinates. */
export interface PyramidLevel<Store extends Readable = Readable> extends Placed {
  /** The name of the level in the metadata. */
  readonly asset: string;
  readonly path: string;
  readonly array: ZarrArray<DataType, Store>;
  readonly shape: readonly number[];
  readonly chunks: readonly number[];
  /** The longer side of an element in the plane of x and y, in world units. */
  readonly unitsPerElement: number;
  /** Whether `decode: "cf"` may change elements: by attributes, or by the fill value of v2. */
  readonly isPacked: boolean;
}
