/**
 * Node, and runtimes like it (Deno, Bun): whether this is one, and the modules that it has itself.
 */
import { ZarrError } from "./errors.ts";

const processOf = () =>
  (
    globalThis as {
      process?: { versions?: { node?: string }; getBuiltinModule?(name: string): unknown };
    }
  ).process;

/** Whether this is Node, or a runtime like it, and not a browser. */
export const isNode = (): boolean => processOf()?.versions?.node !== undefined;

/**
 * A module of Node; undefined elsewhere. It is looked up at run time, so that bundlers for browsers
 * see no import and users need no types of Node.
 */
export const nodeModule = (name: string): unknown => processOf()?.getBuiltinModule?.(name);

/** A module of Node. Throws an `Unsupported` error elsewhere, as in browsers. */
export function neededModule(name: string): unknown {
  const found = nodeModule(name);
  if (found) return found;
  throw new ZarrError(
    "Unsupported",
    "FileSystemStore needs Node 20.16, Deno or Bun; in browsers use DirectoryStore or OpfsStore",
  );
}
