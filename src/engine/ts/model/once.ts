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

/**
 * As `once`, by the key of an object and a text. What is undefined may exist later, so it is not
 * kept.
 */
export function onceFor<Key extends object, T>(
  shared: WeakMap<Key, Map<string, Promise<T | undefined>>>,
  [key, text]: readonly [Key, string],
  make: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const known = shared.get(key) ?? new Map<string, Promise<T | undefined>>();
  shared.set(key, known);
  return once(known, text, make, (value) => value !== undefined);
}

/** A function whose callers share one run of `make` until it ends. */
export function inOneRun<T>(make: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= make().finally(() => {
      running = undefined;
    });
    return running;
  };
}
