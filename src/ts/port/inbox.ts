/**
 * What a worker says: its messages, and its crash. Its owner may listen later than it speaks, so
 * what it said until then is kept.
 */

/** The owner of a worker, or of what answers like one. */
export interface WorkerListener<Received> {
  heard(message: Received): void;
  /** The worker failed. It may fail several times, and before its first message. */
  crashed(reason: string): void;
}

/** Listens no more. */
export const NOBODY: WorkerListener<unknown> = { heard() {}, crashed() {} };

type Saying<Received> = (listener: WorkerListener<Received>) => void;

export class Inbox<Received> implements WorkerListener<Received> {
  #listener: WorkerListener<Received> | undefined;
  #kept: Saying<Received>[] = [];
  #isCrashed = false;

  heard(message: Received): void {
    this.#say((listener) => listener.heard(message));
  }

  /** Tells of the crash. A worker crashes once. */
  crashed(reason: string): void {
    if (this.#isCrashed) return;
    this.#isCrashed = true;
    this.#say((listener) => listener.crashed(reason));
  }

  /**
   * Sets the listener. It hears what was kept in a microtask, unless another one is set meanwhile.
   */
  listen(listener: WorkerListener<Received>): void {
    this.#listener = listener;
    const kept = this.#kept.splice(0);
    if (kept.length === 0) return;
    queueMicrotask(() => {
      for (const say of kept) if (this.#listener === listener) say(listener);
    });
  }

  #say(say: Saying<Received>): void {
    if (this.#listener) say(this.#listener);
    else this.#kept.push(say);
  }
}
