/**
 * A worker's crash, and who hears of it. A worker may crash between its first answer and the moment
 * at which its owner listens, so the reason is kept.
 */
type Listener = (reason: string) => void;

export class Crash {
  #reason: string | undefined;
  #listener: Listener = () => {};

  /** Tells the listener. A worker crashes once. */
  report(reason: string): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#listener(reason);
  }

  get listener(): Listener {
    return this.#listener;
  }

  /**
   * A listener that is set after the crash hears of it in a microtask, unless another one is set.
   */
  set listener(listener: Listener) {
    this.#listener = listener;
    const reason = this.#reason;
    if (reason !== undefined) queueMicrotask(() => this.#listener === listener && listener(reason));
  }
}
