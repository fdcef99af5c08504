/**
 * What folders of browsers and of Node share: names of files that are being written, the error for
 * a key that cannot be a file, the listing of everything below a folder, and reads of files that
 * other pages and programs may change meanwhile. What is read is of one version of the file: it is
 * read again where it changed, a bounded number of times. It is apart from `folder_store.ts`, which
 * every page loads.
 */

import { boundsIn } from "../model/argument.ts";
import { ZarrError } from "../model/errors.ts";
import type { AbsolutePath, RangeQuery } from "../model/types.ts";
import {
  type Entries,
  fileSystemFailed,
  keyOf,
  listed,
  type Names,
  nameOfError,
  namesOfPrefix,
} from "./folder_store.ts";

const UNFINISHED = /^\.[\da-z]{1,12}\.zarr-unfinished$/;

/** Whether a file is being written, so that it is no value. */
export const isUnfinished = (name: string): boolean => UNFINISHED.test(name);

/** A new name for a file that is being written. */
export function unfinishedName(): string {
  const digits = Array.from({ length: 12 }, () => Math.floor(Math.random() * 36).toString(36));
  return `.${digits.join("")}.zarr-unfinished`;
}

/** The error for a key whose folder is a file, or whose file is a folder. */
export function taken(names: Names, cause: unknown): ZarrError {
  const key = keyOf(names);
  const text = `${key} cannot be written: its folder exists as a file, or the key exists as a folder`;
  return new ZarrError("Store", text, { key, cause });
}

/**
 * The keys of all files below a folder: of each folder first its own, sorted. `check` is called
 * with each folder before it is listed, and throws a `Limit` error where the listing may be without
 * end.
 */
export async function* keysBelow(
  top: Names,
  entries: (names: Names) => Promise<Entries>,
  check: (names: Names) => Promise<void> | void,
): AsyncGenerator<AbsolutePath> {
  const open: Names[] = [top];
  for (let names = open.pop(); names !== undefined; names = open.pop()) {
    await check(names);
    const { keys, prefixes } = listed(names, await entries(names));
    yield* keys;
    for (const prefix of prefixes.reverse()) open.push(namesOfPrefix(prefix));
  }
}

async function readBytes(part: Blob): Promise<Uint8Array> {
  const bytes = new Uint8Array(await part.arrayBuffer());
  // Another program has cut the file.
  if (bytes.byteLength !== part.size) throw new DOMException("the file was cut", "NotReadableError");
  return bytes;
}

/**
 * The properties in which a range carries the size and the version of its file.
 * `src/engine/rust/js/user_store.rs` reads them.
 */
const SIZE = Symbol.for("zarr-wasm.size");
const VERSION = Symbol.for("zarr-wasm.version");

/** The state of a file. The version changes when the file changes. */
export interface FileState {
  size: number;
  version?: string;
}

/**
 * Attaches the state of the file to a range. The reader of a shard checks the index of the shard
 * against its size, and the chunks against the version of the index.
 */
export function withState(bytes: Uint8Array, { size, version }: FileState): Uint8Array {
  Object.defineProperty(bytes, SIZE, { value: size });
  return version === undefined ? bytes : Object.defineProperty(bytes, VERSION, { value: version });
}

/** Reads a byte range of a file. A range beyond the end is shortened. */
async function readFileRange(file: File, range: RangeQuery): Promise<Uint8Array> {
  const { size, lastModified } = file;
  const [start, end] = boundsIn(size, range);
  return withState(await readBytes(file.slice(start, end)), { size, version: `${lastModified} ${size}` });
}

/** Pauses in ms before a file that changed while it was read is read again. */
const PAUSES_MS = [0, 5, 10, 20, 40, 80, 160];

/** The error for a file that was different at every attempt to read it. */
const keptChanging = (key: string, cause: unknown) =>
  new ZarrError("Store", "the file changed during every attempt to read it; read it when nothing writes it", {
    key,
    cause,
  });

/** Tries a read again while it fails because the file changed, a bounded number of times. */
export async function whileChanging<T>(
  key: string,
  read: () => Promise<T>,
  isChange: (error: unknown) => boolean,
): Promise<T> {
  for (const pause of PAUSES_MS) {
    try {
      return await read();
    } catch (error) {
      if (!isChange(error)) throw fileSystemFailed(key, error);
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
  return read().catch((error) => {
    throw isChange(error) ? keptChanging(key, error) : fileSystemFailed(key, error);
  });
}

/** Errors for a file that was changed, replaced or removed after it had been found. */
const CHANGED = [
  "NotReadableError",
  "NotFoundError",
  "AbortError", // Firefox, if the file is replaced while it is read
];
const isChanged = (error: unknown) => CHANGED.includes(nameOfError(error));

/**
 * Reads a file, or a byte range of it, that other pages and programs may change meanwhile: `File`
 * objects are of the moment at which they were made, and cannot be read after the file has changed.
 * So the file is found again, a bounded number of times. `find` resolves to undefined if there is
 * no such file.
 */
export function readFound(
  names: Names,
  find: () => Promise<File | undefined> | File | undefined,
  range: RangeQuery | undefined,
): Promise<Uint8Array | undefined> {
  const key = keyOf(names);
  let before: File | undefined;
  const attempt = async () => {
    const file = await find();
    if (file && file === before) {
      throw new ZarrError("Store", "the file has changed since it was chosen; choose it again", { key });
    }
    before = file;
    return file && (range ? readFileRange(file, range) : readBytes(file));
  };
  return whileChanging(key, attempt, isChanged);
}
