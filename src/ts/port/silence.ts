/**
 * Notices an engine that does not answer any more: some systems end workers without a word, and a
 * worker may be caught in an endless loop of a user's codec. What happens then is decided in
 * `engine.ts`.
 */
import { PATIENCE } from "./patience.ts";

/** An engine, as far as its silence is concerned. */
export interface Watched {
  /** Calls are under way. */
  readonly isBusy: boolean;
  /** How many messages have come from it. */
  readonly heard: number;
  post(message: { type: "ping" }): void;
}

const isHidden = (): boolean =>
  (globalThis as { document?: { visibilityState: string } }).document?.visibilityState === "hidden";

const watched = new WeakSet<Watched>();

/**
 * Watches an engine until it has nothing to do; `onSilent` hears when it counts as gone. Silence is
 * counted in rounds, not by the clock: a page that was stopped itself (a long task, a computer that
 * slept) finds the engine's messages waiting. While the page is hidden no round counts, because
 * browsers may stop its workers.
 */
export function watchSilence(engine: Watched, onSilent: (ms: number) => void): void {
  if (watched.has(engine)) return;
  watched.add(engine);
  const { pingMs, silentMs } = PATIENCE;
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
