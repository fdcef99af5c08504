/**
 * A selection as the engine reads it (`src/js/read.rs`). `api/selection.ts` makes it from what
 * callers write.
 */

export type Integer = number | bigint;

export type EngineSelection = { Orthogonal: EngineDimension[] } | { Points: Integer[][] };
export type EngineDimension =
  | "All"
  | { Index: Integer }
  | { Slice: { start?: Integer | undefined; stop?: Integer | undefined; step?: Integer | undefined } }
  | { List: Integer[] };

/** How elements are changed where they are decoded. */
export interface ConversionRequest {
  unpacking?: number[];
  to?: string;
  shading?: number[];
  /** Instead of elements each part answers with a summary: bins from a number to another. */
  summary?: [low: number, high: number, bins: number];
}

export interface EngineRequest {
  selection: EngineSelection;
  /** Memory order of the result's dimensions, slowest first. */
  order?: readonly number[] | undefined;
  /** The caller takes parts one by one: the result may be of any size. */
  streamed?: boolean;
  /**
   * The place that is wanted first, by the array's dimensions; the middle where it says nothing.
   */
  nearest?: number[] | undefined;
  /** The highest is fetched and decoded first. */
  priority?: number;
  /** Past all caches. */
  reload?: boolean;
  conversion?: ConversionRequest | undefined;
}
