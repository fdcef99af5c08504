/**
 * Warnings about what is unusual but not an error. They are counted and passed to `onWarning` of
 * `init`. No text of a warning has a secret of a URL.
 */
import { unproxied } from "../model/proxies.ts";
import { withoutSecrets } from "../model/secrets.ts";
import { configuration } from "./configuration.ts";

let counted = 0;

export const warningCount = (): number => counted;

/** Issues a warning. `path` is the node or the address that it concerns. */
export function warn(message: string, path: string): void {
  counted += 1;
  try {
    configuration.onWarning?.(withoutSecrets(message), withoutSecrets(path));
  } catch {
    // An error in the user's listener must not fail the read that caused the warning.
  }
}

/** Maximum number of warnings kept for a store. */
const MAX_WARNINGS = 100;

const ofStores = new WeakMap<object, string[]>();

/** Keeps a warning for a store, once for each text. */
export function keepWarning(store: object, message: string): void {
  const kept = ofStores.get(store) ?? [];
  const shown = withoutSecrets(message);
  if (kept.length < MAX_WARNINGS && !kept.includes(shown)) kept.push(shown);
  ofStores.set(store, kept);
}

/** The warnings about a store's answers. */
export const warningsOfStore = (store: unknown): readonly string[] =>
  ofStores.get(unproxied(store) as object) ?? [];
