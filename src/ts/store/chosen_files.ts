/**
 * Read-only stores over folders from browsers without handles: the list of `<input
 * webkitdirectory>`, and dropped folders as entries (`webkitGetAsEntry`).
 */

import { fileSystemFailed, type Listed, nameOfError, namesOf, namesOfPrefix } from "../files/file.ts";
import { need, needRange, needReadable, needText, object } from "../model/argument.ts";
import { ZarrError } from "../model/errors.ts";
import type { AbsolutePath, AsyncStore, RangeQuery } from "../model/types.ts";
import { chunkFailed } from "../port/chunk_failed.ts";
import { DirectoryStore } from "./directory.ts";
import { ZipFileStore } from "./zip.ts";

/** The code that reads files. It is a chunk of its own, for pages that have such stores. */
const reading = () => import("../files/reading.ts").catch(chunkFailed);

/** A store whose subclass finds the file of a key. */
abstract class FileStore implements AsyncStore {
  /** The file of a key; undefined if there is none. */
  protected abstract file(key: AbsolutePath): Promise<File | undefined> | File | undefined;

  async get(key: AbsolutePath): Promise<Uint8Array | undefined> {
    const { readFile, readFound } = await reading();
    return readFound(key, () => this.file(key), readFile);
  }

  async getRange(key: AbsolutePath, range: RangeQuery): Promise<Uint8Array | undefined> {
    needRange(range);
    const { readFileRange, readFound } = await reading();
    return readFound(
      key,
      () => this.file(key),
      (file) => readFileRange(file, range),
    );
  }

  async has(key: AbsolutePath): Promise<boolean> {
    return (await this.file(key)) !== undefined;
  }

  async size(key: AbsolutePath): Promise<number | undefined> {
    return (await this.file(key))?.size;
  }
}

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
  readonly #files = new Map<string, File>();

  constructor(files: Iterable<File> | ArrayLike<File>) {
    super();
    for (const file of listOf(object(files, "files"))) {
      need(
        typeof Object(file).slice === "function" && typeof file.name === "string",
        "files",
        "a list of files",
      );
      // A file without a path was chosen by itself. The name of the chosen folder is not part of
      // the keys.
      const path = file.webkitRelativePath || `/${file.name}`;
      this.#files.set(path.slice(path.indexOf("/")), file);
    }
  }

  protected file(key: AbsolutePath): File | undefined {
    return this.#files.get(`/${namesOf(key).join("/")}`);
  }

  /** Lists all keys below a prefix, sorted. */
  list(prefix: AbsolutePath = "/"): AbsolutePath[] {
    needText(prefix, "prefix");
    const keys = [...this.#files.keys()] as AbsolutePath[];
    return keys.filter((key) => key.startsWith(prefix)).sort();
  }
}

/** Calls a method with two callbacks and returns a promise. */
const called = <T>(call: (resolve: (value: T) => void, reject: (error: unknown) => void) => void) =>
  new Promise<T>(call);

/** A dropped folder: `new EntryStore(item.webkitGetAsEntry())`. */
export class EntryStore extends FileStore {
  readonly #root: FileSystemDirectoryEntry;

  constructor(root: FileSystemDirectoryEntry) {
    super();
    this.#root = object(root, "root");
  }

  protected async file(key: AbsolutePath): Promise<File | undefined> {
    const path = namesOf(key).join("/");
    const entry = await this.#find(key, (found, failed) => this.#root.getFile(path, {}, found, failed));
    return entry && called<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
  }

  /** Lists the entries directly below a prefix, sorted. */
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

/** Lists a folder. Browsers return the entries in batches; an empty one is the last. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const batch = await called<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
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
