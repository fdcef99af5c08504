/**
 * The engine as the page knows it: started at the first call, replaced when it is lost, told again
 * of what it must know. Every call of the package passes through `call`.
 */
import { INTERNAL, TrapError, ZarrError } from "../model/errors.ts";
import { openChannel } from "./channels.ts";
import { engineOptions } from "./configuration.ts";
import { type CallOptions, Connection, EngineLost, type MakeArguments } from "./connection.ts";
import type { AnswerOf, OperationName } from "./operations.ts";
import { watchSilence } from "./silence.ts";
import { keepWarning, warn } from "./warnings.ts";

let current: Connection | undefined;
let starting: Promise<Connection> | undefined;
/** How often everything was disposed of: an engine that was starting then is not wanted. */
let disposals = 0;
let lost = 0;

/** Engines that were lost and replaced. */
export const lostEngines = (): number => lost;

const disposed = () => new ZarrError("Aborted", "the package was told to dispose of what it holds");

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

/** The engine, started unless it runs. A failed start is tried again at the next call. */
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

/** Forgets an engine that is gone; what is under way there is lost. */
function replace(connection: Connection, reason: string): void {
  if (current !== connection) return;
  lost += 1;
  current = undefined;
  connection.close(new EngineLost(reason));
}

/** Replaces an engine that does not answer any more. One on this thread always answers. */
function watch(connection: Connection): void {
  if (connection.channel.isLocal) return;
  watchSilence(connection, (ms) => replace(connection, `no answer for ${Math.round(ms / 1000)} s`));
}

interface Options extends CallOptions {
  /**
   * Whether the call may be made a second time when the engine is lost or traps: reading may,
   * writing may not.
   */
  repeats?: boolean;
}

/** A promise, unless the signal is aborted before: then its reason. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** An engine that is lost is an error of ours to the caller. */
const toldToCaller = (error: unknown): unknown =>
  error instanceof EngineLost
    ? new ZarrError("Unsupported", `${INTERNAL}: the engine is gone: ${error.message}`, { cause: error })
    : error;

/**
 * Calls an operation of the engine. An abort rejects at once with the signal's reason, and ends the
 * requests that nobody else waits for. A call under which the engine was lost or trapped is made
 * again once, unless it writes.
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
    watch(connection);
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

/** Calls an operation that changes something: it is not repeated when the engine is lost. */
export const write = <Name extends OperationName>(
  operation: Name,
  makeArguments: MakeArguments<Name>,
  options: CallOptions = {},
): Promise<AnswerOf<Name>> => call(operation, makeArguments, { ...options, repeats: false });

/** The engine, if it runs. */
export const running = (): Connection | undefined => current;

/** Tells a running engine of options that have changed. */
export function reconfigure(): void {
  current?.post({ type: "configure", options: engineOptions() });
}

/** Ends the engine and everything that is under way; the next call starts another. */
export function dispose(): void {
  disposals += 1;
  starting = undefined;
  const connection = current;
  current = undefined;
  connection?.close(disposed());
}
