/**
 * `DirectoryStore` and `OpfsStore` on the page, over folders for which browsers provide handles.
 * The engine reads and writes them through a copy of the handle, unless a method has been replaced.
 * The page's own calls use `files/directory.ts`, which is imported at the first call.
 */

import type { DirectoryStore as Folder } from "../files/directory.ts";
import type { Listed } from "../files/file.ts";
import { namesOfPrefix } from "../files/file.ts";
import { needBytes, needRange, needText, object, optionsOf } from "../model/argument.ts";
import type { AbsolutePath, AsyncStore, RangeQuery, StoreGetOptions } from "../model/types.ts";
import { unlessAborted } from "../model/unless_aborted.ts";
import { chunkFailed } from "../port/chunk_failed.ts";
import type { StoreDefinition } from "../port/definitions.ts";
import { setDefiner } from "../port/store_definers.ts";

const METHODS = ["get", "getRange", "set", "delete", "deletePrefix", "list", "listDir", "size"] as const;

const folders = () => import("../files/directory.ts").catch(chunkFailed);

/** Forwards calls to a store whose code is imported at the first call. */
abstract class FolderStore implements AsyncStore {
  readonly #open: () => Promise<Folder>;
  #folder: Promise<Folder> | undefined;

  constructor(open: () => Promise<Folder>) {
    this.#open = open;
  }

  #opened(): Promise<Folder> {
    this.#folder ??= this.#open();
    return this.#folder;
  }

  /** Calls the store. An abort rejects at once, with the signal's reason. */
  async #ask<T>(options: StoreGetOptions, act: (folder: Folder) => Promise<T>): Promise<T> {
    const signal = optionsOf(options).signal ?? undefined;
    signal?.throwIfAborted();
    return unlessAborted(this.#opened().then(act), signal);
  }

  async get(key: AbsolutePath, options: StoreGetOptions = {}): Promise<Uint8Array | undefined> {
    return this.#ask(options, (folder) => folder.get(key));
  }

  async getRange(
    key: AbsolutePath,
    range: RangeQuery,
    options: StoreGetOptions = {},
  ): Promise<Uint8Array | undefined> {
    needRange(range);
    return this.#ask(options, (folder) => folder.getRange(key, range));
  }

  async has(key: AbsolutePath): Promise<boolean> {
    return (await this.#opened()).has(key);
  }

  size(key: AbsolutePath, options: StoreGetOptions = {}): Promise<number | undefined> {
    return this.#ask(options, (folder) => folder.size(key));
  }

  /**
   * Stores a value. Writes of the same key run one after the other, because a file is locked while
   * it is written. An abort rejects at once; a file that is being written is completed.
   */
  async set(key: AbsolutePath, value: Uint8Array, options: StoreGetOptions = {}): Promise<void> {
    needBytes(value, "value");
    return this.#ask(options, (folder) => folder.set(key, value, options));
  }

  /** Removes a value. Returns whether it existed. */
  async delete(key: AbsolutePath): Promise<boolean> {
    return (await this.#opened()).delete(key);
  }

  /** Removes everything below a prefix. The root folder itself stays. */
  async deletePrefix(prefix: AbsolutePath): Promise<void> {
    return (await this.#opened()).deletePrefix(prefix);
  }

  /** Lists all keys below a prefix. */
  async *list(prefix: AbsolutePath = "/"): AsyncGenerator<AbsolutePath> {
    yield* (await this.#opened()).list(prefix);
  }

  /**
   * Lists the keys and prefixes directly below a prefix, sorted. Folders without files are left
   * out.
   */
  async listDir(prefix: AbsolutePath = "/"): Promise<Listed> {
    return (await this.#opened()).listDir(prefix);
  }
}

/** Lets the engine use its own store for this object, as long as no method has been replaced. */
function definedAs(store: object, own: object, define: () => StoreDefinition): void {
  const isUntouched = () => METHODS.every((name) => Reflect.get(store, name) === Reflect.get(own, name));
  setDefiner(store, (numbers) => (isUntouched() ? numbers.native(store, define) : undefined));
}

/**
 * A store over a folder that the user chose (`showDirectoryPicker`, a dropped folder), or over any
 * other `FileSystemDirectoryHandle`. `root` is the folder, or a function that returns it when it is
 * first needed.
 */
export class DirectoryStore extends FolderStore {
  constructor(root: FileSystemDirectoryHandle | (() => Promise<FileSystemDirectoryHandle>)) {
    super(async () => new (await folders()).DirectoryStore(root));
    object(root, "root");
    // A function cannot be cloned, so the page performs the calls of this store.
    if (typeof root === "function" || !isHandle(root)) return;
    const lockName = () => lockNameOf(this);
    definedAs(this, DirectoryStore.prototype, () => ({ kind: "directory", root, lockName: lockName() }));
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
    super(async () => new (await folders()).OpfsStore(path));
    this.lockName = `opfs:/${names.join("/")}`;
    definedAs(this, OpfsStore.prototype, () => ({ kind: "opfs", path, lockName: this.lockName }));
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
