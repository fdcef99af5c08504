/**
 * Stores over the folders of browsers. `DirectoryStore` and `OpfsStore` have handles: the engine
 * reads and writes them through a copy of the handle, unless a method has been replaced, and the
 * page's own calls use `files/directory.ts`, which is lazy code. `FileListStore` (`<input
 * webkitdirectory>`) and `EntryStore` (dropped folders, `webkitGetAsEntry`) are for browsers
 * without handles, and read only.
 */

import { lazy } from "#lazy";
import {
  type FileIo,
  FileStore,
  FolderStore,
  keyOf,
  type Listed,
  listed,
  type Names,
  namesOfPrefix,
  orUndefined,
} from "../../engine/ts/files/folder_store.ts";
import { isA, need, needReadable, needText, object } from "../../engine/ts/model/argument.ts";
import { ZarrError } from "../../engine/ts/model/errors.ts";
import { worksBehindProxies } from "../../engine/ts/model/proxies.ts";
import type { AbsolutePath } from "../../engine/ts/model/types.ts";
import { lockNameOf, type StoreDefinition, setDefiner } from "../../engine/ts/port/definitions.ts";
import { isUntouched } from "./native_store.ts";
import { ZipFileStore } from "./zip.ts";

/** Lets the engine use its own store for this object, as long as no method has been replaced. */
function definedAs(store: object, own: object, define: () => StoreDefinition): void {
  setDefiner(store, (numbers) => (isUntouched(store, own) ? numbers.native(store, define) : undefined));
}

/**
 * A store over a folder that the user chose (`showDirectoryPicker`, a dropped folder), or over any
 * other `FileSystemDirectoryHandle`. It writes if the user has granted permission.
 *
 *     const store = new DirectoryStore(await showDirectoryPicker({ mode: "readwrite" }));
 */
export class DirectoryStore extends FolderStore {
  /**
   * @param root The folder, or a function that returns it when it is first needed.
   * @throws an `Argument` error for anything else.
   */
  constructor(root: FileSystemDirectoryHandle | (() => Promise<FileSystemDirectoryHandle>)) {
    super(async () => new (await lazy()).HandleFolder(root));
    object(root, "root");
    // A function cannot be cloned, so the page performs the calls of this store.
    if (typeof root === "function" || !isA(root, "FileSystemDirectoryHandle")) return;
    const define = (): StoreDefinition => ({ kind: "directory", root, lockName: lockNameOf(this) });
    definedAs(this, DirectoryStore.prototype, define);
  }
}

/**
 * A store over a folder in the origin private file system, which is created when it is first
 * needed.
 *
 *     const array = await create(new OpfsStore("data"), { shape: [100], dtype: "float32" });
 */
export class OpfsStore extends FolderStore {
  /**
   * The name of the store's locks. It is the same for every page and worker of this origin, so that
   * writers of one chunk wait for each other.
   */
  readonly lockName: string;

  /**
   * @param path The path of a folder below the origin's root. Default: the root itself.
   * @throws an `Argument` error for a path with empty names, `.` or `..`.
   */
  constructor(path = "") {
    needText(path, "path");
    const names = namesOfPrefix(path);
    super(async () => (await lazy()).opfsFolder(names));
    this.lockName = `opfs:/${names.join("/")}`;
    definedAs(this, OpfsStore.prototype, () => ({ kind: "opfs", path, lockName: this.lockName }));
  }
}

/**
 * Reads the files that `find` finds. The code for it is a chunk that pages with such stores load.
 */
const filesFound = (find: (names: Names) => Promise<File | undefined> | File | undefined) => async () => {
  const { readFound } = await lazy();
  const io: FileIo = {
    read: (names, range) => readFound(names, () => find(names), range),
    size: async (names) => (await find(names))?.size,
  };
  return io;
};

/** The entries of a list of files, which may be no array. */
function listOf(files: Iterable<File> | ArrayLike<File>): File[] {
  try {
    return Array.from(files);
  } catch (cause) {
    throw new ZarrError("Argument", "files must be a list of files", { field: "files", cause });
  }
}

/**
 * A read-only store of the files of a folder that the user chose with `<input webkitdirectory>`, or
 * of files that were chosen one by one. The name of the chosen folder is not part of the keys.
 *
 *     const group = await open(new FileListStore(input.files));
 */
export class FileListStore extends FileStore {
  readonly #files: Map<string, File>;

  /**
   * @param files The files, such as `input.files`.
   * @throws an `Argument` error for what is not a list of files.
   */
  constructor(files: Iterable<File> | ArrayLike<File>) {
    const chosen = new Map<string, File>();
    super(filesFound((names) => chosen.get(keyOf(names))));
    this.#files = chosen;
    for (const file of listOf(object(files, "files"))) {
      need(
        typeof Object(file).slice === "function" && typeof file.name === "string",
        "files",
        "a list of files",
      );
      // A file without a path was chosen by itself. The name of the chosen folder is not part of
      // the keys.
      const path = file.webkitRelativePath || `/${file.name}`;
      chosen.set(path.slice(path.indexOf("/")), file);
    }
  }

  /**
   * Lists all keys below a prefix, sorted.
   *
   * @param prefix A prefix that begins and ends with `/`. Default: `/`, the root.
   */
  list(prefix: AbsolutePath = "/"): AbsolutePath[] {
    needText(prefix, "prefix");
    const keys = [...this.#files.keys()] as AbsolutePath[];
    return keys.filter((key) => key.startsWith(prefix)).sort();
  }
}
worksBehindProxies(FileListStore);

/**
 * A read-only store over a dropped folder, in browsers without handles. `storesOfDrop` makes it
 * where it is needed.
 *
 *     const store = new EntryStore(item.webkitGetAsEntry());
 */
export class EntryStore extends FileStore {
  readonly #root: FileSystemDirectoryEntry;

  /** @param root The entry of the folder. */
  constructor(root: FileSystemDirectoryEntry) {
    super(filesFound((names) => fileBelow(root, names)));
    this.#root = object(root, "root");
  }

  /**
   * Lists the keys and prefixes directly below a prefix, sorted.
   *
   * @param prefix A prefix that begins and ends with `/`. Default: `/`, the root.
   * @returns `keys` of values, and `prefixes` of folders.
   */
  async listDir(prefix: AbsolutePath = "/"): Promise<Listed> {
    const names = namesOfPrefix(prefix);
    const folder = await folderBelow(this.#root, names);
    const entries = folder ? await entriesOf(folder) : [];
    const namesOf = (isFile: boolean) =>
      entries.filter((entry) => entry.isFile === isFile).map(({ name }) => name);
    return listed(names, { files: namesOf(true), folders: namesOf(false) });
  }
}
worksBehindProxies(EntryStore);

async function fileBelow(root: FileSystemDirectoryEntry, names: Names): Promise<File | undefined> {
  const found = new Promise<FileSystemEntry>((...callbacks) =>
    root.getFile(names.join("/"), {}, ...callbacks),
  );
  const entry = (await orUndefined(names, found)) as FileSystemFileEntry | undefined;
  return entry && new Promise<File>((...callbacks) => entry.file(...callbacks));
}

async function folderBelow(
  root: FileSystemDirectoryEntry,
  names: Names,
): Promise<FileSystemDirectoryEntry | undefined> {
  if (names.length === 0) return root;
  const path = names.join("/");
  const found = new Promise<FileSystemEntry>((...callbacks) => root.getDirectory(path, {}, ...callbacks));
  return (await orUndefined(names, found)) as FileSystemDirectoryEntry | undefined;
}

/** Lists a folder. Browsers return the entries in batches; an empty one is the last. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((...callbacks) => reader.readEntries(...callbacks));
    if (batch.length === 0) return all;
    all.push(...batch);
  }
}

interface DroppedItem extends DataTransferItem {
  getAsFileSystemHandle?(): Promise<FileSystemHandle | null>;
}

/**
 * Makes stores from dropped items: folders, and files as ZIP archives. Call it in the `drop` event
 * itself, because the items are invalid afterwards. If the browser provides handles, folders can be
 * written after the user has granted permission.
 *
 *     const [store] = await storesOfDrop(event.dataTransfer);
 *
 * @param transfer The `dataTransfer` of the event.
 * @returns a store for each item.
 * @throws an `Argument` error for what is not a `DataTransfer`.
 */
export function storesOfDrop(
  transfer: DataTransfer,
): Promise<(DirectoryStore | EntryStore | ZipFileStore)[]> {
  needReadable(transfer, "transfer");
  need(Object(transfer).items, "transfer", "a DataTransfer");
  const items: DroppedItem[] = Array.from(transfer.items).filter(({ kind }) => kind === "file");
  // Both methods must be called before the first `await`.
  const stores = items.map((item) =>
    storeOfItem(item.getAsFileSystemHandle?.(), item.webkitGetAsEntry(), item),
  );
  return Promise.all(stores).then((all) => all.filter((store) => store !== undefined));
}

async function storeOfItem(
  promised: Promise<FileSystemHandle | null> | undefined,
  entry: FileSystemEntry | null,
  item: DroppedItem,
): Promise<DirectoryStore | EntryStore | ZipFileStore | undefined> {
  const file = item.getAsFile();
  const handle = await promised?.catch(() => null);
  if (handle?.kind === "directory") return new DirectoryStore(handle as FileSystemDirectoryHandle);
  if (entry?.isDirectory) return new EntryStore(entry as FileSystemDirectoryEntry);
  return file ? ZipFileStore.fromBlob(file) : undefined;
}
