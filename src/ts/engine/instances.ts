/**
 * Selects the wasm instance that answers calls on this thread. The engine starts at its first use
 * and restarts after a trap. Rarely used functions are only in the full build: the first call that
 * needs one loads it, and from then on the full build answers all calls. A call that has begun
 * finishes in the instance where it began.
 */

import * as fullGlue from "#full-glue";
import * as engineGlue from "#glue";
import { type ErrorReport, errorFromReport, UnsupportedError, ZarrError } from "../model/errors.ts";
import { unlessAborted } from "../model/unless_aborted.ts";
import { engineModule } from "./compile.ts";
import { type Glue, Instance, type Pending } from "./instance.ts";

export type { Glue };

/** The exports of the full build. */
export type FullGlue = typeof import("#full-glue");

/** The instance for new calls. Numbers from another instance are not valid in it. */
let current: Instance | undefined;
/** Replaced instances that still have calls in flight. */
const older = new Set<Instance>();
let starting: Promise<void> | undefined;
let loadingFull: Promise<void> | undefined;

/** Cache counters of instances that are gone. */
const counted = [0, 0, 0, 0, 0, 0];

function begin(glue: Glue, build: Instance["build"]): Instance {
  return new Instance(glue, build, (trapped) => {
    older.delete(trapped);
    if (trapped === current) current = begin(glue, build);
  });
}

/** Tells how to allow wasm, if the page's policy forbids it. Browsers have no other sign of it. */
function allowedBy(error: unknown): unknown {
  if (!/CSP|Content Security Policy|unsafe-eval/i.test(String(error))) return error;
  return new UnsupportedError(
    "WebAssembly, because of the page's Content-Security-Policy: add `script-src 'wasm-unsafe-eval'`",
    { cause: error },
  );
}

async function start(): Promise<void> {
  try {
    await engineGlue.default({ module_or_path: await engineModule("engine") });
  } catch (error) {
    throw allowedBy(error);
  }
  current ??= begin(engineGlue, "engine");
}

/** Starts an instance if there is none. The next call tries a failed start again. */
export function startEngine(): Promise<void> {
  if (current) return Promise.resolve();
  starting ??= start().finally(() => {
    starting = undefined;
  });
  return starting;
}

async function loadFull(): Promise<void> {
  await fullGlue.default({ module_or_path: await engineModule("full") });
  const before = current;
  current = begin(fullGlue, "full");
  if (!before) return;
  older.add(before);
  before.retire(() => {
    older.delete(before);
    before.glue.cacheCounters().forEach((count, at) => {
      if (!isOfBytes(at)) counted[at] = (counted[at] ?? 0) + count;
    });
  });
}

/**
 * Makes the full build the current one. If it cannot be loaded, the earlier build stays, and the
 * next call tries again.
 */
function startFull(): Promise<void> {
  if (current?.build === "full") return Promise.resolve();
  loadingFull ??= loadFull().finally(() => {
    loadingFull = undefined;
  });
  return loadingFull;
}

/** Ends all calls in flight and frees the memory. The next call uses a new instance. */
export function stopEngine(): void {
  if (!current) return;
  const { glue, build } = current;
  const ended: Pending[] = [current, ...older].flatMap((instance) => instance.stop());
  older.clear();
  current = begin(glue, build);
  const error = new ZarrError("Aborted", "dispose() ended this call");
  for (const { reject } of ended) reject(error);
}

/** Passes the cache sizes to all instances. */
export function setCaches(): void {
  for (const instance of current ? [current, ...older] : []) instance.setCaches();
}

export const hasInstance = (): boolean => current !== undefined;

/** The build of the current instance. */
export const currentBuild = (): Instance["build"] | undefined => current?.build;

/** Whether a counter is the number of bytes held now. The other counters are sums. */
const isOfBytes = (at: number) => at % 3 === 2;

/** Counters of the caches, in the order of `cacheCounters` in `src/js/caches.rs`. */
export function cacheCounters(): number[] {
  const all = current ? [current, ...older].map(({ glue }) => glue.cacheCounters()) : [];
  return counted.map((count, at) => all.reduce((sum, counts) => sum + (counts[at] ?? 0), count));
}

type Settle = (report: ErrorReport | undefined, value: unknown) => void;

/** Whether an abort drops the task or lets it finish. */
type OnAbort = "drop" | "finish";

/** The current build lacks a function that the full build has. The call is repeated there. */
class NeedsFull extends UnsupportedError {}

/**
 * Returns the glue as the full build's. If it is another build's, this throws and the call is
 * repeated with the full build.
 */
export function needFull(glue: Glue): FullGlue {
  if (current?.build === "full") return glue as FullGlue;
  throw new NeedsFull("this call needs the full build of the engine");
}

const errorOf = (report: ErrorReport): ZarrError =>
  report.stage === "full" ? new NeedsFull(report.message) : errorFromReport(report);

/** Starts a task in the current instance. */
function attempt<T>(
  signal: AbortSignal | undefined,
  begin: (glue: Glue, settle: Settle) => number,
  onAbort: OnAbort,
): Promise<T> {
  signal?.throwIfAborted();
  const instance = current as Instance;
  return new Promise<T>((resolve, reject) => {
    let task: number | undefined;
    const drop = () => {
      if (task !== undefined && !instance.isGone) instance.enter(() => instance.glue.cancel(task as number));
    };
    const entry: Pending = { begin, drop, reject: (error) => finish(() => reject(error)) };
    const abort = () => {
      if (onAbort === "finish") return reject(signal?.reason);
      finish(() => reject(signal?.reason));
      drop();
    };
    const finish = (settle: () => void) => {
      instance.remove(entry);
      signal?.removeEventListener("abort", abort);
      settle();
    };
    instance.add(entry);
    signal?.addEventListener("abort", abort, { once: true });
    try {
      task = instance.enter(() =>
        begin(instance.glue, (report, value) =>
          finish(() => (report ? reject(errorOf(report)) : resolve(value as T))),
        ),
      );
    } catch (error) {
      finish(() => reject(meant(error)));
    }
  });
}

/**
 * Starts a task in the engine and waits for its answer. An abort rejects at once with the signal's
 * reason and drops the task and its requests. With `onAbort: "finish"` the task sees the signal and
 * ends by itself: it completes the chunk that it is writing before another call may change that
 * chunk. `begin` runs a second time if the call turns out to need the full build.
 */
export async function run<T>(
  signal: AbortSignal | undefined,
  begin: (glue: Glue, settle: Settle) => number,
  onAbort: OnAbort = "drop",
): Promise<T> {
  signal?.throwIfAborted();
  await unlessAborted(startEngine(), signal);
  try {
    return await attempt(signal, begin, onAbort);
  } catch (error) {
    if (!(error instanceof NeedsFull)) throw error;
    await unlessAborted(startFull(), signal);
    return attempt(signal, begin, onAbort);
  }
}

/** As `run`, for a task that only the full build has. */
export async function runFull<T>(
  signal: AbortSignal | undefined,
  begin: (glue: FullGlue, settle: Settle) => number,
  onAbort: OnAbort = "drop",
): Promise<T> {
  signal?.throwIfAborted();
  await unlessAborted(startFull(), signal);
  return attempt(signal, (glue, settle) => begin(needFull(glue), settle), onAbort);
}

/**
 * A number that an instance of the engine assigned, with that instance. The default is the current
 * instance.
 */
export class Handle {
  readonly #id: number;
  readonly #instance: Instance | undefined;

  constructor(id: number, instance: Instance | undefined = current) {
    this.#id = id;
    this.#instance = instance;
  }

  /** The number; undefined if another instance is current now. */
  get id(): number | undefined {
    return this.#instance === current ? this.#id : undefined;
  }
}

/** Returns a function that makes handles of the instance that is current now. */
export function handlesOfNow(): (id: number) => Handle {
  const instance = current;
  return (id) => new Handle(id, instance);
}

/**
 * Turns the engine's report of a failed synchronous call into an error. Other values are returned
 * as they are.
 */
function meant(thrown: unknown): unknown {
  const isReport =
    typeof thrown === "object" && thrown !== null && !(thrown instanceof Error) && "code" in thrown;
  if (isReport) return errorOf(thrown as ErrorReport);
  // The glue converts arguments, and the conversions of the language throw these.
  return thrown instanceof TypeError
    ? new ZarrError("Argument", `an argument has another type: ${thrown.message}`, { cause: thrown })
    : thrown;
}

/** Calls a synchronous function of the engine. An instance must exist. */
export function callNow<T>(call: (glue: Glue) => T): T {
  const instance = current as Instance;
  try {
    return instance.enter(() => call(instance.glue));
  } catch (error) {
    throw meant(error);
  }
}

/** As `call`, for a function of the full build. */
export async function callFull<T>(call: (glue: FullGlue) => T): Promise<T> {
  await startFull();
  return callNow((glue) => call(needFull(glue)));
}

/**
 * Starts the engine if necessary and calls a synchronous function. Repeats the call if it turns out
 * to need the full build.
 */
export async function call<T>(call: (glue: Glue) => T): Promise<T> {
  await startEngine();
  try {
    return callNow(call);
  } catch (error) {
    if (!(error instanceof NeedsFull)) throw error;
    await startFull();
    return callNow(call);
  }
}
