/**
 * Shared parts of the stores over files: paths of keys, and errors. `reading.ts` reads files.
 */
import { needText } from "../model/argument.ts";
import { shown, ZarrError } from "../model/errors.ts";
import type { AbsolutePath } from "../model/types.ts";

/** The entries directly below a prefix, sorted. */
export interface Listed {
  keys: AbsolutePath[];
  prefixes: AbsolutePath[];
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
