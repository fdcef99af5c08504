/**
 * Promises that callers share. Few pages load this file at first.
 */

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
