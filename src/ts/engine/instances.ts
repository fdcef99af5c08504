/**
 * Which instance of the engine answers calls on the caller's thread. The engine is started at first
 * use, and begun anew when it trapped. What a reader rarely needs is in the full build alone: the
 * first call that needs it loads that, and from then on it answers all calls. What was begun before
 * is finished by the instance that began it; no call crosses two of them.
 */

import * as fullGlue from "#full-glue";
import * as engineGlue from "#glue";
import { type ErrorReport, errorFromReport, UnsupportedError, ZarrError } from "../model/errors.ts";
import { engineModule } from "./compile.ts";
import { type Glue, Instance, type Pending } from "./instance.ts";
import { unlessAborted } from "./unless_aborted.ts";

export type { Glue };

/** What the full build answers. */
export type FullGlue = typeof import("#full-glue");

/** Whom new calls go to; numbers that another instance gave mean nothing to it. */
let current: Instance | undefined;
/** Those that only finish what was begun. */
const older = new Set<Instance>();
let starting: Promise<void> | undefined;
let loadingFull: Promise<void> | undefined;

/** What instances counted that are gone. */
const counted = [0, 0, 0, 0, 0, 0];

function begin(glue: Glue, build: Instance["build"]): Instance {
  return new Instance(glue, build, (trapped) => {
    older.delete(trapped);
    if (trapped === current) current = begin(glue, build);
  });
}

async function start(): Promise<void> {
  await engineGlue.default({ module_or_path: await engineModule("engine") });
  current ??= begin(engineGlue, "engine");
}

/** Makes sure that there is an instance. A failed start is tried again at the next call. */
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
 * Makes sure that the full build answers. Where it cannot be loaded, whoever answered before goes
 * on; the next call tries again.
 */
export function startFull(): Promise<void> {
  if (current?.build === "full") return Promise.resolve();
  loadingFull ??= loadFull().finally(() => {
    loadingFull = undefined;
  });
  return loadingFull;
}

/** Ends everything that is under way, and frees the memory; the next call finds a new instance. */
export function stopEngine(): void {
  if (!current) return;
  const { glue, build } = current;
  const ended: Pending[] = [current, ...older].flatMap((instance) => instance.stop());
  older.clear();
  current = begin(glue, build);
  const error = new ZarrError("Aborted", "the package was told to dispose of what it holds");
  for (const { reject } of ended) reject(error);
}

/** Tells the engine how much it may keep. */
export function setCaches(): void {
  for (const instance of current ? [current, ...older] : []) instance.setCaches();
}

export const hasInstance = (): boolean => current !== undefined;

/** Which build answers. */
export const currentBuild = (): Instance["build"] | undefined => current?.build;

/** Bytes are what is kept now; the other counters are sums. */
const isOfBytes = (at: number) => at % 3 === 2;

/** Counters of the caches, as `cacheCounters` of `src/js/caches.rs` gives them. */
export function cacheCounters(): number[] {
  const all = current ? [current, ...older].map(({ glue }) => glue.cacheCounters()) : [];
  return counted.map((count, at) => all.reduce((sum, counts) => sum + (counts[at] ?? 0), count));
}

type Settle = (report: ErrorReport | undefined, value: unknown) => void;

/** What becomes of a task whose caller has given up. */
type OnAbort = "drop" | "finish";

/** This build has not what a call needs, and the full one has. Whoever calls begins again there. */
class NeedsFull extends UnsupportedError {}

/**
 * The glue that a call was given, as the full build's: where it is not, the call begins again with
 * that.
 */
export function needFull(glue: Glue): FullGlue {
  if (current?.build === "full") return glue as FullGlue;
  throw new NeedsFull("this call needs the full build of the engine");
}

const errorOf = (report: ErrorReport): ZarrError =>
  report.stage === "full" ? new NeedsFull(report.message) : errorFromReport(report);

/** Starts a task in the instance that answers now. */
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
 * reason and drops the task, and with it every request that it waits for; with `onAbort: "finish"`
 * the task itself ends, having seen the signal: a chunk that is being written is written before
 * another may change it. `begin` is called a second time when it turns out that the full build is
 * needed.
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

/** As `run`, of a task that only the full build has. */
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
 * A number that an instance of the engine gave, and which instance: unless it is said, the one that
 * answers now.
 */
export class Handle {
  readonly #id: number;
  readonly #instance: Instance | undefined;

  constructor(id: number, instance: Instance | undefined = current) {
    this.#id = id;
    this.#instance = instance;
  }

  /** The number, unless another instance answers by now. */
  get id(): number | undefined {
    return this.#instance === current ? this.#id : undefined;
  }
}

/** Makes handles of numbers that a call gives which begins now. */
export function handlesOfNow(): (id: number) => Handle {
  const instance = current;
  return (id) => new Handle(id, instance);
}

/**
 * The error that the engine's report of a failed synchronous call means; whatever else was thrown
 * as it is.
 */
function meant(thrown: unknown): unknown {
  const isReport =
    typeof thrown === "object" && thrown !== null && !(thrown instanceof Error) && "code" in thrown;
  return isReport ? errorOf(thrown as ErrorReport) : thrown;
}

/** Calls a synchronous function of the engine, which must have been started. */
export function callNow<T>(call: (glue: Glue) => T): T {
  const instance = current as Instance;
  try {
    return instance.enter(() => call(instance.glue));
  } catch (error) {
    throw meant(error);
  }
}

/** As `call`, of a function of the full build. */
export async function callFull<T>(call: (glue: FullGlue) => T): Promise<T> {
  await startFull();
  return callNow((glue) => call(needFull(glue)));
}

/**
 * Calls a synchronous function of the engine, once there is one, and again when it turns out that
 * the full build is needed.
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
