/**
 * Promises that callers share, and waiting for promises that cannot be aborted themselves.
 */

/** Settles as the promise does, or rejects with the signal's reason if that comes first. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/** Promises by key: a `Map` or a `WeakMap`. */
interface Shared<Key, T> {
  get(key: Key): Promise<T> | undefined;
  set(key: Key, promise: Promise<T>): unknown;
  delete(key: Key): boolean;
}

/**
 * The promise of a key, which `make` makes once for all callers. It is made again after it has
 * rejected, or resolved to a value that is not to be kept.
 */
export function once<Key, T>(
  shared: Shared<Key, T>,
  key: Key,
  make: () => Promise<T>,
  isKept: (value: T) => boolean = () => true,
): Promise<T> {
  const known = shared.get(key);
  if (known) return known;
  const making = make();
  shared.set(key, making);
  const forget = () => shared.get(key) === making && shared.delete(key);
  making.then((value) => isKept(value) || forget(), forget);
  return making;
}
