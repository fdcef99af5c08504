/**
 * What stores of files in browsers share: ranges of a `File`, and paths of keys.
 */
import { ZarrError } from "../model/errors.ts";
import type { AbsolutePath, RangeQuery } from "../model/types.ts";

/** What stands directly below a prefix, in order. */
export interface Listed {
  keys: AbsolutePath[];
  prefixes: AbsolutePath[];
}

/** The names of a key, from the root down; a key that would lead elsewhere is refused. */
export function namesOf(key: AbsolutePath): string[] {
  const names = (key.startsWith("/") ? key.slice(1) : key).split("/");
  if (names.every((name) => name !== "" && name !== "." && name !== "..")) return names;
  throw new ZarrError("Argument", `${JSON.stringify(key)} is no key: it has an empty name, "." or ".."`, {
    key,
  });
}

/** The names of a prefix, from the root down. */
export const namesOfPrefix = (prefix: string): string[] => {
  const path = prefix.replace(/^\/|\/$/g, "");
  return path === "" ? [] : namesOf(`/${path}`);
};

/** All of a file. */
export async function readFile(file: Blob): Promise<Uint8Array> {
  return new Uint8Array(await file.arrayBuffer());
}

/**
 * The name of the property that tells the size of a file with a range of it; `src/js/user_store.rs`
 * looks for it.
 */
const SIZE = Symbol.for("zarr-wasm.size");

/**
 * A range of a file, with the size of all of it: the index at the end of a shard is checked against
 * that.
 */
export function withSize(bytes: Uint8Array, size: number): Uint8Array {
  return Object.defineProperty(bytes, SIZE, { value: size });
}

/** A range of a file, cut at its end. */
export async function readFileRange(file: Blob, range: RangeQuery): Promise<Uint8Array> {
  const start = "suffixLength" in range ? Math.max(0, file.size - range.suffixLength) : range.offset;
  const end = "suffixLength" in range ? file.size : range.offset + range.length;
  return withSize(await readFile(file.slice(start, end)), file.size);
}

/** The name of an error of the file system, such as "NotFoundError". */
export const nameOfError = (error: unknown): string =>
  typeof error === "object" && error !== null && "name" in error ? String(error.name) : "";

/** A failure of the file system as an error of ours. */
export function fileSystemFailed(key: string, error: unknown): ZarrError {
  if (error instanceof ZarrError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ZarrError("Store", `the file system refuses ${key}: ${message}`, { key, cause: error });
}
