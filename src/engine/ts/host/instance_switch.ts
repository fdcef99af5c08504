/**
 * Selects the wasm instance that answers an engine's calls. The engine starts at its first use
 * and restarts after a trap. Rarely used functions are only in larger builds: the first call that
 * needs one loads its build, which has all that smaller ones have, and answers all calls from then
 * on. A call that has begun finishes in the instance where it began.
 */

import {
  ENGINE_BUILDS,
  type EngineBuild,
  errorRecordShape,
  WASM_OPERATIONS,
  type WasmOperations,
} from "../../../contract/contract.ts";
import { errorFromRecord, InvalidSelectionError, UnsupportedError, ZarrError } from "../model/errors.ts";
import { inOneRun } from "../model/once.ts";
import { RecordReader, RecordWriter, readRecord, type Shape } from "../model/records.ts";
import { unlessAborted } from "../model/waiting.ts";
import { type Glue, type Glues, linked, linkedAgain } from "./glue.ts";
import type { EngineState } from "./state.ts";
import { type WasmBuilds, wrongWasm } from "./wasm_builds.ts";
import { Instance, type Pending } from "./wasm_instance.ts";

export type { Glue, Glues };

/** Tells how to allow wasm, if the page's policy forbids it. Browsers have no other sign of it. */
function allowedBy(error: unknown): unknown {
  if (!/CSP|Content Security Policy|unsafe-eval/i.test(String(error))) return error;
  return new UnsupportedError(
    "WebAssembly, because of the page's Content-Security-Policy: add `script-src 'wasm-unsafe-eval'`",
    { cause: error },
  );
}

/** Whether a build has all that another one has. */
const includes = (build: EngineBuild, other: EngineBuild): boolean =>
  ENGINE_BUILDS.indexOf(build) >= ENGINE_BUILDS.indexOf(other);

/** Whether a counter is a number of bytes now: held, or the most. The other counters are sums. */
const isOfBytes = (at: number) => at % 4 >= 2;

/**
 * Why a call failed: the bytes of an `ErrorRecord` and the values beside them (`failure_to_js` of
 * `src/engine/rust/js/error.rs`).
 */
type Failure = [record: Uint8Array<ArrayBuffer>, values: unknown[]];

/** Takes the end of a task: its failure, or its value. */
export type Settle = (failure: Failure | undefined, value: unknown) => void;

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

  constructor(build: EngineBuild) {
    super(`this call needs the ${build} build of the engine`);
    this.build = build;
  }
}

/**
 * The current instance lacks what is loaded into each instance, because it has replaced the one
 * that had it. The call is repeated after `load`.
 */
export class LoadFirst extends Error {
  readonly load: () => Promise<unknown>;

  constructor(load: () => Promise<unknown>) {
    super("this call needs what an earlier instance of the engine had loaded");
    this.load = load;
  }
}

function errorOf(failure: Failure): ZarrError {
  const record = readRecord(errorRecordShape, ...failure);
  const { build } = record.context;
  return build ? new NeedsBuild(build as EngineBuild) : errorFromRecord(record);
}

/**
 * Turns the failure of a synchronous call into an error. Other values are returned as they are.
 */
function meant(thrown: unknown): unknown {
  if (Array.isArray(thrown)) return errorOf(thrown as Failure);
  // The glue converts arguments, and the conversions of the language throw these.
  return thrown instanceof TypeError
    ? new ZarrError("Argument", `an argument has another type: ${thrown.message}`, { cause: thrown })
    : thrown;
}

/** How the records of an operation cross, and what it needs. */
interface WasmOperation extends Omit<Use, "signal"> {
  takes: Shape<unknown>;
  gives: Shape<unknown>;
}

/** Writes the record of an operation. What it refuses of a read is in the selection. */
function writeArguments(takes: Shape<unknown>, record: RecordWriter, args: object): void {
  try {
    takes.write(record, args);
  } catch (cause) {
    if (!(cause instanceof TypeError) || !("selection" in args || "request" in args)) throw cause;
    throw new InvalidSelectionError(`the selection cannot be read: ${cause.message}`, { cause });
  }
}

/** The operations, by their numbers. */
const NUMBERS = Object.keys(WASM_OPERATIONS);

/** Begins a task of the instance. Returns its number. */
type BeginTask = (glue: Glue, settle: Settle) => number;

/** Starts a task in an instance. */
function attempt<T>(instance: Instance, begin: BeginTask, { signal, finishes }: Use): Promise<T> {
  signal?.throwIfAborted();
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
        begin(instance.glue, (failure, value) =>
          finish(() => (failure ? reject(errorOf(failure)) : resolve(value as T))),
        ),
      );
    } catch (error) {
      finish(() => reject(meant(error)));
    }
  });
}

/** The compiled module of a build. */
interface WasmSource {
  readonly module: WebAssembly.Module;
  readonly build: EngineBuild;
}

export class Instances {
  readonly #state: EngineState;
  readonly #builds: WasmBuilds;
  /** The instance for new calls. It does not have the stores and arrays of another one. */
  #current: Instance | undefined;
  /** Replaced instances that still have calls in flight. */
  readonly #older = new Set<Instance>();
  /** Cache counters of instances that are gone. */
  readonly #counted = [0, 0, 0, 0, 0, 0, 0, 0];
  readonly #starts: Record<EngineBuild, () => Promise<void>>;

  constructor(state: EngineState, builds: WasmBuilds) {
    this.#state = state;
    this.#builds = builds;
    const full = inOneRun(() => this.#replaceBy("full"));
    const instead = (reason: unknown) =>
      full().catch(() => {
        throw reason;
      });
    this.#starts = {
      engine: inOneRun(() => this.#startFirst()),
      // `zarr-wasm/slim` may have the file of the full build alone, which has all of `reading`.
      reading: inOneRun(() => this.#replaceBy("reading").catch(instead)),
      full,
    };
  }

  /** Starts an instance if there is none. The next call tries a failed start again. */
  start(): Promise<void> {
    return this.#startBuild("engine");
  }

  /** Begins to load a build that the next call needs. If that fails, the call tells why. */
  prepareBuild(build: EngineBuild): void {
    if (!this.#has(build)) this.#builds.module(build).catch(() => {});
  }

  /** Ends all calls in flight and frees the memory. The next call uses a new instance. */
  stop(): void {
    const ended: Pending[] = this.#all().flatMap((instance) => instance.stop());
    this.#older.clear();
    this.#current = undefined;
    const error = new ZarrError("Aborted", "dispose() ended this call");
    for (const { reject } of ended) reject(error);
  }

  /** Passes the cache sizes to all instances. */
  setCaches(): void {
    for (const instance of this.#all()) instance.setCaches();
  }

  get isStarted(): boolean {
    return this.#current !== undefined;
  }

  /** The build of the current instance. */
  get build(): EngineBuild | undefined {
    return this.#current?.build;
  }

  /** Counters of the caches, in the order of `cacheCounters` in `src/engine/rust/js/caches.rs`. */
  cacheCounters(): number[] {
    const all = this.#all().map(({ glue }) => glue.cacheCounters());
    return this.#counted.map((count, at) => all.reduce((sum, counts) => sum + (counts[at] ?? 0), count));
  }

  /**
   * Returns the glue as that of a build. If the current instance lacks it, this throws, and the
   * call is repeated with that build.
   */
  need<Build extends EngineBuild>(glue: Glue, build: Build): Glues[Build] {
    if (this.#has(build)) return glue as Glues[Build];
    throw new NeedsBuild(build);
  }

  /** Starts a task and waits for its answer. `begin` may run once for each build. */
  run<T>(begin: BeginTask, use: Use = {}): Promise<T> {
    return this.#inInstance(() => attempt<T>(this.#current as Instance, begin, use), use);
  }

  /**
   * Performs an operation of the wasm. `makeArguments` makes its record for an instance, and may
   * run once for each build. `held` are the values beside the record of the answer.
   */
  async operate<Name extends keyof WasmOperations>(
    name: Name,
    makeArguments: (glue: Glue) => Parameters<WasmOperations[Name]>[0],
    signal: AbortSignal | undefined,
  ): Promise<{ answer: ReturnType<WasmOperations[Name]>; held: unknown[] }> {
    const { takes, gives, ...use } = WASM_OPERATIONS[name] as WasmOperation;
    let values: unknown[] = [];
    let passed = 0;
    const begin = (glue: Glue, settle: Settle) => {
      values = [signal];
      const record = new RecordWriter(values);
      writeArguments(takes, record, makeArguments(glue));
      passed = values.length;
      return glue.call(NUMBERS.indexOf(name), record.bytes, values, settle);
    };
    const bytes = await this.run<Uint8Array<ArrayBuffer>>(begin, { ...use, signal });
    const answer = gives.read(new RecordReader(bytes, values)) as ReturnType<WasmOperations[Name]>;
    return { answer, held: values.slice(passed) };
  }

  /** Calls a synchronous function of the engine. `work` may run once for each build. */
  call<T>(work: (glue: Glue) => T, use: Use = {}): Promise<T> {
    return this.#inInstance(() => this.callNow(work), use);
  }

  /** Calls a synchronous function of the engine at once. An instance must exist. */
  callNow<T>(call: (glue: Glue) => T): T {
    const instance = this.#current as Instance;
    try {
      return instance.enter(() => call(instance.glue));
    } catch (error) {
      throw meant(error);
    }
  }

  /** Drops a store or an array of the current instance, if it has it. */
  release(id: number): void {
    if (this.#current) this.callNow((glue) => glue.release(id));
  }

  #all(): Instance[] {
    return this.#current ? [this.#current, ...this.#older] : [];
  }

  /** Whether the current instance has all that a build has. */
  #has(build: EngineBuild): boolean {
    return this.#current !== undefined && includes(this.#current.build, build);
  }

  #begin(glue: Glue, source: WasmSource): Instance {
    const { module, build } = source;
    const onTrap = (trapped: Instance) => {
      this.#older.delete(trapped);
      if (trapped === this.#current) this.#current = this.#begin(linkedAgain(module, build), source);
    };
    return new Instance(glue, build, { state: this.#state, onTrap });
  }

  /** Links a build. That of another version of the package has other imports. */
  async #linked(build: EngineBuild): Promise<[glue: Glue, source: WasmSource]> {
    const module = await this.#builds.module(build);
    const glue = await linked(module, build).catch((cause) => {
      const isOther = cause instanceof TypeError || cause instanceof WebAssembly.LinkError;
      throw isOther ? wrongWasm(build, cause) : cause;
    });
    return [glue, { module, build }];
  }

  async #startFirst(): Promise<void> {
    try {
      const [glue, source] = await this.#linked("engine");
      this.#current ??= this.#begin(glue, source);
    } catch (error) {
      throw allowedBy(error);
    }
  }

  /**
   * Makes the current instance one that has all of a build. If that cannot be loaded, the earlier
   * instance stays, and the next call tries again.
   */
  #startBuild(build: EngineBuild): Promise<void> {
    return this.#has(build) ? Promise.resolve() : this.#starts[build]();
  }

  async #replaceBy(build: EngineBuild): Promise<void> {
    const [glue, source] = await this.#linked(build);
    if (this.#has(build)) return;
    const before = this.#current;
    this.#current = this.#begin(glue, source);
    if (!before) return;
    this.#older.add(before);
    before.retire(() => {
      this.#older.delete(before);
      before.glue.cacheCounters().forEach((count, at) => {
        if (!isOfBytes(at)) this.#counted[at] = (this.#counted[at] ?? 0) + count;
      });
    });
  }

  /** Does something in the instance, and again if that turns out to need something first. */
  async #inInstance<T>(act: () => T | Promise<T>, use: Use): Promise<T> {
    const { signal, build = "engine" } = use;
    signal?.throwIfAborted();
    await unlessAborted(this.#startBuild(build), signal);
    try {
      return await act();
    } catch (error) {
      if (error instanceof LoadFirst) {
        await unlessAborted(error.load(), signal);
        return this.#inInstance(act, use);
      }
      // The current instance may have the build by now; the one in which the call began had not.
      if (!(error instanceof NeedsBuild) || includes(build, error.build)) throw error;
      return this.#inInstance(act, { ...use, build: error.build });
    }
  }
}
