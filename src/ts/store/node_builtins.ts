/**
 * Node's modules for files. They are looked up when they are first used, so that bundlers for
 * browsers see no import and the root entry can have `FileSystemStore`. Deno and Bun have them too.
 */
import type * as Files from "node:fs/promises";
import type * as Paths from "node:path";
import type * as Urls from "node:url";
import { ZarrError } from "../model/errors.ts";
import { nodeModule } from "../model/node.ts";

function builtin(name: string): unknown {
  const found = nodeModule(name);
  if (found) return found;
  throw new ZarrError(
    "Unsupported",
    `FileSystemStore needs Node 20.16 or newer, Deno or Bun: ${name} is not available here. In browsers use DirectoryStore or OpfsStore`,
  );
}

/** The modules. Each getter throws an `Unsupported` error in other environments. */
export const node = {
  get files() {
    return builtin("node:fs/promises") as typeof Files;
  },
  get paths() {
    return builtin("node:path") as typeof Paths;
  },
  get urls() {
    return builtin("node:url") as typeof Urls;
  },
};
