/**
 * Reads files that other pages and programs may change meanwhile. What is read is of one version of
 * the file: it is read again where it changed, a bounded number of times.
 */
import { placesIn } from "../model/argument.ts";
import { ZarrError } from "../model/errors.ts";
import type { RangeQuery } from "../model/types.ts";
import { fileSystemFailed, keyOf, type Names, nameOfError } from "./file.ts";

async function readBytes(part: Blob): Promise<Uint8Array> {
  const bytes = new Uint8Array(await part.arrayBuffer());
  // Another program has cut the file.
  if (bytes.byteLength !== part.size) throw new DOMException("the file was cut", "NotReadableError");
  return bytes;
}

/**
 * The properties in which a range carries the size and the version of its file.
 * `src/engine/js/user_store.rs` reads them.
 */
const SIZE = Symbol.for("zarr-wasm.size");
const VERSION = Symbol.for("zarr-wasm.version");

/** The state of a file. The version changes when the file changes. */
export interface FileState {
  size: number;
  version?: string | undefined;
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
  const [start, end] = placesIn(size, range);
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
