/**
 * `DirectoryStore` and `OpfsStore` on the page: folders that browsers give handles of. The engine reads and writes them by
 * itself, by a copy of the handle, unless somebody has replaced a method.
 */
import { DirectoryStore as Folder, OpfsStore as OpfsFolder } from "../files/directory.ts";
import { namesOfPrefix } from "../files/file.ts";
import { setDefiner } from "../port/store_definers.ts";

const METHODS = ["get", "getRange", "set", "delete", "deletePrefix", "list", "listDir", "size"] as const;

/** Whether the methods are those of this class. */
const isUntouched = (store: object, own: object): boolean =>
  METHODS.every((name) => Reflect.get(store, name) === Reflect.get(own, name));

export class DirectoryStore extends Folder {
  constructor(root: FileSystemDirectoryHandle | (() => Promise<FileSystemDirectoryHandle>)) {
    super(root);
    // A function stays on the page, and with it the store.
    if (typeof root === "function" || !isHandle(root)) return;
    setDefiner(this, (objects) =>
      isUntouched(this, DirectoryStore.prototype)
        ? objects.native(this, () => ({ kind: "directory", root, lockName: lockNameOf(this) }))
        : undefined,
    );
  }
}

/** A folder of the page's own, in the origin private file system. */
export class OpfsStore extends OpfsFolder {
  constructor(path = "") {
    super(path);
    namesOfPrefix(path);
    setDefiner(this, (objects) =>
      isUntouched(this, OpfsStore.prototype)
        ? objects.native(this, () => ({ kind: "opfs", path, lockName: this.lockName }))
        : undefined,
    );
  }
}

function isHandle(root: object): boolean {
  const { FileSystemDirectoryHandle } = globalThis as { FileSystemDirectoryHandle?: new () => object };
  return FileSystemDirectoryHandle !== undefined && root instanceof FileSystemDirectoryHandle;
}

function lockNameOf(store: object): string | undefined {
  const { lockName } = store as { lockName?: unknown };
  return typeof lockName === "string" ? lockName : undefined;
}
