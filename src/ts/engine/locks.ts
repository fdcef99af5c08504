/**
 * Locks by name: Web Locks where there are any, which every tab and worker of this origin waits
 * for; else of this thread alone. The engine asks for one around each change of a chunk in a store
 * that has a name (`lockName`).
 */

/** A lock that was asked for; see `src/js/locks.rs`. */
export interface HostLock {
  /** Resolves when it is held. */
  readonly held: Promise<void>;
  /** Gives it back, or stops waiting for it. */
  release(): void;
}

type Available = Pick<LockManager, "request">;

/** Ends of the queues by name, where there are no Web Locks. */
const tails = new Map<string, Promise<void>>();

function queueHere(name: string, granted: () => void, released: Promise<void>): void {
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
  // Some origins (of a sandboxed frame) may have no locks: nobody else can be there to wait for
  // either.
  request.catch(granted);
  return waiting;
}

/**
 * What an instance of the engine holds or waits for: one that is gone gives nothing back itself.
 */
export class Locks {
  readonly #open = new Set<HostLock>();

  /** Asks for a lock. It is always granted in the end. */
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

  /** Gives back all of them. */
  releaseAll(): void {
    for (const asked of [...this.#open]) asked.release();
  }
}
