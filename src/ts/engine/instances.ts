/**
 * Selects the wasm instance that answers calls on this thread. The engine starts at its first use
 * and restarts after a trap. Rarely used functions are only in larger builds: the first call that
 * needs one loads its build, which has all that smaller ones have, and answers all calls from then
 * on. A call that has begun finishes in the instance where it began.
 */

import { type ErrorReport, errorFromReport, UnsupportedError, ZarrError } from "../model/errors.ts";
import { inOneRun } from "../model/once.ts";
import { unlessAborted } from "../model/waiting.ts";
import { ENGINE_BUILDS, type EngineBuild } from "../port/protocol.ts";
import { type FullGlue, type Glue, linked, type ReadingGlue } from "./glue.ts";
import { Instance, type Pending } from "./instance.ts";
import { engineModule } from "./wasm_builds.ts";

export type { FullGlue, Glue, ReadingGlue };

/** The instance for new calls. Numbers from another instance are not valid in it. */
let current: Instance | undefined;
/** Replaced instances that still have calls in flight. */
const older = new Set<Instance>();

/** Cache counters of instances that are gone. */
const counted = [0, 0, 0, 0, 0, 0];

function begin(glue: Glue, build: EngineBuild): Instance {
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

const start = inOneRun(async () => {
  try {
    const glue = await linked(await engineModule("engine"), "engine");
    current ??= begin(glue, "engine");
  } catch (error) {
    throw allowedBy(error);
  }
});

/** Starts an instance if there is none. The next call tries a failed start again. */
export const startEngine = (): Promise<void> => startBuild("engine");

/** Whether a build has all that another one has. */
const includes = (build: EngineBuild, other: EngineBuild): boolean =>
  ENGINE_BUILDS.indexOf(build) >= ENGINE_BUILDS.indexOf(other);

/** Whether the current instance has all that a build has. */
const has = (build: EngineBuild): boolean => current !== undefined && includes(current.build, build);

async function replaceBy(build: EngineBuild): Promise<void> {
  const glue = await linked(await engineModule(build), build);
  if (has(build)) return;
  const before = current;
  current = begin(glue, build);
  if (!before) return;
  older.add(before);
  before.retire(() => {
    older.delete(before);
    before.glue.cacheCounters().forEach((count, at) => {
      if (!isOfBytes(at)) counted[at] = (counted[at] ?? 0) + count;
    });
  });
}

const full = inOneRun(() => replaceBy("full"));

/** `zarr-wasm/slim` may have the file of the full build alone, which has all of `reading`, too. */
const replacements = {
  reading: inOneRun(() =>
    replaceBy("reading").catch((reason) =>
      full().catch(() => {
        throw reason;
      }),
    ),
  ),
  full,
};

/**
 * Makes the current instance one that has all of a build. If that cannot be loaded, the earlier
 * instance stays, and the next call tries again.
 */
function startBuild(build: EngineBuild): Promise<void> {
  if (has(build)) return Promise.resolve();
  return build === "engine" ? start() : replacements[build]();
}

/** Begins to load a build that the next call needs. If that fails, the call tells why. */
export function prepareBuild(build: EngineBuild): void {
  if (!has(build)) engineModule(build).catch(() => {});
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
export const currentBuild = (): EngineBuild | undefined => current?.build;

/** Whether a counter is the number of bytes held now. The other counters are sums. */
const isOfBytes = (at: number) => at % 3 === 2;

/** Counters of the caches, in the order of `cacheCounters` in `src/engine/js/caches.rs`. */
export function cacheCounters(): number[] {
  const all = current ? [current, ...older].map(({ glue }) => glue.cacheCounters()) : [];
  return counted.map((count, at) => all.reduce((sum, counts) => sum + (counts[at] ?? 0), count));
}

/** Takes the answer of a task: the report of its error, or its value. */
export type Settle = (report: ErrorReport | undefined, value: unknown) => void;

/** How a call uses the engine. */
interface Use {
  /** Aborts the call, which then rejects at once with the signal's reason. */
  signal?: AbortSignal;
  /** Only this build, or a larger one, can answer. Default: the engine's own. */
  build?: EngineBuild;
  /**
   * An abort does not drop the task and its requests: the task sees the signal and ends by itself.
   * It completes the chunk that it is writing before another call may change that chunk.
   */
  finishes?: boolean;
}

/** The current build lacks a function that a larger build has. The call is repeated there. */
class NeedsBuild extends UnsupportedError {
  readonly build: EngineBuild;

  constructor(build: EngineBuild, message: string) {
    super(message);
    this.build = build;
  }
}

function need(build: EngineBuild): void {
  if (!has(build)) throw new NeedsBuild(build, `this call needs the ${build} build of the engine`);
}

/**
 * Returns the glue as that of the build `reading`. If the current instance lacks it, this throws,
 * and the call is repeated with that build.
 */
export function needReading(glue: Glue): ReadingGlue {
  need("reading");
  return glue as ReadingGlue;
}

/** As `needReading`, for the full build. */
export function needFull(glue: Glue): FullGlue {
  need("full");
  return glue as FullGlue;
}

const errorOf = (report: ErrorReport): ZarrError =>
  report.stage === "full" || report.stage === "reading"
    ? new NeedsBuild(report.stage, report.message)
    : errorFromReport(report);

/** Starts a task in the current instance. */
function attempt<T>(begin: (glue: Glue, settle: Settle) => number, { signal, finishes }: Use): Promise<T> {
  signal?.throwIfAborted();
  const instance = current as Instance;
  return new Promise<T>((resolve, reject) => {
    let task: number | undefined;
    const drop = () => {
      if (task !== undefined && !instance.isGone) instance.enter(() => instance.glue.cancel(task as number));
    };
    const entry: Pending = { begin, drop, reject: (error) => finish(() => reject(error)) };
    const abort = () => {
      if (finishes) return reject(signal?.reason);
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

/** Does something in the instance, and again if that turns out to need a larger build. */
async function inInstance<T>(act: () => T | Promise<T>, use: Use): Promise<T> {
  const { signal, build = "engine" } = use;
  signal?.throwIfAborted();
  await unlessAborted(startBuild(build), signal);
  try {
    return await act();
  } catch (error) {
    // The current instance may have the build by now; the one in which the call began had not.
    if (!(error instanceof NeedsBuild) || includes(build, error.build)) throw error;
    return inInstance(act, { ...use, build: error.build });
  }
}

/** Starts a task in the engine and waits for its answer. `begin` may run once for each build. */
export const run = <T>(begin: (glue: Glue, settle: Settle) => number, use: Use = {}): Promise<T> =>
  inInstance(() => attempt<T>(begin, use), use);

/** Calls a synchronous function of the engine. `work` may run once for each build. */
export const call = <T>(work: (glue: Glue) => T, use: Use = {}): Promise<T> =>
  inInstance(() => callNow(work), use);

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

/** Calls a synchronous function of the engine at once. An instance must exist. */
export function callNow<T>(call: (glue: Glue) => T): T {
  const instance = current as Instance;
  try {
    return instance.enter(() => call(instance.glue));
  } catch (error) {
    throw meant(error);
  }
}
