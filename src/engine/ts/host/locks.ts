/**
 * The locks of a wasm instance. A lock has a name, and protects a change of a chunk in a store that
 * has a `lockName`. With Web Locks, all tabs and workers of the origin share the locks. Without
 * them, only the copies of this package on this thread do. Rust decides when to take and to release
 * a lock.
 */

/** A requested lock; see `src/engine/rust/js/full/locks.rs`. */
export interface HostLock {
  /** Resolves when the lock is held. */
  readonly held: Promise<void>;
  /** Releases the lock, or cancels the request for it. */
  release(): void;
}

type Available = Pick<LockManager, "request">;

/**
 * The last promise of each queue, by lock name, for environments without Web Locks. All engines of
 * the thread have to take turns at one file, those of other copies and versions of this package,
 * too. So this is under a symbol of the thread, like the names of Web Locks. It holds no data.
 */
const TAILS = Symbol.for("zarr-wasm.locks");

function tailsOfThread(): Map<string, Promise<void>> {
  const thread = globalThis as { [TAILS]?: Map<string, Promise<void>> };
  thread[TAILS] ??= new Map();
  return thread[TAILS];
}

function queueHere(name: string, granted: () => void, released: Promise<void>): void {
  const tails = tailsOfThread();
  const tail = (tails.get(name) ?? Promise.resolve()).then(() => {
    granted();
    return released;
  });
  tails.set(name, tail);
  tail.then(() => tails.get(name) === tail && tails.delete(name));
}

function queueThere(
  locks: Available,
  name: string,
  granted: () => void,
  released: Promise<void>,
): AbortController {
  const waiting = new AbortController();
  const request = locks.request(`zarr-wasm ${name}`, { signal: waiting.signal }, () => {
    granted();
    return released;
  });
  // Opaque origins (of a sandboxed frame) have no locks. No other tab or worker can share their
  // storage, so the lock counts as granted.
  request.catch(granted);
  return waiting;
}

/**
 * The locks that one wasm instance holds or waits for. They are kept here, because an instance that
 * is gone cannot release its locks.
 */
export class Locks {
  readonly #open = new Set<HostLock>();

  /** Requests a lock. It is always granted in the end. */
  lock(name: string): HostLock {
    const { locks } = (globalThis as { navigator?: { locks?: Available } }).navigator ?? {};
    let end = () => {};
    const released = new Promise<void>((resolve) => {
      end = resolve;
    });
    let waiting: AbortController | undefined;
    const held = new Promise<void>((granted) => {
      if (locks) waiting = queueThere(locks, name, granted, released);
      else queueHere(name, granted, released);
    });
    const open = this.#open;
    const asked: HostLock = {
      held,
      release() {
        open.delete(asked);
        end();
        waiting?.abort();
      },
    };
    open.add(asked);
    return asked;
  }

  /** Releases all locks and cancels all requests. */
  releaseAll(): void {
    for (const asked of [...this.#open]) asked.release();
  }
}
