/**
 * Keeps tasks short, on the engine's thread and on the page's. Long work calls `pauseIfDue`
 * regularly, which lets other tasks run.
 */

/**
 * Working time in ms between two pauses. An abort must act within 10 ms, even if it arrives just
 * after a pause.
 */
const SLICE_MS = 4;

let sliceEnd = 0;

/** Whether it is time for a pause. */
export const isDue = (): boolean => performance.now() > sliceEnd;

/** Node's. Taken at the start, because users' tests replace timers, and reads must go on. */
const { setImmediate } = globalThis as { setImmediate?: (run: () => void) => void };

/** Resolves in a new task. A `setTimeout` would be delayed by at least 4 ms. */
export function nextTask(): Promise<void> {
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

/** Lets other tasks run if it is time for a pause. */
export async function pauseIfDue(): Promise<void> {
  if (!isDue()) return;
  await nextTask();
  sliceEnd = performance.now() + SLICE_MS;
}
