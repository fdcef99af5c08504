/**
 * Folders that browsers without handles give: what `<input webkitdirectory>` lists, and dropped
 * folders as entries (`webkitGetAsEntry`). Read-only, as these are.
 */

import {
  fileSystemFailed,
  type Listed,
  nameOfError,
  namesOf,
  namesOfPrefix,
  readFile,
  readFileRange,
} from "../files/file.ts";
import type { AbsolutePath, AsyncStore, RangeQuery } from "../model/types.ts";
import { DirectoryStore } from "./directory.ts";
import { ZipFileStore } from "./zip.ts";

/** A store of files that are found somehow. */
abstract class FileStore implements AsyncStore {
  /** The file of a key; undefined where there is none. */
  protected abstract file(key: AbsolutePath): Promise<File | undefined> | File | undefined;

  async get(key: AbsolutePath): Promise<Uint8Array | undefined> {
    const file = await this.file(key);
    return file && readFile(file).catch((error) => Promise.reject(fileSystemFailed(key, error)));
  }

  async getRange(key: AbsolutePath, range: RangeQuery): Promise<Uint8Array | undefined> {
    const file = await this.file(key);
    return file && readFileRange(file, range).catch((error) => Promise.reject(fileSystemFailed(key, error)));
  }

  async has(key: AbsolutePath): Promise<boolean> {
    return (await this.file(key)) !== undefined;
  }

  async size(key: AbsolutePath): Promise<number | undefined> {
    return (await this.file(key))?.size;
  }
}

/** The files of a folder that the user chose: `new FileListStore(input.files)`. */
export class FileListStore extends FileStore {
  readonly #files = new Map<string, File>();

  constructor(files: Iterable<File> | ArrayLike<File>) {
    super();
    for (const file of Array.from(files)) {
      // Without a path it was chosen by itself. The folder's own name is no part of the keys.
      const path = file.webkitRelativePath || `/${file.name}`;
      this.#files.set(path.slice(path.indexOf("/")), file);
    }
  }

  protected file(key: AbsolutePath): File | undefined {
    return this.#files.get(`/${namesOf(key).join("/")}`);
  }

  /** All keys below a prefix. */
  list(prefix: AbsolutePath = "/"): AbsolutePath[] {
    const keys = [...this.#files.keys()] as AbsolutePath[];
    return keys.filter((key) => key.startsWith(prefix)).sort();
  }
}

/** Calls a method that answers by two callbacks. */
const called = <T>(call: (resolve: (value: T) => void, reject: (error: unknown) => void) => void) =>
  new Promise<T>(call);

/** A dropped folder: `new EntryStore(item.webkitGetAsEntry())`. */
export class EntryStore extends FileStore {
  readonly #root: FileSystemDirectoryEntry;

  constructor(root: FileSystemDirectoryEntry) {
    super();
    this.#root = root;
  }

  protected async file(key: AbsolutePath): Promise<File | undefined> {
    const path = namesOf(key).join("/");
    const entry = await this.#find(key, (found, failed) => this.#root.getFile(path, {}, found, failed));
    return entry && called<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
  }

  /** What stands directly below a prefix. */
  async listDir(prefix: AbsolutePath = "/"): Promise<Listed> {
    const names = namesOfPrefix(prefix);
    const path = names.join("/");
    const folder =
      path === ""
        ? this.#root
        : await this.#find(prefix, (found, failed) => this.#root.getDirectory(path, {}, found, failed));
    const at = names.map((name) => `${name}/`).join("");
    const entries = folder ? await entriesOf(folder as FileSystemDirectoryEntry) : [];
    const keys = entries.filter(({ isFile }) => isFile).map(({ name }): AbsolutePath => `/${at}${name}`);
    const prefixes = entries
      .filter(({ isFile }) => !isFile)
      .map(({ name }): AbsolutePath => `/${at}${name}/`);
    return { keys: keys.sort(), prefixes: prefixes.sort() };
  }

  async #find(
    key: string,
    look: (found: (entry: FileSystemEntry) => void, failed: (error: unknown) => void) => void,
  ): Promise<FileSystemEntry | undefined> {
    try {
      return await called<FileSystemEntry>(look);
    } catch (error) {
      if (["NotFoundError", "TypeMismatchError"].includes(nameOfError(error))) return undefined;
      throw fileSystemFailed(key, error);
    }
  }
}

/** Everything in a folder: browsers hand it over in pieces, until one is empty. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const piece = await called<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (piece.length === 0) return all;
    all.push(...piece);
  }
}

interface DroppedItem extends DataTransferItem {
  getAsFileSystemHandle?(): Promise<FileSystemHandle | null>;
}

/**
 * The stores of what was dropped: folders, and files as ZIP archives. To be called in the `drop`
 * event itself: what was dropped is gone when the event has ended. Where the browser gives handles,
 * folders can be written after the user has allowed it.
 */
export function storesOfDrop(
  transfer: DataTransfer,
): Promise<(DirectoryStore | EntryStore | ZipFileStore)[]> {
  const items: DroppedItem[] = Array.from(transfer.items).filter(({ kind }) => kind === "file");
  // Both are asked before anything is awaited.
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
