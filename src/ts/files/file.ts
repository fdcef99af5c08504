/**
 * Shared parts of the stores over files: names in keys, and errors. `reading.ts` and `folders.ts`
 * are about the files themselves.
 */
import { needText } from "../model/argument.ts";
import { shown, ZarrError } from "../model/errors.ts";
import type { AbsolutePath } from "../model/types.ts";

/** The names that lead from the folder of a store to a file or a folder. */
export type Names = readonly string[];

/** The names of what is in a folder. */
export interface Entries {
  files: string[];
  folders: string[];
}

/** The entries directly below a prefix, sorted. */
export interface Listed {
  keys: AbsolutePath[];
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
