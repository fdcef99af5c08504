/**
 * What the stores over files have in common: they check arguments, split keys into names, end a
 * call at an abort, and list. Where the files are is known to a `FolderIo`, which is opened at the
 * first call, because its code may be a chunk of its own. They run at either end of the port.
 */
import { needBytes, needRange, optionsOf } from "../model/argument.ts";
import type { AbsolutePath, AsyncReadable, AsyncStore, RangeQuery, StoreGetOptions } from "../model/types.ts";
import { unlessAborted } from "../model/unless_aborted.ts";
import { type Entries, type Listed, listed, type Names, namesOf, namesOfPrefix } from "./file.ts";

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
}

/** A read-only store over files. */
export abstract class FileStore<Io extends FileIo = FileIo> implements AsyncReadable {
  readonly #open: () => Promise<Io>;
  #opened: Promise<Io> | undefined;

  constructor(open: () => Promise<Io>) {
    this.#open = open;
  }

  /** @internal */
  protected io(): Promise<Io> {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  /**
   * Calls the folder. An abort rejects at once, with the signal's reason.
   *
   * @internal
   */
  protected async ask<T>(
    options: StoreGetOptions,
    act: (io: Io, signal: AbortSignal | undefined) => Promise<T>,
  ): Promise<T> {
    const signal = optionsOf(options).signal ?? undefined;
    signal?.throwIfAborted();
    const answer = this.io().then((io) => act(io, signal));
    return unlessAborted(answer, signal);
  }

  async get(key: AbsolutePath, options: StoreGetOptions = {}): Promise<Uint8Array | undefined> {
    return this.ask(options, (io) => io.read(namesOf(key), undefined));
  }

  async getRange(
    key: AbsolutePath,
    range: RangeQuery,
    options: StoreGetOptions = {},
  ): Promise<Uint8Array | undefined> {
    needRange(range);
    return this.ask(options, (io) => io.read(namesOf(key), range));
  }

  /** Size of a value in bytes; undefined if there is none. */
  async size(key: AbsolutePath, options: StoreGetOptions = {}): Promise<number | undefined> {
    return this.ask(options, (io) => io.size(namesOf(key)));
  }

  async has(key: AbsolutePath): Promise<boolean> {
    return (await this.size(key)) !== undefined;
  }
}

/** A store over a folder. */
export class FolderStore extends FileStore<FolderIo> implements AsyncStore {
  /**
   * Stores a value. The file has its old or its new bytes, never parts of both. An abort rejects at
   * once; a file that is being written is completed.
   */
  async set(key: AbsolutePath, value: Uint8Array, options: StoreGetOptions = {}): Promise<void> {
    needBytes(value, "value");
    return this.ask(options, (io, signal) => io.write(namesOf(key), value, signal));
  }

  /** Removes a value. Returns whether it existed. */
  async delete(key: AbsolutePath): Promise<boolean> {
    return (await this.io()).remove(namesOf(key));
  }

  /** Removes everything below a prefix. The root folder itself stays. */
  async deletePrefix(prefix: AbsolutePath): Promise<void> {
    return (await this.io()).removeFolder(namesOfPrefix(prefix));
  }

  /** Lists all keys below a prefix. A listing that may be without end is a `Limit` error. */
  async *list(prefix: AbsolutePath = "/"): AsyncGenerator<AbsolutePath> {
    yield* (await this.io()).keys(namesOfPrefix(prefix));
  }

  /**
   * Lists the keys and prefixes directly below a prefix, sorted. Folders without files are left
   * out.
   */
  async listDir(prefix: AbsolutePath = "/"): Promise<Listed> {
    const names = namesOfPrefix(prefix);
    return listed(names, await (await this.io()).entries(names));
  }
}
