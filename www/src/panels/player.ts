/**
 * Playing along a dimension: the next steps are read before they are shown, so that the picture
 * never goes blank. A step that is late is waited for; nothing is skipped.
 */

export interface Playing {
  length: number;
  start: number;
  /** Reads a step; resolves when it can be shown at once. */
  preload(index: number): Promise<void>;
  show(index: number): void;
  /** Steps a second, asked for each step. */
  speed(): number;
  /** Whether the first step follows the last. */
  isLoop(): boolean;
  onEnd(): void;
}

/** Steps that are read ahead. */
const AHEAD = 3;

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Begins to play, and returns what stops it. */
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
  // At its end, playing starts anew.
  let index = start >= length - 1 ? -1 : start;
  const ready = new Map<number, Promise<void>>();
  const read = (step: number): Promise<void> => {
    // A step that cannot be read ahead is shown all the same: the picture says what is wrong.
    const reading = ready.get(step) ?? preload(step).catch(() => {});
    ready.set(step, reading);
    return reading;
  };
  while (isOn()) {
    const due = pause(1000 / speed());
    const next = isLoop() ? (index + 1) % length : index + 1;
    if (next >= length) return;
    for (let ahead = 0; ahead < AHEAD; ahead += 1) void read((next + ahead) % length);
    await Promise.all([due, read(next)]);
    if (!isOn()) return;
    show(next);
    ready.delete(index);
    index = next;
  }
}
