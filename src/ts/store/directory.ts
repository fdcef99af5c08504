/**
 * `DirectoryStore` and `OpfsStore` on the page: folders that browsers give handles of. The engine
 * reads and writes them by itself, by a copy of the handle, unless somebody has replaced a method.
 * What the page itself asks of them is done by code that is loaded then (`files/directory.ts`).
 */
import type { DirectoryStore as Folder } from "../files/directory.ts";
import type { Listed } from "../files/file.ts";
import { namesOfPrefix } from "../files/file.ts";
import type { AbsolutePath, AsyncStore, RangeQuery } from "../model/types.ts";
import { chunkFailed } from "../port/chunk_failed.ts";
import type { StoreDefinition } from "../port/definitions.ts";
import { setDefiner } from "../port/store_definers.ts";

const METHODS = ["get", "getRange", "set", "delete", "deletePrefix", "list", "listDir", "size"] as const;

const folders = () => import("../files/directory.ts").catch(chunkFailed);

/** A folder, once the code is there that reads it. */
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

  async get(key: AbsolutePath): Promise<Uint8Array | undefined> {
    return (await this.#opened()).get(key);
  }

  async getRange(key: AbsolutePath, range: RangeQuery): Promise<Uint8Array | undefined> {
    return (await this.#opened()).getRange(key, range);
  }

  async has(key: AbsolutePath): Promise<boolean> {
    return (await this.#opened()).has(key);
  }

  async size(key: AbsolutePath): Promise<number | undefined> {
    return (await this.#opened()).size(key);
  }

  /**
   * Puts a value under a key. Writes of one key follow each other: a file that is being written is
   * locked.
   */
  async set(key: AbsolutePath, value: Uint8Array): Promise<void> {
    return (await this.#opened()).set(key, value);
  }

  /** Removes a value; whether there was one. */
  async delete(key: AbsolutePath): Promise<boolean> {
    return (await this.#opened()).delete(key);
  }

  /** Removes all below a prefix. The root itself stays. */
  async deletePrefix(prefix: AbsolutePath): Promise<void> {
    return (await this.#opened()).deletePrefix(prefix);
  }

  /** All keys below a prefix. */
  async *list(prefix: AbsolutePath = "/"): AsyncGenerator<AbsolutePath> {
    yield* (await this.#opened()).list(prefix);
  }

  /** The keys and prefixes directly below a prefix. Empty folders are no prefixes. */
  async listDir(prefix: AbsolutePath = "/"): Promise<Listed> {
    return (await this.#opened()).listDir(prefix);
  }
}

/** Has the engine make a store of its own, as long as the methods are those of the class. */
function definedAs(store: object, own: object, define: () => StoreDefinition): void {
  const isUntouched = () => METHODS.every((name) => Reflect.get(store, name) === Reflect.get(own, name));
  setDefiner(store, (numbers) => (isUntouched() ? numbers.native(store, define) : undefined));
}

/**
 * A folder that the user gave (`showDirectoryPicker`, a dropped folder), or any other
 * `FileSystemDirectoryHandle`. `root`: the folder, or a function that promises it when it is first
 * needed.
 */
export class DirectoryStore extends FolderStore {
  constructor(root: FileSystemDirectoryHandle | (() => Promise<FileSystemDirectoryHandle>)) {
    super(async () => new (await folders()).DirectoryStore(root));
    // A function stays on the page, and with it the store.
    if (typeof root === "function" || !isHandle(root)) return;
    const lockName = () => lockNameOf(this);
    definedAs(this, DirectoryStore.prototype, () => ({ kind: "directory", root, lockName: lockName() }));
  }
}

/** A folder of the page's own, in the origin private file system; made when it is first needed. */
export class OpfsStore extends FolderStore {
  /**
   * The same for every page and worker of this origin: writers of one chunk wait for each other.
   */
  readonly lockName: string;

  /** `path`: a folder below the origin's root; the root itself without one. */
  constructor(path = "") {
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
