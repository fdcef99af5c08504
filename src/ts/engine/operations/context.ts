/**
 * The context that an operation gets in addition to its arguments, and the type of the tables of
 * operations.
 */
import type { AnswerOf, ArgumentsOf, OperationName } from "../../port/operations.ts";

export interface CallContext {
  /** Aborts when the caller aborts. */
  signal: AbortSignal | undefined;
  /** Sends an event to the caller. The buffers in `transfer` are transferred. */
  send(event: unknown, transfer?: ArrayBuffer[]): void;
  /** Sends a progress event. It may be left out if another one follows within a frame. */
  tell(event: unknown): void;
  /** Resolves when the caller has consumed one more event. */
  credited(): Promise<void>;
  /** Transfers a buffer with the answer. */
  give(buffer: ArrayBufferLike): void;
}

/** The implementation of an operation. */
export type Handler<Name extends OperationName> = (
  args: ArgumentsOf<Name>,
  context: CallContext,
) => AnswerOf<Name> | Promise<AnswerOf<Name>>;

export type Handlers<Names extends OperationName = OperationName> = { [Name in Names]: Handler<Name> };
