/**
 * Waits: for a promise that cannot be aborted itself, and for the next task. The latter keeps tasks
 * short, on the engine's thread and on the page's: long work calls `pauseIfDue` regularly, which
 * lets other tasks run.
 */
import { nodeModule } from "./node.ts";

/** What waits for a signal, and its only listener: Node warns of signals with more than ten. */
interface Waits {
  rejects: Set<() => void>;
  abort: () => void;
}

const waits = new WeakMap<AbortSignal, Waits>();

/** Calls `reject` if the signal fires before the returned function is called. */
function unlessLeft(signal: AbortSignal, reject: () => void): () => void {
  let own = waits.get(signal);
  if (!own) {
    const rejects = new Set<() => void>();
    own = { rejects, abort: () => rejects.forEach((each) => void each()) };
    waits.set(signal, own);
  }
  const { rejects, abort } = own;
  if (rejects.size === 0) signal.addEventListener("abort", abort, { once: true });
  rejects.add(reject);
  return () => {
    rejects.delete(reject);
    if (rejects.size === 0) signal.removeEventListener("abort", abort);
  };
}

/** Settles as the promise does, or rejects with the signal's reason if that comes first. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise<T>((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    const leave = unlessLeft(signal, () => reject(signal.reason));
    // The signal may be any object, and its methods may throw.
    promise.then(resolve, reject).finally(leave).catch(reject);
  });
}

/**
 * Working time in ms between two pauses. An abort must act within 10 ms, even if it arrives just
 * after a pause.
 */
const SLICE_MS = 4;

let sliceEnd = 0;

/** Whether it is time for a pause. */
export const isDue = (): boolean => performance.now() > sliceEnd;

interface Timers {
  setImmediate?: (run: () => void) => void;
}

/**
 * Node's. Taken at the start, because users' tests replace timers, and reads must go on. jsdom has
 * neither this global nor channels of messages.
 */
const setImmediate =
  (globalThis as Timers).setImmediate ?? (nodeModule("node:timers") as Timers | undefined)?.setImmediate;

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
