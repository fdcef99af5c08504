/**
 * What the stores over files have in common: names in keys, and errors; they check arguments, end a
 * call at an abort, and list. Where the files are is known to a `FolderIo`, which is opened at the
 * first call, because its code may be a chunk of its own. They run at either end of the port.
 */

import { needBytes, needRange, needText, signalOf } from "../model/argument.ts";
import { shown, ZarrError } from "../model/errors.ts";
import { FRESH } from "../model/memory.ts";
import { findable, worksBehindProxies } from "../model/proxies.ts";
import type { AbsolutePath, AsyncReadable, AsyncStore, RangeQuery, StoreGetOptions } from "../model/types.ts";
import { unlessAborted } from "../model/waiting.ts";

/** The names that lead from the folder of a store to a file or a folder. */
export type Names = readonly string[];

/** The names of what is in a folder. */
export interface Entries {
  files: string[];
  folders: string[];
}

/** What is directly below a prefix, sorted. */
export interface Listed {
  /** The keys of values. */
  keys: AbsolutePath[];
  /** The prefixes of keys with more names. They end with `/`. */
  prefixes: AbsolutePath[];
}

/** The key of a file, and the prefix of a folder without its last slash. */
export const keyOf = (names: Names): AbsolutePath => `/${names.join("/")}`;

/** The keys and prefixes of what is in a folder, sorted. */
export function listed(names: Names, { files, folders }: Entries): Listed {
  const keys = files.map((name) => keyOf([...names, name]));
  const prefixes = folders.map((name): AbsolutePath => `${keyOf([...names, name])}/`);
  return { keys: keys.sort(), prefixes: prefixes.sort() };
}

/**
 * The names in a key, from the root down. Throws an `Argument` error for empty names, "." and "..".
 */
export function namesOf(key: AbsolutePath): string[] {
  needText(key, "key");
  const names = (key.startsWith("/") ? key.slice(1) : key).split("/");
  if (names.every((name) => name !== "" && name !== "." && name !== "..")) return names;
  throw new ZarrError(
    "Argument",
    `${JSON.stringify(key)} is not a valid key: it has an empty name, "." or ".."`,
    {
      key,
    },
  );
}

/** The names in a prefix, from the root down. */
export const namesOfPrefix = (prefix: string): string[] => {
  needText(prefix, "prefix");
  const path = prefix.replace(/^\/|\/$/g, "");
  return path === "" ? [] : namesOf(`/${path}`);
};

/** The name of a file system error, such as "NotFoundError". */
export const nameOfError = (error: unknown): string =>
  typeof error === "object" && error !== null && "name" in error ? String(error.name) : "";

/** Converts a file system error to a `ZarrError`. */
export function fileSystemFailed(key: string, error: unknown): ZarrError {
  if (error instanceof ZarrError) return error;
  const message = error instanceof Error ? error.message : shown(error);
  return new ZarrError("Store", `the file system failed at ${key}: ${message}`, { key, cause: error });
}

/** Whether there is no entry of this name and kind, by the error of a browser. */
const isAbsent = (error: unknown) => ["NotFoundError", "TypeMismatchError"].includes(nameOfError(error));

/** Resolves to undefined if there is no entry of these names and kind. */
export async function orUndefined<T>(
  names: Names,
  value: Promise<T>,
  isMissing = isAbsent,
): Promise<T | undefined> {
  try {
    return await value;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw fileSystemFailed(keyOf(names), error);
  }
}

/** Reads the files below a folder. */
export interface FileIo {
  /** Reads a file, or a byte range of it; undefined if there is no such file. */
  read(names: Names, range: RangeQuery | undefined): Promise<Uint8Array | undefined>;
  /** Size of a file in bytes; undefined if there is no such file. */
  size(names: Names): Promise<number | undefined>;
}

/** Reads, writes and lists the files below a folder. */
export interface FolderIo extends FileIo {
  write(names: Names, value: Uint8Array, signal: AbortSignal | undefined): Promise<void>;
  /** Removes a file. Returns whether it existed. */
  remove(names: Names): Promise<boolean>;
  /** Removes a folder with all that it holds; of the root, only what it holds. */
  removeFolder(names: Names): Promise<void>;
  /** The entries of a folder. Folders without files are left out. */
  entries(names: Names): Promise<Entries>;
  /** The keys of all files below a folder. A listing that may be without end is a `Limit` error. */
  keys(names: Names): AsyncGenerator<AbsolutePath>;
  /**
   * The name of the lock of a file, whether it exists or not: the same through every folder that
   * reaches it.
   */
  lockOf(names: Names): Promise<string>;
}

/** The keys of the methods by which a store reaches its folder. Users have no call for them. */
const IO: unique symbol = Symbol("zarr-wasm.io");
const ASK: unique symbol = Symbol("zarr-wasm.ask");

/** A read-only store over files. */
export abstract class FileStore<Io extends FileIo = FileIo> implements AsyncReadable {
  readonly #open: () => Promise<Io>;
  #opened: Promise<Io> | undefined;

  constructor(open: () => Promise<Io>) {
    findable(this);
    this.#open = open;
  }

  /** @internal The store keeps nothing of what it has read. */
  get [FRESH](): AsyncReadable {
    return FileStore.prototype;
  }

  /** @internal */
  [IO](): Promise<Io> {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  /**
   * Calls the folder. An abort rejects at once, with the signal's reason.
   *
   * @internal
   */
  async [ASK]<T>(
    options: StoreGetOptions,
    act: (io: Io, signal: AbortSignal | undefined) => Promise<T>,
  ): Promise<T> {
    const signal = signalOf(options);
    signal?.throwIfAborted();
    const answer = this[IO]().then((io) => act(io, signal));
    return unlessAborted(answer, signal);
  }

  /**
   * Reads a file.
   *
   * @param key The key, which begins with `/`: the path below the folder.
   * @returns the bytes; undefined if there is no such file.
   * @throws a `Store` error if the file system fails.
   */
  async get(key: AbsolutePath, options: StoreGetOptions = {}): Promise<Uint8Array | undefined> {
    return this[ASK](options, (io) => io.read(namesOf(key), undefined));
  }

  /**
   * Reads a range of a file.
   *
   * @param key The key, which begins with `/`: the path below the folder.
   * @param range `offset` and `length`, or `suffixLength`, in bytes.
   * @returns the bytes; undefined if there is no such file.
   * @throws a `Store` error if the file system fails.
   */
  async getRange(
    key: AbsolutePath,
    range: RangeQuery,
    options: StoreGetOptions = {},
  ): Promise<Uint8Array | undefined> {
    needRange(range);
    return this[ASK](options, (io) => io.read(namesOf(key), range));
  }

  /**
   * Asks for the size of a file.
   *
   * @param key The key, which begins with `/`: the path below the folder.
   * @returns the size in bytes; undefined if there is no such file.
   */
  async size(key: AbsolutePath, options: StoreGetOptions = {}): Promise<number | undefined> {
    return this[ASK](options, (io) => io.size(namesOf(key)));
  }

  /**
   * Asks whether there is a file.
   *
   * @param key The key, which begins with `/`: the path below the folder.
   */
  async has(key: AbsolutePath): Promise<boolean> {
    return (await this.size(key)) !== undefined;
  }
}
worksBehindProxies(FileStore);

/** A store over a folder. */
export class FolderStore extends FileStore<FolderIo> implements AsyncStore {
  /**
   * Stores a value. The file has its old or its new bytes, never parts of both. An abort rejects at
   * once; a file that is being written is completed.
   *
   * @param key The key, which begins with `/`: the path below the folder.
   * @param value The bytes.
   * @throws a `Store` error if the file system fails.
   */
  async set(key: AbsolutePath, value: Uint8Array, options: StoreGetOptions = {}): Promise<void> {
    needBytes(value, "value");
    return this[ASK](options, (io, signal) => io.write(namesOf(key), value, signal));
  }

  /**
   * Tells the name of the lock that writers of a value share. Stores that reach the same file,
   * through other folders or through links, have the same name for it.
   *
   * @param key The key, which begins with `/`: the path below the folder.
   */
  async lockFor(key: AbsolutePath): Promise<string> {
    return (await this[IO]()).lockOf(namesOf(key));
  }

  /**
   * Removes a file.
   *
   * @param key The key, which begins with `/`: the path below the folder.
   * @returns whether it existed.
   */
  async delete(key: AbsolutePath): Promise<boolean> {
    return (await this[IO]()).remove(namesOf(key));
  }

  /**
   * Removes everything below a prefix. The root folder itself stays.
   *
   * @param prefix A prefix that begins and ends with `/`.
   */
  async deletePrefix(prefix: AbsolutePath): Promise<void> {
    return (await this[IO]()).removeFolder(namesOfPrefix(prefix));
  }

  /**
   * Lists all keys below a prefix.
   *
   * @param prefix A prefix that begins and ends with `/`. Default: `/`, the root.
   * @throws a `Limit` error for a listing that may be without end.
   */
  async *list(prefix: AbsolutePath = "/"): AsyncGenerator<AbsolutePath> {
    yield* (await this[IO]()).keys(namesOfPrefix(prefix));
  }

  /**
   * Lists the keys and prefixes directly below a prefix, sorted. Folders without files are left
   * out.
   *
   * @param prefix A prefix that begins and ends with `/`. Default: `/`, the root.
   * @returns `keys` of files, and `prefixes` of folders.
   */
  async listDir(prefix: AbsolutePath = "/"): Promise<Listed> {
    const names = namesOfPrefix(prefix);
    return listed(names, await (await this[IO]()).entries(names));
  }
}
worksBehindProxies(FolderStore);
