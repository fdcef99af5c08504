/**
 * `FileSystemStore` for Node: the file system store of the Zarr v3 drafts. A key is a path below
 * the folder. `set` creates folders. Empty folders are not listed. `files/node_folder.ts` reads and
 * writes; it is loaded at the first call.
 */
import type * as Paths from "node:path";
import type * as Urls from "node:url";
import { lazy } from "#lazy";
import { FolderStore } from "../../engine/ts/files/folder_store.ts";
import type { ByteReader } from "../../engine/ts/files/node_folder.ts";
import { neededModule } from "../../engine/ts/files/node_modules.ts";
import { needUrl, refuse } from "../../engine/ts/model/argument.ts";

/** The path of a folder or a file. `file:` addresses may be texts. */
function pathOf(root: string | URL): string {
  if (!(root instanceof URL) && !/^file:/i.test(root)) return root;
  const { fileURLToPath } = neededModule("node:url") as typeof Urls;
  try {
    return fileURLToPath(root);
  } catch {
    refuse("not the address of a file", "file:///path", root);
  }
}

/**
 * A store over a folder of the file system, in Node, Deno and Bun. A key is a path below the
 * folder.
 *
 *     const group = await open(new FileSystemStore("data.zarr"));
 */
export class FileSystemStore extends FolderStore {
  /** The path of the folder. */
  readonly root: string;
  /**
   * The name of the store's locks. It is the same for all stores of this process over the folder.
   */
  readonly lockName: string;

  /**
   * @param root The path of the folder, or its `file:` address. It need not exist: `set` creates
   *   it.
   * @throws an `Argument` error for an address that is not of a file.
   * @throws an `UnsupportedError` where there is no file system, as in a browser.
   */
  constructor(root: string | URL) {
    needUrl(root, "root");
    const path = pathOf(root);
    super(async () => new (await lazy()).NodeFolder(path));
    this.root = path;
    this.lockName = `file:${(neededModule("node:path") as typeof Paths).resolve(path)}`;
  }
}

/** A reader of the file at a path, or at a `file:` address. */
export function readerOfFile(location: string): ByteReader {
  const file = async () => (await lazy()).nodeFile(pathOf(location));
  return {
    getLength: async () => (await file()).getLength(),
    read: async (offset, length) => (await file()).read(offset, length),
  };
}

export default FileSystemStore;
