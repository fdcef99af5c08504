/**
 * What an operation is given beside its arguments, and the type of the tables that operations stand
 * in.
 */
import type { AnswerOf, ArgumentsOf, OperationName } from "../../port/operations.ts";

export interface CallContext {
  /** Aborts when the caller gives up. */
  signal: AbortSignal | undefined;
  /** Sends an event to the caller; buffers that nobody else needs are given away. */
  send(event: unknown, transfer?: ArrayBuffer[]): void;
  /**
   * Tells the caller how far the call is: an event that may be left out when another follows within
   * a frame.
   */
  tell(event: unknown): void;
  /** Resolves when the caller has taken one event more. */
  credited(): Promise<void>;
  /** Gives a buffer away with the answer. */
  give(buffer: ArrayBufferLike): void;
}

/** How an operation is done. */
export type Handler<Name extends OperationName> = (
  args: ArgumentsOf<Name>,
  context: CallContext,
) => AnswerOf<Name> | Promise<AnswerOf<Name>>;

export type Handlers<Names extends OperationName = OperationName> = { [Name in Names]: Handler<Name> };
