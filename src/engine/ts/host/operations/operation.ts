/**
 * How operations are performed. One of the wasm needs no code here: its record goes to the wasm,
 * and the record of its answer comes back. The tables beside this file have those that do more.
 */

import { WASM_OPERATIONS, type WasmOperations } from "../../../../contract/contract.ts";
import { isUint8Array } from "../../model/realms.ts";
import type { AnswerOf, ArgumentsOf, OperationName } from "../../port/operations.ts";
import type { Engine } from "../engine.ts";
import type { Glue } from "../instance_switch.ts";

export interface CallContext {
  readonly engine: Engine;
  /** Aborts when the caller aborts. */
  signal: AbortSignal | undefined;
  /** Sends an event to the caller. The buffers in `transfer` are transferred. */
  send(event: unknown, transfer?: ArrayBuffer[]): void;
  /** Sends a progress event. It may be left out if another one follows within a frame. */
  tell(event: unknown): void;
  /** Resolves when the caller has taken one more event. */
  whenTaken(): Promise<void>;
  /** Transfers a buffer with the answer. */
  give(buffer: ArrayBufferLike): void;
}

export type Operation<Name extends OperationName> = (
  args: ArgumentsOf<Name>,
  context: CallContext,
) => AnswerOf<Name> | Promise<AnswerOf<Name>>;

export type OperationTable = { [Name in OperationName]?: Operation<Name> };

type WasmName = keyof WasmOperations;
type WasmArguments<Name extends WasmName> = Parameters<WasmOperations[Name]>[0];
type WasmAnswer<Name extends WasmName> = ReturnType<WasmOperations[Name]>;

/** Binds the store and the arrays that a record names in the instance. */
function bindNamed({ stores, arrays }: Engine, glue: Glue, record: object): void {
  const { store, array, like } = record as { store?: number; array?: number; like?: number };
  if (store !== undefined) stores.bind(glue, store);
  for (const each of [array, like]) if (each !== undefined) arrays.bind(glue, each);
}

/** Whether nothing else has the buffer of these bytes. Rust copies bytes of which it has more. */
const isWhole = (value: unknown): value is Uint8Array =>
  isUint8Array(value) && value.byteLength === value.buffer.byteLength;

/**
 * Performs an operation of the wasm. `more` makes what an instance must have of its own, such as a
 * job.
 */
export async function operate<Name extends WasmName>(
  name: Name,
  args: Omit<WasmArguments<Name>, "job">,
  { engine, signal, give }: CallContext,
  more?: (glue: Glue) => object,
): Promise<WasmAnswer<Name>> {
  const makeArguments = (glue: Glue) => {
    bindNamed(engine, glue, args);
    return { ...args, ...more?.(glue) };
  };
  const { answer, held } = await engine.instances.operate(name, makeArguments as never, signal);
  for (const value of held) if (isWhole(value)) give(value.buffer);
  return answer;
}

/** Performs an operation, and resolves to its answer. */
export async function perform<Name extends OperationName>(
  name: Name,
  own: Operation<Name> | undefined,
  args: ArgumentsOf<Name>,
  context: CallContext,
): Promise<AnswerOf<Name>> {
  if (own) return own(args, context);
  if (!(name in WASM_OPERATIONS)) throw new Error(`the engine has no operation ${name}`);
  return operate(name as WasmName, args as never, context) as Promise<AnswerOf<Name>>;
}
