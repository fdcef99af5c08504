/**
 * The engine's instance on the caller's thread: started at first use, and replaced when it trapped. Every call into wasm
 * passes through `enter`, and every promise that Rust waits for is guarded, so that nothing of an instance that is gone
 * touches the one in its place. Tasks (Rust futures) are polled from here: a trap while polling is caught, rejects what is
 * pending, and costs neither the process nor the page anything else.
 */
import * as glue from "#glue";
import { type ErrorReport, errorFromReport, INTERNAL, ZarrError } from "../errors.ts";
import { engineModule } from "./compile.ts";
import { cacheLimits } from "./configuration.ts";
import { counters } from "./counters.ts";
import { lock, releaseLocks } from "./locks.ts";
import { parseMarked } from "./marked_json.ts";

type Glue = typeof glue;

/** Counts instances; a number that an instance gave means nothing to the next one. */
let generation = 0;
let starting: Promise<void> | undefined;
let isStarted = false;
let panicMessage: string | undefined;

/** A call that was started and has not been answered. */
interface Pending {
  reject(error: unknown): void;
  /** What began it, and what that refers to: the engine knows stores weakly, and nobody else may still hold this one. */
  begin: unknown;
  /** Drops the task, and with it every request that it waits for. */
  drop(): void;
}
const pending = new Set<Pending>();

/** Tasks to be polled in the next microtask. */
let woken: number[] = [];

/** What the engine calls; see `src/js/host.rs`. */
const host = {
  wake(task: number): void {
    if (woken.push(task) === 1) queueMicrotask(pollWoken);
  },
  panicked(message: string): void {
    panicMessage = message;
  },
  lock,
  countWire(requests: number, bytes: number, failed: number, aborted: number): void {
    counters.wire.requests += requests;
    counters.wire.bytes += bytes;
    counters.wire.failed += failed;
    counters.wire.aborted += aborted;
  },
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms));
  },
  /** A promise that stays silent once the instance that waits for it is gone. */
  guard<T>(promise: Promise<T>): Promise<T> {
    const before = generation;
    return new Promise((resolve, reject) => {
      promise.then(
        (value) => before === generation && resolve(value),
        (error) => before === generation && reject(error),
      );
    });
  },
};

function pollWoken(): void {
  const tasks = woken;
  woken = [];
  for (const [idx, task] of tasks.entries()) {
    const before = generation;
    try {
      enter(() => glue.poll(task));
    } catch (error) {
      // A trap: `enter` has rejected what was pending, and the rest of this round belonged to the same instance. Anything else
      // has unwound a task that will not be polled again.
      if (before === generation) replaceInstance(error);
    }
    if (before !== generation) return void tasks.splice(idx);
  }
}

/** Whether an instance is of no use after throwing this: Rust panics abort, and wasm traps. */
const isTrap = (error: unknown) =>
  panicMessage !== undefined || error instanceof WebAssembly.RuntimeError || error instanceof RangeError;

/** Calls into wasm. After a trap the instance is replaced and everything pending is rejected. */
export function enter<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    if (isTrap(error)) throw replaceInstance(error);
    throw error;
  }
}

function replaceInstance(cause: unknown): ZarrError {
  const message = panicMessage ?? String(cause);
  const error = new ZarrError("Unsupported", `${INTERNAL}: ${message}`, { cause });
  panicMessage = undefined;
  counters.panics += 1;
  generation += 1;
  woken = [];
  const rejected = [...pending];
  pending.clear();
  releaseLocks();
  glue.__wbg_reset_state();
  begin();
  for (const { reject } of rejected) reject(error);
  return error;
}

/** Ends everything that is under way, and frees the instance's memory; the next call finds a new one. */
export function stopEngine(): void {
  if (!isStarted) return;
  const ended = [...pending];
  pending.clear();
  // An instance that is only left behind lets go of nothing.
  for (const { drop } of ended) drop();
  generation += 1;
  woken = [];
  releaseLocks();
  glue.__wbg_reset_state();
  begin();
  const error = new ZarrError("Aborted", "the package was told to dispose of what it holds");
  for (const { reject } of ended) reject(error);
}

function begin(): void {
  glue.start(host);
  setCaches();
}

/** Tells the engine how much it may keep. */
export function setCaches(): void {
  const { encodedBytes, decodedBytes } = cacheLimits();
  glue.setCacheBytes(encodedBytes, decodedBytes);
}

async function start(): Promise<void> {
  await glue.default({ module_or_path: await engineModule("engine") });
  begin();
  isStarted = true;
}

/** Makes sure that there is an instance. A failed start is tried again at the next call. */
export function startEngine(): Promise<void> {
  if (!starting) {
    starting = start();
    starting.catch(() => {
      starting = undefined;
    });
  }
  return starting;
}

export const isEngineStarted = (): boolean => isStarted;

type Settle = (report: ErrorReport | undefined, value: unknown) => void;

/** What becomes of a task whose caller has given up. */
type OnAbort = "drop" | "finish";

/**
 * Starts a task in the engine and waits for its answer. An abort rejects at once with the signal's reason and drops the
 * task, and with it every request that it waits for; with `onAbort: "finish"` the task itself ends, having seen the signal:
 * a chunk that is being written is written before another may change it.
 */
export async function run<T>(
  signal: AbortSignal | undefined,
  begin: (glue: Glue, settle: Settle) => number,
  onAbort: OnAbort = "drop",
): Promise<T> {
  signal?.throwIfAborted();
  await startEngine();
  signal?.throwIfAborted();
  return new Promise<T>((resolve, reject) => {
    const before = generation;
    let task: number | undefined;
    const drop = () => {
      if (task !== undefined && before === generation) enter(() => glue.cancel(task as number));
    };
    const entry: Pending = { begin, drop, reject: (error) => finish(() => reject(error)) };
    const abort = () => {
      if (onAbort === "finish") return reject(signal?.reason);
      finish(() => reject(signal?.reason));
      drop();
    };
    const finish = (settle: () => void) => {
      pending.delete(entry);
      signal?.removeEventListener("abort", abort);
      settle();
    };
    pending.add(entry);
    signal?.addEventListener("abort", abort, { once: true });
    try {
      task = enter(() =>
        begin(glue, (report, value) =>
          finish(() => (report ? reject(errorFromReport(report)) : resolve(value as T))),
        ),
      );
    } catch (error) {
      finish(() => reject(meant(error)));
    }
  });
}

/** A number that the engine gave, and which instance gave it. */
export class Handle {
  readonly #id: number;
  readonly #generation = generation;

  constructor(id: number) {
    this.#id = id;
  }

  /** The number, unless the instance it belongs to is gone. */
  get id(): number | undefined {
    return this.#generation === generation ? this.#id : undefined;
  }
}

/** The error that the engine's report of a failed synchronous call means; whatever else was thrown as it is. */
function meant(thrown: unknown): unknown {
  const isReport =
    typeof thrown === "object" && thrown !== null && !(thrown instanceof Error) && "code" in thrown;
  return isReport ? errorFromReport(thrown as ErrorReport) : thrown;
}

/** Calls a synchronous function of the engine, which must have been started. */
export function callNow<T>(call: (glue: Glue) => T): T {
  try {
    return enter(() => call(glue));
  } catch (error) {
    throw meant(error);
  }
}

/**
 * JSON with what Python writes beside it (`NaN`, `Infinity`), its large integers as bigints if so wished. Only for text that
 * the engine handed out: by then it has been started.
 */
export function parseJson(text: string, exactIntegers: boolean): unknown {
  const [marked, places] = callNow((glue) => glue.markedJson(text, exactIntegers)) as [string, string];
  return parseMarked(marked, places);
}

/** Lets the engine forget a number when the object that held it is collected. */
export function finalizer(release: (glue: Glue, id: number) => void): FinalizationRegistry<Handle> {
  return new FinalizationRegistry((handle: Handle) => {
    const { id } = handle;
    if (id !== undefined) callNow((engine) => release(engine, id));
  });
}
