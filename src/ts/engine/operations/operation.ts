/**
 * How operations are implemented: the forms of the entries in the tables beside this file, what an
 * operation gets in addition to its arguments, and how it is performed.
 */
import type { AnswerOf, ArgumentsOf, OperationName } from "../../port/operations.ts";
import type { EngineBuild } from "../../port/protocol.ts";
import type { Engine } from "../engine.ts";
import type { FullGlue, Glue, ReadingGlue, Settle } from "../instances.ts";

export interface CallContext {
  readonly engine: Engine;
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

/** Begins a task of the engine's wasm, which passes its answer to `settle`. Returns its number. */
type Begin<Name extends OperationName, Build> = (
  glue: Build,
  args: ArgumentsOf<Name>,
  context: CallContext,
  settle: Settle,
) => number;

/** Computes an answer at once. */
type Compute<Name extends OperationName, Build> = (
  glue: Build,
  args: ArgumentsOf<Name>,
  context: CallContext,
) => AnswerOf<Name>;

/** An operation of the wasm has one of the first five members. */
interface WasmOperation<Name extends OperationName> {
  begin?: Begin<Name, Glue>;
  /** As `begin`, for a task that the engine's own build lacks. */
  beginReading?: Begin<Name, ReadingGlue>;
  /** As `begin`, for a task that only the full build has. */
  beginFull?: Begin<Name, FullGlue>;
  compute?: Compute<Name, Glue>;
  /** As `compute`, for a function that only the full build has. */
  computeFull?: Compute<Name, FullGlue>;
  /** After an abort, the task completes what it is writing, and ends by itself. */
  finishes?: true;
  /** Converts the answer of a task for the page. Default: it stays as it is. */
  answer?(settled: never, context: CallContext): AnswerOf<Name>;
}

export type Operation<Name extends OperationName> =
  | WasmOperation<Name>
  | ((args: ArgumentsOf<Name>, context: CallContext) => AnswerOf<Name> | Promise<AnswerOf<Name>>);

export type OperationTable = { [Name in OperationName]: Operation<Name> };

/** Performs an operation, and resolves to its answer. */
export async function perform<Name extends OperationName>(
  operation: Operation<Name>,
  args: ArgumentsOf<Name>,
  context: CallContext,
): Promise<AnswerOf<Name>> {
  if (typeof operation === "function") return operation(args, context);
  const { begin, beginReading, beginFull, compute, computeFull, finishes, answer } = operation;
  const { instances } = context.engine;
  if (compute) return instances.call((glue) => compute(glue, args, context));
  if (computeFull) {
    const work = (glue: Glue) => computeFull(instances.needFull(glue), args, context);
    return instances.call(work, { build: "full" });
  }
  const task = (glue: Glue, settle: Settle): number => {
    if (beginFull) return beginFull(instances.needFull(glue), args, context, settle);
    if (beginReading) return beginReading(instances.needReading(glue), args, context, settle);
    return (begin as Begin<Name, Glue>)(glue, args, context, settle);
  };
  const build: EngineBuild = beginFull ? "full" : beginReading ? "reading" : "engine";
  const settled = await instances.run<AnswerOf<Name>>(task, { signal: context.signal, build, finishes });
  return answer ? answer(settled as never, context) : settled;
}
