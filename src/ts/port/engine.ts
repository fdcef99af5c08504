/**
 * The one engine of the page. It starts at the first call and is replaced when it is lost. Every
 * call of the package passes through `call`.
 */
import { INTERNAL, TrapError, ZarrError } from "../model/errors.ts";
import { unlessAborted } from "../model/unless_aborted.ts";
import { openChannel } from "./channels.ts";
import { engineOptions } from "./configuration.ts";
import { type CallOptions, Connection, EngineLost, type MakeArguments } from "./connection.ts";
import type { AnswerOf, OperationName } from "./operations.ts";
import { keepWarning, warn } from "./warnings.ts";

let current: Connection | undefined;
let starting: Promise<Connection> | undefined;
/** Number of calls of `dispose`. An engine that was starting meanwhile is closed. */
let disposals = 0;
let lost = 0;

/** Number of engines that were lost and replaced. */
export const lostEngines = (): number => lost;

const disposed = () => new ZarrError("Aborted", "dispose() ended this call");

async function start(): Promise<Connection> {
  const begun = disposals;
  const channel = await openChannel();
  if (begun !== disposals) {
    channel.close();
    throw disposed();
  }
  const connection = new Connection(channel, {
    onwarning(message, path, store) {
      if (store) keepWarning(store, message);
      warn(message, path);
    },
    onlost: (reason) => replace(connection, reason),
  });
  current = connection;
  return connection;
}

/** Returns the engine and starts it if necessary. The next call tries a failed start again. */
export function connect(): Promise<Connection> {
  if (current) return Promise.resolve(current);
  if (!starting) {
    const begun = start().finally(() => {
      if (starting === begun) starting = undefined;
    });
    starting = begun;
  }
  return starting;
}

/** Drops an engine that is lost. Its calls in flight reject. */
function replace(connection: Connection, reason: string): void {
  if (current !== connection) return;
  lost += 1;
  current = undefined;
  connection.close(new EngineLost(reason));
}

interface Options extends CallOptions {
  /**
   * Whether the call may be repeated when the engine is lost or traps. Reads may; writes may not.
   */
  repeats?: boolean;
}

/** Callers get a `ZarrError` for a lost engine. */
const toldToCaller = (error: unknown): unknown =>
  error instanceof EngineLost
    ? new ZarrError("Unsupported", `${INTERNAL}: the engine was lost: ${error.message}`, { cause: error })
    : error;

/**
 * Calls an operation of the engine. An abort rejects at once with the signal's reason and ends the
 * requests that no other call needs. If the engine is lost or traps, a call that only reads is
 * repeated once.
 */
export async function call<Name extends OperationName>(
  operation: Name,
  makeArguments: MakeArguments<Name>,
  options: Options = {},
): Promise<AnswerOf<Name>> {
  const { signal, repeats = true } = options;
  signal?.throwIfAborted();
  const attempt = async () => {
    const connection = current ?? (await unlessAborted(connect(), signal));
    return connection.call(operation, makeArguments, options);
  };
  try {
    return await attempt();
  } catch (error) {
    const isReplaced = error instanceof EngineLost || error instanceof TrapError;
    if (!isReplaced || !repeats || signal?.aborted) throw toldToCaller(error);
  }
  return attempt().catch((error) => {
    throw toldToCaller(error);
  });
}

/** Calls an operation that writes. It is not repeated when the engine is lost. */
export const write = <Name extends OperationName>(
  operation: Name,
  makeArguments: MakeArguments<Name>,
  options: CallOptions = {},
): Promise<AnswerOf<Name>> => call(operation, makeArguments, { ...options, repeats: false });

/** The engine, if one runs. */
export const running = (): Connection | undefined => current;

/** Sends changed options to a running engine. */
export function reconfigure(): void {
  current?.post({ type: "configure", options: engineOptions() });
}

/** Ends the engine and all calls in flight. The next call starts a new engine. */
export function dispose(): void {
  disposals += 1;
  starting = undefined;
  const connection = current;
  current = undefined;
  connection?.close(disposed());
}
