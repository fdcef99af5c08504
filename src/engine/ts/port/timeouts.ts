/**
 * How long the package waits, and the watch over a worker that no longer answers: some systems end
 * workers without an event, and a user's codec may loop forever. `worker_start.ts` decides what
 * happens then.
 */

/**
 * Times in ms. These are properties of an object, not constants, so that tests can shorten them.
 * They are not options of `init`.
 */
export const TIMEOUTS = {
  /** A worker that has not answered by then counts as not started. */
  startMs: 10_000,
  /** Time between two pings to an engine that has calls in flight. */
  pingMs: 5_000,
  /** Without a message for this long, an engine counts as lost. */
  silentMs: 30_000,
  /** Without an answer for this long, the browser's storage counts as failed. */
  storageMs: 5_000,
};

/** The part of a worker that the watch needs. */
export interface Watched {
  /** Work is in flight. */
  readonly isBusy: boolean;
  /** Number of messages received from it. */
  readonly heard: number;
  post(message: { type: "ping" }): void;
}

const isHidden = (): boolean =>
  (globalThis as { document?: { visibilityState: string } }).document?.visibilityState === "hidden";

const watched = new WeakSet<Watched>();

/**
 * Watches a worker until it has no work in flight. Calls `onSilent` when it counts as lost.
 * Silence is counted in rounds, not by the clock: a page that was stopped itself (a long task, a
 * computer asleep) finds the worker's messages waiting. No round counts while the page is hidden,
 * because browsers may stop its workers.
 */
export function watchSilence(worker: Watched, onSilent: (ms: number) => void): void {
  if (watched.has(worker)) return;
  watched.add(worker);
  const { pingMs, silentMs } = TIMEOUTS;
  let { heard } = worker;
  let rounds = 0;
  const timer = setInterval(() => {
    rounds = worker.heard === heard && !isHidden() ? rounds + 1 : 0;
    heard = worker.heard;
    const isSilent = rounds * pingMs >= silentMs;
    if (isSilent || !worker.isBusy) {
      clearInterval(timer);
      watched.delete(worker);
      if (worker.isBusy) onSilent(rounds * pingMs);
    } else worker.post({ type: "ping" });
  }, pingMs);
  (timer as { unref?(): void }).unref?.();
}
