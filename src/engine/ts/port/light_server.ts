/**
 * What the page's end and the light build know of each other: its calls, and what it is started
 * with.
 */
import type { ObjectIds } from "./definitions.ts";
import type { AnswerOf, ArgumentsOf } from "./operations.ts";
import type { EngineStatus, ToEngine } from "./protocol.ts";

/** An operation that the light build has. */
export type LightOperation = "open" | "read";

/** The page's stores and arrays, which calls name by number. */
export interface LightStart {
  objects: ObjectIds & { target(id: number): object };
  /** The definitions that the page has posted. */
  posted: ToEngine[];
  /** See `definitions.ts`. */
  knownDocuments: WeakMap<object, string>;
  /** The options of `init`. With `light: true` it answers any number of reads. */
  configuration: { readonly light?: boolean | undefined };
}

export interface LightServer {
  /** As in `info().wire`. */
  readonly wire: EngineStatus["wire"];
  /** Number of reads answered. */
  readonly parts: number;
  /** As in `info()`. */
  readonly decodeMsBy: Readonly<Record<string, number>>;
  /** The answer to a call, which the signals abort; undefined if the engine must do it. */
  answer(
    operation: LightOperation,
    args: ArgumentsOf<LightOperation>,
    signals: readonly (AbortSignal | undefined)[],
  ): Promise<AnswerOf<LightOperation> | undefined>;
}
