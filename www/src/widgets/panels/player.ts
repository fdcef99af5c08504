/**
 * Plays along a dimension. The next steps are read ahead, so the picture is never blank. A late
 * step is waited for; no step is skipped. Steps follow the screen's frames at even intervals, and
 * each one is drawn before the next one.
 */

export interface Playing {
  length: number;
  start: number;
  /** Reads a step. Resolves when it can be drawn at once. */
  preload(index: number): Promise<void>;
  /** Resolves when the step is drawn. */
  show(index: number): Promise<void>;
  /** Steps per second. It is called for each step. */
  speed(): number;
  /** Whether the first step follows the last. */
  isLoop(): boolean;
  onEnd(): void;
}

/** Number of steps that are read ahead. */
const AHEAD = 3;

/** Half of the time between two frames of most screens. */
const HALF_FRAME_MS = 8;

const frame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));

/** Resolves at the frame nearest to a time. */
async function frameAt(time: number): Promise<void> {
  while ((await frame()) < time - HALF_FRAME_MS);
}

/** Starts playing. Returns a function that stops it. */
export function play(playing: Playing): () => void {
  let isOn = true;
  void run(playing, () => isOn).finally(() => {
    if (isOn) playing.onEnd();
    isOn = false;
  });
  return () => {
    if (isOn) playing.onEnd();
    isOn = false;
  };
}

async function run(playing: Playing, isOn: () => boolean): Promise<void> {
  const { length, start, preload, show, speed, isLoop } = playing;
  // At the end, playing starts again.
  let index = start >= length - 1 ? -1 : start;
  const ready = new Map<number, Promise<void>>();
  const read = (step: number): Promise<void> => {
    // A step that cannot be read ahead is shown too, because the picture reports the error.
    const reading = ready.get(step) ?? preload(step).catch(() => {});
    ready.set(step, reading);
    return reading;
  };
  let due = performance.now();
  let shown = Promise.resolve();
  while (isOn()) {
    const [now, interval] = [performance.now(), 1000 / speed()];
    // After a late step, the next one is due a whole interval later.
    due = (now - due > interval / 2 ? now : due) + interval;
    const next = isLoop() ? (index + 1) % length : index + 1;
    if (next >= length) return;
    for (let ahead = 0; ahead < AHEAD; ahead += 1) void read((next + ahead) % length);
    await Promise.all([frameAt(due), read(next), shown]);
    if (!isOn()) return;
    shown = show(next);
    ready.delete(index);
    index = next;
  }
}
