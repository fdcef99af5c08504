/**
 * Detects an engine that no longer answers. Some systems end workers without an event, and a user's
 * codec may loop forever. `engine.ts` decides what happens then.
 */
import { TIMEOUTS } from "./timeouts.ts";

/** The part of a connection that the watch needs. */
export interface Watched {
  /** Calls are in flight. */
  readonly isBusy: boolean;
  /** Number of message batches received from it. */
  readonly heard: number;
  post(message: { type: "ping" }): void;
}

const isHidden = (): boolean =>
  (globalThis as { document?: { visibilityState: string } }).document?.visibilityState === "hidden";

const watched = new WeakSet<Watched>();

/**
 * Watches an engine until it has no calls in flight. Calls `onSilent` when it counts as lost.
 * Silence is counted in rounds, not by the clock: a page that was stopped itself (a long task, a
 * computer asleep) finds the engine's messages waiting. No round counts while the page is hidden,
 * because browsers may stop its workers.
 */
export function watchSilence(engine: Watched, onSilent: (ms: number) => void): void {
  if (watched.has(engine)) return;
  watched.add(engine);
  const { pingMs, silentMs } = TIMEOUTS;
  let { heard } = engine;
  let rounds = 0;
  const timer = setInterval(() => {
    rounds = engine.heard === heard && !isHidden() ? rounds + 1 : 0;
    heard = engine.heard;
    const isSilent = rounds * pingMs >= silentMs;
    if (isSilent || !engine.isBusy) {
      clearInterval(timer);
      watched.delete(engine);
      if (engine.isBusy) onSilent(rounds * pingMs);
    } else engine.post({ type: "ping" });
  }, pingMs);
  (timer as { unref?(): void }).unref?.();
}
