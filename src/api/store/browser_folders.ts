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
 * other `FileSystemDirectoryHandle`. `root` is the folder, or a function that returns it when it is
 * first needed.
 */
export class DirectoryStore extends FolderStore {
  constructor(root: FileSystemDirectoryHandle | (() => Promise<FileSystemDirectoryHandle>)) {
    super(async () => new (await lazy()).HandleFolder(root));
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

/** The files of a folder that the user chose: `new FileListStore(input.files)`. */
export class FileListStore extends FileStore {
  readonly #files: Map<string, File>;

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

  /** Lists all keys below a prefix, sorted. */
  list(prefix: AbsolutePath = "/"): AbsolutePath[] {
    needText(prefix, "prefix");
    const keys = [...this.#files.keys()] as AbsolutePath[];
    return keys.filter((key) => key.startsWith(prefix)).sort();
  }
}
worksBehindProxies(FileListStore);

/** A dropped folder: `new EntryStore(item.webkitGetAsEntry())`. */
export class EntryStore extends FileStore {
  readonly #root: FileSystemDirectoryEntry;

  constructor(root: FileSystemDirectoryEntry) {
    super(filesFound((names) => fileBelow(root, names)));
    this.#root = object(root, "root");
  }

  /** Lists the entries directly below a prefix, sorted. */
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
