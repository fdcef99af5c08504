/**
 * One instance of the engine on the caller's thread, from its start until it trapped, was stopped,
 * or another has taken its place. Every call into wasm passes through `enter`, and every promise
 * that Rust waits for is guarded, so that nothing of an instance that is gone touches the one in
 * its place. Tasks (Rust futures) are polled from here: a trap while polling is caught, rejects
 * what is pending, and costs neither the process nor the page anything else.
 */

import { breathe } from "../elements/breathe.ts";
import { INTERNAL, TrapError } from "../model/errors.ts";
import { cacheLimits } from "./configuration.ts";
import { counters } from "./counters.ts";
import { Locks } from "./locks.ts";

/** What every build answers. */
export type Glue = typeof import("#glue");

/** A call that was started and has not been answered. */
export interface Pending {
  reject(error: unknown): void;
  /**
   * What began it, and what that refers to: the engine knows stores weakly, and nobody else may
   * still hold this one.
   */
  begin: unknown;
  /** Drops the task, and with it every request that it waits for. */
  drop(): void;
}

export class Instance {
  readonly glue: Glue;
  readonly build: "engine" | "full";
  readonly #pending = new Set<Pending>();
  readonly #locks = new Locks();
  readonly #onTrap: (instance: Instance) => void;
  /** Tasks to be polled in the next microtask. */
  #woken: number[] = [];
  #panicMessage: string | undefined;
  #isGone = false;
  /** Ends it when nothing is pending any more. */
  #onIdle: (() => void) | undefined;

  /** Begins the life of an instance, whose module the glue has loaded. */
  constructor(glue: Glue, build: Instance["build"], onTrap: (instance: Instance) => void) {
    this.glue = glue;
    this.build = build;
    this.#onTrap = onTrap;
    glue.start(this.#host());
    this.setCaches();
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** What the engine calls; see `src/js/host.rs`. */
  #host() {
    return {
      wake: (task: number): void => {
        if (this.#woken.push(task) === 1) queueMicrotask(() => this.#pollWoken());
      },
      panicked: (message: string): void => {
        this.#panicMessage = message;
      },
      lock: (name: string) => this.#locks.lock(name),
      countWire(requests: number, bytes: number, failed: number, aborted: number): void {
        counters.wire.requests += requests;
        counters.wire.bytes += bytes;
        counters.wire.failed += failed;
        counters.wire.aborted += aborted;
      },
      breathe,
      sleep: (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms)),
      /** A promise that stays silent once the instance that waits for it is gone. */
      guard: <T>(promise: Promise<T>): Promise<T> =>
        new Promise((resolve, reject) => {
          promise.then(
            (value) => !this.#isGone && resolve(value),
            (error) => !this.#isGone && reject(error),
          );
        }),
    };
  }

  #pollWoken(): void {
    const tasks = this.#woken;
    this.#woken = [];
    for (const task of tasks) {
      if (this.#isGone) return;
      try {
        this.enter(() => this.glue.poll(task));
      } catch (error) {
        // A trap: `enter` has rejected what was pending, and the rest of this round belonged to the
        // same instance. Anything else has unwound a task that will not be polled again.
        if (!this.#isGone) this.#trapped(error);
      }
    }
  }

  /** Whether an instance is of no use after throwing this: Rust panics abort, and wasm traps. */
  #isTrap(error: unknown): boolean {
    return (
      this.#panicMessage !== undefined ||
      error instanceof WebAssembly.RuntimeError ||
      error instanceof RangeError
    );
  }

  /** Calls into wasm. After a trap the instance is gone, and everything pending is rejected. */
  enter<T>(call: () => T): T {
    try {
      return call();
    } catch (error) {
      if (!this.#isGone && this.#isTrap(error)) throw this.#trapped(error);
      throw error;
    }
  }

  #trapped(cause: unknown): TrapError {
    const message = this.#panicMessage ?? String(cause);
    const error = new TrapError("Unsupported", `${INTERNAL}: ${message}`, { cause });
    counters.panics += 1;
    const rejected = [...this.#pending];
    this.#end();
    this.#onTrap(this);
    for (const { reject } of rejected) reject(error);
    return error;
  }

  /**
   * Leaves the instance behind, and its memory: the glue has another at once, which was not begun.
   */
  #end(): void {
    this.#isGone = true;
    this.#woken = [];
    this.#pending.clear();
    this.#locks.releaseAll();
    this.glue.__wbg_reset_state();
  }

  /** Ends everything that is under way; what to reject then. */
  stop(): Pending[] {
    const ended = [...this.#pending];
    this.#pending.clear();
    // An instance that is only left behind lets go of nothing.
    for (const { drop } of ended) drop();
    if (!this.#isGone) this.#end();
    return ended;
  }

  /** Ends it when the last of what is pending is; `onEnd` is called before its memory is gone. */
  retire(onEnd: () => void): void {
    this.#onIdle = onEnd;
    this.#retireWhenIdle();
  }

  #retireWhenIdle(): void {
    if (!this.#onIdle || this.#pending.size > 0) return;
    // Whoever finds this out may stand in a call of this very instance.
    queueMicrotask(() => {
      if (this.#isGone || this.#pending.size > 0) return;
      this.#onIdle?.();
      this.#end();
    });
  }

  /** Keeps what was begun until it is answered. */
  add(pending: Pending): void {
    this.#pending.add(pending);
  }

  /** What was begun is answered, or given up. */
  remove(pending: Pending): void {
    this.#pending.delete(pending);
    this.#retireWhenIdle();
  }

  /** Tells the engine how much it may keep. */
  setCaches(): void {
    const { encodedBytes, decodedBytes } = cacheLimits();
    this.glue.setCacheBytes(encodedBytes, decodedBytes);
  }
}
