/**
 * `FileSystemStore` for Node: the file system store of the Zarr v3 drafts. A key is a path below
 * the folder. `set` creates folders. Empty folders are not listed.
 *
 * Nothing outside of the folder is read or written, neither through `..` nor through a symbolic
 * link. Links to targets inside are followed, so a folder is listed under its own name and under
 * the names of links to it. A link to a folder above is not listed, because the walk came from
 * there. Named pipes, sockets and devices are no values: their keys are absent. After a write, a
 * file has its old or its new bytes: new bytes are written under another name and renamed.
 */

import type { Dirent } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { fileSystemFailed, type Listed, namesOf, namesOfPrefix } from "../files/file.ts";
import type { FileState } from "../files/reading.ts";
import { needBytes, needRange, needText, needUrl, optionsOf, placesIn } from "../model/argument.ts";
import { ZarrError } from "../model/errors.ts";
import type { AbsolutePath, AsyncMutable, RangeQuery, StoreGetOptions } from "../model/types.ts";
import { chunkFailed } from "../port/chunk_failed.ts";
import { node } from "./node_builtins.ts";

/** The code that reads files. Pages do not download it with this class. */
const reading = () => import("../files/reading.ts").catch(chunkFailed);

/** Name of a file that is being written. */
const UNFINISHED = /^\.[\da-z]{1,12}\.zarr-unfinished$/;

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? "";

/**
 * Whether an error means that there is no such file, or that a file is a folder or a folder a file.
 */
const isAbsent = (error: unknown) => ABSENT.includes(codeOf(error));

/** ENXIO and ENODEV are those of sockets and devices. */
const ABSENT = ["ENOENT", "EISDIR", "ENOTDIR", "ENXIO", "ENODEV"];

/** The most folders that a listing reaches a second time, by links. */
const MOST_REPEATED = 2 ** 14;

async function orUndefined<T>(key: string, value: Promise<T>): Promise<T | undefined> {
  try {
    return await value;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw fileSystemFailed(key, error);
  }
}

const outside = (key: string) =>
  new ZarrError("Argument", `the key ${JSON.stringify(key)} leads outside of the store`, { key });

const taken = (key: string, cause: unknown) =>
  new ZarrError(
    "Store",
    `${key} cannot be written: its folder exists as a file, or the key exists as a folder`,
    { key, cause },
  );

export class FileSystemStore implements AsyncMutable {
  readonly root: string;
  /** The same for all stores in this process that write to the folder. */
  readonly lockName: string;

  constructor(root: string | URL) {
    needUrl(root, "root");
    this.root = root instanceof URL ? node.urls.fileURLToPath(root) : root;
    this.lockName = `file:${node.paths.resolve(this.root)}`;
  }

  async get(key: AbsolutePath, options: StoreGetOptions = {}): Promise<Uint8Array | undefined> {
    const { signal } = optionsOf(options);
    signal?.throwIfAborted();
    const path = await this.#existing(key);
    return path === undefined ? undefined : readUnchanged(key, path, (file) => file.readFile());
  }

  async getRange(
    key: AbsolutePath,
    range: RangeQuery,
    options: StoreGetOptions = {},
  ): Promise<Uint8Array | undefined> {
    needRange(range);
    const { signal } = optionsOf(options);
    signal?.throwIfAborted();
    const path = await this.#existing(key);
    return path === undefined
      ? undefined
      : readUnchanged(key, path, (file, state) => readRange(file, range, state));
  }

  async has(key: AbsolutePath): Promise<boolean> {
    return (await this.size(key)) !== undefined;
  }

  /** Size of a value in bytes; undefined if there is none. */
  async size(key: AbsolutePath): Promise<number | undefined> {
    const path = await this.#existing(key);
    const found = path === undefined ? undefined : await orUndefined(key, node.files.stat(path));
    return found?.isFile() ? found.size : undefined;
  }

  async set(key: AbsolutePath, value: Uint8Array): Promise<void> {
    needBytes(value, "value");
    const path = this.#path(key);
    const folder = node.paths.dirname(path);
    const unfinished = node.paths.join(folder, `.${Math.random().toString(36).slice(2, 12)}.zarr-unfinished`);
    try {
      // Check before creating folders: a symbolic link above could lead outside.
      await this.#checkAbove(key, folder);
      await node.files.mkdir(folder, { recursive: true });
      await this.#checkInside(key, folder);
      await node.files.writeFile(unfinished, value, { flag: "wx" });
      await node.files.rename(unfinished, path);
    } catch (error) {
      await node.files.rm(unfinished, { force: true }).catch(() => {});
      const isTaken = ["EISDIR", "ENOTDIR", "EEXIST", "ENOTEMPTY"].includes(codeOf(error));
      throw isTaken ? taken(key, error) : fileSystemFailed(key, error);
    }
  }

  /** Removes a value. Returns whether it existed. Emptied folders stay, but are not listed. */
  async delete(key: AbsolutePath): Promise<boolean> {
    if ((await this.size(key)) === undefined) return false;
    // If the file is a symbolic link, only the link is removed.
    return (
      (await orUndefined(
        key,
        node.files.rm(this.#path(key)).then(() => true),
      )) ?? false
    );
  }

  /** Removes everything below a prefix. The root folder itself stays. */
  async deletePrefix(prefix: AbsolutePath): Promise<void> {
    const names = namesOfPrefix(prefix);
    const folder = await this.#folder(names);
    if (folder === undefined) return;
    if (names.length > 0) return node.files.rm(folder, { recursive: true, force: true });
    for (const name of await node.files.readdir(folder))
      await node.files.rm(node.paths.join(folder, name), { recursive: true, force: true });
  }

  /**
   * Lists all keys below a prefix. Throws a `Limit` error where links multiply the folders to more
   * than can be listed.
   */
  async *list(prefix: AbsolutePath = "/"): AsyncGenerator<AbsolutePath> {
    yield* this.#listAll(prefix, { seen: new Set(), repeated: 0 });
  }

  async *#listAll(prefix: AbsolutePath, walk: Walk): AsyncGenerator<AbsolutePath> {
    const folder = await this.#folder(namesOfPrefix(prefix));
    if (folder !== undefined) countFolder(walk, folder, prefix);
    const { keys, prefixes } = await this.listDir(prefix);
    yield* keys;
    for (const each of prefixes) yield* this.#listAll(each, walk);
  }

  /**
   * Lists the keys and prefixes directly below a prefix, sorted. Folders without files are left
   * out.
   */
  async listDir(prefix: AbsolutePath = "/"): Promise<Listed> {
    const names = namesOfPrefix(prefix);
    const folder = await this.#folder(names);
    const at = names.map((name) => `${name}/`).join("");
    const above = folder === undefined ? [] : await this.#realFolders(names);
    const keys: AbsolutePath[] = [];
    const prefixes: AbsolutePath[] = [];
    for (const entry of folder === undefined ? [] : await entriesOf(folder)) {
      const path = `/${at}${entry.name}` as const;
      const kind = entry.isSymbolicLink() ? await this.#kindOfLink(path) : kindOf(entry);
      if (kind === "file" && !UNFINISHED.test(entry.name)) keys.push(path);
      if (kind !== "folder" || (entry.isSymbolicLink() && (await this.#leadsUp(path, above)))) continue;
      if (await this.#holdsSomething(path, new Set(above))) prefixes.push(`${path}/`);
    }
    return { keys: keys.sort(), prefixes: prefixes.sort() };
  }

  #path(key: string): string {
    const root = node.paths.resolve(this.root);
    needText(key, "key");
    if (key.includes("\0") || (node.paths.sep === "\\" && key.includes("\\"))) throw outside(key);
    const names = namesOf(key as AbsolutePath);
    const path = node.paths.join(root, ...names);
    if (isBelow(path, root)) return path;
    throw outside(key);
  }

  /** The real path of a key's file; undefined if there is none. */
  async #existing(key: string): Promise<string | undefined> {
    const path = await orUndefined(key, node.files.realpath(this.#path(key)));
    if (path !== undefined) await this.#checkReal(key, path);
    return path;
  }

  async #folder(names: string[]): Promise<string | undefined> {
    const folder =
      names.length === 0 ? node.paths.resolve(this.root) : await this.#existing(`/${names.join("/")}`);
    const found =
      folder === undefined ? undefined : await orUndefined(names.join("/"), node.files.stat(folder));
    return found?.isDirectory() ? folder : undefined;
  }

  /** The kind of a link's target; undefined if it is outside of the store or missing. */
  async #kindOfLink(path: AbsolutePath): Promise<"file" | "folder" | undefined> {
    try {
      const real = await this.#existing(path);
      return real === undefined ? undefined : kindOf(await node.files.stat(real));
    } catch {
      return undefined;
    }
  }

  /** The real paths of a folder and of the folders through which its path leads. */
  async #realFolders(names: string[]): Promise<string[]> {
    const paths = [node.paths.resolve(this.root)];
    for (const name of names) paths.push(node.paths.join(paths.at(-1) as string, name));
    return Promise.all(paths.map((path) => node.files.realpath(path)));
  }

  /** Whether a link leads to one of these folders, or to one above them. */
  async #leadsUp(link: AbsolutePath, folders: readonly string[]): Promise<boolean> {
    const target = await this.#folder(namesOfPrefix(link));
    return target !== undefined && folders.some((each) => each === target || isBelow(each, target));
  }

  /** Whether there is a value below a folder. `seen` has the real paths that were searched. */
  async #holdsSomething(path: AbsolutePath, seen: Set<string>): Promise<boolean> {
    const folder = await this.#folder(namesOfPrefix(path));
    if (folder === undefined || seen.has(folder)) return false;
    seen.add(folder);
    const entries = await entriesOf(folder);
    if (entries.some((entry) => entry.isFile() && !UNFINISHED.test(entry.name))) return true;
    for (const entry of entries) {
      const below = `${path}/${entry.name}` as const;
      const kind = entry.isSymbolicLink() ? await this.#kindOfLink(below) : kindOf(entry);
      if (kind === "file" && !UNFINISHED.test(entry.name)) return true;
      if (kind === "folder" && (await this.#holdsSomething(below, seen))) return true;
    }
    return false;
  }

  /** Checks that the nearest existing folder above is inside. The root may not exist yet. */
  async #checkAbove(key: string, folder: string): Promise<void> {
    const root = node.paths.resolve(this.root);
    for (let above = folder; above.length >= root.length; above = node.paths.dirname(above)) {
      const real = await node.files.realpath(above).catch((error) => {
        if (codeOf(error) === "ENOENT") return undefined;
        throw error;
      });
      if (real !== undefined) return this.#checkReal(key, real);
    }
  }

  async #checkInside(key: string, folder: string): Promise<void> {
    await this.#checkReal(key, await node.files.realpath(folder));
  }

  async #checkReal(key: string, path: string): Promise<void> {
    const root = await node.files.realpath(node.paths.resolve(this.root));
    if (path !== root && !isBelow(path, root)) throw outside(key);
  }
}

/** The folders that a listing has reached. */
interface Walk {
  /** Their real paths. */
  readonly seen: Set<string>;
  /** How often one was reached again. */
  repeated: number;
}

function countFolder(walk: Walk, folder: string, prefix: AbsolutePath): void {
  if (walk.seen.has(folder)) walk.repeated += 1;
  walk.seen.add(folder);
  if (walk.repeated <= MOST_REPEATED) return;
  throw new ZarrError("Limit", "links to folders make the listing too large", {
    key: prefix,
    expected: `at most ${MOST_REPEATED} folders that links reach again`,
    actual: "more",
  });
}

const isBelow = (path: string, folder: string): boolean =>
  path.startsWith(folder.endsWith(node.paths.sep) ? folder : folder + node.paths.sep);

const kindOf = (entry: { isFile(): boolean; isDirectory(): boolean }) =>
  entry.isFile() ? "file" : entry.isDirectory() ? "folder" : undefined;

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
 * Reads a file that did not change meanwhile; undefined if there is none. A file that a program
 * replaces by renaming is read as it was. One that is written in place is read again, a bounded
 * number of times.
 */
async function readUnchanged(
  key: string,
  path: string,
  read: (file: FileHandle, state: FileState) => Promise<Uint8Array>,
): Promise<Uint8Array | undefined> {
  const attempt = async () => {
    // Opening a named pipe would wait for a writer, and occupy a thread of the process.
    const { O_RDONLY, O_NONBLOCK = 0 } = node.files.constants;
    const file = await node.files.open(path, O_RDONLY | O_NONBLOCK);
    try {
      const before = await stateOf(file);
      if (!before.isFile) return undefined;
      const bytes = await read(file, before);
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
  const { whileChanging } = await reading();
  return whileChanging(key, found, (error) => error instanceof Error && error.message === CHANGED);
}

async function readRange(file: FileHandle, range: RangeQuery, state: FileState): Promise<Uint8Array> {
  const [start, end] = placesIn(state.size, range);
  const bytes = new Uint8Array(end - start);
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, start + filled);
    if (bytesRead === 0) throw new Error(CHANGED);
    filled += bytesRead;
  }
  const { withState } = await reading();
  return withState(bytes, state);
}

export default FileSystemStore;
