/**
 * Folders and files of Node's file system, for `FileSystemStore` and for archives at paths. Deno
 * and Bun have Node's modules too. A key is a path below the folder.
 *
 * Nothing outside of the folder is read or written, neither through `..` nor through a symbolic
 * link. Links to targets inside are followed, so a folder is listed under its own name and under
 * the names of links to it. A link to a folder above is not listed, because the walk came from
 * there. Named pipes, sockets and devices are no values: their keys are absent. After a write, a
 * file has its old or its new bytes: new bytes are written under another name and renamed.
 */

import type { Dirent } from "node:fs";
import type * as Files from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import type * as Paths from "node:path";
import { boundsIn } from "../model/argument.ts";
import { ZarrError } from "../model/errors.ts";
import type { AbsolutePath, RangeQuery } from "../model/types.ts";
import {
  type Entries,
  type FolderIo,
  fileSystemFailed,
  keyOf,
  type Names,
  orUndefined,
} from "./folder_store.ts";
import {
  type FileState,
  isUnfinished,
  keysBelow,
  taken,
  unfinishedName,
  whileChanging,
  withState,
} from "./folders.ts";
import { neededModule } from "./node_modules.ts";

/** Node's modules for files, which are looked up when they are first used. */
const node = {
  get files() {
    return neededModule("node:fs/promises") as typeof Files;
  },
  get paths() {
    return neededModule("node:path") as typeof Paths;
  },
};

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? "";

/**
 * Whether an error means that there is no such file, or that a file is a folder or a folder a file.
 */
const isAbsent = (error: unknown) => ABSENT.includes(codeOf(error));

/** ENXIO and ENODEV are those of sockets and devices. */
const ABSENT = ["ENOENT", "EISDIR", "ENOTDIR", "ENXIO", "ENODEV"];

/** Resolves to undefined if there is no such file. */
const ifPresent = <T>(names: Names, value: Promise<T>) => orUndefined(names, value, isAbsent);

/** The most folders that a listing reaches a second time, by links. */
const MAX_REPEATED_FOLDERS = 2 ** 14;

const outside = (key: string) =>
  new ZarrError("Argument", `the key ${JSON.stringify(key)} leads outside of the store`, { key });

/** A folder of the file system. */
export class NodeFolder implements FolderIo {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async read(names: Names, range: RangeQuery | undefined): Promise<Uint8Array | undefined> {
    const path = await this.#existing(names);
    return path === undefined ? undefined : readUnchanged(keyOf(names), path, range);
  }

  async size(names: Names): Promise<number | undefined> {
    const path = await this.#existing(names);
    const found = path === undefined ? undefined : await ifPresent(names, node.files.stat(path));
    return found?.isFile() ? found.size : undefined;
  }

  async write(names: Names, value: Uint8Array): Promise<void> {
    const path = this.#pathOf(names);
    const folder = node.paths.dirname(path);
    const unfinished = node.paths.join(folder, unfinishedName());
    try {
      // Check before creating folders: a symbolic link above could lead outside.
      await this.#checkAbove(names, folder);
      await node.files.mkdir(folder, { recursive: true });
      await this.#checkReal(names, await node.files.realpath(folder));
      await node.files.writeFile(unfinished, value, { flag: "wx" });
      await node.files.rename(unfinished, path);
    } catch (error) {
      await node.files.rm(unfinished, { force: true }).catch(() => {});
      const isTaken = ["EISDIR", "ENOTDIR", "EEXIST", "ENOTEMPTY"].includes(codeOf(error));
      throw isTaken ? taken(names, error) : fileSystemFailed(keyOf(names), error);
    }
  }

  /** Emptied folders stay, but are not listed. */
  async remove(names: Names): Promise<boolean> {
    if ((await this.size(names)) === undefined) return false;
    // If the file is a symbolic link, only the link is removed.
    const removed = node.files.rm(this.#pathOf(names)).then(() => true);
    return (await ifPresent(names, removed)) ?? false;
  }

  async removeFolder(names: Names): Promise<void> {
    const folder = await this.#folder(names);
    if (folder === undefined) return;
    if (names.length > 0) return node.files.rm(folder, { recursive: true, force: true });
    for (const name of await node.files.readdir(folder))
      await node.files.rm(node.paths.join(folder, name), { recursive: true, force: true });
  }

  async entries(names: Names): Promise<Entries> {
    const folder = await this.#folder(names);
    const above = folder === undefined ? [] : await this.#realFolders(names);
    const entries: Entries = { files: [], folders: [] };
    for (const entry of folder === undefined ? [] : await entriesOf(folder)) {
      const path = [...names, entry.name];
      const kind = await this.#kindOf(path, entry);
      if (kind === "file" && !isUnfinished(entry.name)) entries.files.push(entry.name);
      if (kind !== "folder" || (entry.isSymbolicLink() && (await this.#leadsUp(path, above)))) continue;
      if (await this.#holdsSomething(path, new Set(above))) entries.folders.push(entry.name);
    }
    return entries;
  }

  /**
   * The real path of the folder, as far as it exists, and the names below it. A write replaces a
   * link to a file, so the file's own name counts.
   */
  async lockOf(names: Names): Promise<string> {
    const path = this.#pathOf(names);
    for (let above = node.paths.dirname(path); ; above = node.paths.dirname(above)) {
      const real = await ifPresent(names, node.files.realpath(above));
      if (real === undefined && above !== node.paths.dirname(above)) continue;
      const lock = node.paths.join(real ?? above, node.paths.relative(above, path));
      return `file:${lock.replaceAll(node.paths.sep, "/")}`;
    }
  }

  /** Links may multiply the folders to more than can be listed. */
  keys(top: Names): AsyncGenerator<AbsolutePath> {
    const seen = new Set<string>();
    let repeated = 0;
    const check = async (names: Names) => {
      const folder = await this.#folder(names);
      if (folder === undefined) return;
      if (seen.has(folder)) repeated += 1;
      seen.add(folder);
      if (repeated > MAX_REPEATED_FOLDERS) throw tooManyLinks(top);
    };
    return keysBelow(top, (names) => this.entries(names), check);
  }

  #root(): string {
    return node.paths.resolve(this.#path);
  }

  #pathOf(names: Names): string {
    const key = keyOf(names);
    if (key.includes("\0") || (node.paths.sep === "\\" && key.includes("\\"))) throw outside(key);
    const root = this.#root();
    const path = node.paths.join(root, ...names);
    if (isBelow(path, root)) return path;
    throw outside(key);
  }

  /** The real path of a file or folder below the root; undefined if there is none. */
  async #existing(names: Names): Promise<string | undefined> {
    const path = await ifPresent(names, node.files.realpath(this.#pathOf(names)));
    if (path !== undefined) await this.#checkReal(names, path);
    return path;
  }

  async #folder(names: Names): Promise<string | undefined> {
    const folder = names.length === 0 ? this.#root() : await this.#existing(names);
    const found = folder === undefined ? undefined : await ifPresent(names, node.files.stat(folder));
    return found?.isDirectory() ? folder : undefined;
  }

  /**
   * The kind of an entry, or of its target: undefined if that is outside of the store or missing.
   */
  async #kindOf(names: Names, entry: Dirent): Promise<"file" | "folder" | undefined> {
    if (!entry.isSymbolicLink()) return kindOf(entry);
    try {
      const real = await this.#existing(names);
      return real === undefined ? undefined : kindOf(await node.files.stat(real));
    } catch {
      return undefined;
    }
  }

  /** The real paths of a folder and of the folders through which its path leads. */
  async #realFolders(names: Names): Promise<string[]> {
    const paths = [this.#root()];
    for (const name of names) paths.push(node.paths.join(paths.at(-1) as string, name));
    return Promise.all(paths.map((path) => node.files.realpath(path)));
  }

  /** Whether a link leads to one of these folders, or to one above them. */
  async #leadsUp(link: Names, folders: readonly string[]): Promise<boolean> {
    const target = await this.#folder(link);
    return target !== undefined && folders.some((each) => each === target || isBelow(each, target));
  }

  /** Whether there is a value below a folder. `seen` has the real paths that were searched. */
  async #holdsSomething(names: Names, seen: Set<string>): Promise<boolean> {
    const folder = await this.#folder(names);
    if (folder === undefined || seen.has(folder)) return false;
    seen.add(folder);
    const entries = await entriesOf(folder);
    if (entries.some((entry) => entry.isFile() && !isUnfinished(entry.name))) return true;
    for (const entry of entries) {
      const below = [...names, entry.name];
      const kind = await this.#kindOf(below, entry);
      if (kind === "file" && !isUnfinished(entry.name)) return true;
      if (kind === "folder" && (await this.#holdsSomething(below, seen))) return true;
    }
    return false;
  }

  /** Checks that the nearest existing folder above is inside. The root may not exist yet. */
  async #checkAbove(names: Names, folder: string): Promise<void> {
    const root = this.#root();
    for (let above = folder; above.length >= root.length; above = node.paths.dirname(above)) {
      const real = await node.files.realpath(above).catch((error) => {
        if (codeOf(error) === "ENOENT") return undefined;
        throw error;
      });
      if (real !== undefined) return this.#checkReal(names, real);
    }
  }

  async #checkReal(names: Names, path: string): Promise<void> {
    const root = await node.files.realpath(this.#root());
    if (path !== root && !isBelow(path, root)) throw outside(keyOf(names));
  }
}

const tooManyLinks = (names: Names) =>
  new ZarrError("Limit", "links to folders make the listing too large", {
    key: keyOf(names),
    expected: `at most ${MAX_REPEATED_FOLDERS} folders that links reach again`,
    actual: "more",
  });

const isBelow = (path: string, folder: string): boolean =>
  path.startsWith(folder.endsWith(node.paths.sep) ? folder : folder + node.paths.sep);

function kindOf(entry: { isFile(): boolean; isDirectory(): boolean }): "file" | "folder" | undefined {
  if (entry.isFile()) return "file";
  return entry.isDirectory() ? "folder" : undefined;
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  return node.files.readdir(folder, { withFileTypes: true });
}

/** The message of the error for a file that another program changed while it was read. */
const CHANGED = "the file changed while it was read";

/** The state of an open file, with a version that changes when a program writes to it. */
async function stateOf(file: FileHandle): Promise<FileState & { isFile: boolean }> {
  const stat = await file.stat({ bigint: true });
  const { ino, mtimeNs, size } = stat;
  return {
    isFile: stat.isFile(),
    size: Number(size),
    version: `${ino} ${mtimeNs} ${size}`,
  };
}

/**
 * Reads a file, or a byte range of it, that did not change meanwhile; undefined if there is none. A
 * file that a program replaces by renaming is read as it was. One that is written in place is read
 * again, a bounded number of times.
 */
async function readUnchanged(
  key: string,
  path: string,
  range: RangeQuery | undefined,
): Promise<Uint8Array | undefined> {
  const attempt = async () => {
    // Opening a named pipe would wait for a writer, and occupy a thread of the process.
    const { O_RDONLY, O_NONBLOCK = 0 } = node.files.constants;
    const file = await node.files.open(path, O_RDONLY | O_NONBLOCK);
    try {
      const before = await stateOf(file);
      if (!before.isFile) return undefined;
      const bytes = await (range ? readRange(file, range, before) : file.readFile());
      const after = await stateOf(file);
      if (before.version !== after.version) throw new Error(CHANGED);
      return bytes;
    } finally {
      await file.close();
    }
  };
  const found = () =>
    attempt().catch((error) => {
      if (isAbsent(error)) return undefined;
      throw error;
    });
  return whileChanging(key, found, (error) => error instanceof Error && error.message === CHANGED);
}

async function readRange(file: FileHandle, range: RangeQuery, state: FileState): Promise<Uint8Array> {
  const [start, end] = boundsIn(state.size, range);
  const bytes = new Uint8Array(end - start);
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, start + filled);
    if (bytesRead === 0) throw new Error(CHANGED);
    filled += bytesRead;
  }
  return withState(bytes, state);
}

/** A reader of the byte ranges of a file. Offsets and lengths are in bytes. */
export interface ByteReader {
  getLength(): Promise<number>;
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** A reader of the file at a path, or of the one that a link there leads to. */
export function nodeFile(path: string): ByteReader {
  const missing = () => new ZarrError("NotFound", `there is no file at ${path}`);
  const find = async (): Promise<[NodeFolder, Names]> => {
    const names = [node.paths.basename(path)];
    const real = await orUndefined(names, node.files.realpath(path), isAbsent);
    if (real === undefined) throw missing();
    return [new NodeFolder(node.paths.dirname(real)), [node.paths.basename(real)]];
  };
  return {
    async getLength() {
      const [folder, names] = await find();
      const size = await folder.size(names);
      if (size === undefined) throw missing();
      return size;
    },
    async read(offset, length) {
      const [folder, names] = await find();
      const bytes = await folder.read(names, { offset, length });
      if (!bytes) throw missing();
      return bytes;
    },
  };
}
