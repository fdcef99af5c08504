/**
 * Shared parts of the stores over browser files: ranges of a `File`, and paths of keys.
 */
import { ZarrError } from "../model/errors.ts";
import type { AbsolutePath, RangeQuery } from "../model/types.ts";

/** The entries directly below a prefix, sorted. */
export interface Listed {
  keys: AbsolutePath[];
  prefixes: AbsolutePath[];
}

/**
 * The names in a key, from the root down. Throws an `Argument` error for empty names, "." and "..".
 */
export function namesOf(key: AbsolutePath): string[] {
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
  const path = prefix.replace(/^\/|\/$/g, "");
  return path === "" ? [] : namesOf(`/${path}`);
};

/** Reads a whole file. */
export async function readFile(file: Blob): Promise<Uint8Array> {
  return new Uint8Array(await file.arrayBuffer());
}

/** The property in which a range carries the size of its file. `src/js/user_store.rs` reads it. */
const SIZE = Symbol.for("zarr-wasm.size");

/**
 * Attaches the size of the file to a range. The reader of a shard checks the index at the end of
 * the shard against it.
 */
export function withSize(bytes: Uint8Array, size: number): Uint8Array {
  return Object.defineProperty(bytes, SIZE, { value: size });
}

/** Reads a byte range of a file. A range beyond the end is shortened. */
export async function readFileRange(file: Blob, range: RangeQuery): Promise<Uint8Array> {
  const start = "suffixLength" in range ? Math.max(0, file.size - range.suffixLength) : range.offset;
  const end = "suffixLength" in range ? file.size : range.offset + range.length;
  return withSize(await readFile(file.slice(start, end)), file.size);
}

/** The name of a file system error, such as "NotFoundError". */
export const nameOfError = (error: unknown): string =>
  typeof error === "object" && error !== null && "name" in error ? String(error.name) : "";

/** Converts a file system error to a `ZarrError`. */
export function fileSystemFailed(key: string, error: unknown): ZarrError {
  if (error instanceof ZarrError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ZarrError("Store", `the file system failed at ${key}: ${message}`, { key, cause: error });
}
