/**
 * Keeps tasks short, on the engine's thread and on the page's: work that may be long asks here, now
 * and then, whether to let others go first.
 */

/**
 * How long to work before others have their turn: an abort must act within 10 ms, also when it
 * comes at a slice's start.
 */
const SLICE_MS = 4;

let sliceEnd = 0;

/** Whether this task has lasted long enough. */
export const isDue = (): boolean => performance.now() > sliceEnd;

/** A promise that resolves in a task of its own; `setTimeout` would be clamped to 4 ms. */
export function nextTask(): Promise<void> {
  const { setImmediate } = globalThis as { setImmediate?: (run: () => void) => void };
  if (setImmediate) return new Promise((resolve) => setImmediate(resolve));
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/** Lets other tasks run if this one has lasted long enough. */
export async function breathe(): Promise<void> {
  if (!isDue()) return;
  await nextTask();
  sliceEnd = performance.now() + SLICE_MS;
}
