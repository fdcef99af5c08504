/** Which names in the registry are codecs of ours: an entry goes before the codec of its name. */
import { call } from "../port/engine.ts";

/** Names in the registry, and whether they are codecs of ours. */
export const ownCodecs = new Map<string, boolean>();

/** Asks the engine which names are codecs of ours, once each. */
export async function learnOwn(all: readonly string[]): Promise<void> {
  const names = all.filter((name) => !ownCodecs.has(name));
  if (names.length === 0) return;
  const ours = await call("ownCodecs", () => ({ names }));
  for (const name of names) ownCodecs.set(name, ours.includes(name));
}
