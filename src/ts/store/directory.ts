/**
 * `DirectoryStore` and `OpfsStore` on the page, over folders for which browsers provide handles.
 * The engine reads and writes them through a copy of the handle, unless a method has been replaced.
 * The page's own calls use `files/directory.ts`, which is late code.
 */

import { late } from "#late";
import { namesOfPrefix } from "../files/file.ts";
import { FolderStore } from "../files/folder_store.ts";
import { isA, needText, object } from "../model/argument.ts";
import type { StoreDefinition } from "../port/definitions.ts";
import { chunkFailed } from "../port/loading.ts";
import { setDefiner } from "../port/page_stores.ts";
import { isUntouched } from "./native_store.ts";

/** Lets the engine use its own store for this object, as long as no method has been replaced. */
function definedAs(store: object, own: object, define: () => StoreDefinition): void {
  setDefiner(store, (numbers) => (isUntouched(store, own) ? numbers.native(store, define) : undefined));
}

/**
 * A store over a folder that the user chose (`showDirectoryPicker`, a dropped folder), or over any
 * other `FileSystemDirectoryHandle`. `root` is the folder, or a function that returns it when it is
 * first needed.
 */
export class DirectoryStore extends FolderStore {
  constructor(root: FileSystemDirectoryHandle | (() => Promise<FileSystemDirectoryHandle>)) {
    super(async () => new (await late()).HandleFolder(root));
    object(root, "root");
    // A function cannot be cloned, so the page performs the calls of this store.
    if (typeof root === "function" || !isA(root, "FileSystemDirectoryHandle")) return;
    const define = (): StoreDefinition => ({ kind: "directory", root, lockName: lockNameOf(this) });
    definedAs(this, DirectoryStore.prototype, define);
  }
}

/** A store over a folder in the origin private file system, created when it is first needed. */
export class OpfsStore extends FolderStore {
  /**
   * The same for every page and worker of this origin, so that writers of one chunk wait for each
   * other.
   */
  readonly lockName: string;

  /** `path` is a folder below the origin's root. Default: the root. */
  constructor(path = "") {
    needText(path, "path");
    const names = namesOfPrefix(path);
    super(async () => (await late()).opfsFolder(names));
    this.lockName = `opfs:/${names.join("/")}`;
    definedAs(this, OpfsStore.prototype, () => ({ kind: "opfs", path, lockName: this.lockName }));
  }
}

function lockNameOf(store: object): string | undefined {
  const { lockName } = store as { lockName?: unknown };
  return typeof lockName === "string" ? lockName : undefined;
}
