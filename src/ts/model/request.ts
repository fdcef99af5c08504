/**
 * A read request as the engine takes it (`src/engine/js/read.rs`). `api/selection.ts` makes the
 * selection from the caller's.
 */

export type Integer = number | bigint;

export type EngineSelection = { Orthogonal: EngineDimension[] } | { Points: Integer[][] };
export type EngineDimension =
  | "All"
  | { Index: Integer }
  | { Slice: { start?: Integer; stop?: Integer; step?: Integer } }
  | { List: Integer[] };

/** How the decoder converts elements. `src/core/format/conversion.rs` reads it. */
export interface ConversionRequest {
  unpacking?: number[];
  to?: string;
  shading?: number[];
  /** Three numbers per label with its own colour: lower and upper 32 bits, bytes of the colour. */
  labels?: number[];
  /** Whether each number is followed by its mask. */
  mask?: boolean;
  /** Each part answers with a summary instead of elements: the range and number of bins. */
  summary?: [low: number, high: number, bins: number];
}

export interface EngineRequest {
  selection: EngineSelection;
  /** Dimensions of the result in memory order, slowest first. */
  order?: readonly number[];
  /** The caller consumes the parts one by one, so the result's size is not limited. */
  streamed?: boolean;
  /** The index at which the read should begin, in the array's dimensions. Default: the middle. */
  nearest?: number[];
  /** Requests with a higher priority are fetched and decoded first. */
  priority?: number;
  /** Bypass all caches. */
  reload?: boolean;
  conversion?: ConversionRequest;
}
