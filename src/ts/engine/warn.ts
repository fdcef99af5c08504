/**
 * Warnings: what a person should know and no error says. They go to `onWarning` of `init`, if there is one, and are counted.
 */
import { configuration } from "./configuration.ts";
import { counters } from "./counters.ts";

/** Tells of something; `path` is the node or the address that it is about. */
export function warn(message: string, path: string): void {
  counters.warnings += 1;
  try {
    configuration.onWarning?.(message, path);
  } catch {
    // A listener that throws does not end what it hears of.
  }
}
