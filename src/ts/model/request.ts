/**
 * A read request as the engine takes it (`src/js/read.rs`). `api/selection.ts` makes the selection
 * from the caller's.
 */

export type Integer = number | bigint;

export type EngineSelection = { Orthogonal: EngineDimension[] } | { Points: Integer[][] };
export type EngineDimension =
  | "All"
  | { Index: Integer }
  | { Slice: { start?: Integer | undefined; stop?: Integer | undefined; step?: Integer | undefined } }
  | { List: Integer[] };

/** How elements are converted by the decoder. */
export interface ConversionRequest {
  unpacking?: number[];
  to?: string;
  shading?: number[];
  /**
   * Each part returns a summary in place of elements: counts in equal bins from `low` to `high`.
   */
  summary?: [low: number, high: number, bins: number];
}

export interface EngineRequest {
  selection: EngineSelection;
  /** Dimensions of the result in memory order, slowest first. */
  order?: readonly number[] | undefined;
  /** The caller consumes the parts one by one, so the result's size is not limited. */
  streamed?: boolean;
  /** The index at which the read should begin, in the array's dimensions. Default: the middle. */
  nearest?: number[] | undefined;
  /** Requests with a higher priority are fetched and decoded first. */
  priority?: number;
  /** Bypass all caches. */
  reload?: boolean;
  conversion?: ConversionRequest | undefined;
}
