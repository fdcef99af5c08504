/**
 * One wasm instance of the engine, from its start until it traps, is stopped or is replaced. Every
 * call into wasm passes through `enter`. Promises that Rust awaits are followed here, so that one
 * of a dropped instance cannot touch its successor. Rust futures (tasks) are polled here, so a trap
 * during a poll is caught and only rejects the calls in flight. The locks that it holds are in
 * `locks.ts`.
 */

import type { EngineBuild } from "../../../contract/contract.ts";
import { INTERNAL, TrapError } from "../model/errors.ts";
import { nextTask, pauseIfDue } from "../model/waiting.ts";
import type { Glue } from "./glue.ts";
import { Locks } from "./locks.ts";
import type { EngineState } from "./state.ts";

/** A call in flight. */
export interface Pending {
  reject(error: unknown): void;
  /**
   * The closure that began the call. It keeps the stores alive to which it refers, because the
   * engine holds stores weakly.
   */
  begin: unknown;
  /** Drops the task and its requests. */
  drop(): void;
}

export class Instance {
  readonly glue: Glue;
  readonly build: EngineBuild;
  readonly #state: EngineState;
  readonly #pending = new Set<Pending>();
  readonly #locks = new Locks();
  readonly #onTrap: (instance: Instance) => void;
  /** Tasks to poll in the next microtask. */
  #woken: number[] = [];
  #panicMessage: string | undefined;
  #isGone = false;
  /** Called when the last call in flight of a retired instance has ended. */
  #onIdle: (() => void) | undefined;

  /** Starts an instance of the module that the glue has linked. */
  constructor(
    glue: Glue,
    build: EngineBuild,
    { state, onTrap }: { state: EngineState; onTrap: (instance: Instance) => void },
  ) {
    this.glue = glue;
    this.build = build;
    this.#state = state;
    this.#onTrap = onTrap;
    glue.start(this.#host());
    this.setCaches();
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** The functions that Rust calls; see `src/engine/rust/js/host.rs`. */
  #host() {
    const { wire } = this.#state.counters;
    return {
      wake: (task: number): void => {
        if (this.#woken.push(task) === 1) queueMicrotask(() => this.#pollWoken());
      },
      panicked: (message: string): void => {
        this.#panicMessage = message;
      },
      lock: (name: string) => this.#locks.lock(name),
      countWire(requests: number, bytes: number, failed: number, aborted: number): void {
        wire.requests += requests;
        wire.bytes += bytes;
        wire.failed += failed;
        wire.aborted += aborted;
      },
      pauseIfDue,
      nextTask,
      sleep: (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms)),
      follow: (promise: Promise<unknown>, id: number): void => {
        const settled = (isFulfilled: boolean) => (value: unknown) =>
          this.#step(() => this.glue.promiseSettled(id, isFulfilled, value));
        promise.then(settled(true), settled(false));
      },
    };
  }

  #pollWoken(): void {
    const tasks = this.#woken;
    this.#woken = [];
    for (const task of tasks) this.#step(() => this.glue.poll(task));
  }

  /** Does something for the tasks, unless the instance is gone. */
  #step(step: () => void): void {
    if (this.#isGone) return;
    try {
      this.enter(step);
    } catch (error) {
      // On a trap, `enter` has rejected the calls in flight. Any other error unwound a task in the
      // middle, so the instance cannot be used again either.
      if (!this.#isGone) this.#trapped(error);
    }
  }

  /** Whether an error makes the instance unusable. Rust panics abort, which traps in wasm. */
  #isTrap(error: unknown): boolean {
    return (
      this.#panicMessage !== undefined ||
      error instanceof WebAssembly.RuntimeError ||
      error instanceof RangeError
    );
  }

  /** Calls into wasm. After a trap the instance is gone and all calls in flight are rejected. */
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
    this.#state.counters.panics += 1;
    const rejected = [...this.#pending];
    this.#end();
    this.#onTrap(this);
    for (const { reject } of rejected) reject(error);
    return error;
  }

  /** Ends the instance. Its memory goes with the last reference to it. */
  #end(): void {
    this.#isGone = true;
    this.#woken = [];
    this.#pending.clear();
    this.#locks.releaseAll();
  }

  /** Ends all calls in flight and returns them; the caller must reject them. */
  stop(): Pending[] {
    const ended = [...this.#pending];
    this.#pending.clear();
    // Dropping the instance would not run Rust's destructors, so every task is dropped explicitly.
    for (const { drop } of ended) drop();
    if (!this.#isGone) this.#end();
    return ended;
  }

  /** Ends the instance after its last call in flight. `onEnd` runs before its memory is dropped. */
  retire(onEnd: () => void): void {
    this.#onIdle = onEnd;
    this.#retireWhenIdle();
  }

  #retireWhenIdle(): void {
    if (!this.#onIdle || this.#pending.size > 0) return;
    // This may run inside a call of the instance, so it ends in the next microtask.
    queueMicrotask(() => {
      if (this.#isGone || this.#pending.size > 0) return;
      this.#onIdle?.();
      this.#end();
    });
  }

  /** Adds a call in flight. */
  add(pending: Pending): void {
    this.#pending.add(pending);
  }

  /** Removes a call that has ended. */
  remove(pending: Pending): void {
    this.#pending.delete(pending);
    this.#retireWhenIdle();
  }

  /** Passes the cache sizes to the engine. */
  setCaches(): void {
    const { encodedBytes, decodedBytes, wholeBytes } = this.#state.cacheLimits();
    this.glue.setCacheBytes(encodedBytes, decodedBytes, wholeBytes);
  }
}
