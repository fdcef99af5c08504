/**
 * `DirectoryStore` reads and writes a folder that the user chose (`showDirectoryPicker`, a dropped
 * folder), or any other `FileSystemDirectoryHandle`. `OpfsStore` uses a folder of the origin
 * private file system. Both work on pages and in workers.
 *
 * After a write, a file has its old or its new bytes, never parts of both. An existing file is
 * replaced when its writer closes. A new file is written under another name and moved, so that no
 * reader sees an empty file. Empty folders are not listed.
 */
import { ZarrError } from "../model/errors.ts";
import type { AbsolutePath, AsyncStore, RangeQuery, StoreGetOptions } from "../model/types.ts";
import { unlessAborted } from "../model/unless_aborted.ts";
import { fileSystemFailed, type Listed, nameOfError, namesOf, namesOfPrefix } from "./file.ts";
import { readFile, readFileRange, readFound } from "./reading.ts";

/** Name of a file that is being written. */
const UNFINISHED = /^\.[\da-z]{12}\.zarr-unfinished$/;

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

const isAbsent = (error: unknown) => ["NotFoundError", "TypeMismatchError"].includes(nameOfError(error));

/** Resolves to undefined if there is no entry of this name and kind. */
async function orUndefined<T>(key: string, value: Promise<T>): Promise<T | undefined> {
  try {
    return await value;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw fileSystemFailed(key, error);
  }
}

const unfinishedName = () =>
  `.${Array.from({ length: 12 }, () => Math.floor(Math.random() * 36).toString(36)).join("")}.zarr-unfinished`;

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
    access.write(bytes, { at: 0 });
    access.flush();
  } finally {
    access.close();
  }
}

async function writeNew(folder: FileSystemDirectoryHandle, name: string, bytes: Uint8Array): Promise<void> {
  const unfinished = unfinishedName();
  const file: MovableFile = await folder.getFileHandle(unfinished, { create: true });
  if (!file.move) {
    // Without `move`, a reader may see an empty file for a moment.
    await folder.removeEntry(unfinished);
    return fill(await folder.getFileHandle(name, { create: true }), bytes);
  }
  try {
    await fill(file, bytes);
    await file.move(folder, name);
  } catch (error) {
    await folder.removeEntry(unfinished).catch(() => {});
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
  key: string,
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
  return write().catch((error) => Promise.reject(fileSystemFailed(key, error)));
}

/** The error for a key whose folder is a file, or whose file is a folder. */
const taken = (key: string) =>
  new ZarrError(
    "Store",
    `${key} cannot be written: its folder exists as a file, or the key exists as a folder`,
    {
      key,
    },
  );

export class DirectoryStore implements AsyncStore {
  readonly #root: () => Promise<FileSystemDirectoryHandle>;
  readonly #writes = new Map<AbsolutePath, Promise<void>>();

  /** `root` is the folder, or a function that returns it when it is first needed. */
  constructor(root: FileSystemDirectoryHandle | (() => Promise<FileSystemDirectoryHandle>)) {
    this.#root = typeof root === "function" ? root : async () => root;
  }

  async get(key: AbsolutePath): Promise<Uint8Array | undefined> {
    return readFound(key, () => this.#file(key), readFile);
  }

  async getRange(key: AbsolutePath, range: RangeQuery): Promise<Uint8Array | undefined> {
    return readFound(
      key,
      () => this.#file(key),
      (file) => readFileRange(file, range),
    );
  }

  async has(key: AbsolutePath): Promise<boolean> {
    return (await this.#file(key)) !== undefined;
  }

  async size(key: AbsolutePath): Promise<number | undefined> {
    return (await this.#file(key))?.size;
  }

  /**
   * Stores a value. Writes of the same key run one after the other, because a file is locked while
   * it is written. An abort rejects at once; a file that is being written is completed.
   */
  async set(key: AbsolutePath, value: Uint8Array, { signal }: StoreGetOptions = {}): Promise<void> {
    const [folders, name] = split(key);
    const before = this.#writes.get(key);
    const write = (async () => {
      await before?.catch(() => {});
      await unlessLocked(key, () => this.#write(key, folders, name, value), signal);
    })();
    this.#writes.set(key, write);
    const settled = () => this.#writes.get(key) === write && this.#writes.delete(key);
    write.then(settled, settled);
    return unlessAborted(write, signal);
  }

  async #write(key: AbsolutePath, folders: string[], name: string, value: Uint8Array): Promise<void> {
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
      throw nameOfError(error) === "TypeMismatchError" ? taken(key) : fileSystemFailed(key, error);
    }
  }

  /** Removes a value. Returns whether it existed. */
  async delete(key: AbsolutePath): Promise<boolean> {
    const [folders, name] = split(key);
    const folder = await this.#folder(folders);
    const file = folder && (await orUndefined(key, folder.getFileHandle(name)));
    if (!folder || !file) return false;
    return (
      (await orUndefined(
        key,
        folder.removeEntry(name).then(() => true),
      )) ?? false
    );
  }

  /** Removes everything below a prefix. The root folder itself stays. */
  async deletePrefix(prefix: AbsolutePath): Promise<void> {
    const names = namesOfPrefix(prefix);
    const name = names.pop();
    const folder = await this.#folder(names);
    if (!folder) return;
    if (name !== undefined) {
      if (await orUndefined(prefix, folder.getDirectoryHandle(name))) {
        await orUndefined(prefix, folder.removeEntry(name, { recursive: true }));
      }
      return;
    }
    for await (const [each] of folder.entries()) {
      await orUndefined(prefix, folder.removeEntry(each, { recursive: true }));
    }
  }

  /** Lists all keys below a prefix. */
  async *list(prefix: AbsolutePath = "/"): AsyncGenerator<AbsolutePath> {
    const deepest = namesOfPrefix(prefix).length + MOST_DEPTH;
    const open = [prefix];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const { keys, prefixes } = await this.listDir(at);
      if (prefixes.length > 0 && namesOfPrefix(at).length >= deepest) throw tooDeep(prefix);
      yield* keys;
      open.push(...prefixes.reverse());
    }
  }

  /**
   * Lists the keys and prefixes directly below a prefix, sorted. Folders without files are left
   * out.
   */
  async listDir(prefix: AbsolutePath = "/"): Promise<Listed> {
    const names = namesOfPrefix(prefix);
    const folder = await this.#folder(names);
    const at = names.map((name) => `${name}/`).join("");
    const keys: AbsolutePath[] = [];
    const prefixes: AbsolutePath[] = [];
    if (!folder) return { keys, prefixes };
    for await (const [name, handle] of folder.entries()) {
      if (handle.kind === "file") {
        if (!UNFINISHED.test(name)) keys.push(`/${at}${name}`);
      } else if (await holdsSomething(handle as FileSystemDirectoryHandle)) {
        prefixes.push(`/${at}${name}/`);
      }
    }
    return { keys: keys.sort(), prefixes: prefixes.sort() };
  }

  async #folder(names: string[]): Promise<FileSystemDirectoryHandle | undefined> {
    let folder: FileSystemDirectoryHandle | undefined = await this.#root();
    for (const name of names) folder = folder && (await orUndefined(name, folder.getDirectoryHandle(name)));
    return folder;
  }

  async #file(key: AbsolutePath): Promise<File | undefined> {
    const [folders, name] = split(key);
    const folder = await this.#folder(folders);
    const handle = folder && (await orUndefined(key, folder.getFileHandle(name)));
    return handle && orUndefined(key, handle.getFile());
  }
}

function split(key: AbsolutePath): [folders: string[], name: string] {
  const names = namesOf(key);
  return [names, names.pop() as string];
}

/**
 * How deep folders may nest. An array has at most 64 dimensions, and each may be a folder.
 * `src/limits.rs` has the same number.
 */
const MOST_DEPTH = 128;

const tooDeep = (prefix: string) =>
  new ZarrError("Limit", `the folders below ${prefix} are nested too deeply`, {
    expected: `at most ${MOST_DEPTH} levels`,
  });

/** Whether a folder or one of its descendants has a file. */
async function holdsSomething(folder: FileSystemDirectoryHandle, depth = 0): Promise<boolean> {
  if (depth > MOST_DEPTH) throw tooDeep(folder.name);
  const below: FileSystemDirectoryHandle[] = [];
  for await (const [name, handle] of folder.entries()) {
    if (handle.kind === "directory") below.push(handle as FileSystemDirectoryHandle);
    else if (!UNFINISHED.test(name)) return true;
  }
  for (const each of below) if (await holdsSomething(each, depth + 1)) return true;
  return false;
}

/** A folder in the origin private file system. */
export class OpfsStore extends DirectoryStore {
  /**
   * The same for every page and worker of this origin, so that writers of one chunk wait for each
   * other.
   */
  readonly lockName: string;

  /**
   * `path` is a folder below the origin's root, created when it is first needed. Default: the root.
   */
  constructor(path = "") {
    const names = namesOfPrefix(path);
    let root: Promise<FileSystemDirectoryHandle> | undefined;
    super(() => {
      root ??= openOpfs(names);
      root.catch(() => {
        root = undefined;
      });
      return root;
    });
    this.lockName = `opfs:/${names.join("/")}`;
  }
}

async function openOpfs(names: string[]): Promise<FileSystemDirectoryHandle> {
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
