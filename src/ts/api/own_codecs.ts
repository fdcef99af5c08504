/**
 * Records which registered names are also codecs of this package. A registered codec replaces this
 * package's codec of the same name.
 */
import { call } from "../port/engine.ts";

/** For each registered name, whether it is also a codec of this package. */
export const ownCodecs = new Map<string, boolean>();

/** Asks the engine for the names that are not known yet. */
export async function learnOwn(all: readonly string[]): Promise<void> {
  const names = all.filter((name) => !ownCodecs.has(name));
  if (names.length === 0) return;
  const ours = await call("ownCodecs", () => ({ names }));
  for (const name of names) ownCodecs.set(name, ours.includes(name));
}
