/**
 * Warnings: what a person should know and no error says. They go to `onWarning` of `init`, if there
 * is one, and are counted.
 */
import { configuration } from "./configuration.ts";

let counted = 0;

export const warningCount = (): number => counted;

/** Tells of something; `path` is the node or the address that it is about. */
export function warn(message: string, path: string): void {
  counted += 1;
  try {
    configuration.onWarning?.(message, path);
  } catch {
    // A listener that throws does not end what it hears of.
  }
}

/** Warnings that a store keeps. */
const MOST_WARNINGS = 100;

const ofStores = new WeakMap<object, string[]>();

/** Keeps a warning of a store's. */
export function keepWarning(store: object, message: string): void {
  const kept = ofStores.get(store) ?? [];
  if (kept.length < MOST_WARNINGS && !kept.includes(message)) kept.push(message);
  ofStores.set(store, kept);
}

/** What was odd about a store's answers. */
export const warningsOfStore = (store: unknown): readonly string[] => ofStores.get(store as object) ?? [];
