/**
 * Folders of browsers: those that the user chose (`showDirectoryPicker`, a dropped folder) or any
 * other `FileSystemDirectoryHandle`, and those of the origin private file system. They work on
 * pages and in workers.
 *
 * After a write, a file has its old or its new bytes, never parts of both. An existing file is
 * replaced when its writer closes. A new file is written under another name and moved, so that no
 * reader sees an empty file. Empty folders are not listed.
 */
import { ZarrError } from "../model/errors.ts";
import type { AbsolutePath, RangeQuery } from "../model/types.ts";
import { type FolderLocation, folderLocationOf, lockBelow } from "./folder_locations.ts";
import {
  type Entries,
  type FolderIo,
  fileSystemFailed,
  keyOf,
  type Names,
  nameOfError,
  orUndefined,
} from "./folder_store.ts";
import { isUnfinished, keysBelow, readFound, taken, unfinishedName } from "./folders.ts";

/** Methods of handles that lib.dom lacks, or has only for workers. */
interface MovableFile extends FileSystemFileHandle {
  move?(folder: FileSystemDirectoryHandle, name: string): Promise<void>;
}
interface SyncFile {
  truncate(size: number): void;
  write(bytes: Uint8Array, options: { at: number }): number;
  flush(): void;
  close(): void;
}
interface WorkerFile extends FileSystemFileHandle {
  createSyncAccessHandle?(): Promise<SyncFile>;
}

/** Replaces a file's contents. The old contents stay until the writer closes. */
async function replace(file: FileSystemFileHandle, bytes: Uint8Array): Promise<void> {
  if (typeof file.createWritable === "function") {
    const writer = await file.createWritable();
    try {
      await writer.write(bytes as Uint8Array<ArrayBuffer>);
    } catch (error) {
      await writer.abort().catch(() => {});
      throw error;
    }
    return writer.close();
  }
  throw new ZarrError("Unsupported", "this browser cannot write files on this thread; try it in a worker");
}

/**
 * Writes a file that no reader can see yet. In workers this also works in browsers without writers.
 */
async function fill(file: WorkerFile, bytes: Uint8Array): Promise<void> {
  if (typeof file.createWritable === "function" || !file.createSyncAccessHandle) return replace(file, bytes);
  const access = await file.createSyncAccessHandle();
  try {
    access.truncate(0);
    writeAll(access, bytes);
    access.flush();
  } finally {
    access.close();
  }
}

/** Writes all bytes. A handle may write fewer than it was given, without an error. */
function writeAll(access: SyncFile, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) {
    const written = access.write(bytes.subarray(at), { at });
    if (!(written > 0)) {
      throw new ZarrError("Store", "the file was not written whole; the storage may be full", {
        expected: `${bytes.length} bytes`,
        actual: `${at} bytes`,
      });
    }
    at += written;
  }
}

async function writeNew(folder: FileSystemDirectoryHandle, name: string, bytes: Uint8Array): Promise<void> {
  const unfinished = unfinishedName();
  const file: MovableFile = await folder.getFileHandle(unfinished, { create: true });
  if (!file.move) {
    // Without `move`, a reader may see an empty file for a moment.
    await folder.removeEntry(unfinished);
    return fillThere(folder, name, bytes);
  }
  try {
    await fill(file, bytes);
    await file.move(folder, name);
  } catch (error) {
    await folder.removeEntry(unfinished).catch(() => {});
    throw error;
  }
}

/** Writes a file at its path. One that could not be written whole is removed. */
async function fillThere(folder: FileSystemDirectoryHandle, name: string, bytes: Uint8Array): Promise<void> {
  try {
    await fill(await folder.getFileHandle(name, { create: true }), bytes);
  } catch (error) {
    // Another tab or worker may be writing it.
    if (!LOCKED.includes(nameOfError(error))) await folder.removeEntry(name).catch(() => {});
    throw error;
  }
}

/** Errors for a file that another tab or worker is writing or has open for writing. */
const LOCKED = ["NoModificationAllowedError", "InvalidStateError"];
const RETRY_DELAYS_MS = [5, 10, 20, 40, 80, 160, 320, 640];

/**
 * Tries again for about a second while another tab or worker locks the file. After an abort, no
 * other attempt begins.
 */
async function unlessLocked(
  names: Names,
  write: () => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const wait of RETRY_DELAYS_MS) {
    signal?.throwIfAborted();
    try {
      return await write();
    } catch (error) {
      if (!LOCKED.includes(nameOfError(error))) throw error;
      await new Promise((done) => setTimeout(done, wait * (0.5 + Math.random())));
    }
  }
  signal?.throwIfAborted();
  return write().catch((error) => Promise.reject(fileSystemFailed(keyOf(names), error)));
}

/** The same error, with the key at which it occurred. */
const atKey = (error: ZarrError, key: string): ZarrError =>
  new ZarrError(error.code, error.message, { ...error, key });

/** A folder of which a browser has a handle. */
export class HandleFolder implements FolderIo {
  readonly #root: () => Promise<FileSystemDirectoryHandle>;
  readonly #writes = new Map<string, Promise<void>>();
  #location: Promise<FolderLocation> | undefined;

  /** `root` is the folder, or a function that returns it when it is first needed. */
  constructor(root: FileSystemDirectoryHandle | (() => Promise<FileSystemDirectoryHandle>)) {
    this.#root = typeof root === "function" ? root : async () => root;
  }

  read(names: Names, range: RangeQuery | undefined): Promise<Uint8Array | undefined> {
    return readFound(names, () => this.#file(names), range);
  }

  async size(names: Names): Promise<number | undefined> {
    return (await this.#file(names))?.size;
  }

  /**
   * Writes of the same file run one after the other, because a file is locked while it is written.
   */
  write(names: Names, value: Uint8Array, signal: AbortSignal | undefined): Promise<void> {
    const key = keyOf(names);
    const before = this.#writes.get(key);
    const write = (async () => {
      await before?.catch(() => {});
      await unlessLocked(names, () => this.#write(names, value), signal);
    })();
    this.#writes.set(key, write);
    const settled = () => this.#writes.get(key) === write && this.#writes.delete(key);
    write.then(settled, settled);
    return write;
  }

  async #write(names: Names, value: Uint8Array): Promise<void> {
    const [folders, name] = split(names);
    try {
      let folder = await this.#root();
      for (const each of folders) folder = await folder.getDirectoryHandle(each, { create: true });
      const before: WorkerFile | undefined = await folder.getFileHandle(name).catch((error) => {
        if (nameOfError(error) !== "NotFoundError") throw error;
        return undefined;
      });
      if (before && typeof before.createWritable === "function") await replace(before, value);
      else await writeNew(folder, name, value);
    } catch (error) {
      if (LOCKED.includes(nameOfError(error))) throw error;
      if (error instanceof ZarrError) throw atKey(error, keyOf(names));
      const isTaken = nameOfError(error) === "TypeMismatchError";
      throw isTaken ? taken(names, error) : fileSystemFailed(keyOf(names), error);
    }
  }

  async remove(names: Names): Promise<boolean> {
    const [folders, name] = split(names);
    const folder = await this.#folder(folders);
    const file = folder && (await orUndefined(names, folder.getFileHandle(name)));
    if (!folder || !file) return false;
    const removed = folder.removeEntry(name).then(() => true);
    return (await orUndefined(names, removed)) ?? false;
  }

  async removeFolder(names: Names): Promise<void> {
    const [folders, name] = split(names);
    const folder = await this.#folder(folders);
    if (!folder) return;
    const remove = (each: string) => orUndefined(names, folder.removeEntry(each, { recursive: true }));
    if (names.length === 0) {
      for await (const [each] of folder.entries()) await remove(each);
    } else if (await orUndefined(names, folder.getDirectoryHandle(name))) {
      await remove(name);
    }
  }

  async entries(names: Names): Promise<Entries> {
    const folder = await this.#folder(names);
    const entries: Entries = { files: [], folders: [] };
    if (!folder) return entries;
    for await (const [name, handle] of folder.entries()) {
      if (handle.kind === "file") {
        if (!isUnfinished(name)) entries.files.push(name);
      } else if (await holdsSomething(handle as FileSystemDirectoryHandle)) {
        entries.folders.push(name);
      }
    }
    return entries;
  }

  async lockOf(names: Names): Promise<string> {
    this.#location ??= this.#root().then(folderLocationOf);
    this.#location.catch(() => {
      this.#location = undefined;
    });
    return lockBelow(await this.#location, names);
  }

  keys(top: Names): AsyncGenerator<AbsolutePath> {
    const check = ({ length }: Names) => {
      if (length > top.length + MAX_DEPTH) throw tooDeep(keyOf(top));
    };
    return keysBelow(top, (names) => this.entries(names), check);
  }

  async #folder(names: Names): Promise<FileSystemDirectoryHandle | undefined> {
    let folder: FileSystemDirectoryHandle | undefined = await this.#root();
    for (const name of names) folder = folder && (await orUndefined(names, folder.getDirectoryHandle(name)));
    return folder;
  }

  async #file(names: Names): Promise<File | undefined> {
    const [folders, name] = split(names);
    const folder = await this.#folder(folders);
    const handle = folder && (await orUndefined(names, folder.getFileHandle(name)));
    return handle && orUndefined(names, handle.getFile());
  }
}

/** The names of the folders around an entry, and its own name: "" for the root. */
const split = (names: Names): [folders: Names, name: string] => [names.slice(0, -1), names.at(-1) ?? ""];

/**
 * How deep folders may nest. An array has at most 64 dimensions, and each may be a folder.
 * `src/core/limits.rs` has the same number.
 */
const MAX_DEPTH = 128;

const tooDeep = (prefix: string) =>
  new ZarrError("Limit", `the folders below ${prefix} are nested too deeply`, {
    expected: `at most ${MAX_DEPTH} levels`,
  });

/** Whether a folder or one of its descendants has a file. */
async function holdsSomething(folder: FileSystemDirectoryHandle, depth = 0): Promise<boolean> {
  if (depth > MAX_DEPTH) throw tooDeep(folder.name);
  const below: FileSystemDirectoryHandle[] = [];
  for await (const [name, handle] of folder.entries()) {
    if (handle.kind === "directory") below.push(handle as FileSystemDirectoryHandle);
    else if (!isUnfinished(name)) return true;
  }
  for (const each of below) if (await holdsSomething(each, depth + 1)) return true;
  return false;
}

/**
 * A folder in the origin private file system, created when it is first needed. It is looked up
 * again after that failed.
 */
export function opfsFolder(names: Names): HandleFolder {
  let root: Promise<FileSystemDirectoryHandle> | undefined;
  return new HandleFolder(() => {
    root ??= openOpfs(names);
    root.catch(() => {
      root = undefined;
    });
    return root;
  });
}

async function openOpfs(names: Names): Promise<FileSystemDirectoryHandle> {
  const { storage } = (globalThis.navigator ?? {}) as { storage?: StorageManager };
  if (!storage?.getDirectory) {
    throw new ZarrError(
      "Unsupported",
      "there is no origin private file system here; it requires a secure context (https or localhost)",
    );
  }
  let folder = await storage.getDirectory();
  for (const name of names) folder = await folder.getDirectoryHandle(name, { create: true });
  return folder;
}
