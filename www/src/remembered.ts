/** Remembers promises, so that concurrent and later calls share one. */

/** The promise of a key. A failed one is made again at the next call. */
export function remembered<Key, T>(
  known: Map<Key, Promise<T>>,
  key: Key,
  make: () => Promise<T>,
): Promise<T> {
  const before = known.get(key);
  if (before) return before;
  const made = make();
  known.set(key, made);
  made.catch(() => known.delete(key));
  return made;
}
